//! One small hash for our own tables. The same everywhere: nothing random goes in.

use std::hash::{BuildHasherDefault, Hasher};

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Mixes `word` into `hash`.
pub(crate) fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash ^ word).wrapping_mul(FACTOR);
    mixed ^ (mixed >> 29)
}

/// The hash of some bytes.
pub(crate) fn bytes(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let hash = words.iter().fold(bytes.len() as u64, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    mix(hash, rest.iter().rev().fold(0, |word, byte| (word << 8) | u64::from(*byte)))
}

/// Hashes one number, an address or a hash.
#[derive(Default)]
pub(crate) struct WordHasher(u64);

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0 = mix(self.0, self::bytes(bytes));
    }
    fn write_u64(&mut self, word: u64) {
        self.0 = mix(self.0, word);
    }
    fn write_usize(&mut self, word: usize) {
        self.0 = mix(self.0, word as u64);
    }
}

/// A map from addresses or hashes. Only looked up, never walked through, so its order is nobody's business.
pub(crate) type WordMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<WordHasher>>;
