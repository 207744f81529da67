//! Texts and spelled numbers.

use crate::hash;
use std::cell::RefCell;
use std::sync::Arc;

/// Texts up to this many bytes are looked for among those made lately: keys and states come again and again.
const SHORT: usize = 24;
const KEPT: usize = 512;

thread_local! {
    /// Short texts made lately. Whether one is found here decides only how much memory is used, never a result.
    static LATELY: RefCell<Vec<Option<Text>>> = const { RefCell::new(Vec::new()) };
}

/// An immutable text: one shared pointer. It knows its length in UTF-16 units and how long it prints.
#[derive(Clone)]
pub struct Text(Arc<Data>);

struct Data {
    text: Box<str>,
    units: u32,
    printed: u32,
    /// For long texts that are not ASCII: every [`STRIDE`] units, where the character with that unit begins, so that finding a
    /// unit does not walk the text. Boxed twice to take one pointer in all the others.
    #[allow(clippy::box_collection)]
    marks: Option<Box<Vec<Mark>>>,
}

/// Units from one mark to the next.
const STRIDE: usize = 128;

/// Where a character begins.
#[derive(Clone, Copy, Default)]
struct Mark {
    byte: u32,
    unit: u32,
}

fn marks(text: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut unit = 0;
    for (byte, char) in text.char_indices() {
        let next = unit + char.len_utf16();
        if next > marks.len() * STRIDE {
            marks.push(Mark { byte: clamp(byte), unit: clamp(unit) });
        }
        unit = next;
    }
    marks
}

fn clamp(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl Text {
    fn new(text: Box<str>) -> Self {
        let (mut units, mut printed) = (0_usize, 2_usize);
        for byte in text.bytes() {
            // A character has as many units as it has bytes that begin one, and one more if it takes four bytes.
            units += usize::from(byte & 0xc0 != 0x80) + usize::from(byte >= 0xf0);
            printed += match byte {
                b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
                0..0x20 => 6,
                _ => 1,
            };
        }
        let marks = (units > 2 * STRIDE && units != text.len()).then(|| Box::new(marks(&text)));
        Self(Arc::new(Data { text, units: clamp(units), printed: clamp(printed), marks }))
    }

    /// The characters.
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// Length in UTF-16 units, as JavaScript counts. Known, not counted.
    pub fn utf16_len(&self) -> usize {
        self.0.units as usize
    }

    /// Whether every character is ASCII, so that bytes and UTF-16 units are the same.
    pub fn is_ascii(&self) -> bool {
        self.0.units as usize == self.0.text.len()
    }

    /// How many bytes it takes as a JSON string, quotes included.
    pub fn printed_len(&self) -> usize {
        self.0.printed as usize
    }

    /// The UTF-16 unit at `index` as a text; half of a surrogate pair becomes U+FFFD.
    pub fn unit_at(&self, index: usize) -> Option<Self> {
        (index < self.utf16_len()).then(|| self.units(index, index + 1))
    }

    /// The UTF-16 units from `start` up to `end` (both cut at the end) as a text; half of a surrogate pair at either side
    /// becomes U+FFFD.
    pub fn units(&self, start: usize, end: usize) -> Self {
        let end = end.min(self.utf16_len());
        if start >= end {
            return Self::from("");
        }
        if start == 0 && end == self.utf16_len() {
            return self.clone();
        }
        let (from, cut_start) = self.byte_at_unit(start);
        let (to, cut_end) = self.byte_at_unit(end);
        // A cut place is the byte where the divided character begins.
        let from = if cut_start { self.next_char(from) } else { from };
        let mut out = String::with_capacity(to.saturating_sub(from) + 6);
        if cut_start {
            out.push(char::REPLACEMENT_CHARACTER);
        }
        if from < to {
            out.push_str(self.0.text.get(from..to).unwrap_or_default());
        }
        if cut_end {
            out.push(char::REPLACEMENT_CHARACTER);
        }
        Self::from(out)
    }

    /// The byte where the UTF-16 unit `index` begins, and whether that unit is the second half of the character there.
    /// Past the end it is the end.
    pub fn byte_at_unit(&self, index: usize) -> (usize, bool) {
        let text = &*self.0.text;
        if self.is_ascii() {
            return (index.min(text.len()), false);
        }
        let mark = self.mark(|marks| marks.get(index / STRIDE).or(marks.last()));
        let mut unit = mark.unit as usize;
        let from = mark.byte as usize;
        for (at, char) in text.get(from..).unwrap_or_default().char_indices() {
            if unit >= index {
                return (from + at, false);
            }
            unit += char.len_utf16();
            if unit > index {
                return (from + at, true);
            }
        }
        (text.len(), false)
    }

    /// The UTF-16 unit that begins at byte `offset`. Inside a character it is that character's.
    pub fn unit_at_byte(&self, offset: usize) -> usize {
        if self.is_ascii() {
            return offset.min(self.0.text.len());
        }
        let mark = self.mark(|marks| marks.get(marks.partition_point(|mark| mark.byte as usize <= offset).checked_sub(1)?));
        let from = mark.byte as usize;
        let rest = self.0.text.get(from..).unwrap_or_default().char_indices();
        let passed: usize = rest.take_while(|(at, char)| from + at + char.len_utf8() <= offset).map(|(_, char)| char.len_utf16()).sum();
        mark.unit as usize + passed
    }

    /// The mark to walk from; the start where there are none.
    fn mark(&self, choose: impl FnOnce(&[Mark]) -> Option<&Mark>) -> Mark {
        self.0.marks.as_deref().and_then(|marks| choose(marks)).copied().unwrap_or_default()
    }

    fn next_char(&self, at: usize) -> usize {
        at + self.0.text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
    }

    /// Whether both are one text in memory.
    pub fn ptr_eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::from("")
    }
}
impl From<&str> for Text {
    fn from(text: &str) -> Self {
        if text.len() > SHORT {
            return Self::new(text.into());
        }
        LATELY.with_borrow_mut(|kept| {
            if kept.is_empty() {
                kept.resize(KEPT, None);
            }
            match kept.get_mut(hash::bytes(text.as_bytes()) as usize % KEPT) {
                Some(Some(known)) if known.as_str() == text => known.clone(),
                Some(slot) => slot.insert(Self::new(text.into())).clone(),
                None => Self::new(text.into()),
            }
        })
    }
}
impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::new(text.into())
    }
}
impl From<&Text> for Text {
    fn from(text: &Text) -> Self {
        text.clone()
    }
}
impl std::ops::Deref for Text {
    type Target = str;
    fn deref(&self) -> &str {
        self.as_str()
    }
}
impl std::borrow::Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}
impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}
impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self)
    }
}
impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(self.as_str(), f)
    }
}
impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.ptr_eq(other) || self.as_str() == other.as_str()
    }
}
impl Eq for Text {}
impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}
impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Text {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}
impl std::hash::Hash for Text {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

/// A number with the spelling it was written with.
#[derive(Clone, Debug)]
pub struct Number(Arc<(f64, Box<str>)>);

impl Number {
    /// A number as it was spelled. `spelling` must be a JSON number.
    pub fn new(value: f64, spelling: &str) -> Self {
        Self(Arc::new((value, spelling.into())))
    }
    /// Its value.
    pub fn value(&self) -> f64 {
        self.0.0
    }
    /// As it was written.
    pub fn spelling(&self) -> &str {
        &self.0.1
    }
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}
