//! Values: small (16 bytes), immutable, shared. Every list and object knows its depth and its printed size.

mod equal;
mod list;
mod object;
mod shape;
mod summary;
mod text;

pub(crate) use list::{FAN, Kids, Node};
pub use list::{List, ListIter};
pub use object::{Object, ObjectIter};
pub(crate) use shape::Shape;
pub use text::{Number, Text};

/// JSON values plus `undefined`, which exists only while evaluating.
#[derive(Clone, Default)]
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

impl PartialEq for Value {
    /// Structural equality; numbers by value, whatever their spelling; NaN equals NaN.
    fn eq(&self, other: &Self) -> bool {
        equal::values(self, other)
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&crate::json::print_log(self))
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
    /// How deep lists and objects are nested: 0 for a scalar, 1 for `[]`. Known, not counted.
    pub fn depth(&self) -> usize {
        self.depth_u32() as usize
    }
    pub(crate) fn depth_u32(&self) -> u32 {
        match self {
            Self::List(list) => list.summary().depth.saturating_add(1),
            Self::Object(object) => object.summary().depth.saturating_add(1),
            _ => 0,
        }
    }
    /// How many bytes [`print_compact`](crate::json::print_compact) would give. Known, not counted.
    pub fn printed_size(&self) -> usize {
        match self {
            Self::Undefined | Self::Null | Self::Bool(true) => 4,
            Self::Bool(false) => 5,
            Self::Number(value) => crate::number::json_len(*value),
            Self::Spelled(number) => number.spelling().len(),
            Self::Text(text) => text.printed_len(),
            Self::List(list) => list.summary().printed(),
            Self::Object(object) => object.summary().printed(),
        }
    }
    /// Whether both are one value in memory (texts, lists, objects) or the same scalar. Cheap; false does not mean unequal.
    pub fn ptr_eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a.ptr_eq(b),
            (Self::List(a), Self::List(b)) => a.is_same(b),
            (Self::Object(a), Self::Object(b)) => a.is_same(b),
            (Self::Number(a), Self::Number(b)) => a.to_bits() == b.to_bits(),
            (Self::Spelled(a), Self::Spelled(b)) => a.address() == b.address(),
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Null, Self::Null) | (Self::Undefined, Self::Undefined) => true,
            _ => false,
        }
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
impl From<Text> for Value {
    fn from(value: Text) -> Self {
        Self::Text(value)
    }
}
impl From<List> for Value {
    fn from(value: List) -> Self {
        Self::List(value)
    }
}
impl From<Object> for Value {
    fn from(value: Object) -> Self {
        Self::Object(value)
    }
}

#[cfg(test)]
pub(crate) mod tests;
