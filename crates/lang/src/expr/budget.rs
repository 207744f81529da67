//! What one evaluation may use: operations, and bytes of what it makes, counted before they are made.

use super::EvalError;
use crate::limits;

/// What is left of the limits.
pub(crate) struct Budget {
    operations: u64,
    bytes: usize,
}

/// Why a method gave nothing.
pub(crate) enum Failure {
    /// JavaScript would throw; says why.
    Throws(String),
    /// A limit; its code and what to say.
    Limit(&'static str, &'static str),
    /// Something inside it failed.
    Inner(Box<EvalError>),
}

impl From<Box<EvalError>> for Failure {
    fn from(error: Box<EvalError>) -> Self {
        Self::Inner(error)
    }
}

impl Budget {
    pub(crate) fn new() -> Self {
        Self { operations: limits::OPERATIONS, bytes: limits::EVALUATION_BYTES }
    }

    /// Counts operations.
    #[inline]
    pub(crate) fn spend(&mut self, operations: u64) -> Result<(), Failure> {
        match self.operations.checked_sub(operations) {
            Some(left) => {
                self.operations = left;
                Ok(())
            }
            None => {
                Err(Failure::Limit("expr_too_many_operations", "This takes more than 100,000 operations, the most one expression may use."))
            }
        }
    }

    /// Counts a text of that many bytes about to be made.
    pub(crate) fn text(&mut self, bytes: usize) -> Result<(), Failure> {
        if bytes > limits::TEXT_UNITS {
            return Err(self.too_long());
        }
        self.bytes(bytes)
    }

    /// Counts a list of that many elements about to be made.
    pub(crate) fn list(&mut self, elements: usize) -> Result<(), Failure> {
        self.spend(elements as u64)?;
        self.bytes(elements.saturating_mul(16))
    }

    fn bytes(&mut self, bytes: usize) -> Result<(), Failure> {
        match self.bytes.checked_sub(bytes) {
            Some(left) => {
                self.bytes = left;
                Ok(())
            }
            None => Err(Failure::Limit("expr_too_many_bytes", "This makes more than 16 MiB of values, the most one expression may make.")),
        }
    }

    /// The longest text that may be made now.
    pub(crate) fn text_limit(&self) -> usize {
        limits::TEXT_UNITS.min(self.bytes)
    }

    pub(crate) fn too_long(&self) -> Failure {
        Failure::Limit("expr_text_too_long", "This makes a text longer than 1 MiB, the longest an expression may make.")
    }
}
