//! Conditions of paths and loops: an expression, under the profile's own checks of its text; and checks of an expression against
//! what is in scope.

use super::ast::{Expr, Kind, Link, LinkKind, Root};
use super::unicode::{is_name, is_reserved, js_trim};
use super::{AMBIENT, EvalError, Parsed, holds, parse, print, suggest};
use crate::semantics::ConditionText;
use crate::{Problem, Scope, Semantics, Span, Text, Value};

/// A condition, read once and asked often.
#[derive(Clone, Debug)]
pub struct Condition {
    parsed: Parsed,
    blank: bool,
}

impl Condition {
    /// Reads a condition under the profile's rules. Its problems are in [`Self::problems`].
    pub fn new(text: &str, semantics: &Semantics) -> Self {
        let refused = match semantics.condition_text {
            ConditionText::Grammar => None,
            ConditionText::ForbiddenWords => forbidden(text),
        };
        let parsed = match refused {
            Some(problem) => Parsed { root: None, problems: vec![problem], grammatical: false },
            None => parse(text),
        };
        Self { parsed, blank: js_trim(text).is_empty() }
    }

    /// What is wrong with its text; one with an error never holds.
    pub fn problems(&self) -> &[Problem] {
        &self.parsed.problems
    }

    /// Whether there is nothing but white space.
    pub fn is_blank(&self) -> bool {
        self.blank
    }

    /// Why it can never be evaluated, if its text is wrong.
    pub fn error(&self) -> Option<EvalError> {
        self.parsed.error().map(EvalError::from_problem)
    }

    /// Its tree, where it could be read.
    pub fn expression(&self) -> Option<&Expr> {
        self.parsed.root.as_ref()
    }

    /// Whether it is truthy. A blank one holds in `documented` (it is none) and does not in `mj-5.51.3`.
    pub fn holds(&self, scope: &Scope, semantics: &Semantics) -> Result<bool, EvalError> {
        if let Some(error) = self.error() {
            return Err(error);
        }
        if semantics.condition_text == ConditionText::ForbiddenWords {
            // There the names become parameters of a function, which fails when one of them cannot be a parameter.
            if let Some((name, _)) = scope.names.iter().find(|(name, _)| !is_name(name) || is_reserved(name)) {
                let message = format!("`{name}` cannot be the name of a root, so no condition can be evaluated.");
                return Err(EvalError { code: "expr_bad_root".into(), message, span: Span::default(), fix: None });
            }
        }
        match &self.parsed.root {
            Some(root) => holds(root, scope, semantics),
            None => Ok(semantics.condition_text == ConditionText::Grammar),
        }
    }
}

/// Checks an expression against a scope without evaluating it: unknown names are errors; a member that is not there, while one of
/// nearly that name is, is a warning.
pub fn check(expr: &Expr, scope: &Scope) -> Vec<Problem> {
    let mut problems = Vec::new();
    walk(expr, scope, &mut problems);
    problems
}

fn walk(expr: &Expr, scope: &Scope, problems: &mut Vec<Problem>) {
    let mut all = |items: &[Expr]| items.iter().for_each(|item| walk(item, scope, problems));
    match &expr.kind {
        Kind::Name(root, name) => unknown(*root, name, expr.span, scope, problems),
        Kind::Chain(base, links) => {
            walk(base, scope, problems);
            near_member(base, links, scope, problems);
            for link in links {
                match &link.kind {
                    LinkKind::Call(_, args) => args.iter().for_each(|arg| walk(arg, scope, problems)),
                    LinkKind::Index(index) => walk(index, scope, problems),
                    _ => {}
                }
            }
        }
        Kind::Call(_, items) | Kind::Logic(_, items) | Kind::List(items) => all(items),
        Kind::Unary(super::ast::UnaryOp::TypeOf, operand) if matches!(operand.kind, Kind::Name(..)) => {}
        Kind::Unary(_, operand) | Kind::Group(operand) | Kind::Arrow(_, operand) => walk(operand, scope, problems),
        Kind::Binary(first, rest) => {
            walk(first, scope, problems);
            rest.iter().for_each(|(_, operand)| walk(operand, scope, problems));
        }
        Kind::Conditional(parts) => [&parts.0, &parts.1, &parts.2].into_iter().for_each(|part| walk(part, scope, problems)),
        Kind::Object(members) => members.iter().for_each(|(_, value)| walk(value, scope, problems)),
        Kind::Literal(_) | Kind::Constant(..) | Kind::Local(..) | Kind::Missing => {}
    }
}

fn unknown(root: Root, name: &Text, span: Span, scope: &Scope, problems: &mut Vec<Problem>) {
    if scope.lookup(root, name).is_some() {
        return;
    }
    if AMBIENT.contains(&name.as_str()) {
        let message =
            format!("`{name}` belongs to the browser or to JavaScript's run time; an expression sees only what the flow gives it.");
        problems.push(Problem::error("expr_unsupported_global", span, message));
        return;
    }
    let names = scope.names_in_scope();
    let field = scope.payload.as_ref().and_then(|payload| payload.get(name)).map(|_| print::member_text("payload", name));
    let near = field.or_else(|| suggest::nearest(name, names.iter().map(String::as_str)).map(str::to_owned));
    problems.push(match near {
        Some(near) => Problem::error("expr_unknown_name", span, format!("`{name}` is not known here; did you mean `{near}`?")).with_fix(
            format!("Use {near}"),
            span,
            near,
        ),
        None => Problem::error("expr_unknown_name", span, format!("`{name}` is not known here; known are {}.", names.join(", "))),
    });
}

/// Follows a chain's members as far as they are plain; where one is missing and another is near, says so.
fn near_member(base: &Expr, links: &[Link], scope: &Scope, problems: &mut Vec<Problem>) {
    let Kind::Name(root, name) = &base.kind else { return };
    let Some(value) = scope.lookup(*root, name) else { return };
    let mut value: &Value = &value;
    for (at, link) in links.iter().enumerate() {
        match &link.kind {
            LinkKind::Member(key) => match value {
                Value::Object(object) => match object.get(key) {
                    Some(next) => value = next,
                    None => {
                        if let Some(near) = suggest::nearest(key, object.keys().map(Text::as_str)) {
                            let before = print::chain_text(base, links.get(..at).unwrap_or(&[]));
                            let meant = print::member_text(&before, near);
                            let whole = base.span.to(link.span);
                            let message = format!("{before} has no `{key}`; did you mean `{meant}`?");
                            problems.push(Problem::warning("expr_missing_member", whole, message).with_fix(
                                format!("Use {meant}"),
                                whole,
                                meant,
                            ));
                        }
                        return;
                    }
                },
                _ => return,
            },
            LinkKind::Place(index) => match value.as_list().and_then(|list| list.get(*index)) {
                Some(next) => value = next,
                None => return,
            },
            _ => return,
        }
    }
}

/// A part of a forbidden pattern.
enum Piece {
    /// A word boundary.
    Edge,
    /// Text in any case.
    Any(&'static str),
    /// Text in this case.
    Exact(&'static str),
    /// White space, perhaps none.
    Space,
    /// White space, at least one.
    Spaces,
}

/// What `mj-5.51.3` refuses anywhere in a condition, strings and property names included.
fn forbidden(text: &str) -> Option<Problem> {
    use Piece::*;
    let whole = Span::new(0, text.len());
    if text.is_empty() {
        return Some(Problem::error("condition_empty", whole, "Expression must be a non-empty string."));
    }
    if text.encode_utf16().count() > 1000 {
        return Some(Problem::error("expr_too_long", whole, "Expression exceeds maximum length of 1000 characters."));
    }
    let patterns: &[&[Piece]] = &[
        &[Edge, Any("eval"), Space, Any("(")],
        &[Edge, Any("new"), Spaces, Any("function")],
        &[Edge, Any("function"), Space, Any("(")],
        &[Edge, Any("import"), Spaces],
        &[Edge, Any("require"), Space, Any("(")],
        &[Edge, Any("process"), Any(".")],
        &[Edge, Any("global"), Any(".")],
        &[Edge, Any("window"), Any(".")],
        &[Edge, Any("document"), Any(".")],
        &[Edge, Any("__proto__"), Edge],
        &[Edge, Any("constructor"), Edge],
        &[Edge, Any("prototype"), Edge],
        &[Any("."), Space, Any("constructor")],
        &[Edge, Exact("this"), Edge],
        &[Edge, Any("await"), Edge],
        &[Edge, Any("async"), Edge],
        &[Edge, Any("class"), Edge],
        &[Edge, Any("extends"), Edge],
        &[Edge, Any("throw"), Edge],
        &[Edge, Any("try"), Edge],
        &[Edge, Any("catch"), Edge],
        &[Edge, Any("finally"), Edge],
        &[Any(";")],
        &[Any("{")],
        &[Any("}")],
        &[Any("`")],
    ];
    for pattern in patterns {
        if let Some(span) = (0..text.len()).filter(|at| text.is_char_boundary(*at)).find_map(|at| matches(pattern, text, at)) {
            let found = text.get(span.range()).unwrap_or("").trim();
            let message =
                format!("Expression contains forbidden construct: the released runtime refuses `{found}` anywhere in a condition.");
            return Some(Problem::error("condition_forbidden", span, message));
        }
    }
    let mut open = 0i64;
    for c in text.chars() {
        open += i64::from(c == '(') - i64::from(c == ')');
        if open < 0 {
            break;
        }
    }
    (open != 0).then(|| {
        Problem::error(
            "condition_unbalanced",
            whole,
            "Unbalanced parentheses in expression; the released runtime counts those in texts as well.",
        )
    })
}

/// The span of a pattern that begins at `at`.
fn matches(pattern: &[Piece], text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let is_word = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let mut end = at;
    let skip = |end: &mut usize| {
        let rest = text.get(*end..).unwrap_or("");
        let length = rest.len() - rest.trim_start_matches(super::unicode::is_js_space).len();
        *end += length;
        length
    };
    for piece in pattern {
        let fits = match piece {
            Piece::Edge => is_word(end.checked_sub(1)) != is_word(Some(end)),
            Piece::Any(word) => {
                let here = bytes.get(end..end + word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()));
                end += word.len();
                here
            }
            Piece::Exact(word) => {
                let here = bytes.get(end..end + word.len()) == Some(word.as_bytes());
                end += word.len();
                here
            }
            Piece::Space => {
                skip(&mut end);
                true
            }
            Piece::Spaces => skip(&mut end) > 0,
        };
        if !fits {
            return None;
        }
    }
    Some(Span::new(at, end))
}
