//! Writes a tree back as text, in one way of writing it: what is printed reads as the same tree, and prints the same again.

use super::ast::{Expr, Kind, Link, LinkKind, LogicOp};
use super::coerce::push_number;
use super::unicode::is_name;
use crate::Value;

/// The text of a tree: one space around operators, texts in double quotes, round brackets where they were.
pub fn print(expr: &Expr) -> String {
    let mut out = String::new();
    push(expr, &mut out);
    out
}

/// The text of a chain's first steps, for messages (`payload.job`).
pub(crate) fn chain_text(base: &Expr, links: &[Link]) -> String {
    let mut out = String::new();
    push(base, &mut out);
    for link in links {
        push_link(link, &mut out);
    }
    out
}

/// What a step reads: `state`, `["odd key"]`, `[0]`, `filter`.
pub(crate) fn link_name(link: &Link) -> String {
    match &link.kind {
        LinkKind::Member(key) if is_name(key) => key.to_string(),
        LinkKind::Length => "length".to_owned(),
        LinkKind::Call(method, _) => method.name().to_owned(),
        _ => {
            let mut out = String::new();
            push_link(link, &mut out);
            out.trim_start_matches("?.").to_owned()
        }
    }
}

/// `base.key`, or `base["odd key"]`.
pub(crate) fn member_text(base: &str, key: &str) -> String {
    let mut out = base.to_owned();
    if is_name(key) {
        out.push('.');
        out.push_str(key);
    } else {
        out.push('[');
        push_quoted(key, &mut out);
        out.push(']');
    }
    out
}

fn push(expr: &Expr, out: &mut String) {
    match &expr.kind {
        Kind::Literal(Value::Text(text)) => push_quoted(text, out),
        Kind::Literal(Value::Number(number)) => push_number(*number, out),
        Kind::Literal(Value::Bool(value)) => out.push_str(if *value { "true" } else { "false" }),
        Kind::Literal(_) => out.push_str("null"),
        Kind::Constant(name, _) | Kind::Name(_, name) | Kind::Local(_, name) => out.push_str(name),
        Kind::Chain(base, links) => {
            // `5.toFixed()` would not read.
            let number = matches!(&base.kind, Kind::Literal(Value::Number(_)));
            if number {
                out.push('(');
            }
            push(base, out);
            if number {
                out.push(')');
            }
            for link in links {
                push_link(link, out);
            }
        }
        Kind::Call(function, args) => {
            out.push_str(function.name());
            push_args(args, out);
        }
        Kind::Unary(op, operand) => {
            out.push_str(op.text());
            // `- -1` and `+ +1` must not become `--1` and `++1`.
            let sign = op.text();
            let doubled = matches!(&operand.kind, Kind::Unary(inner, _) if inner.text() == sign && matches!(sign, "-" | "+"));
            if doubled {
                out.push(' ');
            }
            push(operand, out);
        }
        Kind::Logic(op, operands) => push_logic(*op, operands, out),
        Kind::Binary(first, rest) => {
            push(first, out);
            for (op, operand) in rest {
                out.push(' ');
                out.push_str(op.text());
                out.push(' ');
                push(operand, out);
            }
        }
        Kind::Conditional(parts) => {
            let (test, then, otherwise) = &**parts;
            push(test, out);
            out.push_str(" ? ");
            push(then, out);
            out.push_str(" : ");
            push(otherwise, out);
        }
        Kind::List(items) => {
            out.push('[');
            push_separated(items, out);
            out.push(']');
        }
        Kind::Object(members) => push_object(members, out),
        Kind::Arrow(params, body) => {
            if let [only] = params.as_slice() {
                out.push_str(only);
            } else {
                out.push('(');
                for (index, param) in params.iter().enumerate() {
                    if index > 0 {
                        out.push_str(", ");
                    }
                    out.push_str(param);
                }
                out.push(')');
            }
            out.push_str(" => ");
            push(body, out);
        }
        Kind::Group(inner) => {
            out.push('(');
            push(inner, out);
            out.push(')');
        }
        Kind::Missing => out.push('…'),
    }
}

fn push_logic(op: LogicOp, operands: &[Expr], out: &mut String) {
    for (index, operand) in operands.iter().enumerate() {
        if index > 0 {
            out.push(' ');
            out.push_str(op.text());
            out.push(' ');
        }
        push(operand, out);
    }
}

fn push_object(members: &[(crate::Text, Expr)], out: &mut String) {
    if members.is_empty() {
        out.push_str("{}");
        return;
    }
    out.push_str("{ ");
    for (index, (key, value)) in members.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        if is_name(key) {
            out.push_str(key)
        } else {
            push_quoted(key, out)
        }
        out.push_str(": ");
        push(value, out);
    }
    out.push_str(" }");
}

fn push_link(link: &Link, out: &mut String) {
    let dot = if link.optional { "?." } else { "." };
    let bracket = if link.optional { "?.[" } else { "[" };
    match &link.kind {
        LinkKind::Member(key) if is_name(key) => {
            out.push_str(dot);
            out.push_str(key);
        }
        LinkKind::Member(key) => {
            out.push_str(bracket);
            push_quoted(key, out);
            out.push(']');
        }
        LinkKind::Length => {
            out.push_str(dot);
            out.push_str("length");
        }
        LinkKind::Place(at) => {
            out.push_str(bracket);
            out.push_str(&at.to_string());
            out.push(']');
        }
        LinkKind::Index(index) => {
            out.push_str(bracket);
            push(index, out);
            out.push(']');
        }
        LinkKind::Call(method, args) => {
            out.push_str(dot);
            out.push_str(method.name());
            push_args(args, out);
        }
    }
}

fn push_args(args: &[Expr], out: &mut String) {
    out.push('(');
    push_separated(args, out);
    out.push(')');
}

fn push_separated(items: &[Expr], out: &mut String) {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        push(item, out);
    }
}

/// A text literal in double quotes.
pub(crate) fn push_quoted(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' || matches!(c, '\u{2028}' | '\u{2029}' | '\u{7f}') => out.push_str(&format!("\\u{{{:x}}}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}
