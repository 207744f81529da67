//! Methods of lists.

use super::{Method, texts::text_of};
use crate::expr::budget::Failure;
use crate::expr::coerce::{push_joined, relative_index, same_value_zero, strictly_equal, to_integer, truthy};
use crate::expr::eval::{Arguments, Evaluation, Val};
use crate::{List, Value};

type Answer<'v> = Result<Val<'v>, Failure>;

/// Calls a method of a list. `None`: lists do not have it.
pub(crate) fn call_on_list<'v>(run: &mut Evaluation<'v>, list: &Val<'v>, method: Method, args: &Arguments<'v>) -> Option<Answer<'v>> {
    if !method.of_lists() {
        return None;
    }
    Some(match list {
        // Elements of what the scope or the tree holds are lent; those of a list made on the way are shared.
        Val::Ref(Value::List(items)) if args.arrow.is_some() => {
            with_arrow(run, list, items.len(), items.iter().map(Val::Ref), method, args)
        }
        Val::Own(Value::List(items)) if args.arrow.is_some() => {
            with_arrow(run, list, items.len(), items.iter().map(|item| Val::Own(item.clone())), method, args)
        }
        _ => match &**list {
            Value::List(items) => plain(run, items, method, args).map(Val::Own),
            _ => return None,
        },
    })
}

fn plain(run: &mut Evaluation<'_>, list: &List, method: Method, args: &Arguments<'_>) -> Result<Value, Failure> {
    let arg = |index: usize| args.values.get(index).unwrap_or(&Value::Undefined);
    let length = list.len();
    let budget = &mut run.budget;
    // Where a search begins.
    let from = relative_index(to_integer(arg(1)), length);
    Ok(match method {
        Method::Includes => {
            budget.spend(length as u64)?;
            Value::Bool(list.iter().skip(from).any(|item| same_value_zero(item, arg(0))))
        }
        Method::IndexOf => {
            budget.spend(length as u64)?;
            position(list.iter().skip(from).position(|item| strictly_equal(item, arg(0))).map(|at| at + from))
        }
        Method::LastIndexOf => {
            budget.spend(length as u64)?;
            let last = if args.values.len() > 1 { to_integer(arg(1)) } else { length as f64 - 1.0 };
            let last = if last < 0.0 { last + length as f64 } else { last.min(length as f64 - 1.0) };
            let count = if last < 0.0 { 0 } else { last as usize + 1 };
            let mut found = None;
            for (at, item) in list.iter().take(count).enumerate() {
                if strictly_equal(item, arg(0)) {
                    found = Some(at);
                }
            }
            position(found)
        }
        Method::Join | Method::ToString => {
            budget.spend(length as u64)?;
            let separator = match arg(0) {
                Value::Undefined => crate::Text::from(","),
                _ if method == Method::ToString => crate::Text::from(","),
                value => text_of(value, budget)?,
            };
            let mut out = String::new();
            if !push_joined(list.iter(), &separator, &mut out, budget.text_limit()) {
                return Err(budget.too_long());
            }
            budget.text(out.len())?;
            Value::text(out)
        }
        Method::Slice => {
            let start = relative_index(to_integer(arg(0)), length);
            let end = if arg(1).is_undefined() { length } else { relative_index(to_integer(arg(1)), length) };
            let count = end.saturating_sub(start);
            budget.list(count)?;
            Value::list((start..start + count).filter_map(|at| list.get(at).cloned()))
        }
        Method::Concat => {
            let more: usize = args.values.iter().map(|arg| arg.as_list().map_or(1, List::len)).sum();
            budget.list(length + more)?;
            let added = args.values.iter().flat_map(|arg| match arg {
                Value::List(items) => items.iter().cloned().collect(),
                other => vec![other.clone()],
            });
            Value::list(list.iter().cloned().chain(added))
        }
        Method::At => {
            let at = to_integer(arg(0));
            let at = if at < 0.0 { at + length as f64 } else { at };
            if at < 0.0 { Value::Undefined } else { list.get(at as usize).cloned().unwrap_or_default() }
        }
        Method::Flat => {
            let depth = if arg(0).is_undefined() { 1.0 } else { to_integer(arg(0)) };
            let mut out = Vec::new();
            flatten(run, list, depth, &mut out)?;
            Value::list(out)
        }
        // The methods that need an arrow function were refused without one when the text was read.
        _ => return Err(Failure::Throws(format!("{} needs an arrow function", method.name()))),
    })
}

fn position(at: Option<usize>) -> Value {
    Value::Number(at.map_or(-1.0, |at| at as f64))
}

fn flatten(run: &mut Evaluation<'_>, list: &List, depth: f64, out: &mut Vec<Value>) -> Result<(), Failure> {
    for item in list.iter() {
        match item {
            Value::List(inner) if depth >= 1.0 => flatten(run, inner, depth - 1.0, out)?,
            _ => {
                run.budget.list(1)?;
                out.push(item.clone());
            }
        }
    }
    Ok(())
}

fn with_arrow<'v>(
    run: &mut Evaluation<'v>,
    list: &Val<'v>,
    length: usize,
    items: impl Iterator<Item = Val<'v>>,
    method: Method,
    args: &Arguments<'v>,
) -> Answer<'v> {
    let Some(arrow) = &args.arrow else { return Err(Failure::Throws(format!("{} needs an arrow function", method.name()))) };
    let mut items = items.enumerate();
    let own = |value: Value| Ok(Val::Own(value));
    match method {
        Method::Some | Method::Every => {
            let wanted = method == Method::Some;
            for (index, item) in items {
                if truthy(&*run.invoke(arrow, item, index, list)?) == wanted {
                    return own(Value::Bool(wanted));
                }
            }
            own(Value::Bool(!wanted))
        }
        Method::Find | Method::FindIndex => {
            for (index, item) in items {
                if truthy(&*run.invoke(arrow, item.clone(), index, list)?) {
                    return if method == Method::Find { Ok(item) } else { own(Value::Number(index as f64)) };
                }
            }
            own(if method == Method::Find { Value::Undefined } else { Value::Number(-1.0) })
        }
        Method::Filter => {
            let mut kept = Vec::new();
            for (index, item) in items {
                if truthy(&*run.invoke(arrow, item.clone(), index, list)?) {
                    kept.push(item.into_value());
                }
            }
            run.budget.list(kept.len())?;
            own(Value::list(kept))
        }
        Method::Map => {
            run.budget.list(length)?;
            let mut made = Vec::with_capacity(length);
            for (index, item) in items {
                made.push(run.invoke(arrow, item, index, list)?.into_value());
            }
            own(Value::list(made))
        }
        Method::FlatMap => {
            let mut made = Vec::new();
            for (index, item) in items {
                let given = run.invoke(arrow, item, index, list)?.into_value();
                match given {
                    Value::List(inner) => {
                        run.budget.list(inner.len())?;
                        made.extend(inner.iter().cloned());
                    }
                    other => {
                        run.budget.list(1)?;
                        made.push(other);
                    }
                }
            }
            own(Value::list(made))
        }
        Method::Reduce => {
            let mut total = match args.values.get(1) {
                Some(start) => Val::Own(start.clone()),
                None => match items.next() {
                    Some((_, first)) => first,
                    None => return Err(Failure::Throws("reduce of an empty list needs a value to start with".into())),
                },
            };
            for (index, item) in items {
                total = run.invoke_reduce(arrow, total, item, index, list)?;
            }
            Ok(total)
        }
        _ => Err(Failure::Throws(format!("{} takes no arrow function", method.name()))),
    }
}
