//! Lists: persistent vectors of chunks. Changed in place where nobody else holds them; otherwise a change copies one chunk and
//! the way to it.
//!
//! Written here rather than taken from a crate: every chunk knows the printed size and the depth of what is in it, deep values
//! must drop without recursion, and a saved pool writes a shared chunk once. A crate's vector hides its chunks.

use super::Value;
use super::summary::{Doomed, SHALLOW, Summary, release};
use std::sync::Arc;

const BITS: u32 = 5;
/// Elements of a chunk, children of a branch.
pub(crate) const FAN: usize = 1 << BITS;

/// A persistent list: cloning is cheap, changing copies only what is shared.
#[derive(Clone, Default)]
pub struct List(pub(super) Arc<Root>);

/// The elements: full chunks in a tree, and the last one to 32 of them beside it.
#[derive(Clone, Default)]
pub(crate) struct Root {
    len: usize,
    /// How many branches lie above a chunk of `tree`.
    height: u32,
    tree: Option<Arc<Node>>,
    tail: Vec<Value>,
    tail_summary: Summary,
}

/// A full chunk, or a branch over nodes of one height of which only the last may have room.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) summary: Summary,
    pub(crate) kids: Kids,
}

#[derive(Clone)]
pub(crate) enum Kids {
    Chunk(Vec<Value>),
    Nodes(Vec<Arc<Node>>),
}

impl Drop for Node {
    fn drop(&mut self) {
        if self.summary.depth >= SHALLOW {
            let mut stack = Vec::new();
            self.give_up(&mut stack);
            release(stack);
        }
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        if self.summary().depth >= SHALLOW {
            let mut stack = Vec::new();
            self.give_up(&mut stack);
            release(stack);
        }
    }
}

impl Node {
    pub(super) fn give_up(&mut self, stack: &mut Vec<Doomed>) {
        match &mut self.kids {
            Kids::Chunk(values) => stack.extend(std::mem::take(values).into_iter().map(Doomed::Value)),
            Kids::Nodes(nodes) => stack.extend(std::mem::take(nodes).into_iter().map(Doomed::Node)),
        }
    }

    fn new(kids: Kids) -> Self {
        let mut node = Self { summary: Summary::default(), kids };
        node.summary = node.total();
        node
    }

    fn total(&self) -> Summary {
        let mut total = Summary::default();
        match &self.kids {
            Kids::Chunk(values) => values.iter().for_each(|value| total.add(Summary::of(value, 0))),
            Kids::Nodes(nodes) => nodes.iter().for_each(|node| total.add(node.summary)),
        }
        total
    }

    /// `chunk` below as many branches as `height` says.
    fn spine(chunk: Arc<Self>, height: u32) -> Arc<Self> {
        (0..height).fold(chunk, |node, _| Arc::new(Self { summary: node.summary, kids: Kids::Nodes(vec![node]) }))
    }

    /// Adds a chunk behind the `len` elements here, for which there is room.
    fn append(&mut self, height: u32, len: usize, chunk: Arc<Self>) {
        self.summary.add(chunk.summary);
        if let Kids::Nodes(nodes) = &mut self.kids {
            let slot = (len >> (BITS * height)) & (FAN - 1);
            match nodes.get_mut(slot) {
                Some(node) => Arc::make_mut(node).append(height - 1, len, chunk),
                None => nodes.push(Self::spine(chunk, height - 1)),
            }
        }
    }

    fn set(&mut self, height: u32, index: usize, value: Value) {
        let slot = (index >> (BITS * height)) & (FAN - 1);
        let Self { summary, kids } = self;
        match kids {
            Kids::Chunk(values) => set_in(values, slot, value, summary),
            Kids::Nodes(nodes) => {
                let Some(node) = nodes.get_mut(slot) else { return };
                let old = node.summary;
                let node = Arc::make_mut(node);
                node.set(height - 1, index, value);
                let new = node.summary;
                summary.replace(old, new, || nodes.iter().map(|node| node.summary));
            }
        }
    }
}

fn set_in(values: &mut [Value], slot: usize, value: Value, summary: &mut Summary) {
    let Some(place) = values.get_mut(slot) else { return };
    let (old, new) = (Summary::of(place, 0), Summary::of(&value, 0));
    *place = value;
    summary.replace(old, new, || values.iter().map(|value| Summary::of(value, 0)));
}

impl Root {
    pub(super) fn give_up(&mut self, stack: &mut Vec<Doomed>) {
        stack.extend(self.tree.take().map(Doomed::Node));
        stack.extend(std::mem::take(&mut self.tail).into_iter().map(Doomed::Value));
    }

    fn summary(&self) -> Summary {
        let mut summary = self.tail_summary;
        if let Some(tree) = &self.tree {
            summary.add(tree.summary);
        }
        summary
    }

    fn tree_len(&self) -> usize {
        self.len - self.tail.len()
    }

    fn push(&mut self, value: Value) {
        if self.tail.len() == FAN {
            self.flush();
        }
        self.tail_summary.add(Summary::of(&value, 0));
        self.tail.push(value);
        self.len += 1;
    }

    /// Moves the full tail into the tree.
    fn flush(&mut self) {
        let tree_len = self.tree_len();
        let chunk = Arc::new(Node { summary: self.tail_summary, kids: Kids::Chunk(std::mem::take(&mut self.tail)) });
        self.tail_summary = Summary::default();
        match self.tree.take() {
            None => self.tree = Some(chunk),
            Some(tree) if tree_len == FAN << (BITS * self.height) => {
                let spine = Node::spine(chunk, self.height);
                self.height += 1;
                self.tree = Some(Arc::new(Node::new(Kids::Nodes(vec![tree, spine]))));
            }
            Some(mut tree) => {
                Arc::make_mut(&mut tree).append(self.height, tree_len, chunk);
                self.tree = Some(tree);
            }
        }
    }

    /// The elements that stand in memory together with the one at `index`, from that one's chunk's start.
    fn chunk(&self, index: usize) -> &[Value] {
        if index >= self.tree_len() {
            return &self.tail;
        }
        let mut node = self.tree.as_deref();
        let mut height = self.height;
        loop {
            match node.map(|node| &node.kids) {
                Some(Kids::Chunk(values)) => return values,
                Some(Kids::Nodes(nodes)) => {
                    node = nodes.get((index >> (BITS * height)) & (FAN - 1)).map(|node| &**node);
                    height = height.saturating_sub(1);
                }
                None => return &[],
            }
        }
    }
}

impl List {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many elements.
    pub fn len(&self) -> usize {
        self.0.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.len == 0
    }

    /// The element at `index`.
    pub fn get(&self, index: usize) -> Option<&Value> {
        // The tail starts at a multiple of a chunk's length, as every chunk does.
        self.0.chunk(index).get(if index < self.0.len { index & (FAN - 1) } else { usize::MAX })
    }

    /// The first element.
    pub fn first(&self) -> Option<&Value> {
        self.get(0)
    }

    /// The last element.
    pub fn last(&self) -> Option<&Value> {
        self.0.tail.last()
    }

    /// The elements in order. Skipping does not walk.
    pub fn iter(&self) -> ListIter<'_> {
        ListIter { root: &self.0, next: 0, end: self.0.len, front: [].iter(), back: [].iter() }
    }

    /// Adds an element at the end.
    pub fn push(&mut self, value: Value) {
        Arc::make_mut(&mut self.0).push(value);
    }

    /// Adds these elements at the end.
    pub fn extend(&mut self, values: impl IntoIterator<Item = Value>) {
        let root = Arc::make_mut(&mut self.0);
        values.into_iter().for_each(|value| root.push(value));
    }

    /// Replaces the element at `index`; past the end the gap is filled with null.
    pub fn set(&mut self, index: usize, value: Value) {
        let root = Arc::make_mut(&mut self.0);
        if index >= root.len {
            while root.len < index {
                root.push(Value::Null);
            }
            return root.push(value);
        }
        let tree_len = root.tree_len();
        match &mut root.tree {
            Some(tree) if index < tree_len => Arc::make_mut(tree).set(root.height, index, value),
            _ => set_in(&mut root.tail, index - tree_len, value, &mut root.tail_summary),
        }
    }

    /// The elements from `start` up to `end` (both cut at the end).
    pub fn slice(&self, start: usize, end: usize) -> Self {
        let end = end.min(self.len());
        if start == 0 && end == self.len() {
            return self.clone();
        }
        self.iter().skip(start).take(end.saturating_sub(start)).cloned().collect()
    }

    /// Whether both are one and the same list, as JavaScript's `===` asks (not merely equal).
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn summary(&self) -> Summary {
        self.0.summary()
    }

    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// The tree of full chunks and the rest, as the pool writes them.
    pub(crate) fn parts(&self) -> (Option<&Arc<Node>>, &[Value]) {
        (self.0.tree.as_ref(), &self.0.tail)
    }

    /// A list of a tree that holds `tree_len` elements below `height` branches, and a tail of one to 32 (none without a tree).
    /// The caller has checked that.
    pub(crate) fn from_parts(tree: Option<Arc<Node>>, height: u32, tree_len: usize, tail: Vec<Value>) -> Self {
        let mut tail_summary = Summary::default();
        tail.iter().for_each(|value| tail_summary.add(Summary::of(value, 0)));
        Self(Arc::new(Root { len: tree_len + tail.len(), height, tree, tail, tail_summary }))
    }
}

impl Node {
    /// A node of these, as the pool reads it. The caller has checked their number.
    pub(crate) fn from_parts(kids: Kids) -> Arc<Self> {
        Arc::new(Self::new(kids))
    }
}

impl FromIterator<Value> for List {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        let items = items.into_iter();
        let mut root = Root::default();
        root.tail.reserve(items.size_hint().0.min(FAN));
        items.for_each(|value| root.push(value));
        Self(Arc::new(root))
    }
}

impl From<Vec<Value>> for List {
    fn from(values: Vec<Value>) -> Self {
        if values.len() <= FAN { Self::from_parts(None, 0, 0, values) } else { values.into_iter().collect() }
    }
}

impl<'v> IntoIterator for &'v List {
    type Item = &'v Value;
    type IntoIter = ListIter<'v>;
    fn into_iter(self) -> ListIter<'v> {
        self.iter()
    }
}

impl PartialEq for List {
    fn eq(&self, other: &Self) -> bool {
        super::equal::lists(self, other)
    }
}

impl std::fmt::Debug for List {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&crate::json::print_log(&Value::List(self.clone())))
    }
}

/// The elements of a list in order, from either end.
#[derive(Clone)]
pub struct ListIter<'v> {
    root: &'v Root,
    /// The elements that are in neither chunk at hand.
    next: usize,
    end: usize,
    front: std::slice::Iter<'v, Value>,
    back: std::slice::Iter<'v, Value>,
}

impl<'v> Iterator for ListIter<'v> {
    type Item = &'v Value;

    fn next(&mut self) -> Option<&'v Value> {
        match self.front.next() {
            None => self.nth(0),
            found => found,
        }
    }

    fn nth(&mut self, n: usize) -> Option<&'v Value> {
        if let Some(value) = self.front.as_slice().get(n) {
            self.front = self.front.as_slice().get(n + 1..).unwrap_or_default().iter();
            return Some(value);
        }
        let n = n - self.front.len();
        self.front = [].iter();
        if n < self.end - self.next {
            let at = self.next + n;
            let start = at & !(FAN - 1);
            let chunk = self.root.chunk(at);
            let end = (start + chunk.len()).min(self.end);
            self.front = chunk.get(at + 1 - start..end - start).unwrap_or_default().iter();
            self.next = end;
            return chunk.get(at - start);
        }
        let n = n - (self.end - self.next);
        self.next = self.end;
        self.back.nth(n)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.front.len() + (self.end - self.next) + self.back.len();
        (left, Some(left))
    }
}

impl DoubleEndedIterator for ListIter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        if let Some(value) = self.back.next_back() {
            return Some(value);
        }
        if self.next < self.end {
            let last = self.end - 1;
            let start = last & !(FAN - 1);
            let from = start.max(self.next);
            self.back = self.root.chunk(last).get(from - start..self.end - start).unwrap_or_default().iter();
            self.end = from;
            return self.back.next_back();
        }
        self.front.next_back()
    }
}

impl ExactSizeIterator for ListIter<'_> {}
