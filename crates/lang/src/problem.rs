//! What is wrong with a text, said like a helpful colleague.

use crate::Span;

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It will not do what was meant.
    Error,
    /// It may not do what was meant.
    Warning,
    /// It could be said better.
    Hint,
}

/// A replacement that would mend a problem: put `text` where `span` is.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Fix {
    /// What the button says, e.g. `Use customer.email`.
    pub label: String,
    /// What to replace in the text the problem is about.
    pub span: Span,
    /// What to put there.
    pub text: String,
}

/// One problem in one text.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Problem {
    /// A stable code, e.g. `expr_unexpected_token`.
    pub code: std::borrow::Cow<'static, str>,
    /// How bad it is.
    pub severity: Severity,
    /// What was found and what was expected, in a sentence.
    pub message: String,
    /// Where, in bytes of the text the problem is about.
    pub span: Span,
    /// The likely intention, where one is close.
    pub fix: Option<Fix>,
}

impl Problem {
    /// An error.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { code: code.into(), severity: Severity::Error, message: message.into(), span, fix: None }
    }

    /// A warning.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, span, message) }
    }

    /// A hint.
    pub fn hint(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Hint, ..Self::error(code, span, message) }
    }

    /// The same problem with a fix.
    pub fn with_fix(mut self, label: impl Into<String>, span: Span, text: impl Into<String>) -> Self {
        self.fix = Some(Fix { label: label.into(), span, text: text.into() });
        self
    }
}
