//! An evaluation with every operand's value: what the screen shows as true, false, or not evaluable and why.

use super::ast::{Expr, Kind, LinkKind};
use super::eval::Evaluation;
use super::{EvalError, Explained};
use crate::{Scope, Semantics, Span, Value};
use std::collections::BTreeMap;

type Values = BTreeMap<Span, Result<Value, EvalError>>;

/// Evaluates and keeps every operand's value. Inside arrow functions nothing is kept: they run once for each element.
pub fn explain(expr: &Expr, scope: &Scope, semantics: &Semantics) -> Explained {
    let mut run = Evaluation::new(scope, semantics);
    run.trace = Some(Vec::new());
    let whole = run.eval(expr).map(super::eval::Val::into_value).map_err(|error| *error);
    let mut values: Values = run.trace.unwrap_or_default().into_iter().collect();
    values.insert(expr.span, whole);
    node(expr, &values)
}

fn node(expr: &Expr, values: &Values) -> Explained {
    if let Kind::Group(inner) = &expr.kind {
        return Explained { span: expr.span, ..node(inner, values) };
    }
    Explained { span: expr.span, value: values.get(&expr.span).cloned(), children: children(expr, values) }
}

fn children(expr: &Expr, values: &Values) -> Vec<Explained> {
    let all = |items: &[Expr]| items.iter().filter(|item| !matches!(item.kind, Kind::Arrow(..))).map(|item| node(item, values)).collect();
    match &expr.kind {
        Kind::Unary(_, operand) => vec![node(operand, values)],
        Kind::Logic(_, operands) => all(operands),
        Kind::Binary(first, rest) => {
            std::iter::once(&**first).chain(rest.iter().map(|(_, operand)| operand)).map(|operand| node(operand, values)).collect()
        }
        Kind::Conditional(parts) => [&parts.0, &parts.1, &parts.2].into_iter().map(|part| node(part, values)).collect(),
        Kind::List(items) | Kind::Call(_, items) => all(items),
        Kind::Object(members) => members.iter().map(|(_, value)| node(value, values)).collect(),
        Kind::Chain(base, links) => {
            let mut found = Vec::new();
            if !matches!(base.kind, Kind::Name(..) | Kind::Constant(..) | Kind::Literal(_)) {
                found.push(node(base, values));
            }
            let mut end = base.span.end;
            for (at, link) in links.iter().enumerate() {
                let receiver = Span { start: base.span.start, end };
                match &link.kind {
                    // What a method was called on, and what it gave where the chain goes on.
                    LinkKind::Call(_, args) => {
                        if at > 0 && !found.iter().any(|known| known.span == receiver) {
                            found.push(Explained { span: receiver, value: values.get(&receiver).cloned(), children: Vec::new() });
                        }
                        found.extend::<Vec<Explained>>(all(args));
                        let given = base.span.to(link.span);
                        if at + 1 < links.len() {
                            found.push(Explained { span: given, value: values.get(&given).cloned(), children: Vec::new() });
                        }
                    }
                    LinkKind::Index(index) => found.push(node(index, values)),
                    _ => {}
                }
                end = link.span.end;
            }
            found
        }
        Kind::Group(inner) => children(inner, values),
        _ => Vec::new(),
    }
}
