//! A pool of values as bytes: what is shared in memory, or merely equal, is written once.
//!
//! The form is canonical: equal values (spellings and key order included) give equal bytes, however they came about. So two
//! logs can be compared byte for byte. It is a sequence of records, each made of plain values and of references to records
//! before it:
//!
//! ```text
//! pool   = version record* END count values
//! record = TEXT bytes | NUMBER bytes | SHAPE keys | OBJECT shape values | CHUNK values | BRANCH nodes | LIST tree tail
//! value  = a varint: a scalar's tag (an f64 or a whole number follows it), or a record's number + REFERENCES
//! ```

use crate::hash::{self, WordMap};
use crate::value::{FAN, Kids, Node, Shape};
use crate::{List, Number, Object, Problem, Span, Text, Value, number};
use std::collections::hash_map::Entry;
use std::sync::Arc;

const VERSION: u8 = 1;

const END: u8 = 0;
const TEXT: u8 = 1;
const NUMBER: u8 = 2;
const SHAPE: u8 = 3;
const OBJECT: u8 = 4;
const CHUNK: u8 = 5;
const BRANCH: u8 = 6;
const LIST: u8 = 7;

const UNDEFINED: u64 = 0;
const NULL: u64 = 1;
const FALSE: u64 = 2;
const TRUE: u64 = 3;
const FLOAT: u64 = 4;
/// A whole number below 2^53: `value * 2`, or `-value * 2 - 1`.
const WHOLE: u64 = 5;
const REFERENCES: u64 = 6;

/// Appends an unsigned number in seven-bit groups, lowest first.
pub fn push_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes what [`push_varint`] wrote from the front of `bytes`.
pub fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 {
            return None;
        }
        number |= bits << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Writes values into one pool. The values stay where they are until it is finished.
#[derive(Default)]
pub struct Writer<'v> {
    out: Vec<u8>,
    records: u32,
    /// What stands for each value that was added, and their number.
    roots: Vec<u8>,
    scratch: Vec<u8>,
    added: u64,
    /// Records by the address of what they hold, which lives as long as the writer.
    known: WordMap<usize, u32>,
    /// Where each record begins and ends in `out`, by the hash of its bytes.
    written: WordMap<u64, (u32, usize, usize)>,
    values: std::marker::PhantomData<&'v Value>,
}

#[derive(Clone, Copy)]
enum Item<'v> {
    List(&'v List),
    Object(&'v Object),
    Node(&'v Arc<Node>),
}

impl Item<'_> {
    fn address(self) -> usize {
        match self {
            Self::List(list) => list.address(),
            Self::Object(object) => object.address(),
            Self::Node(node) => Arc::as_ptr(node).addr(),
        }
    }
}

fn item(value: &Value) -> Option<Item<'_>> {
    match value {
        Value::List(list) => Some(Item::List(list)),
        Value::Object(object) => Some(Item::Object(object)),
        _ => None,
    }
}

impl<'v> Writer<'v> {
    /// An empty pool.
    pub fn new() -> Self {
        Self { out: vec![VERSION], ..Self::default() }
    }

    /// Writes `value`, as far as it is not there yet. Gives its number in this pool; [`Reader::get`] takes that.
    pub fn add(&mut self, value: &'v Value) -> u64 {
        let mut open: Vec<Item<'v>> = item(value).into_iter().collect();
        while let Some(top) = open.last().copied() {
            if !self.known.contains_key(&top.address()) {
                let before = open.len();
                self.missing(top, &mut open);
                if open.len() > before {
                    continue;
                }
                self.record(top);
            }
            open.pop();
        }
        let mut roots = std::mem::take(&mut self.roots);
        self.value(value, &mut roots);
        self.roots = roots;
        self.added += 1;
        self.added - 1
    }

    /// The pool. In a file, more may follow it.
    pub fn finish(mut self) -> Vec<u8> {
        self.out.push(END);
        push_varint(self.added, &mut self.out);
        self.out.append(&mut self.roots);
        self.out
    }

    /// Puts those parts of `top` on the stack that have no record yet.
    fn missing(&self, top: Item<'v>, open: &mut Vec<Item<'v>>) {
        let mut need = |part: Item<'v>| {
            if !self.known.contains_key(&part.address()) {
                open.push(part);
            }
        };
        match top {
            Item::Object(object) => object.values().filter_map(item).for_each(need),
            Item::List(list) => {
                let (tree, tail) = list.parts();
                tail.iter().filter_map(item).for_each(&mut need);
                if let Some(tree) = tree {
                    need(Item::Node(tree));
                }
            }
            Item::Node(node) => match &node.kids {
                Kids::Chunk(values) => values.iter().filter_map(item).for_each(need),
                Kids::Nodes(nodes) => nodes.iter().map(Item::Node).for_each(need),
            },
        }
    }

    /// Writes the record of `top`, whose parts have theirs.
    fn record(&mut self, top: Item<'v>) {
        let mut bytes = std::mem::take(&mut self.scratch);
        match top {
            Item::Object(object) => {
                let shape = self.shape(object);
                bytes.push(OBJECT);
                push_varint(u64::from(shape), &mut bytes);
                for value in object.values() {
                    self.value(value, &mut bytes);
                }
            }
            Item::List(list) => {
                let (tree, tail) = list.parts();
                bytes.push(LIST);
                // 0 for none.
                push_varint(tree.map_or(0, |tree| u64::from(self.node(tree)) + 1), &mut bytes);
                push_varint(tail.len() as u64, &mut bytes);
                for value in tail {
                    self.value(value, &mut bytes);
                }
            }
            Item::Node(node) => match &node.kids {
                Kids::Chunk(values) => {
                    bytes.push(CHUNK);
                    for value in values {
                        self.value(value, &mut bytes);
                    }
                }
                Kids::Nodes(nodes) => {
                    bytes.push(BRANCH);
                    push_varint(nodes.len() as u64, &mut bytes);
                    for node in nodes {
                        push_varint(self.node(node).into(), &mut bytes);
                    }
                }
            },
        }
        let record = self.write(&bytes);
        bytes.clear();
        self.scratch = bytes;
        self.known.insert(top.address(), record);
    }

    /// The record of a node, which is there.
    fn node(&self, node: &Arc<Node>) -> u32 {
        self.known.get(&Arc::as_ptr(node).addr()).copied().unwrap_or_default()
    }

    fn shape(&mut self, object: &Object) -> u32 {
        if let Some(record) = self.known.get(&object.shape_address()) {
            return *record;
        }
        let mut bytes = vec![SHAPE];
        push_varint(object.len() as u64, &mut bytes);
        for key in object.keys() {
            push_varint(self.text(key).into(), &mut bytes);
        }
        let record = self.write(&bytes);
        self.known.insert(object.shape_address(), record);
        record
    }

    fn text(&mut self, text: &Text) -> u32 {
        self.leaf(text.address(), TEXT, text)
    }

    fn leaf(&mut self, address: usize, tag: u8, text: &str) -> u32 {
        if let Some(record) = self.known.get(&address) {
            return *record;
        }
        let mut bytes = Vec::with_capacity(text.len() + 4);
        bytes.push(tag);
        push_varint(text.len() as u64, &mut bytes);
        bytes.extend_from_slice(text.as_bytes());
        let record = self.write(&bytes);
        self.known.insert(address, record);
        record
    }

    /// The record of these bytes: the one that is there, or a new one.
    fn write(&mut self, bytes: &[u8]) -> u32 {
        match self.written.entry(hash::bytes(bytes)) {
            Entry::Occupied(known) => {
                let (record, from, to) = *known.get();
                if self.out.get(from..to) == Some(bytes) {
                    return record;
                }
            }
            Entry::Vacant(free) => {
                free.insert((self.records, self.out.len(), self.out.len() + bytes.len()));
            }
        }
        self.out.extend_from_slice(bytes);
        self.records += 1;
        self.records - 1
    }

    /// Appends what stands for `value`, whose record is there if it is a list or an object.
    fn value(&mut self, value: &Value, out: &mut Vec<u8>) {
        let record = match value {
            Value::Undefined => return push_varint(UNDEFINED, out),
            Value::Null => return push_varint(NULL, out),
            Value::Bool(false) => return push_varint(FALSE, out),
            Value::Bool(true) => return push_varint(TRUE, out),
            Value::Number(number) => return push_number(*number, out),
            Value::Spelled(number) => self.leaf(number.address(), NUMBER, number.spelling()),
            Value::Text(text) => self.text(text),
            Value::List(list) => self.known.get(&list.address()).copied().unwrap_or_default(),
            Value::Object(object) => self.known.get(&object.address()).copied().unwrap_or_default(),
        };
        push_varint(u64::from(record) + REFERENCES, out);
    }
}

fn push_number(number: f64, out: &mut Vec<u8>) {
    let whole = number as i64;
    if whole as f64 == number && whole.unsigned_abs() < 1 << 53 && (whole != 0 || number.is_sign_positive()) {
        push_varint(WHOLE, out);
        push_varint(if whole < 0 { whole.unsigned_abs() * 2 - 1 } else { whole.unsigned_abs() * 2 }, out);
    } else {
        push_varint(FLOAT, out);
        // One NaN, so that equal values have equal bytes.
        let number = if number.is_nan() { f64::NAN } else { number };
        out.extend_from_slice(&number.to_bits().to_le_bytes());
    }
}

/// The values of a pool, sharing what they shared.
pub struct Reader {
    roots: Vec<Value>,
}

enum Record {
    Text(Text),
    Number(Number),
    Shape(Arc<Shape>),
    Value(Value),
    /// A node, the branches below it and itself, and how many elements it holds.
    Node(Arc<Node>, u32, usize),
}

impl Reader {
    /// Reads a pool. Bytes that are none are a problem, never a panic, and take no more memory than a small multiple of them.
    pub fn read(bytes: &[u8]) -> Result<Self, Problem> {
        let mut rest = bytes;
        read(&mut rest).ok_or_else(|| {
            let at = bytes.len() - rest.len();
            let message = format!("These saved values cannot be read: something is wrong at byte {at} of {}.", bytes.len());
            Problem::error("pool_damaged", Span::new(at, at), message)
        })
    }

    /// The value that [`Writer::add`] gave this number for.
    pub fn get(&self, number: u64) -> Option<&Value> {
        self.roots.get(usize::try_from(number).ok()?)
    }

    /// All values, in the order they were added.
    pub fn values(&self) -> &[Value] {
        &self.roots
    }

    /// All values, in the order they were added.
    pub fn into_values(self) -> Vec<Value> {
        self.roots
    }
}

fn take_byte(bytes: &mut &[u8]) -> Option<u8> {
    let (byte, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*byte)
}

/// A count of things of which each takes at least a byte.
fn take_count(bytes: &mut &[u8]) -> Option<usize> {
    usize::try_from(take_varint(bytes)?).ok().filter(|count| *count <= bytes.len())
}

fn take_text<'b>(bytes: &mut &'b [u8]) -> Option<&'b str> {
    let length = take_count(bytes)?;
    let (text, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    std::str::from_utf8(text).ok()
}

fn take_record<'r>(bytes: &mut &[u8], records: &'r [Record]) -> Option<&'r Record> {
    records.get(usize::try_from(take_varint(bytes)?).ok()?)
}

fn take_value(bytes: &mut &[u8], records: &[Record]) -> Option<Value> {
    Some(match take_varint(bytes)? {
        UNDEFINED => Value::Undefined,
        NULL => Value::Null,
        FALSE => Value::Bool(false),
        TRUE => Value::Bool(true),
        FLOAT => {
            let (bits, rest) = bytes.split_first_chunk::<8>()?;
            *bytes = rest;
            Value::Number(f64::from_bits(u64::from_le_bytes(*bits)))
        }
        WHOLE => {
            let folded = take_varint(bytes)?;
            let size = folded.div_ceil(2) as f64;
            Value::Number(if folded % 2 == 1 { -size } else { size })
        }
        reference => match records.get(usize::try_from(reference - REFERENCES).ok()?)? {
            Record::Text(text) => Value::Text(text.clone()),
            Record::Number(number) => Value::Spelled(number.clone()),
            Record::Value(value) => value.clone(),
            Record::Shape(_) | Record::Node(..) => return None,
        },
    })
}

fn take_values(count: usize, bytes: &mut &[u8], records: &[Record]) -> Option<Vec<Value>> {
    if count > bytes.len() {
        return None;
    }
    (0..count).map(|_| take_value(bytes, records)).collect()
}

fn read(bytes: &mut &[u8]) -> Option<Reader> {
    if take_byte(bytes)? != VERSION {
        return None;
    }
    let mut records: Vec<Record> = Vec::new();
    loop {
        let record = match take_byte(bytes)? {
            END => break,
            TEXT => Record::Text(Text::from(take_text(bytes)?)),
            NUMBER => {
                let spelling = take_text(bytes)?;
                Record::Number(Number::new(number::parse_json(spelling)?.as_number()?, spelling))
            }
            SHAPE => Record::Shape(take_shape(bytes, &records)?),
            OBJECT => match take_record(bytes, &records)? {
                Record::Shape(shape) => {
                    let values = take_values(shape.len(), bytes, &records)?;
                    Record::Value(Value::Object(Object::from_parts(shape.clone(), values)))
                }
                _ => return None,
            },
            CHUNK => Record::Node(Node::from_parts(Kids::Chunk(take_values(FAN, bytes, &records)?)), 0, FAN),
            BRANCH => take_branch(bytes, &records)?,
            LIST => Record::Value(Value::List(take_list(bytes, &records)?)),
            _ => return None,
        };
        records.push(record);
    }
    let count = take_count(bytes)?;
    Some(Reader { roots: take_values(count, bytes, &records)? })
}

fn take_shape(bytes: &mut &[u8], records: &[Record]) -> Option<Arc<Shape>> {
    let mut shape = Shape::default();
    for _ in 0..take_count(bytes)? {
        match take_record(bytes, records)? {
            Record::Text(key) if shape.find(key).is_none() => shape.push(key.clone()),
            _ => return None,
        }
    }
    Some(shape.share())
}

/// A branch over nodes of one height, all full but perhaps the last.
fn take_branch(bytes: &mut &[u8], records: &[Record]) -> Option<Record> {
    let count = take_count(bytes)?;
    let mut nodes = Vec::new();
    let mut shared_height = None;
    let (mut elements, mut room) = (0_usize, false);
    for _ in 0..count {
        let Record::Node(node, height, inside) = take_record(bytes, records)? else { return None };
        if room || *shared_height.get_or_insert(*height) != *height {
            return None;
        }
        room = *inside != full(*height)?;
        elements += inside;
        nodes.push(node.clone());
    }
    let height = shared_height? + 1;
    (count <= FAN && full(height).is_some()).then(|| Record::Node(Node::from_parts(Kids::Nodes(nodes)), height, elements))
}

/// How many elements a full node of that height holds, if memory has room for so many.
fn full(height: u32) -> Option<usize> {
    FAN.checked_pow(height + 1).filter(|elements| *elements <= isize::MAX as usize)
}

fn take_list(bytes: &mut &[u8], records: &[Record]) -> Option<List> {
    let tree = match usize::try_from(take_varint(bytes)?).ok()?.checked_sub(1) {
        None => None,
        Some(record) => match records.get(record)? {
            Record::Node(node, height, elements) => Some((node.clone(), *height, *elements)),
            _ => return None,
        },
    };
    let count = take_count(bytes)?;
    let tail = take_values(count, bytes, records)?;
    match tree {
        None if count <= FAN => Some(List::from_parts(None, 0, 0, tail)),
        // A tree grows a branch only when the one below is full.
        Some((node, height, elements)) if (1..=FAN).contains(&count) && (height == 0 || elements > full(height - 1)?) => {
            Some(List::from_parts(Some(node), height, elements, tail))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
