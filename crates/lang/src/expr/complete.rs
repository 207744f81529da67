//! What could stand at the cursor of a half-typed expression.

use super::json_text::JsonPrinter;
use super::methods::{Function, Method, NAMESPACES};
use super::print::{member_text, push_quoted};
use super::unicode::is_name;
use super::{Completion, Root, Token, TokenKind, parse, tokenize};
use crate::{KeyOrder, Profile, Scope, Semantics, Span, Text, Value};

/// What could stand at byte `offset` of a half-typed text: names where a value may stand, members and methods after a dot, keys in
/// brackets. Texts that begin with what was typed come first.
pub fn complete(text: &str, offset: usize, scope: &Scope) -> Vec<Completion> {
    let offset = (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let tokens = tokenize(text, 0, &mut Vec::new());
    // The token the cursor is in or behind.
    let here =
        tokens.iter().position(|token| token.span.start as usize <= offset && offset <= token.span.end as usize && is_typed(&token.kind));
    let (typed, replace, before) = match here.and_then(|at| tokens.get(at).map(|token| (at, token))) {
        Some((at, token)) => {
            let typed = text.get(token.span.start as usize..offset).unwrap_or("");
            (typed, token.span, tokens.get(..at).unwrap_or(&[]))
        }
        None => {
            let count = tokens.iter().take_while(|token| token.kind != TokenKind::End && token.span.end as usize <= offset).count();
            ("", Span::new(offset, offset), tokens.get(..count).unwrap_or(&[]))
        }
    };
    let in_text = typed.starts_with(['"', '\'']);
    let found = match before.last().map(|token| &token.kind) {
        Some(TokenKind::Mark("." | "?.")) if !in_text => {
            let dot = before.last().map_or(replace, |token| token.span);
            receiver(text, before, scope).map(|value| members(&value, dot, replace)).unwrap_or_else(|| namespace(text, before, replace))
        }
        Some(TokenKind::Mark("[")) if in_text => {
            receiver(text, before, scope).map(|value| quoted_keys(&value, replace)).unwrap_or_default()
        }
        _ if in_text => Vec::new(),
        // After a complete value an operator would have to come first.
        Some(TokenKind::Word(word)) if word != "typeof" => Vec::new(),
        Some(TokenKind::Number(_) | TokenKind::Text(_) | TokenKind::Mark(")" | "]" | "}")) => Vec::new(),
        _ => names(before, scope, replace, text),
    };
    rank(found, typed.trim_start_matches(['"', '\'']))
}

fn is_typed(kind: &TokenKind) -> bool {
    matches!(kind, TokenKind::Word(_) | TokenKind::Text(_))
}

/// Keeps what fits, what begins with the typed text first.
pub(crate) fn rank(found: Vec<Completion>, typed: &str) -> Vec<Completion> {
    let typed = typed.to_lowercase();
    let plain = |completion: &Completion| completion.text.trim_start_matches(['[', '"']).to_lowercase();
    let (mut first, rest): (Vec<_>, Vec<_>) = found.into_iter().partition(|completion| plain(completion).starts_with(&typed));
    first.extend(rest.into_iter().filter(|completion| plain(completion).contains(&typed)));
    first
}

/// The value of what stands before a dot or a bracket.
fn receiver(text: &str, before: &[Token], scope: &Scope) -> Option<Value> {
    let end = before.len().checked_sub(1)?;
    let start = chain_start(before, end)?;
    let first = before.get(start)?;
    let source = text.get(first.span.start as usize..before.get(end)?.span.start as usize)?;
    let scope = with_parameters(text, before.get(..start)?, scope, 0);
    let value = parse(source).evaluate(&scope, &semantics()).ok()?;
    (!value.is_undefined()).then_some(value)
}

/// Completion looks at data as it stands; the profiles do not differ in that.
fn semantics() -> Semantics {
    Semantics::of(Profile::Documented)
}

/// Where the chain begins that ends before token `end`.
fn chain_start(tokens: &[Token], end: usize) -> Option<usize> {
    let mut at = end;
    loop {
        let last = at.checked_sub(1)?;
        let start = match &tokens.get(last)?.kind {
            TokenKind::Mark(")" | "]") => opening(tokens, last)?,
            TokenKind::Word(_) | TokenKind::Text(_) => last,
            _ => return None,
        };
        // `f(…)` and `x[…]` go on with what they follow; `.name` with what stands before the dot.
        let bracket = matches!(&tokens.get(start)?.kind, TokenKind::Mark("(" | "["));
        match start.checked_sub(1).and_then(|before| tokens.get(before)).map(|token| &token.kind) {
            Some(TokenKind::Mark("." | "?.")) => at = start - 1,
            Some(TokenKind::Word(_) | TokenKind::Mark(")" | "]")) if bracket => at = start,
            _ => return Some(start),
        }
    }
}

/// The bracket that the one at `close` closes.
fn opening(tokens: &[Token], close: usize) -> Option<usize> {
    let mut open = 0usize;
    for at in (0..=close).rev() {
        match &tokens.get(at)?.kind {
            TokenKind::Mark(")" | "]" | "}") => open += 1,
            TokenKind::Mark("(" | "[" | "{") => {
                open = open.checked_sub(1)?;
                if open == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The scope with parameters of the arrow functions around the cursor, each as the first element would give it.
fn with_parameters(text: &str, before: &[Token], scope: &Scope, depth: usize) -> Scope {
    let mut scope = scope.clone();
    if depth > 4 {
        return scope;
    }
    for (at, token) in before.iter().enumerate() {
        if token.kind != TokenKind::Mark("=>") {
            continue;
        }
        let Some((params, start)) = parameters(before, at) else { continue };
        // `receiver.method(` stands before the parameters.
        let call = start.checked_sub(1).filter(|open| before.get(*open).is_some_and(|token| token.kind == TokenKind::Mark("(")));
        let Some(call) = call else { continue };
        // The call must still be open at the cursor.
        if (call..before.len()).any(|close| opening(before, close) == Some(call) && close != call) {
            continue;
        }
        let Some(TokenKind::Word(method)) = call.checked_sub(1).and_then(|at| before.get(at)).map(|token| token.kind.clone()) else {
            continue;
        };
        let Some(dot) = call.checked_sub(2).and_then(|at| before.get(..=at)) else { continue };
        let element = receiver(text, dot, &scope).and_then(|value| value.as_list().and_then(|list| list.get(0).cloned()));
        let first = usize::from(method == "reduce");
        for (index, param) in params.into_iter().enumerate() {
            let value = if index == first { element.clone().unwrap_or_default() } else { Value::Number(0.0) };
            scope.names.insert(0, (param, value));
        }
    }
    scope
}

/// The parameters of the arrow at `arrow`, and the token they begin at.
fn parameters(tokens: &[Token], arrow: usize) -> Option<(Vec<Text>, usize)> {
    let last = arrow.checked_sub(1)?;
    match &tokens.get(last)?.kind {
        TokenKind::Word(name) => Some((vec![Text::from(name.as_str())], last)),
        TokenKind::Mark(")") => {
            let start = opening(tokens, last)?;
            let names = tokens.get(start..last)?.iter().filter_map(|token| match &token.kind {
                TokenKind::Word(name) => Some(Text::from(name.as_str())),
                _ => None,
            });
            Some((names.collect(), start))
        }
        _ => None,
    }
}

/// Members of a value. A key that is no name is put in brackets, in place of the dot.
pub(crate) fn members(value: &Value, dot: Span, replace: Span) -> Vec<Completion> {
    let method = |name: &str| Completion { text: name.to_owned(), replace, detail: "method".into(), sample: None };
    match value {
        Value::Object(object) => {
            let member = |(key, value): (&Text, &Value)| {
                let plain = is_name(key);
                let text = if plain { key.to_string() } else { member_text("", key) };
                Completion {
                    text,
                    replace: if plain { replace } else { dot.to(replace) },
                    detail: kind(value).into(),
                    sample: sample(value),
                }
            };
            object.iter().map(member).collect()
        }
        Value::List(list) => {
            let length = Completion { text: "length".into(), replace, detail: "number".into(), sample: Some(list.len().to_string()) };
            let methods = Method::ALL.iter().filter(|(known, _)| known.of_lists()).map(|(_, name)| method(name));
            std::iter::once(length).chain(methods).collect()
        }
        Value::Text(text) => {
            let length = Completion { text: "length".into(), replace, detail: "number".into(), sample: Some(text.utf16_len().to_string()) };
            let methods = Method::ALL.iter().filter(|(known, _)| known.of_texts()).map(|(_, name)| method(name));
            std::iter::once(length).chain(methods).collect()
        }
        Value::Number(_) | Value::Spelled(_) => vec![method("toFixed"), method("toString")],
        _ => Vec::new(),
    }
}

fn quoted_keys(value: &Value, replace: Span) -> Vec<Completion> {
    let Some(object) = value.as_object() else { return Vec::new() };
    let quoted = |key: &Text| {
        let mut text = String::new();
        push_quoted(key, &mut text);
        text
    };
    object.iter().map(|(key, value)| Completion { text: quoted(key), replace, detail: kind(value).into(), sample: sample(value) }).collect()
}

/// `Math.` and the like.
fn namespace(text: &str, before: &[Token], replace: Span) -> Vec<Completion> {
    let object = before.len().checked_sub(2).and_then(|at| before.get(at)).and_then(|token| text.get(token.span.range())).unwrap_or("");
    let inside = |name: &'static str| name.strip_prefix(object).and_then(|rest| rest.strip_prefix('.'));
    let functions = Function::ALL.iter().filter_map(|(_, name)| inside(name));
    functions.map(|name| Completion { text: name.into(), replace, detail: "function".into(), sample: None }).collect()
}

/// Everything that may stand where a value is expected.
fn names(before: &[Token], scope: &Scope, replace: Span, text: &str) -> Vec<Completion> {
    let scope = with_parameters(text, before, scope, 0);
    let mut found = roots(&scope, replace);
    let word = |text: &str, detail: &str| Completion { text: text.into(), replace, detail: detail.into(), sample: None };
    found.extend(["true", "false", "null", "undefined"].map(|name| word(name, "value")));
    found.push(word("typeof", "operator"));
    found.extend(NAMESPACES.map(|name| word(name, "functions")));
    found.extend(Function::ALL.iter().filter(|(_, name)| !name.contains('.')).map(|(_, name)| word(name, "function")));
    found
}

/// The roots and loop variables of a scope.
pub(crate) fn roots(scope: &Scope, replace: Span) -> Vec<Completion> {
    let entry = |name: String| {
        let value = scope.lookup(Root::of(&name), &name);
        let (detail, sample) = value.map_or(("undefined", None), |value| (kind(&value), sample(&value)));
        Completion { text: name, replace, detail: detail.into(), sample }
    };
    scope.names_in_scope().into_iter().map(entry).collect()
}

/// What a value is, in one word.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::List(_) => "list",
        Value::Object(_) => "object",
        Value::Null => "null",
        other => super::coerce::type_of(other),
    }
}

/// A short sample of a value, at most 40 characters; none of nothing.
pub(crate) fn sample(value: &Value) -> Option<String> {
    let mut text = String::new();
    match value {
        Value::Undefined => return None,
        Value::List(list) if list.len() > 20 => text = format!("[{} elements]", list.len()),
        Value::Object(object) if object.len() > 20 => text = format!("{{{} keys}}", object.len()),
        Value::Text(whole) if whole.as_str().len() > 200 => push_quoted(&whole.as_str().chars().take(41).collect::<String>(), &mut text),
        // What is printed beyond the limit is cut off below.
        other => drop(JsonPrinter { out: &mut text, order: KeyOrder::File, indent: "", limit: 160 }.value(other, 0)),
    }
    if text.chars().count() <= 40 { Some(text) } else { Some(text.chars().take(39).chain(['…']).collect()) }
}
