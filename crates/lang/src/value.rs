//! Values: small, immutable, shared. (First form; the representation behind this interface becomes persistent.)

use std::sync::Arc;

/// JSON values plus `undefined`, which exists only while evaluating.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// Nothing there. Never part of a file.
    #[default]
    Undefined,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number that JavaScript prints as the file spells it.
    Number(f64),
    /// A number whose spelling in the file is not JavaScript's (`1.0`, `1e3`, `-0`, beyond 2^53).
    Spelled(Number),
    /// A text.
    Text(Text),
    /// A list.
    List(List),
    /// An object, with its keys in order.
    Object(Object),
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
}

/// An immutable text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(Arc<Box<str>>);

impl Text {
    /// The characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
    /// Length in UTF-16 units, as JavaScript counts.
    pub fn utf16_len(&self) -> usize {
        self.0.encode_utf16().count()
    }
    /// The UTF-16 unit at `index` as a text; half of a surrogate pair becomes U+FFFD.
    pub fn unit_at(&self, index: usize) -> Option<Self> {
        let unit = self.0.encode_utf16().nth(index)?;
        Some(Self::from(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER).to_string()))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(Arc::new(text.into()))
    }
}
impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(Arc::new(text.into()))
    }
}
impl std::ops::Deref for Text {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}
impl std::borrow::Borrow<str> for Text {
    fn borrow(&self) -> &str {
        &self.0
    }
}
impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The elements of a list in order.
pub type ListIter<'v> = std::slice::Iter<'v, Value>;
/// Keys and values of an object in order.
pub type ObjectIter<'v> = indexmap::map::Iter<'v, Text, Value>;

/// A persistent list: cloning is cheap, changing copies only what is shared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct List(Arc<Vec<Value>>);

impl List {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }
    /// How many elements.
    pub fn len(&self) -> usize {
        self.0.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// The element at `index`.
    pub fn get(&self, index: usize) -> Option<&Value> {
        self.0.get(index)
    }
    /// The elements in order.
    pub fn iter(&self) -> ListIter<'_> {
        self.0.iter()
    }
    /// Whether both are one and the same list, as JavaScript's `===` asks (not merely equal).
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
    /// Adds an element at the end.
    pub fn push(&mut self, value: Value) {
        Arc::make_mut(&mut self.0).push(value);
    }
    /// Replaces the element at `index`; past the end the gap is filled with null.
    pub fn set(&mut self, index: usize, value: Value) {
        let list = Arc::make_mut(&mut self.0);
        if index >= list.len() {
            list.resize(index + 1, Value::Null);
        }
        if let Some(place) = list.get_mut(index) {
            *place = value;
        }
    }
}

impl FromIterator<Value> for List {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        Self(Arc::new(items.into_iter().collect()))
    }
}

/// A persistent object with its keys in the order they were written.
#[derive(Clone, Debug, Default)]
pub struct Object(Arc<indexmap::IndexMap<Text, Value>>);

impl PartialEq for Object {
    /// Equality as values: the order of keys does not count.
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Object {
    /// An empty object.
    pub fn new() -> Self {
        Self::default()
    }
    /// How many keys.
    pub fn len(&self) -> usize {
        self.0.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// Whether both are one and the same object, as JavaScript's `===` asks (not merely equal).
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }
    /// Whether `key` is there.
    pub fn contains_key(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }
    /// The key and value at a position.
    pub fn get_index(&self, index: usize) -> Option<(&Text, &Value)> {
        self.0.get_index(index)
    }
    /// The position of `key`.
    pub fn index_of(&self, key: &str) -> Option<usize> {
        self.0.get_index_of(key)
    }
    /// Keys and values in order.
    pub fn iter(&self) -> ObjectIter<'_> {
        self.0.iter()
    }
    /// The keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &Text> + ExactSizeIterator {
        self.0.keys()
    }
    /// Sets `key`; a new key goes to the end, a known one keeps its place. Gives the old value.
    pub fn insert(&mut self, key: impl Into<Text>, value: Value) -> Option<Value> {
        Arc::make_mut(&mut self.0).insert(key.into(), value)
    }
    /// Sets a new key at a position, or a known one where it is. Gives the old value.
    pub fn insert_at(&mut self, index: usize, key: impl Into<Text>, value: Value) -> Option<Value> {
        let key = key.into();
        let map = Arc::make_mut(&mut self.0);
        if map.contains_key(&key) { map.insert(key, value) } else { map.shift_insert(index.min(map.len()), key, value) }
    }
    /// Takes `key` out; the others keep their order.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        Arc::make_mut(&mut self.0).shift_remove(key)
    }
}

impl<K: Into<Text>> FromIterator<(K, Value)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, Value)>>(items: I) -> Self {
        Self(Arc::new(items.into_iter().map(|(key, value)| (key.into(), value)).collect()))
    }
}

impl PartialEq for Value {
    /// Structural equality; numbers by value, whatever their spelling; NaN equals NaN.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Undefined, Self::Undefined) | (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::List(a), Self::List(b)) => a == b,
            (Self::Object(a), Self::Object(b)) => a == b,
            _ => match (self.as_number(), other.as_number()) {
                (Some(a), Some(b)) => a == b || (a.is_nan() && b.is_nan()),
                _ => false,
            },
        }
    }
}

impl Value {
    /// A text.
    pub fn text(text: impl Into<Text>) -> Self {
        Self::Text(text.into())
    }
    /// A list of these.
    pub fn list(items: impl IntoIterator<Item = Self>) -> Self {
        Self::List(items.into_iter().collect())
    }
    /// An object of these, in this order.
    pub fn object<K: Into<Text>>(items: impl IntoIterator<Item = (K, Self)>) -> Self {
        Self::Object(items.into_iter().collect())
    }
    /// Whether there is nothing here.
    pub fn is_undefined(&self) -> bool {
        matches!(self, Self::Undefined)
    }
    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
    /// Whether this is `null` or nothing.
    pub fn is_nullish(&self) -> bool {
        matches!(self, Self::Undefined | Self::Null)
    }
    /// The number, if it is one.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(*value),
            Self::Spelled(number) => Some(number.value()),
            _ => None,
        }
    }
    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }
    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
    /// The list, if it is one.
    pub fn as_list(&self) -> Option<&List> {
        if let Self::List(list) = self { Some(list) } else { None }
    }
    /// The object, if it is one.
    pub fn as_object(&self) -> Option<&Object> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }
    /// The value of a key, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_object()?.get(key)
    }
    /// What to call it in a message: `undefined`, `null`, `a boolean`, `a number`, `a string`, `a list`, `an object`.
    pub fn what(&self) -> &'static str {
        match self {
            Self::Undefined => "undefined",
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) | Self::Spelled(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}
impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}
impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::text(value)
    }
}
impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::text(value)
    }
}
