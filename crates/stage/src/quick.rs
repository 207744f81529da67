//! Maps by small numbers, hashed with one multiplication: the keys are ours, nobody can choose them badly on purpose.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

pub(crate) type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;
pub(crate) type QuickSet<K> = HashSet<K, BuildHasherDefault<Quick>>;

/// Multiplies and folds; the usual hasher costs ten times as much for four bytes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Quick(u64);

impl Quick {
    fn mix(&mut self, v: u64) {
        let m = (self.0.rotate_left(23) ^ v).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = m ^ (m >> 32);
    }
}

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.mix(u64::from(*b) + 1));
    }

    fn write_u32(&mut self, v: u32) {
        self.mix(u64::from(v) + 1);
    }

    fn write_i32(&mut self, v: i32) {
        self.mix(u64::from(v as u32) + 1);
    }

    fn write_usize(&mut self, v: usize) {
        self.mix(v as u64 + 1);
    }
}
