//! Objects: a shared list of keys, and their values.

use super::shape::{Collector, Shape};
use super::summary::{Doomed, SHALLOW, Summary, release};
use super::{Text, Value};
use std::sync::Arc;

/// A persistent object with its keys in the order they were written. Cloning is cheap; changing copies the values if they are
/// shared, and the keys only when they change.
#[derive(Clone)]
pub struct Object(pub(super) Arc<Inner>);

#[derive(Clone)]
pub(crate) struct Inner {
    pub(super) shape: Arc<Shape>,
    pub(super) values: Vec<Value>,
    summary: Summary,
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.summary.depth >= SHALLOW {
            release(std::mem::take(&mut self.values).into_iter().map(Doomed::Value).collect());
        }
    }
}

/// What an entry adds: nothing printed where it is undefined.
fn entry(key: &Text, value: &Value) -> Summary {
    if value.is_undefined() { Summary::default() } else { Summary::of(value, key.printed_len() as u64 + 1) }
}

impl Inner {
    fn new(shape: Arc<Shape>, values: Vec<Value>) -> Self {
        let mut summary = Summary::default();
        shape.keys().iter().zip(&values).for_each(|(key, value)| summary.add(entry(key, value)));
        Self { shape, values, summary }
    }

    fn put(&mut self, place: usize, value: Value) -> Option<Value> {
        let (key, slot) = self.shape.keys().get(place).zip(self.values.get_mut(place))?;
        let (before, after) = (entry(key, slot), entry(key, &value));
        let old = std::mem::replace(slot, value);
        self.summary.replace(before, after, || self.shape.keys().iter().zip(&self.values).map(|(key, value)| entry(key, value)));
        Some(old)
    }
}

impl Default for Object {
    fn default() -> Self {
        Self(Arc::new(Inner::new(Shape::default().share(), Vec::new())))
    }
}

/// Keys and values of an object in order.
pub type ObjectIter<'v> = std::iter::Zip<std::slice::Iter<'v, Text>, std::slice::Iter<'v, Value>>;

impl Object {
    /// An empty object.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many keys.
    pub fn len(&self) -> usize {
        self.0.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.values.is_empty()
    }

    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.values.get(self.0.shape.find(key)?)
    }

    /// Whether `key` is there.
    pub fn contains_key(&self, key: &str) -> bool {
        self.0.shape.find(key).is_some()
    }

    /// The key and value at a position.
    pub fn get_index(&self, index: usize) -> Option<(&Text, &Value)> {
        self.0.shape.keys().get(index).zip(self.0.values.get(index))
    }

    /// The position of `key`.
    pub fn index_of(&self, key: &str) -> Option<usize> {
        self.0.shape.find(key)
    }

    /// Keys and values in order.
    pub fn iter(&self) -> ObjectIter<'_> {
        self.0.shape.keys().iter().zip(self.0.values.iter())
    }

    /// The keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &Text> + ExactSizeIterator {
        self.0.shape.keys().iter()
    }

    /// The values in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator {
        self.0.values.iter()
    }

    /// Sets `key`; a new key goes to the end, a known one keeps its place. Gives the old value.
    pub fn insert(&mut self, key: impl Into<Text>, value: Value) -> Option<Value> {
        self.insert_text(key.into(), value)
    }

    fn insert_text(&mut self, key: Text, value: Value) -> Option<Value> {
        let inner = Arc::make_mut(&mut self.0);
        if let Some(place) = inner.shape.find(&key) {
            return inner.put(place, value);
        }
        inner.summary.add(entry(&key, &value));
        Shape::grow(&mut inner.shape, key);
        inner.values.push(value);
        None
    }

    /// Sets a new key at a position, or a known one where it is. Gives the old value.
    pub fn insert_at(&mut self, index: usize, key: impl Into<Text>, value: Value) -> Option<Value> {
        let key = key.into();
        if index >= self.len() || self.contains_key(&key) {
            return self.insert_text(key, value);
        }
        let mut keys = self.0.shape.keys().to_vec();
        keys.insert(index, key);
        let mut values = self.0.values.clone();
        values.insert(index, value);
        *self = Self::from_parts(Shape::of(keys).share(), values);
        None
    }

    /// Takes `key` out; the others keep their order.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let place = self.index_of(key)?;
        let keys = self.0.shape.keys().iter().enumerate().filter(|(at, _)| *at != place).map(|(_, key)| key.clone());
        let shape = Shape::of(keys).share();
        let mut values = self.0.values.clone();
        let old = values.remove(place);
        *self = Self::from_parts(shape, values);
        Some(old)
    }

    /// The same object with these keys set, e.g. a payload seen with loop variables.
    pub fn with<K: Into<Text>>(&self, pairs: impl IntoIterator<Item = (K, Value)>) -> Self {
        let mut object = self.clone();
        pairs.into_iter().for_each(|(key, value)| {
            object.insert_text(key.into(), value);
        });
        object
    }

    /// Whether both are one and the same object, as JavaScript's `===` asks (not merely equal).
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether both share one list of keys.
    pub fn same_shape(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0.shape, &other.0.shape)
    }

    pub(crate) fn summary(&self) -> Summary {
        self.0.summary
    }

    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// The address of its list of keys.
    pub(crate) fn shape_address(&self) -> usize {
        Arc::as_ptr(&self.0.shape).addr()
    }

    /// An object of that shape with as many values as it has keys.
    pub(crate) fn from_parts(shape: Arc<Shape>, values: Vec<Value>) -> Self {
        debug_assert_eq!(shape.len(), values.len());
        Self(Arc::new(Inner::new(shape, values)))
    }

    /// An object of the same keys with other values, as many.
    pub(crate) fn like(&self, values: Vec<Value>) -> Self {
        Self::from_parts(self.0.shape.clone(), values)
    }

    fn collect(pairs: &mut dyn Iterator<Item = (Text, Value)>) -> Self {
        let mut keys = Collector::default();
        let mut values = Vec::with_capacity(pairs.size_hint().0);
        for (key, value) in pairs {
            match keys.key(key).and_then(|place| values.get_mut(place)) {
                Some(slot) => *slot = value,
                None => values.push(value),
            }
        }
        Self::from_parts(keys.finish(), values)
    }
}

impl<K: Into<Text>> FromIterator<(K, Value)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, Value)>>(items: I) -> Self {
        Self::collect(&mut items.into_iter().map(|(key, value)| (key.into(), value)))
    }
}

impl<'v> IntoIterator for &'v Object {
    type Item = (&'v Text, &'v Value);
    type IntoIter = ObjectIter<'v>;
    fn into_iter(self) -> ObjectIter<'v> {
        self.iter()
    }
}

impl PartialEq for Object {
    /// Equality as values: the order of keys does not count.
    fn eq(&self, other: &Self) -> bool {
        super::equal::objects(self, other)
    }
}

impl std::fmt::Debug for Object {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&crate::json::print_log(&Value::Object(self.clone())))
    }
}
