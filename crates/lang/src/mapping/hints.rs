//! What to say about a text that stays a text, though it looks as if it were meant otherwise.

use super::reference::{Reference, begins_expression};
use crate::expr::{self, Parsed};
use crate::path::{self, Key};
use crate::{Problem, Scope, Span, Value};

/// Endings that make `data.csv` more likely a file than a value.
const EXTENSIONS: &[&str] = &[
    "csv", "doc", "docx", "gif", "htm", "html", "jpeg", "jpg", "js", "json", "log", "md", "mp3", "mp4", "pdf", "png", "ppt", "pptx", "py",
    "rtf", "sql", "svg", "tar", "ts", "tsv", "txt", "wav", "xls", "xlsx", "xml", "yaml", "yml", "zip",
];

/// Endings of host names.
const HOSTS: &[&str] = &["ai", "app", "com", "de", "dev", "eu", "gov", "io", "net", "org", "uk"];

/// `data.csv` resolves all the same; a warning says so and offers `static:`.
pub(crate) fn file_name(reference: &Reference, source: &str, at: usize) -> Option<Problem> {
    let [only] = reference.segments() else { return None };
    let Key::Name(extension) = &only.key else { return None };
    if !EXTENSIONS.contains(&extension.as_str()) {
        return None;
    }
    let text = expr::js_trim(source);
    let span = Span::new(at, at + text.len());
    let message = format!("`{text}` is read from the run's data. If it is the name of a file, write `static:{text}`.");
    Some(Problem::warning("mapping_file_name", span, message).with_fix("Keep it as text", span, format!("static:{text}")))
}

/// What a plain text was perhaps meant to be.
pub(crate) fn plain_text(
    source: &str,
    path: Option<(&Reference, usize)>,
    longer: Option<(&str, &Parsed, usize)>,
    scope: &Scope,
) -> Option<Problem> {
    let text = expr::js_trim(source);
    let at = source.len() - source.trim_start_matches(expr::is_js_space).len();
    let whole = Span::new(at, at + text.len());
    if let Some((reference, _)) = path {
        return unknown_root(reference, text, whole, scope);
    }
    if let Some((name, parsed, _)) = longer {
        if begins_expression(name, scope) {
            return Some(broken(text, parsed, whole));
        }
        let names = scope.names_in_scope();
        let near = names.iter().find(|known| known.eq_ignore_ascii_case(name));
        if let (Some(near), true) = (near, parsed.grammatical) {
            let place = Span::new(at, at + name.len());
            let message = format!("This stays text: `{name}` is not known here. With `{near}` it would be computed.");
            return Some(Problem::warning("mapping_looks_like_reference", place, message).with_fix(
                format!("Use {near}"),
                place,
                near.clone(),
            ));
        }
        return computed(text, parsed, whole, scope);
    }
    // A path that stops half way (`payload.`), or begins so.
    let length = text.find(|c: char| !expr::continues_name(c)).unwrap_or(text.len());
    let looks_computed = text.contains(['+', '-', '*', '/', '(', '=', '<', '>', '!', '?', '&', '|', '%']);
    if !looks_computed || length == text.len() {
        return None;
    }
    computed(text, &expr::parse(text), whole, scope)
}

/// Begins with a root and is neither a path nor an expression.
fn broken(text: &str, parsed: &Parsed, whole: Span) -> Problem {
    let reason = parsed.error().map(|problem| (problem, &problem.message));
    let quoted = path::parse(text).err().filter(|problem| problem.fix.is_some());
    let message = match (&reason, text.ends_with('.') || text.contains("..")) {
        (_, true) => "This stays text: a name is missing after a dot.".to_owned(),
        (Some((_, reason)), _) => format!("This stays text, because it can be read neither as a path nor as an expression: {reason}"),
        (None, _) => "This stays text.".to_owned(),
    };
    let mut problem = Problem::warning("mapping_not_a_path", whole, message);
    let fix = reason.and_then(|(problem, _)| problem.fix.clone()).or_else(|| quoted.and_then(|problem| problem.fix));
    if let Some(mut fix) = fix {
        fix.span = fix.span.shifted(whole.start as usize);
        problem.fix = Some(fix);
    }
    problem
}

/// An expression that would have to stand in `{{ }}` to be computed.
fn computed(text: &str, parsed: &Parsed, whole: Span, scope: &Scope) -> Option<Problem> {
    let root = parsed.root.as_ref().filter(|_| parsed.error().is_none())?;
    let unknown = expr::check(root, scope).iter().any(|problem| problem.severity == crate::Severity::Error);
    if unknown || !expr::refers(root) {
        return None;
    }
    let fix = format!("{{{{ {text} }}}}");
    let message = format!("This stays text, since it does not begin with a root and a dot. To compute it, write `{fix}`.");
    Some(Problem::warning("mapping_looks_like_expression", whole, message).with_fix("Compute it", whole, fix))
}

/// Reads like a reference, but nothing here is called so.
fn unknown_root(reference: &Reference, text: &str, whole: Span, scope: &Scope) -> Option<Problem> {
    let name = reference.name();
    let names = scope.names_in_scope();
    let code = "mapping_looks_like_reference";
    let place = Span::new(whole.start as usize, whole.start as usize + name.len());
    let Some(first) = reference.segments().first() else {
        // A single word is a text like any other, unless only its case is off.
        let near = names.iter().find(|known| known.eq_ignore_ascii_case(name) && *known != name)?;
        let message = format!("This stays text: `{name}` is not known here; did you mean `{near}`?");
        return Some(Problem::warning(code, place, message).with_fix(format!("Use {near}"), place, near.clone()));
    };
    // The commonest mistake: the item has this property, but is called otherwise here.
    let has = |value: &Value| !path::walk(value, std::slice::from_ref(first)).is_undefined();
    let holder =
        scope.loops.iter().find(|frame| frame.item.as_object().is_some() && has(&frame.item)).map(|frame| frame.item_variable.to_string());
    let in_payload = scope.payload.as_ref().and_then(|payload| payload.get(name)).is_some();
    let near = expr::nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
    let replacement = holder.or(if in_payload { Some(format!("payload.{name}")) } else { None }).or(near);
    if let Some(replacement) = replacement {
        let meant = format!("{replacement}{}", text.get(name.len()..).unwrap_or(""));
        let message = format!("This stays text: `{name}` is not known here; did you mean `{meant}`?");
        return Some(Problem::warning(code, place, message).with_fix(format!("Use {meant}"), place, replacement));
    }
    let last = match reference.segments().last().map(|segment| &segment.key) {
        Some(Key::Name(last)) => last.as_str(),
        _ => "",
    };
    if EXTENSIONS.contains(&last) || HOSTS.contains(&last) {
        return None;
    }
    let known = if names.is_empty() { String::new() } else { format!(" Known are {}.", names.join(", ")) };
    let message = format!("This stays text: it looks like a reference, but `{name}` is not known here.{known}");
    Some(Problem::warning(code, place, message).with_fix("Keep it as text", whole, format!("static:{text}")))
}
