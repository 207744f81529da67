//! Evaluates a tree. Values that the scope holds are lent, not copied; chains are loops; every limit is counted.

use super::ast::{BinaryOp, Expr, Kind, Link, LinkKind, LogicOp, Root, UnaryOp};
use super::budget::{Budget, Failure};
use super::coerce::{compare, list_index, loosely_equal, push_text, strictly_equal, to_number, to_text, truthy, type_of};
use super::methods::{Function, Method, call_function, call_on_list, call_on_number, call_on_text};
use super::{EvalError, print, suggest};
use crate::{Scope, Semantics, Span, Text, Value};
use std::cmp::Ordering;
use std::ops::Deref;

/// A value on its way: lent by the scope or the tree, or made.
#[derive(Clone, Debug)]
pub(crate) enum Val<'v> {
    Ref(&'v Value),
    Own(Value),
}

impl Deref for Val<'_> {
    type Target = Value;
    #[inline]
    fn deref(&self) -> &Value {
        match self {
            Self::Ref(value) => value,
            Self::Own(value) => value,
        }
    }
}

impl Val<'_> {
    pub(crate) fn into_value(self) -> Value {
        match self {
            Self::Ref(value) => value.clone(),
            Self::Own(value) => value,
        }
    }
}

pub(crate) const UNDEFINED: &Value = &Value::Undefined;

type Result<T> = std::result::Result<T, Box<EvalError>>;

/// An arrow function that was given as an argument.
pub(crate) struct Arrow<'v> {
    params: usize,
    body: &'v Expr,
}

/// The arguments of a method.
pub(crate) struct Arguments<'v> {
    /// Those that are values; `undefined` where the arrow stands.
    pub(crate) values: Vec<Value>,
    pub(crate) arrow: Option<Arrow<'v>>,
}

/// One evaluation.
pub(crate) struct Evaluation<'v> {
    scope: &'v Scope,
    pub(crate) semantics: &'v Semantics,
    locals: Vec<Val<'v>>,
    pub(crate) budget: Budget,
    /// The value of each part that was evaluated outside arrow functions, for [`super::explain`].
    pub(crate) trace: Option<Vec<(Span, std::result::Result<Value, EvalError>)>>,
}

impl<'v> Evaluation<'v> {
    pub(crate) fn new(scope: &'v Scope, semantics: &'v Semantics) -> Self {
        Self { scope, semantics, locals: Vec::new(), budget: Budget::new(), trace: None }
    }

    pub(crate) fn eval(&mut self, expr: &'v Expr) -> Result<Val<'v>> {
        let result = self.eval_node(expr);
        if self.trace.is_some() {
            self.note(expr.span, &result);
        }
        result
    }

    #[cold]
    fn note(&mut self, span: Span, result: &Result<Val<'v>>) {
        if let (Some(trace), true) = (&mut self.trace, self.locals.is_empty()) {
            trace.push((span, result.as_ref().map(|value| (**value).clone()).map_err(|error| (**error).clone())));
        }
    }

    fn eval_node(&mut self, expr: &'v Expr) -> Result<Val<'v>> {
        match &expr.kind {
            Kind::Literal(value) => Ok(Val::Ref(value)),
            Kind::Constant(name, value) => Ok(Val::Ref(self.scope.named(name).unwrap_or(value))),
            Kind::Name(root, name) => self.name(*root, name, expr.span),
            Kind::Local(slot, _) => Ok(self.locals.get(*slot).cloned().unwrap_or(Val::Ref(UNDEFINED))),
            Kind::Chain(base, links) => self.chain(base, links),
            Kind::Group(inner) => self.eval(inner),
            Kind::Unary(op, operand) => self.unary(*op, operand),
            Kind::Logic(op, operands) => self.logic(*op, operands),
            Kind::Binary(first, rest) => self.binary(first, rest),
            Kind::Conditional(parts) => {
                self.spend(1, expr.span)?;
                let (test, then, otherwise) = &**parts;
                if truthy(&*self.eval(test)?) { self.eval(then) } else { self.eval(otherwise) }
            }
            Kind::List(items) => {
                self.budget.list(items.len()).map_err(|failure| self.failed(failure, expr.span))?;
                let mut list = Vec::with_capacity(items.len());
                for item in items {
                    list.push(self.eval(item)?.into_value());
                }
                Ok(Val::Own(Value::list(list)))
            }
            Kind::Object(members) => {
                self.budget.list(members.len()).map_err(|failure| self.failed(failure, expr.span))?;
                let mut object = crate::Object::new();
                for (key, value) in members {
                    let value = self.eval(value)?.into_value();
                    object.insert(key.clone(), value);
                }
                Ok(Val::Own(Value::Object(object)))
            }
            Kind::Call(function, args) => self.call(*function, args, expr.span),
            Kind::Arrow(..) | Kind::Missing => {
                Err(error("expr_not_evaluable", expr.span, "This part of the expression cannot be evaluated.".to_owned()))
            }
        }
    }

    #[inline]
    fn spend(&mut self, operations: u64, span: Span) -> Result<()> {
        match self.budget.spend(operations) {
            Ok(()) => Ok(()),
            Err(failure) => Err(self.failed(failure, span)),
        }
    }

    #[cold]
    fn failed(&self, failure: Failure, span: Span) -> Box<EvalError> {
        match failure {
            Failure::Throws(why) => {
                error("expr_throws", span, format!("{}{}.", why.get(..1).unwrap_or("").to_uppercase(), why.get(1..).unwrap_or("")))
            }
            Failure::Limit(code, message) => error(code, span, message.to_owned()),
            Failure::Inner(inner) => inner,
        }
    }

    fn name(&self, root: Root, name: &Text, span: Span) -> Result<Val<'v>> {
        match self.scope.lookup(root, name) {
            Some(value) => Ok(value),
            None => Err(self.unknown_name(name, span)),
        }
    }

    #[cold]
    fn unknown_name(&self, name: &str, span: Span) -> Box<EvalError> {
        if AMBIENT.contains(&name) {
            let message =
                format!("`{name}` belongs to the browser or to JavaScript's run time; an expression sees only what the flow gives it.");
            return error("expr_unsupported_global", span, message);
        }
        let names = self.scope.names_in_scope();
        let near = suggest::nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
        let mut found = error("expr_unknown_name", span, format!("`{name}` is not known here."));
        let field = self.scope.payload.as_ref().and_then(|payload| payload.get(name)).map(|_| format!("payload.{name}"));
        if let Some(meant) = field.or(near) {
            found.message = format!("`{name}` is not known here; did you mean `{meant}`?");
            found.fix = Some(crate::Fix { label: format!("Use {meant}"), span, text: meant });
        } else if !names.is_empty() {
            found.message = format!("`{name}` is not known here; known are {}.", names.join(", "));
        }
        found
    }

    fn unary(&mut self, op: UnaryOp, operand: &'v Expr) -> Result<Val<'v>> {
        self.spend(1, operand.span)?;
        if let (UnaryOp::TypeOf, Kind::Name(root, name)) = (op, &operand.kind) {
            // As in JavaScript, asking for the type of an unknown name is no error.
            let found = self.scope.lookup(*root, name);
            return Ok(Val::Own(Value::text(type_of(found.as_deref().unwrap_or(UNDEFINED)))));
        }
        let value = self.eval(operand)?;
        Ok(Val::Own(match op {
            UnaryOp::Not => Value::Bool(!truthy(&value)),
            UnaryOp::Minus => number(-to_number(&value)),
            UnaryOp::Plus => number(to_number(&value)),
            UnaryOp::TypeOf => Value::text(type_of(&value)),
        }))
    }

    fn logic(&mut self, op: LogicOp, operands: &'v [Expr]) -> Result<Val<'v>> {
        let mut last = Val::Ref(UNDEFINED);
        for operand in operands {
            self.spend(1, operand.span)?;
            last = self.eval(operand)?;
            let decided = match op {
                LogicOp::And => !truthy(&last),
                LogicOp::Or => truthy(&last),
                LogicOp::Coalesce => !last.is_nullish(),
            };
            if decided {
                break;
            }
        }
        Ok(last)
    }

    fn binary(&mut self, first: &'v Expr, rest: &'v [(BinaryOp, Expr)]) -> Result<Val<'v>> {
        let mut left = self.eval(first)?;
        for (op, operand) in rest {
            self.spend(1, operand.span)?;
            let right = self.eval(operand)?;
            let value = match op {
                BinaryOp::Same => Value::Bool(strictly_equal(&left, &right)),
                BinaryOp::NotSame => Value::Bool(!strictly_equal(&left, &right)),
                BinaryOp::Equal => Value::Bool(loosely_equal(&left, &right)),
                BinaryOp::NotEqual => Value::Bool(!loosely_equal(&left, &right)),
                BinaryOp::Less => Value::Bool(compare(&left, &right) == Some(Ordering::Less)),
                BinaryOp::LessOrEqual => Value::Bool(matches!(compare(&left, &right), Some(Ordering::Less | Ordering::Equal))),
                BinaryOp::Greater => Value::Bool(compare(&left, &right) == Some(Ordering::Greater)),
                BinaryOp::GreaterOrEqual => Value::Bool(matches!(compare(&left, &right), Some(Ordering::Greater | Ordering::Equal))),
                BinaryOp::Add => self.add(&left, &right, operand.span)?,
                BinaryOp::Subtract => number(to_number(&left) - to_number(&right)),
                BinaryOp::Multiply => number(to_number(&left) * to_number(&right)),
                BinaryOp::Divide => number(to_number(&left) / to_number(&right)),
                BinaryOp::Remainder => number(to_number(&left) % to_number(&right)),
            };
            left = Val::Own(value);
        }
        Ok(left)
    }

    fn add(&mut self, left: &Value, right: &Value, span: Span) -> Result<Value> {
        let texty = |value: &Value| matches!(value, Value::Text(_) | Value::List(_) | Value::Object(_));
        if !texty(left) && !texty(right) {
            return Ok(number(to_number(left) + to_number(right)));
        }
        let mut out = String::new();
        let limit = self.budget.text_limit();
        if !push_text(left, &mut out, limit) || !push_text(right, &mut out, limit) {
            return Err(self.failed(self.budget.too_long(), span));
        }
        self.budget.text(out.len()).map_err(|failure| self.failed(failure, span))?;
        Ok(Value::text(out))
    }

    fn chain(&mut self, base: &'v Expr, links: &'v [Link]) -> Result<Val<'v>> {
        self.spend(links.len() as u64, base.span)?;
        let (mut value, mut done) = match self.lent(base, links) {
            Some((value, done)) => (Val::Ref(value), done),
            None => (self.eval(base)?, 0),
        };
        if let (0, Some(first)) = (done, links.first())
            && self.is_closed(base)
            && let Some(inner) = self.declared(&value, first)?
        {
            (value, done) = (inner, 1);
        }
        for (at, link) in links.iter().enumerate().skip(done) {
            if value.is_nullish() {
                if link.optional {
                    return Ok(Val::Ref(UNDEFINED));
                }
                return Err(self.missing(base, links, at, &value));
            }
            let tracing = self.trace.is_some() && at + 1 < links.len() && matches!(link.kind, LinkKind::Call(..));
            value = match &link.kind {
                LinkKind::Member(key) => self.member(value, key),
                LinkKind::Length => length(value),
                LinkKind::Place(index) => place(value, *index),
                LinkKind::Index(index) => {
                    let index = self.eval(index)?;
                    self.indexed(value, &index, link.span)?
                }
                LinkKind::Call(method, args) => {
                    if self.trace.is_some() {
                        self.note(Span { start: base.span.start, end: link_start(base, links, at) }, &Ok(value.clone()));
                    }
                    self.method(value, *method, args, base, links, at)?
                }
            };
            if tracing {
                self.note(base.span.to(link.span), &Ok(value.clone()));
            }
        }
        Ok(value)
    }

    /// Whether this is the root of which only what is there may be read.
    #[inline]
    fn is_closed(&self, base: &Expr) -> bool {
        match (&self.scope.closed, &base.kind) {
            (Some(closed), Kind::Name(_, name)) => closed == name,
            _ => false,
        }
    }

    /// What a closed root has under a key; `None` when the link asks for no key.
    fn declared(&mut self, root: &Value, link: &'v Link) -> Result<Option<Val<'v>>> {
        let key = match &link.kind {
            LinkKind::Member(key) => key.clone(),
            LinkKind::Length => Text::from("length"),
            LinkKind::Place(index) => Text::from(index.to_string()),
            LinkKind::Index(index) => Text::from(to_text(&*self.eval(index)?)),
            LinkKind::Call(..) => return Ok(None),
        };
        match root.get(&key) {
            Some(value) => Ok(Some(Val::Own(value.clone()))),
            None => Err(error(crate::scope::UNDECLARED, link.span, crate::scope::undeclared(&key))),
        }
    }

    /// Where the plain members and places lead that a chain begins with, as far as the scope lends them; and how many they are.
    #[inline]
    fn lent(&self, base: &'v Expr, links: &'v [Link]) -> Option<(&'v Value, usize)> {
        let mut value: &'v Value = match &base.kind {
            Kind::Name(root, _) => self.scope.root(*root)?,
            Kind::Local(slot, _) => match self.locals.get(*slot)? {
                Val::Ref(value) => value,
                Val::Own(_) => return None,
            },
            _ => return None,
        };
        let mut done = 0;
        for link in links {
            value = match (&link.kind, value) {
                (LinkKind::Member(key), Value::Object(object)) if !self.semantics.hidden_keys.hides(key) => {
                    object.get(key).unwrap_or(UNDEFINED)
                }
                (LinkKind::Place(index), Value::List(list)) => list.get(*index).unwrap_or(UNDEFINED),
                _ => break,
            };
            done += 1;
        }
        Some((value, done))
    }

    fn member(&self, value: Val<'v>, key: &Text) -> Val<'v> {
        if self.semantics.hidden_keys.hides(key) {
            return Val::Ref(UNDEFINED);
        }
        match value {
            Val::Ref(Value::Object(object)) => Val::Ref(object.get(key).unwrap_or(UNDEFINED)),
            Val::Own(Value::Object(object)) => object.get(key).cloned().map_or(Val::Ref(UNDEFINED), Val::Own),
            _ => Val::Ref(UNDEFINED),
        }
    }

    fn indexed(&self, value: Val<'v>, index: &Value, span: Span) -> Result<Val<'v>> {
        if let Some(number) = index.as_number().filter(|number| *number >= 0.0 && number.fract() == 0.0 && *number < 4_294_967_295.0) {
            return Ok(place(value, number as usize));
        }
        let key = Text::from(to_text(index));
        if REFUSED_PROPERTIES.contains(&key.as_str()) {
            return Err(error("expr_unsupported_property", span, format!("`{key}` cannot be read; it is not part of the data.")));
        }
        if value.as_object().is_none() {
            if key.as_str() == "length" {
                return Ok(length(value));
            }
            if let Some(index) = list_index(&key) {
                return Ok(place(value, index));
            }
        }
        Ok(self.member(value, &key))
    }

    fn method(
        &mut self,
        value: Val<'v>,
        method: Method,
        args: &'v [Expr],
        base: &'v Expr,
        links: &'v [Link],
        at: usize,
    ) -> Result<Val<'v>> {
        let span = links.get(at).map_or(base.span, |link| link.span);
        let arguments = self.arguments(args)?;
        let answer = match &*value {
            Value::List(_) => call_on_list(self, &value, method, &arguments),
            Value::Text(text) => match (&arguments.arrow, method) {
                (Some(arrow), Method::Replace | Method::ReplaceAll) => Some(self.replace_with(text, method, arrow, &arguments.values)),
                _ => call_on_text(text, method, &arguments.values, &mut self.budget).map(|answer| answer.map(Val::Own)),
            },
            Value::Number(_) | Value::Spelled(_) => {
                call_on_number(to_number(&value), method, &arguments.values).map(|answer| answer.map(Val::Own).map_err(Failure::Throws))
            }
            _ if method == Method::ToString => Some(Ok(Val::Own(Value::text(to_text(&value))))),
            _ => None,
        };
        match answer {
            Some(Ok(answer)) => Ok(answer),
            Some(Err(failure)) => Err(self.failed(failure, span)),
            None => {
                let place = print::chain_text(base, links.get(..at).unwrap_or(&[]));
                let kind = value.what();
                Err(error("expr_wrong_receiver", span, format!("{place} is {kind}, and {kind} has no `{}`.", method.name())))
            }
        }
    }

    fn arguments(&mut self, args: &'v [Expr]) -> Result<Arguments<'v>> {
        let mut arguments = Arguments { values: Vec::new(), arrow: None };
        for (index, arg) in args.iter().enumerate() {
            if let Kind::Arrow(params, body) = &arg.kind {
                arguments.arrow = Some(Arrow { params: params.len(), body });
                if index + 1 < args.len() {
                    arguments.values.push(Value::Undefined);
                }
            } else {
                let value = self.eval(arg)?.into_value();
                arguments.values.push(value);
            }
        }
        Ok(arguments)
    }

    /// Calls an arrow function with an element, its index and its list.
    #[inline]
    pub(crate) fn invoke(&mut self, arrow: &Arrow<'v>, item: Val<'v>, index: usize, list: &Val<'v>) -> Result<Val<'v>> {
        let depth = self.locals.len();
        self.spend(1, arrow.body.span)?;
        match arrow.params {
            0 => {}
            1 => self.locals.push(item),
            params => {
                let more = [item, Val::Own(Value::Number(index as f64)), list.clone()];
                self.locals.extend(more.into_iter().take(params));
                self.locals.resize(depth + params, Val::Ref(UNDEFINED));
            }
        }
        let result = self.eval(arrow.body);
        self.locals.truncate(depth);
        result
    }

    /// Calls an arrow function with what there is so far, an element, its index and its list.
    pub(crate) fn invoke_reduce(
        &mut self,
        arrow: &Arrow<'v>,
        total: Val<'v>,
        item: Val<'v>,
        index: usize,
        list: &Val<'v>,
    ) -> Result<Val<'v>> {
        let depth = self.locals.len();
        self.spend(1, arrow.body.span)?;
        let given = [total, item, Val::Own(Value::Number(index as f64)), list.clone()];
        self.locals.extend(given.into_iter().take(arrow.params));
        self.locals.resize(depth + arrow.params, Val::Ref(UNDEFINED));
        let result = self.eval(arrow.body);
        self.locals.truncate(depth);
        result
    }

    fn replace_with(&mut self, text: &Text, method: Method, arrow: &Arrow<'v>, args: &[Value]) -> std::result::Result<Val<'v>, Failure> {
        let pattern = args.first().cloned().unwrap_or_default();
        // The budget is lent to the loop over the matches, and to each call from there.
        let mut budget = std::mem::replace(&mut self.budget, Budget::new());
        let mut spent: std::result::Result<(), Failure> = Ok(());
        let whole = Val::Own(Value::Text(text.clone()));
        let result = super::methods::replace(text, &pattern, method == Method::ReplaceAll, &mut budget, |found, _, units, out| {
            let given = self.invoke(arrow, Val::Own(Value::text(found)), units, &whole)?;
            if !push_text(&given, out, crate::limits::TEXT_UNITS) {
                spent = Err(Budget::new().too_long());
            }
            Ok(())
        });
        self.budget = budget;
        spent?;
        result.map(Val::Own)
    }

    fn call(&mut self, function: Function, args: &'v [Expr], span: Span) -> Result<Val<'v>> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.eval(arg)?.into_value());
        }
        call_function(self, function, &values).map(Val::Own).map_err(|failure| self.failed(failure, span))
    }

    /// Something is read from what is not there.
    #[cold]
    fn missing(&mut self, base: &'v Expr, links: &'v [Link], at: usize, value: &Value) -> Box<EvalError> {
        let place = print::chain_text(base, links.get(..at).unwrap_or(&[]));
        let span = links.get(at).map_or(base.span, |link| base.span.to(link.span));
        let wanted = links.get(at).map(print::link_name).unwrap_or_default();
        let verb = if matches!(links.get(at).map(|link| &link.kind), Some(LinkKind::Call(..))) { "called" } else { "read" };
        let mut found = error("expr_missing_value", span, format!("{place} is {}, so `{wanted}` cannot be {verb}", value.what()));
        // A near name one level up is most likely what was meant.
        let trace = self.trace.take();
        if let (true, Some((Link { kind: LinkKind::Member(key), span: link_span, .. }, before))) =
            (value.is_undefined(), links.get(..at).and_then(<[Link]>::split_last))
        {
            let parent = if before.is_empty() { self.eval(base) } else { self.chain(base, before) };
            if let Ok(parent) = parent {
                let near = parent.as_object().and_then(|object| suggest::nearest(key, object.keys().map(Text::as_str)).map(str::to_owned));
                if let Some(near) = near {
                    let meant = print::member_text(&print::chain_text(base, before), &near);
                    found.message.push_str(&format!("; did you mean `{meant}`?"));
                    let span = base.span.to(*link_span);
                    found.fix = Some(crate::Fix { label: format!("Use {meant}"), span, text: meant });
                }
            }
        }
        self.trace = trace;
        if !found.message.ends_with('?') {
            found.message.push('.');
        }
        found
    }
}

fn link_start(base: &Expr, links: &[Link], at: usize) -> u32 {
    at.checked_sub(1).and_then(|before| links.get(before)).map_or(base.span.end, |link| link.span.end)
}

/// A computed number; NaN is always the same one.
fn number(value: f64) -> Value {
    Value::Number(if value.is_nan() { f64::NAN } else { value })
}

fn length(value: Val<'_>) -> Val<'_> {
    match &*value {
        Value::Text(text) => Val::Own(Value::Number(text.utf16_len() as f64)),
        Value::List(list) => Val::Own(Value::Number(list.len() as f64)),
        Value::Object(object) => match &value {
            Val::Ref(Value::Object(object)) => Val::Ref(object.get("length").unwrap_or(UNDEFINED)),
            _ => Val::Own(object.get("length").cloned().unwrap_or_default()),
        },
        _ => Val::Ref(UNDEFINED),
    }
}

fn place(value: Val<'_>, index: usize) -> Val<'_> {
    match value {
        Val::Ref(Value::List(list)) => Val::Ref(list.get(index).unwrap_or(UNDEFINED)),
        Val::Own(Value::List(list)) => Val::Own(list.get(index).cloned().unwrap_or_default()),
        Val::Ref(Value::Object(object)) => Val::Ref(object.get(&index.to_string()).unwrap_or(UNDEFINED)),
        Val::Own(Value::Object(object)) => Val::Own(object.get(&index.to_string()).cloned().unwrap_or_default()),
        other => match &*other {
            Value::Text(text) => Val::Own(super::methods::unit_at(text, index as f64).map_or(Value::Undefined, Value::Text)),
            _ => Val::Ref(UNDEFINED),
        },
    }
}

pub(crate) fn error(code: &'static str, span: Span, message: String) -> Box<EvalError> {
    Box::new(EvalError { code: code.into(), message, span, fix: None })
}

/// Properties that lead out of the data.
pub(crate) const REFUSED_PROPERTIES: [&str; 3] = ["__proto__", "constructor", "prototype"];

/// Names that a JavaScript host would know and that are not part of the language here.
pub(crate) const AMBIENT: &[&str] = &[
    "Array",
    "ArrayBuffer",
    "Atomics",
    "BigInt",
    "Buffer",
    "DataView",
    "Date",
    "Error",
    "Function",
    "Intl",
    "Iterator",
    "JSON",
    "Map",
    "Math",
    "Object",
    "Promise",
    "Proxy",
    "Reflect",
    "RegExp",
    "Set",
    "Symbol",
    "WeakMap",
    "WeakRef",
    "WeakSet",
    "clearTimeout",
    "console",
    "crypto",
    "decodeURIComponent",
    "document",
    "encodeURIComponent",
    "escape",
    "eval",
    "fetch",
    "global",
    "globalThis",
    "navigator",
    "performance",
    "process",
    "queueMicrotask",
    "require",
    "setInterval",
    "setTimeout",
    "structuredClone",
    "unescape",
    "window",
    "Number",
    "String",
    "Boolean",
    "parseInt",
    "parseFloat",
    "isNaN",
    "isFinite",
];
