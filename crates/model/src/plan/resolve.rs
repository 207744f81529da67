//! References while a plan runs: following them into results, and putting values where they stand.

use loopwright_lang::{Text, Value};

use super::{
    number::embedded,
    reference::{Reference, full, read_reference, tokens, upstream},
};

/// What references mean in one task or instance.
#[derive(Clone, Copy, Debug)]
pub struct Bound<'v> {
    /// The results of tasks that are done, by id.
    pub result: &'v dyn Results,
    /// The element of an instance, and its place.
    pub item: Option<(&'v Value, usize)>,
}

/// The results of tasks that are done.
pub trait Results: std::fmt::Debug {
    /// The result of a task, if it is done; of a skipped one null.
    fn result(&self, id: &str) -> Option<&Value>;
}

/// Why a reference could not be resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unresolved(pub String);

/// Follows the way into a value: keys of objects by name, places of lists by number.
pub fn follow<'v>(root: &'v Value, path: &[&str], text: &str) -> Result<&'v Value, Unresolved> {
    let mut value = root;
    for segment in path {
        value = match value {
            Value::Object(object) => {
                object.get(segment).ok_or_else(|| Unresolved(format!("{text} cannot be followed: there is no key `{segment}`.")))?
            }
            Value::List(list) => {
                let place = list_place(segment).ok_or_else(|| {
                    Unresolved(format!("{text} cannot be followed: `{segment}` is no place in a list, and there is a list."))
                })?;
                place.and_then(|place| list.get(place)).ok_or_else(|| {
                    Unresolved(format!("{text} cannot be followed: the list has {} elements and none at `{segment}`.", list.len()))
                })?
            }
            other => {
                let what = other.what();
                return Err(Unresolved(format!("{text} cannot be followed: `{segment}` is asked of {what}, which has nothing inside.")));
            }
        };
    }
    Ok(value)
}

/// The place a segment names in a list: an optional minus, then digits with single underscores between them. The outer `None`:
/// it is no integer; the inner one: it is out of range.
fn list_place(segment: &str) -> Option<Option<usize>> {
    let digits = segment.strip_prefix('-').unwrap_or(segment);
    let edges = digits.starts_with('_') || digits.ends_with('_') || digits.contains("__");
    if digits.is_empty() || edges || !digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_') {
        return None;
    }
    let place = digits.replace('_', "").parse::<usize>().ok();
    Some(if digits.len() < segment.len() { place.filter(|place| *place == 0) } else { place })
}

/// The value of what stands between the braces of a reference.
pub fn resolve_reference(inner: &str, bound: Bound<'_>) -> Result<Value, Unresolved> {
    let text = || format!("${{{inner}}}");
    match read_reference(inner, bound.item.is_some()) {
        Some(Reference::Index) => Ok(Value::Number(bound.item.map_or(0, |(_, index)| index) as f64)),
        Some(Reference::Item { path }) => follow(bound.item.map_or(&Value::Null, |(item, _)| item), &path, &text()).cloned(),
        Some(Reference::Upstream { id, path }) => {
            let root = bound.result.result(id).ok_or_else(|| Unresolved(format!("{} has no result yet.", text())))?;
            follow(root, &path, &text()).cloned()
        }
        None => Err(Unresolved(format!("{} is no reference.", text()))),
    }
}

/// What a `for_each` leads to.
pub fn collection(text: &str, results: &dyn Results) -> Result<Value, Unresolved> {
    match full(text).and_then(upstream) {
        Some(_) => resolve_reference(full(text).unwrap_or_default(), Bound { result: results, item: None }),
        None => Err(Unresolved(format!("{text} is no reference to a task's result."))),
    }
}

/// A value with every reference in its texts replaced: one that is a whole text by its value, others by their text. Keys stay.
pub fn resolve(value: &Value, bound: Bound<'_>) -> Result<Value, Unresolved> {
    Ok(match value {
        Value::Text(text) => resolve_text(text, bound)?,
        Value::List(list) => Value::List(list.iter().map(|item| resolve(item, bound)).collect::<Result<_, _>>()?),
        Value::Object(object) => {
            let pairs: Result<Vec<(Text, Value)>, Unresolved> =
                object.iter().map(|(key, value)| Ok((key.clone(), resolve(value, bound)?))).collect();
            Value::object(pairs?)
        }
        other => other.clone(),
    })
}

fn resolve_text(text: &Text, bound: Bound<'_>) -> Result<Value, Unresolved> {
    if let Some(inner) = full(text) {
        return resolve_reference(inner, bound);
    }
    let mut out = String::new();
    let mut at = 0;
    for token in tokens(text) {
        out.push_str(text.get(at..token.range.start).unwrap_or_default());
        out.push_str(&embedded(&resolve_reference(token.inner, bound)?));
        at = token.range.end;
    }
    if at == 0 {
        return Ok(Value::Text(text.clone()));
    }
    out.push_str(text.get(at..).unwrap_or_default());
    // What was put in is searched too: data that looks like a reference would be taken for one further on.
    if let Some(token) = tokens(&out).next() {
        let found = out.get(token.range).unwrap_or_default();
        return Err(Unresolved(format!(
            "The text that came out holds `{found}`, which looks like a reference. Pass such data as a whole value."
        )));
    }
    Ok(Value::text(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_list_is_an_integer_as_the_source_system_reads_it() {
        for (segment, place) in [
            ("0", Some(Some(0))),
            ("01", Some(Some(1))),
            ("-0", Some(Some(0))),
            ("0_1", Some(Some(1))),
            ("1_0", Some(Some(10))),
            ("-1", Some(None)),
            ("99999999999999999999999999", Some(None)),
            ("x", None),
            ("1x", None),
            ("-", None),
            ("_1", None),
            ("1_", None),
            ("1__0", None),
            ("--1", None),
        ] {
            assert_eq!(list_place(segment), place, "{segment}");
        }
    }
}
