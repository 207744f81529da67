//! Equality of values, by a loop: a deep value must not exhaust the stack.

use super::{List, ListIter, Object, ObjectIter, Value};

/// What is still to be compared of two lists or objects.
enum Open<'v> {
    Lists(ListIter<'v>, ListIter<'v>),
    Objects(ObjectIter<'v>, &'v Object),
}

pub(super) fn lists(a: &List, b: &List) -> bool {
    let mut open = Vec::new();
    open_lists(a, b, &mut open) && rest(open)
}

pub(super) fn objects(a: &Object, b: &Object) -> bool {
    let mut open = Vec::new();
    open_objects(a, b, &mut open) && rest(open)
}

pub(super) fn values(a: &Value, b: &Value) -> bool {
    let mut open = Vec::new();
    heads(a, b, &mut open) && rest(open)
}

fn rest(mut open: Vec<Open<'_>>) -> bool {
    while let Some(top) = open.last_mut() {
        let pair = match top {
            Open::Lists(a, b) => a.next().zip(b.next()),
            Open::Objects(a, b) => match a.next() {
                None => None,
                Some((key, a)) => match b.get(key) {
                    None => return false,
                    Some(b) => Some((a, b)),
                },
            },
        };
        match pair {
            Some((a, b)) if heads(a, b, &mut open) => {}
            Some(_) => return false,
            None => {
                open.pop();
            }
        }
    }
    true
}

/// Whether both can be equal, as far as one look tells. What is inside is left for later.
fn heads<'v>(a: &'v Value, b: &'v Value, open: &mut Vec<Open<'v>>) -> bool {
    match (a, b) {
        (Value::Undefined, Value::Undefined) | (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::List(a), Value::List(b)) => open_lists(a, b, open),
        (Value::Object(a), Value::Object(b)) => open_objects(a, b, open),
        _ => match (a.as_number(), b.as_number()) {
            (Some(a), Some(b)) => a == b || (a.is_nan() && b.is_nan()),
            _ => false,
        },
    }
}

fn open_lists<'v>(a: &'v List, b: &'v List, open: &mut Vec<Open<'v>>) -> bool {
    if a.is_same(b) {
        return true;
    }
    if a.len() != b.len() || a.summary().depth != b.summary().depth {
        return false;
    }
    open.push(Open::Lists(a.iter(), b.iter()));
    true
}

fn open_objects<'v>(a: &'v Object, b: &'v Object, open: &mut Vec<Open<'v>>) -> bool {
    if a.is_same(b) {
        return true;
    }
    if a.len() != b.len() || a.summary().depth != b.summary().depth {
        return false;
    }
    open.push(Open::Objects(a.iter(), b));
    true
}
