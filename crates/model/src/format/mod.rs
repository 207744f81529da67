//! Files in, files out.

mod build;
mod faithful;
mod own;
mod plan;
mod records;
mod splice;
mod style;
mod tasks;

pub(crate) use build::in_form;
pub(crate) use own::selection;
pub(crate) use splice::rewrite;

use loopwright_lang::{
    Severity, Span, Value,
    json::{self, Node, NodeKind},
    limits,
};

use crate::{Document, EntityId, EntityKind, GraphKind, GraphRef, document::ROOT};

/// The kinds of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `{ "agents": [ … ] }`, text or object form; also one agent by itself, or a list of them.
    Steps,
    /// MemberJunction metadata files.
    MjSync,
    /// `{ Name, Steps, Paths }`.
    AgentSpec,
    /// A plan: `{ "tasks": [ … ] }`.
    Plan,
    /// A task graph: `{ "name", "tasks": [ { "key", … } ] }`.
    Tasks,
    /// Our own `NAME.loopwright.json`.
    Document,
}

impl Format {
    /// Its name in our own files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::MjSync => "mj-sync",
            Self::AgentSpec => "agentspec",
            Self::Plan => "plan",
            Self::Tasks => "tasks",
            Self::Document => "document",
        }
    }

    /// The format of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Steps, Self::MjSync, Self::AgentSpec, Self::Plan, Self::Tasks, Self::Document]
            .into_iter()
            .find(|format| format.name() == name)
    }
}

/// Something that was not understood, or not JSON, when a file was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// How bad it is; an `Error` means that nothing was opened.
    pub severity: Severity,
    /// A stable code.
    pub code: &'static str,
    /// What was found and what happens to it. An error names line and column.
    pub message: String,
    /// Where in the text.
    pub span: Option<Span>,
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
    /// As the file that was imported writes them; in a new file as text.
    #[default]
    AsWritten,
    /// Compact JSON text, as in the database.
    Text,
    /// Objects, for authoring.
    Object,
}

/// The line and the column of a place in a text, both from 1; columns count characters. A byte-order mark is no character.
pub fn line_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset.min(text.len())).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before.get(line_start..).unwrap_or_default().chars().filter(|c| *c != '\u{feff}').count();
    (before.matches('\n').count() + 1, column + 1)
}

/// The text of a file's bytes. `Err` says why it is none: not UTF-8 (and what it looks like), or too large.
pub fn decode(bytes: &[u8]) -> Result<&str, Notice> {
    if bytes.len() > limits::FILE_BYTES {
        return Err(too_large(bytes.len()));
    }
    std::str::from_utf8(bytes).map_err(|wrong| {
        let message = match bytes {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "This file is UTF-16 text. Save it as UTF-8 and open it again.".to_owned(),
            _ => {
                let before = bytes.get(..wrong.valid_up_to()).unwrap_or_default();
                let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
                format!("This file is not UTF-8 text: line {line} holds bytes that are no characters. Save it as UTF-8 and open it again.")
            }
        };
        error("file_not_text", message, None)
    })
}

fn too_large(bytes: usize) -> Notice {
    let size = bytes as f64 / f64::from(1 << 20);
    let message = format!("This file has {size:.1} MiB. Files up to {} MiB can be opened.", limits::FILE_BYTES >> 20);
    error("file_too_large", message, None)
}

/// Reads any of the formats; the content says which. `name` is the file's name. Never fails, never panics.
pub fn import(name: &str, text: &str) -> Imported {
    let mut notices = Vec::new();
    if text.len() > limits::FILE_BYTES {
        return refused(too_large(text.len()));
    }
    if text.len() > limits::FILE_WARNING_BYTES {
        let message = format!("This file has {} MiB; working with it may be slow.", text.len() >> 20);
        notices.push(Notice { severity: Severity::Warning, code: "file_large", message, span: None });
    }
    let parsed = json::parse(text);
    let Some(root) = parsed.root else {
        let (message, span) = parsed.problems.first().map_or_else(
            || ("This file is empty.".to_owned(), None),
            |problem| (format!("{}: {}", place(text, problem.span), problem.message), Some(problem.span)),
        );
        let lead = if text.trim().is_empty() {
            "This file is empty; there is nothing to open.".to_owned()
        } else {
            format!("This is not JSON. {message}")
        };
        return refused(error("file_not_json", lead, span));
    };
    notices.extend(parsed.problems.iter().map(|problem| Notice {
        severity: problem.severity.max(Severity::Warning),
        code: "file_json",
        message: format!("{}: {}", place(text, problem.span), problem.message),
        span: Some(problem.span),
    }));
    match detect(&root) {
        Some(Format::Document) => own::read(text, &root, notices),
        Some(Format::Plan) => plan::read(name, text, &root, notices),
        Some(Format::Tasks) => tasks::read(name, text, &root, notices),
        Some(format) => records::read(name, text, &root, format, notices),
        None => {
            notices.push(error("file_unknown_kind", unknown_kind(&root), None));
            Imported { document: None, format: None, notices, read_only: false }
        }
    }
}

/// Writes a document in a format. A document imported from that format comes out as its own text with the smallest
/// splices; any other is written anew by the rules of that format (step-json.md). `Err` says what cannot be written.
pub fn export(document: &Document, format: Format, form: JsonForm) -> Result<String, Vec<Notice>> {
    if format == Format::Document {
        return Ok(own::write(document));
    }
    if format == Format::Plan {
        return plan::write(document);
    }
    if format == Format::Tasks {
        return tasks::write(document);
    }
    if document.graphs().next().is_some() && document.graphs().all(|graph| graph.kind() == GraphKind::Tasks) {
        let message = "A task graph has a form of its own and none as an agent's steps. Export it as tasks.".to_owned();
        return Err(vec![error("export_tasks", message, None)]);
    }
    if document.graphs().next().is_some() && document.graphs().all(|graph| graph.kind() == GraphKind::Plan) {
        let message = "A plan has a form of its own and none as an agent's steps. Export it as a plan.".to_owned();
        return Err(vec![error("export_plan", message, None)]);
    }
    let mut sources =
        document.children_of_kind(ROOT, EntityKind::Source).filter(|source| source_format(document, source.id) == Some(format));
    if let (Some(source), None) = (sources.next(), sources.next())
        && let Some(text) = faithful::write(document, source.id, format, form)
    {
        return Ok(text);
    }
    Ok(build::write(document, format, form))
}

/// Writes our own file over the text it was opened from: what is the same keeps its layout and its spelling, so that a file
/// a person has laid out, or keeps under version control, changes only where the document did.
pub fn update(document: &Document, text: &str) -> String {
    own::update(document, text)
}

/// The format that an imported text had.
pub fn source_format(document: &Document, source: EntityId) -> Option<Format> {
    document.field(source, "format").and_then(Value::as_str).and_then(Format::from_name)
}

/// The text of a graph that is a file of its own: the imported one with the smallest changes, or a new one.
fn kept_text(document: &Document, graph: GraphRef<'_>, format: Format, value: &Value) -> String {
    let source = graph.entity.origin.as_ref().map(|origin| origin.source);
    let source = source.filter(|source| source_format(document, *source) == Some(format));
    let kept = source.and_then(|source| document.field(source, "text")).and_then(Value::as_str);
    kept.and_then(|kept| splice::rewrite(kept, value)).unwrap_or_else(|| {
        let mut text = json::print_pretty(value);
        text.push('\n');
        text
    })
}

fn error(code: &'static str, message: String, span: Option<Span>) -> Notice {
    Notice { severity: Severity::Error, code, message, span }
}

fn refused(notice: Notice) -> Imported {
    Imported { document: None, format: None, notices: vec![notice], read_only: false }
}

/// `Line 3, column 7`.
fn place(text: &str, span: Span) -> String {
    let (line, column) = line_column(text, span.start as usize);
    format!("Line {line}, column {column}")
}

/// Which of the formats a text is in.
fn detect(root: &Node) -> Option<Format> {
    match &root.kind {
        NodeKind::Object(_) if root.member("loopwright").is_some() => Some(Format::Document),
        NodeKind::Object(_) if is_list(root, "agents") => Some(Format::Steps),
        NodeKind::Object(_) if tasks::is_task_graph(root) => Some(Format::Tasks),
        NodeKind::Object(_) if plan::is_plan(root) => Some(Format::Plan),
        NodeKind::Object(_) => detect_record(root),
        NodeKind::List(items) => items.iter().find_map(detect_record),
        NodeKind::Scalar(_) => None,
    }
}

/// Which of the formats one agent is in.
fn detect_record(node: &Node) -> Option<Format> {
    if node.member("fields").is_some_and(|member| matches!(member.value.kind, NodeKind::Object(_))) {
        Some(Format::MjSync)
    } else if is_list(node, "Steps") || is_list(node, "Paths") {
        Some(Format::AgentSpec)
    } else if is_list(node, "steps") || is_list(node, "paths") {
        Some(Format::Steps)
    } else {
        None
    }
}

fn is_list(node: &Node, key: &str) -> bool {
    node.member(key).is_some_and(|member| matches!(member.value.kind, NodeKind::List(_)))
}

/// What to say about JSON that is no file of ours: what it looks like, and what can be opened.
fn unknown_kind(root: &Node) -> String {
    const KINDS: &str = "Loopwright opens its own documents ({ \"loopwright\": 1, … }), step JSON ({ \"agents\": [ … ] } or one agent \
        with \"steps\" and \"paths\"), MemberJunction metadata (records with \"fields\" and \"relatedEntities\"), agent specs \
        ({ \"Name\", \"Steps\", \"Paths\" }) , plans ({ \"tasks\": [ … ] }) and task graphs ({ \"name\", \"tasks\": [ { \"key\" … } ] }).";
    let found = match &root.kind {
        NodeKind::Scalar(value) => format!("it holds just {}", value.what()),
        NodeKind::List(items) if items.is_empty() => "it holds an empty list".to_owned(),
        NodeKind::List(items) => match items.iter().find(|item| matches!(item.kind, NodeKind::Object(_))) {
            Some(item) => format!("it holds a list of {} whose first object has {}", items.len(), keys(item)),
            None => format!("it holds a list of {} without any object", items.len()),
        },
        NodeKind::Object(members) => {
            let wrong = ["agents", "Steps", "steps", "graphs"].iter().find_map(|key| root.member(key));
            match wrong {
                Some(member) => {
                    let what = member.value.to_value();
                    format!("its \"{}\" should be a list and is {}", member.key, what.what())
                }
                None if members.is_empty() => "it holds an empty object".to_owned(),
                None => format!("it holds an object with {}", keys(root)),
            }
        }
    };
    format!("This is JSON, but not a flow that can be opened: {found}. {KINDS}")
}

/// The first keys of an object, for a message.
fn keys(node: &Node) -> String {
    let NodeKind::Object(members) = &node.kind else { return String::new() };
    if members.is_empty() {
        return "no keys".into();
    }
    let mut shown: Vec<String> =
        members.iter().take(5).map(|member| format!("\"{}\"", member.key.chars().take(40).collect::<String>())).collect();
    if members.len() > shown.len() {
        shown.push(format!("{} more", members.len() - shown.len()));
    }
    format!("the keys {}", shown.join(", "))
}
