//! Files in, files out.

use crate::Document;

/// The kinds of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `{ "agents": [ … ] }`, text or object form.
    Steps,
    /// MemberJunction metadata files.
    MjSync,
    /// `{ Name, Steps, Paths }`.
    AgentSpec,
    /// Our own `NAME.loopwright.json`.
    Document,
}

/// Something that was not understood, or not JSON, when a file was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// How bad it is; an `Error` means that nothing was opened.
    pub severity: loopwright_lang::Severity,
    /// A stable code.
    pub code: &'static str,
    /// What was found and what happens to it.
    pub message: String,
    /// Where in the text.
    pub span: Option<loopwright_lang::Span>,
}

/// What reading a file gave.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The document, if the file could be opened.
    pub document: Option<Document>,
    /// What kind of file it was.
    pub format: Option<Format>,
    /// What was not understood.
    pub notices: Vec<Notice>,
    /// Whether it was written by a higher version and must not be changed.
    pub read_only: bool,
}

/// How step JSON writes Configuration and mappings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JsonForm {
    /// Compact JSON text, as in the database.
    #[default]
    Text,
    /// Objects, for authoring.
    Object,
}

/// Reads any of the formats; the content says which. `name` is the file's name. Never fails, never panics.
pub fn import(_name: &str, _text: &str) -> Imported {
    todo!()
}

/// Writes a document in a format. A document imported from that format comes out as its own text with the smallest splices.
pub fn export(_document: &Document, _format: Format, _form: JsonForm) -> Result<String, Vec<Notice>> {
    todo!()
}
