//! What every list and object knows about what is in it, and dropping without recursion.

use super::list::Node;
use super::{List, Object, Value};
use std::sync::Arc;

/// Printed size and depth of some entries.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Summary {
    /// Bytes of the entries in compact JSON, each with one comma. Stays at its maximum once it got there.
    pub(crate) bytes: u64,
    /// The depth of the deepest entry; 0 if all are scalars.
    pub(crate) depth: u32,
}

impl Summary {
    /// What an entry adds. `extra` is its key with its colon.
    pub(crate) fn of(value: &Value, extra: u64) -> Self {
        Self { bytes: (value.printed_size() as u64).saturating_add(extra + 1), depth: value.depth_u32() }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.depth = self.depth.max(other.depth);
    }

    /// One entry's summary changed from `old` to `new`; `all` are those of all entries now, asked only when they are needed.
    pub(crate) fn replace<I: Iterator<Item = Self>>(&mut self, old: Self, new: Self, all: impl FnOnce() -> I) {
        if self.bytes == u64::MAX || (old.depth == self.depth && new.depth < old.depth) {
            *self = Self::default();
            all().for_each(|entry| self.add(entry));
        } else {
            self.bytes = (self.bytes - old.bytes).saturating_add(new.bytes);
            self.depth = self.depth.max(new.depth);
        }
    }

    /// The printed size of a list or object of these entries.
    pub(crate) fn printed(self) -> usize {
        usize::try_from(if self.bytes == 0 { 2 } else { self.bytes.saturating_add(1) }).unwrap_or(usize::MAX)
    }
}

/// Up to this depth the compiler's recursive drop is fine; deeper values are taken apart by [`release`].
pub(crate) const SHALLOW: u32 = 200;

/// Something that may be deep and must go.
pub(crate) enum Doomed {
    Value(Value),
    Node(Arc<Node>),
}

/// Drops deep values by a loop. What is not deep goes as usual.
pub(crate) fn release(mut stack: Vec<Doomed>) {
    while let Some(doomed) = stack.pop() {
        match doomed {
            Doomed::Value(value) if value.depth_u32() <= SHALLOW => drop(value),
            Doomed::Value(Value::List(List(list))) => {
                if let Some(mut root) = Arc::into_inner(list) {
                    root.give_up(&mut stack);
                }
            }
            Doomed::Value(Value::Object(Object(object))) => {
                if let Some(mut inner) = Arc::into_inner(object) {
                    stack.extend(std::mem::take(&mut inner.values).into_iter().map(Doomed::Value));
                }
            }
            Doomed::Value(scalar) => drop(scalar),
            Doomed::Node(node) => {
                if let Some(mut node) = Arc::into_inner(node) {
                    node.give_up(&mut stack);
                }
            }
        }
    }
}
