//! Writes a changed JSON text by copying all of the old one that still holds and putting in the rest.

use std::collections::BTreeSet;

use loopwright_lang::{
    Value,
    json::{self, Node, NodeKind},
};

use super::style::{Style, item_spans, line_indent};

/// What is wanted at one place of a text.
pub(crate) enum Want<'t> {
    /// The old text.
    Keep(&'t Node),
    /// A new value; it is laid out like `like`.
    Value(Value, Option<&'t Node>),
    /// A value in place of an old one.
    Replace(&'t Node, Value),
    /// A list or an object: an old one with changes, or a new one laid out like `like`.
    Container {
        /// The old one.
        node: Option<&'t Node>,
        /// What a new one looks like.
        like: Option<&'t Node>,
        /// Whether it is an object.
        object: bool,
        /// Its items in the order wanted.
        slots: Vec<Slot<'t>>,
    },
}

/// One item or member of a wanted container.
pub(crate) struct Slot<'t> {
    /// Which of the old items it is; `None` is a new one.
    pub(crate) from: Option<usize>,
    /// The key of a new member.
    pub(crate) key: Option<String>,
    /// What stands there.
    pub(crate) want: Want<'t>,
}

impl<'t> Slot<'t> {
    /// An item that was there.
    pub(crate) fn old(from: usize, want: Want<'t>) -> Self {
        Self { from: Some(from), key: None, want }
    }
    /// A new item of a list.
    pub(crate) fn item(want: Want<'t>) -> Self {
        Self { from: None, key: None, want }
    }
    /// A new member of an object.
    pub(crate) fn member(key: impl Into<String>, want: Want<'t>) -> Self {
        Self { from: None, key: Some(key.into()), want }
    }
}

/// Puts `extras` (old items that stay whatever happens) where they stood among the wanted slots.
pub(crate) fn weave<'t>(mut slots: Vec<Slot<'t>>, extras: Vec<Slot<'t>>) -> Vec<Slot<'t>> {
    for extra in extras {
        let at = slots.iter().position(|slot| slot.from.is_some_and(|from| Some(from) > extra.from)).unwrap_or(slots.len());
        slots.insert(at, extra);
    }
    slots
}

/// What must change at a node so that it holds a value: nothing where it is written the same, as little as possible elsewhere.
pub(crate) fn reconcile<'t>(node: &'t Node, wanted: &Value) -> Want<'t> {
    if same_written(node, wanted) {
        return Want::Keep(node);
    }
    match (&node.kind, wanted) {
        (NodeKind::Object(members), Value::Object(object)) => {
            let last = |key: &str| members.iter().rposition(|member| member.key.as_str() == key);
            let first = |key: &str| members.iter().position(|member| member.key.as_str() == key);
            let old: Vec<Option<usize>> = object.keys().map(|key| first(key)).collect();
            let doubled = object.keys().any(|key| first(key) != last(key));
            if !doubled || !old.iter().flatten().is_sorted() {
                let slots = object.iter().map(|(key, value)| match last(key).and_then(|at| Some((at, members.get(at)?))) {
                    Some((at, member)) => Slot::old(at, reconcile(&member.value, value)),
                    None => Slot::member(key.as_str(), Want::Value(value.clone(), None)),
                });
                return Want::Container { node: Some(node), like: None, object: true, slots: slots.collect() };
            }
            // Of a doubled key the last one counts; the others stay as long as the key does, and the first gives its place.
            let mut slots: Vec<Slot<'t>> = Vec::new();
            for (index, member) in members.iter().enumerate() {
                if let Some(value) = object.get(&member.key) {
                    let counts = last(&member.key) == Some(index);
                    slots.push(Slot::old(index, if counts { reconcile(&member.value, value) } else { Want::Keep(&member.value) }));
                }
            }
            let mut after = 0;
            for ((key, value), old) in object.iter().zip(old) {
                match old.and_then(|old| slots.iter().position(|slot| slot.from == Some(old))) {
                    Some(at) => after = at + 1,
                    None => {
                        slots.insert(after, Slot::member(key.as_str(), Want::Value(value.clone(), None)));
                        after += 1;
                    }
                }
            }
            Want::Container { node: Some(node), like: None, object: true, slots }
        }
        (NodeKind::List(items), Value::List(list)) => {
            let wanted: Vec<&Value> = list.iter().collect();
            let front = items.iter().zip(&wanted).take_while(|(item, value)| same_written(item, value)).count();
            let back = items.iter().rev().zip(wanted.iter().rev()).take_while(|(item, value)| same_written(item, value)).count();
            let back = back.min(items.len().min(wanted.len()) - front);
            let (old_middle, new_middle) = (items.len() - back - front, wanted.len() - back - front);
            let mut slots = Vec::with_capacity(wanted.len());
            for (index, value) in wanted.iter().enumerate() {
                let from = if index < front {
                    Some(index)
                } else if index >= front + new_middle {
                    Some(index - new_middle + old_middle)
                } else {
                    (index - front < old_middle).then_some(index)
                };
                slots.push(match from.and_then(|from| Some((from, items.get(from)?))) {
                    Some((from, item)) => Slot::old(from, reconcile(item, value)),
                    None => Slot::item(Want::Value((*value).clone(), items.first())),
                });
            }
            Want::Container { node: Some(node), like: None, object: false, slots }
        }
        _ => Want::Replace(node, wanted.clone()),
    }
}

/// Whether a node holds a value with the same spellings and keys in the same order.
pub(crate) fn same_written(node: &Node, value: &Value) -> bool {
    match (&node.kind, value) {
        (NodeKind::Scalar(own), _) => same_scalar(own, value),
        (NodeKind::List(items), Value::List(list)) => {
            items.len() == list.len() && items.iter().zip(list.iter()).all(|(item, value)| same_written(item, value))
        }
        (NodeKind::Object(members), Value::Object(object)) => {
            let straight = members.len() == object.len()
                && members.iter().zip(object.iter()).all(|(member, (key, value))| member.key == *key && same_written(&member.value, value));
            // With doubled keys, or another order of them, the way of asking that always holds:
            straight || (members.len() > object.len() && same_value(&node.to_value(), value))
        }
        _ => false,
    }
}

/// Whether two values are written the same.
pub(crate) fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same_value(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|((a_key, a), (b_key, b))| a_key == b_key && same_value(a, b))
        }
        _ => same_scalar(a, b),
    }
}

fn same_scalar(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Spelled(a), Value::Spelled(b)) => a.spelling() == b.spelling(),
        (Value::Spelled(_), _) | (_, Value::Spelled(_)) => false,
        _ => a == b,
    }
}

/// Writes a text.
pub(crate) struct Writer<'t> {
    text: &'t str,
    style: Style,
}

/// Where new text stands: the indent of its line, and whether its items get lines of their own.
#[derive(Clone)]
struct Spot {
    indent: String,
    multi: bool,
}

impl<'t> Writer<'t> {
    /// A writer for a text.
    pub(crate) fn new(text: &'t str, root: &Node) -> Self {
        Self { text, style: Style::of(text, root) }
    }

    /// The whole new text: `want` in place of the root, with what stands around it.
    pub(crate) fn write(&self, root: &Node, want: &Want<'t>) -> String {
        let mut out = String::with_capacity(self.text.len() + 256);
        out.push_str(self.slice(0, root.span.start as usize));
        self.want(want, &Spot { indent: String::new(), multi: self.style.multi }, &mut out);
        out.push_str(self.slice(root.span.end as usize, self.text.len()));
        out
    }

    fn slice(&self, from: usize, to: usize) -> &'t str {
        self.text.get(from..to).unwrap_or_default()
    }

    fn want(&self, want: &Want<'t>, spot: &Spot, out: &mut String) {
        match want {
            Want::Keep(node) => out.push_str(self.slice(node.span.start as usize, node.span.end as usize)),
            Want::Value(value, like) => self.value(value, *like, spot, out),
            Want::Replace(node, value) => match (&node.kind, value) {
                (NodeKind::Scalar(Value::Text(old)), Value::Text(new)) => self.text_in_place(node, old, new, out),
                _ => {
                    let indent = line_indent(self.text, node.span.start as usize).to_owned();
                    self.value(value, Some(node), &Spot { indent, multi: spot.multi }, out);
                }
            },
            Want::Container { node: Some(node), slots, object, .. } => self.changed(node, slots, *object, spot, out),
            Want::Container { node: None, like, object, slots } => {
                let spot = self.laid_out(*like, spot);
                let items = slots.iter().map(|slot| (slot.key.as_deref(), &slot.want));
                self.fresh(items, *object, &spot, out, |want, spot, out| self.want(want, spot, out));
            }
        }
    }

    /// A new list or object is laid out as its model, or as what it stands in.
    fn laid_out(&self, like: Option<&Node>, spot: &Spot) -> Spot {
        let multi = like.and_then(|node| {
            let (first, _) = *item_spans(node).first()?;
            Some(self.slice(node.span.start as usize, first).contains('\n'))
        });
        Spot { indent: spot.indent.clone(), multi: multi.unwrap_or(spot.multi) }
    }

    fn value(&self, value: &Value, like: Option<&'t Node>, spot: &Spot, out: &mut String) {
        match value {
            Value::Text(text) => out.push_str(&self.style.string(text)),
            Value::Object(object) => {
                let spot = self.laid_out(like, spot);
                let items = object
                    .iter()
                    .map(|(key, value)| (Some(key.as_str()), (value, like.and_then(|like| like.member(key)).map(|member| &member.value))));
                self.fresh(items, true, &spot, out, |(value, like), spot, out| self.value(value, like, spot, out));
            }
            Value::List(list) => {
                let spot = self.laid_out(like, spot);
                let model = like.and_then(|like| if let NodeKind::List(items) = &like.kind { items.first() } else { None });
                self.fresh(list.iter().map(|value| (None, value)), false, &spot, out, |value, spot, out| {
                    self.value(value, model, spot, out)
                });
            }
            _ => out.push_str(&json::print_compact(value)),
        }
    }

    /// Writes a container that is new.
    fn fresh<'k, T>(
        &self,
        items: impl Iterator<Item = (Option<&'k str>, T)>,
        object: bool,
        spot: &Spot,
        out: &mut String,
        mut write: impl FnMut(T, &Spot, &mut String),
    ) {
        out.push(if object { '{' } else { '[' });
        let inner = Spot { indent: format!("{}{}", spot.indent, self.style.unit), multi: spot.multi };
        let mut empty = true;
        for (key, item) in items {
            match (spot.multi, empty) {
                (true, _) => {
                    if !empty {
                        out.push(',');
                    }
                    out.push_str(self.style.newline);
                    out.push_str(&inner.indent);
                }
                (false, true) if object => out.push_str(&self.style.pad),
                (false, true) => {}
                (false, false) => out.push_str(&self.style.comma),
            }
            empty = false;
            if let Some(key) = key {
                out.push_str(&self.style.string(key));
                out.push_str(&self.style.colon);
            }
            write(item, &inner, out);
        }
        if !empty && spot.multi {
            out.push_str(self.style.newline);
            out.push_str(&spot.indent);
        } else if !empty && object {
            out.push_str(&self.style.pad);
        }
        out.push(if object { '}' } else { ']' });
    }

    /// Writes a container that was there.
    fn changed(&self, node: &Node, slots: &[Slot<'t>], object: bool, spot: &Spot, out: &mut String) {
        let spans = item_spans(node);
        let (open, close) = (node.span.start as usize, (node.span.end as usize).saturating_sub(1));
        let indent = line_indent(self.text, open).to_owned();
        let Some(((first, _), (_, last))) = spans.first().copied().zip(spans.last().copied()) else {
            if slots.is_empty() {
                out.push_str(self.slice(open, close + 1));
            } else {
                let items = slots.iter().map(|slot| (slot.key.as_deref(), &slot.want));
                self.fresh(items, object, &Spot { indent, multi: spot.multi }, out, |want, spot, out| self.want(want, spot, out));
            }
            return;
        };
        out.push_str(self.slice(open, open + 1));
        let gap = |after: usize| spans.get(after).zip(spans.get(after + 1)).map(|((_, from), (to, _))| self.slice(*from, *to));
        let lead = self.slice(open + 1, first);
        let multi = lead.contains('\n');
        let inner = if multi { lead.rsplit('\n').next().unwrap_or_default().to_owned() } else { indent };
        let inner = Spot { indent: inner, multi };
        let usual = if multi { format!(",{lead}") } else { self.style.comma.clone() };
        let stay = stayers(slots);
        let mut previous: Option<usize> = None;
        for (index, slot) in slots.iter().enumerate() {
            let stays = slot.from.filter(|_| stay.contains(&index));
            let separator = match (index, stays) {
                (0, _) => Some(lead),
                (_, Some(from)) if from > 0 => gap(from - 1),
                _ => previous.and_then(|at| gap(at).or_else(|| gap(at.checked_sub(1)?))).or_else(|| gap(0)),
            };
            out.push_str(separator.unwrap_or(&usual));
            previous = stays.or(previous);
            match slot.from {
                Some(from) => {
                    if let NodeKind::Object(members) = &node.kind
                        && let Some(member) = members.get(from)
                    {
                        out.push_str(self.slice(member.key_span.start as usize, member.value.span.start as usize));
                    }
                }
                None => {
                    if let Some(key) = &slot.key {
                        out.push_str(&self.style.string(key));
                        out.push_str(&self.style.colon);
                    }
                }
            }
            self.want(&slot.want, &inner, out);
        }
        if !slots.is_empty() {
            out.push_str(self.slice(last, close));
        }
        out.push_str(self.slice(close, close + 1));
    }

    /// Writes a text in place of another: what both begin and end with stays as it was spelled.
    fn text_in_place(&self, node: &Node, old: &str, new: &str, out: &mut String) {
        let raw = self.slice(node.span.start as usize, node.span.end as usize);
        let pieces = spelled_pieces(raw);
        let decoded: Vec<u16> = pieces.iter().map(|piece| piece.0).collect();
        let same = decoded.iter().copied().eq(old.encode_utf16());
        let wanted: Vec<u16> = new.encode_utf16().collect();
        if !same {
            out.push_str(&self.style.string(new));
            return;
        }
        let mut front = decoded.iter().zip(&wanted).take_while(|(a, b)| a == b).count();
        let most = decoded.len().min(wanted.len()) - front;
        let mut back = decoded.iter().rev().zip(wanted.iter().rev()).take_while(|(a, b)| a == b).count().min(most);
        // Never between the two halves of a character.
        let low = |units: &[u16], at: usize| units.get(at).is_some_and(|unit| (0xdc00..0xe000).contains(unit));
        while front > 0 && (low(&wanted, front) || low(&decoded, front)) {
            front -= 1;
        }
        while back > 0 && (low(&wanted, wanted.len() - back) || low(&decoded, decoded.len() - back)) {
            back -= 1;
        }
        let start = pieces.get(front).map_or(raw.len().saturating_sub(1), |piece| piece.1);
        let end = pieces.get(decoded.len() - back).map_or(raw.len().saturating_sub(1), |piece| piece.1);
        let middle = String::from_utf16_lossy(wanted.get(front..wanted.len() - back).unwrap_or_default());
        let middle = self.style.string(&middle);
        out.push_str(raw.get(..start).unwrap_or_default());
        out.push_str(middle.get(1..middle.len().saturating_sub(1)).unwrap_or_default());
        out.push_str(raw.get(end..).unwrap_or_default());
    }
}

/// The UTF-16 units of a JSON string, each with the place where its spelling begins.
fn spelled_pieces(raw: &str) -> Vec<(u16, usize)> {
    let mut pieces = Vec::with_capacity(raw.len());
    let body = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
    let mut chars = body.char_indices();
    while let Some((at, c)) = chars.next() {
        let at = at + 1;
        if c != '\\' {
            for unit in c.encode_utf16(&mut [0; 2]) {
                pieces.push((*unit, at));
            }
            continue;
        }
        let unit = match chars.next().map(|(_, c)| c) {
            Some('n') => 0x0a,
            Some('t') => 0x09,
            Some('r') => 0x0d,
            Some('b') => 0x08,
            Some('f') => 0x0c,
            Some('u') => {
                let digits: String = chars.by_ref().take(4).map(|(_, c)| c).collect();
                u16::from_str_radix(&digits, 16).unwrap_or(0xfffd)
            }
            Some(other) => u16::try_from(u32::from(other)).unwrap_or(0xfffd),
            None => break,
        };
        pieces.push((unit, at));
    }
    pieces
}

/// Which slots keep their place: a longest run of old items in their old order.
fn stayers(slots: &[Slot<'_>]) -> BTreeSet<usize> {
    // Patience sorting: `tails` holds, for each length, the slot that ends such a run with the smallest old place.
    let mut tails: Vec<(usize, usize)> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; slots.len()];
    for (index, slot) in slots.iter().enumerate() {
        let Some(from) = slot.from else { continue };
        let length = tails.partition_point(|(smallest, _)| *smallest < from);
        if let Some(place) = before.get_mut(index) {
            *place = length.checked_sub(1).and_then(|shorter| tails.get(shorter)).map(|(_, slot)| *slot);
        }
        match tails.get_mut(length) {
            Some(tail) => *tail = (from, index),
            None => tails.push((from, index)),
        }
    }
    let mut stay = BTreeSet::new();
    let mut at = tails.last().map(|(_, slot)| *slot);
    while let Some(slot) = at {
        stay.insert(slot);
        at = before.get(slot).copied().flatten();
    }
    stay
}

/// The text of a JSON value with another value in it: what is the same stays as it was written.
pub(crate) fn rewrite(text: &str, wanted: &Value) -> Option<String> {
    let root = json::parse(text).root?;
    let want = reconcile(&root, wanted);
    Some(Writer::new(text, &root).write(&root, &want))
}
