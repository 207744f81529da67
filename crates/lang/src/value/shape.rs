//! Shapes: the key lists that objects share.

use super::Text;
use crate::hash;
use std::cell::RefCell;
use std::sync::Arc;

/// Up to this many keys are looked through one by one; more have an index.
const LINEAR: usize = 8;
/// Shapes of more keys are not kept for reuse when they grow key by key: that would make it quadratic.
const LARGEST_STEP: usize = 32;
/// Shapes of more keys are not kept for reuse at all.
const LARGEST_KEPT: usize = 256;
const KEPT: usize = 256;
const GUESSED: usize = 64;

/// Keys in their order, none twice.
#[derive(Clone, Default)]
pub(crate) struct Shape {
    keys: Vec<Text>,
    /// Open addressing: places in `keys` plus one, 0 for free. Empty up to [`LINEAR`] keys.
    index: Vec<u32>,
    hash: u64,
}

thread_local! {
    /// Shapes made lately. Whether one is found here decides only how much memory is used, never a result.
    static LATELY: RefCell<Vec<Option<Arc<Shape>>>> = const { RefCell::new(Vec::new()) };
    /// The same by first key: the shape that keys which begin like this had the last time.
    static GUESSES: RefCell<Vec<Option<Arc<Shape>>>> = const { RefCell::new(Vec::new()) };
}

/// Collects the keys of one object. As long as they come as they did the last time, nothing is made.
#[derive(Default)]
pub(crate) struct Collector {
    guess: Option<Arc<Shape>>,
    /// How many keys of the guess have come.
    as_guessed: usize,
    /// The keys, once they were not those of the guess.
    own: Option<Shape>,
}

impl Collector {
    /// Takes a key: `Some` is the place where it already is, `None` says that it is new.
    pub(crate) fn key(&mut self, key: Text) -> Option<usize> {
        if self.own.is_none() {
            if self.as_guessed == 0 {
                self.guess = GUESSES.with_borrow(|guesses| guesses.get(first_slot(&key))?.clone());
            }
            let known = self.guess.as_ref().map_or(&[][..], |guess| &guess.keys);
            if known.get(self.as_guessed) == Some(&key) {
                self.as_guessed += 1;
                return None;
            }
            self.own = Some(Shape::of(known.iter().take(self.as_guessed).cloned()));
        }
        let own = self.own.as_mut()?;
        let place = own.find(&key);
        if place.is_none() {
            own.push(key);
        }
        place
    }

    /// The shape of all keys.
    pub(crate) fn finish(self) -> Arc<Shape> {
        let own = match (self.own, self.guess) {
            (None, Some(guess)) if guess.len() == self.as_guessed => return guess,
            (None, Some(guess)) => Shape::of(guess.keys.iter().take(self.as_guessed).cloned()),
            (own, _) => own.unwrap_or_default(),
        };
        let shape = own.share();
        if let Some(first) = shape.keys.first().filter(|_| shape.len() <= LARGEST_KEPT) {
            GUESSES.with_borrow_mut(|guesses| {
                if guesses.is_empty() {
                    guesses.resize(GUESSED, None);
                }
                if let Some(slot) = guesses.get_mut(first_slot(first)) {
                    *slot = Some(shape.clone());
                }
            });
        }
        shape
    }
}

fn first_slot(first: &Text) -> usize {
    hash::bytes(first.as_bytes()) as usize % GUESSED
}

impl Shape {
    pub(crate) fn keys(&self) -> &[Text] {
        &self.keys
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The place of `key`.
    pub(crate) fn find(&self, key: &str) -> Option<usize> {
        if self.index.is_empty() {
            return self.keys.iter().position(|known| known.as_str() == key);
        }
        let mask = self.index.len() - 1;
        let mut slot = hash::bytes(key.as_bytes()) as usize & mask;
        loop {
            let place = (*self.index.get(slot)? as usize).checked_sub(1)?;
            if self.keys.get(place).is_some_and(|known| known.as_str() == key) {
                return Some(place);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Adds a key that is not there.
    pub(crate) fn push(&mut self, key: Text) {
        self.hash = hash::mix(self.hash, hash::bytes(key.as_bytes()));
        self.keys.push(key);
        let len = self.keys.len();
        if len > LINEAR && len * 2 > self.index.len() {
            self.index.clear();
            self.index.resize((len * 4).next_power_of_two(), 0);
            (0..len).for_each(|place| self.enter(place));
        } else if len > LINEAR {
            self.enter(len - 1);
        }
    }

    fn enter(&mut self, place: usize) {
        let mask = self.index.len() - 1;
        let Some(key) = self.keys.get(place) else { return };
        let mut slot = hash::bytes(key.as_bytes()) as usize & mask;
        while self.index.get(slot).is_some_and(|taken| *taken != 0) {
            slot = (slot + 1) & mask;
        }
        if let Some(free) = self.index.get_mut(slot) {
            *free = u32::try_from(place + 1).unwrap_or(u32::MAX);
        }
    }

    /// A shape of keys of which none is there twice.
    pub(crate) fn of(keys: impl IntoIterator<Item = Text>) -> Self {
        let mut shape = Self::default();
        keys.into_iter().for_each(|key| shape.push(key));
        shape
    }

    /// The shape, shared with the others of the same keys where they are known.
    pub(crate) fn share(self) -> Arc<Self> {
        if self.len() > LARGEST_KEPT {
            return Arc::new(self);
        }
        let hash = self.hash;
        lately(hash, |known| known.keys == self.keys).unwrap_or_else(|| keep(Arc::new(self.clone())))
    }

    /// The shape with one more key, which is not there. In place where nobody shares it.
    pub(crate) fn grow(this: &mut Arc<Self>, key: Text) {
        if let Some(shape) = Arc::get_mut(this) {
            return shape.push(key);
        }
        if this.len() >= LARGEST_STEP {
            return Arc::make_mut(this).push(key);
        }
        let hash = hash::mix(this.hash, hash::bytes(key.as_bytes()));
        let known =
            lately(hash, |known| known.keys.split_last().is_some_and(|(last, before)| *last == key && before == this.keys.as_slice()));
        *this = known.unwrap_or_else(|| {
            let mut shape = Self::clone(this);
            shape.push(key);
            keep(Arc::new(shape))
        });
    }
}

/// The shape of that hash that was made lately, if it is the one.
fn lately(hash: u64, is_it: impl FnOnce(&Shape) -> bool) -> Option<Arc<Shape>> {
    LATELY.with_borrow(|kept| kept.get(hash as usize % KEPT)?.as_ref().filter(|known| known.hash == hash && is_it(known)).cloned())
}

fn keep(shape: Arc<Shape>) -> Arc<Shape> {
    LATELY.with_borrow_mut(|kept| {
        if kept.is_empty() {
            kept.resize(KEPT, None);
        }
        if let Some(slot) = kept.get_mut(shape.hash as usize % KEPT) {
            *slot = Some(shape.clone());
        }
    });
    shape
}
