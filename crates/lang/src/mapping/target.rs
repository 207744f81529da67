//! Targets of output mappings: where a value goes (rulings 11, 12, 14, 53).

use crate::expr::{REFUSED_PROPERTIES, continues_name, starts_name};
use crate::{Problem, Span, Text, Value, json, limits, path};

/// A target, read once.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Target {
    /// A place in the payload.
    Place(Vec<Step>),
    /// `$message` and the like; the name without `$`.
    Special(Text),
}

/// One segment of a target.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// `.name` or `["any text"]`.
    Name(Text),
    /// `[n]` or `.n`.
    Place(usize),
    /// `[*]`: the element of this successful iteration.
    Collect,
    /// `[index]` or the loop's own index variable.
    Index,
    /// `[]`.
    Append,
}

impl Step {
    fn is_loop(&self) -> bool {
        matches!(self, Self::Collect | Self::Index)
    }
}

/// Reads a target. `index_variable` is the loop's own.
pub(crate) fn parse(text: &str, index_variable: Option<&str>) -> Result<Target, Problem> {
    if let Some(name) = text.strip_prefix('$') {
        return Ok(Target::Special(Text::from(name)));
    }
    let whole = Span::new(0, text.len());
    let not_a_path = || Problem::error("output_target_not_a_path", whole, format!("Output target is not a path: {}", json::quote(text)));
    let mut steps = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or("");
        let (step, length) = if let Some(inside) = rest.strip_prefix('[') {
            bracketed(inside, index_variable).map(|(step, length)| (step, length + 1)).ok_or_else(not_a_path)?
        } else {
            let name = match (rest.strip_prefix('.'), at) {
                (Some(_), 0) => return Err(not_a_path()),
                (Some(name), _) => name,
                (None, 0) => rest,
                (None, _) => return Err(not_a_path()),
            };
            let dot = rest.len() - name.len();
            let length = name.find(|c: char| !continues_name(c)).unwrap_or(name.len());
            let name = name.get(..length).unwrap_or("");
            let step = match path::place(name).and_then(|place| usize::try_from(place).ok()) {
                Some(place) if at > 0 => Step::Place(place),
                _ if name.starts_with(starts_name) => Step::Name(Text::from(name)),
                _ => return Err(not_a_path()),
            };
            (step, dot + length)
        };
        steps.push(step);
        at += length;
    }
    // `payload.` in front says where everything goes anyway.
    if matches!(steps.as_slice(), [Step::Name(root), Step::Name(_), ..] if root.as_str() == "payload") {
        steps.remove(0);
    }
    match steps.first() {
        Some(Step::Name(_)) => {}
        _ => return Err(not_a_path()),
    }
    if steps.iter().filter(|step| step.is_loop()).count() > 1 {
        let message = format!("Output target {} has more than one of [*] and [index]", json::quote(text));
        return Err(Problem::error("output_target_two_loops", whole, message));
    }
    if steps.iter().any(|step| matches!(step, Step::Name(name) if REFUSED_PROPERTIES.contains(&name.as_str()))) {
        return Err(Problem::error("output_target_refused", whole, format!("Output target {} is refused", json::quote(text))));
    }
    Ok(Target::Place(steps))
}

/// What stands in brackets, behind `[`, and how long it is, `]` included.
fn bracketed(inside: &str, index_variable: Option<&str>) -> Option<(Step, usize)> {
    if inside.starts_with('"') {
        // The name is a JSON text; its end is the first quote that is not escaped.
        let mut escaped = false;
        let end = inside.char_indices().skip(1).find_map(|(at, c)| {
            let closes = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            closes.then_some(at)
        })?;
        let name = json::parse(inside.get(..=end)?).value()?;
        inside.get(end + 1..)?.starts_with(']').then_some(())?;
        return Some((Step::Name(Text::from(name.as_str()?)), end + 2));
    }
    let end = inside.find(']')?;
    let word = inside.get(..end)?;
    let step = match word {
        "" => Step::Append,
        "*" => Step::Collect,
        "index" => Step::Index,
        _ if index_variable == Some(word) => Step::Index,
        _ => Step::Place(usize::try_from(path::place(word)?).ok()?),
    };
    Some((step, end + 1))
}

/// Where the loop stands while it writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Iteration {
    /// Its index.
    pub(crate) index: usize,
    /// How many successful ones came before.
    pub(crate) collected: usize,
}

/// Why nothing was written.
pub(crate) enum Refusal {
    /// `Output target "…" needs a loop`.
    NeedsLoop,
    /// Something that cannot be gone into stands where this many steps lead; what it is.
    Stands(usize, &'static str),
    /// A place too far past the end of the list where this many steps lead; the place and the list's length.
    TooFar(usize, usize, usize),
}

/// Puts `value` where the steps from `depth` on lead, in place where nothing else holds what is there.
pub(crate) fn write(at: &mut Value, steps: &[Step], depth: usize, value: Value, iteration: Option<Iteration>) -> Result<(), Refusal> {
    let Some(step) = steps.get(depth) else {
        *at = value;
        return Ok(());
    };
    let last = depth + 1 == steps.len();
    if let Step::Name(name) = step {
        if at.is_nullish() {
            *at = Value::Object(crate::Object::new());
        }
        let Value::Object(object) = at else { return Err(Refusal::Stands(depth, at.what())) };
        if last {
            object.insert(name.clone(), value);
            return Ok(());
        }
        // Taken out meanwhile, so that what is below is held once.
        let mut inner = object.insert(name.clone(), Value::Null).unwrap_or_default();
        let result = write(&mut inner, steps, depth + 1, value, iteration);
        object.insert(name.clone(), inner);
        return result;
    }
    if at.is_nullish() {
        *at = Value::List(crate::List::new());
    }
    let Value::List(list) = at else { return Err(Refusal::Stands(depth, at.what())) };
    let index = match (step, iteration) {
        (Step::Place(place), _) => *place,
        (Step::Append, _) => list.len(),
        (Step::Collect, Some(iteration)) => iteration.collected,
        (Step::Index, Some(iteration)) => iteration.index,
        _ => return Err(Refusal::NeedsLoop),
    };
    if index.saturating_sub(list.len()) > limits::PAST_THE_END {
        return Err(Refusal::TooFar(depth, index, list.len()));
    }
    if last {
        list.set(index, value);
        return Ok(());
    }
    let mut inner = list.get(index).cloned().unwrap_or_default();
    if index < list.len() {
        list.set(index, Value::Null);
    }
    write(&mut inner, steps, depth + 1, value, iteration)?;
    list.set(index, inner);
    Ok(())
}

/// The first steps as text, for messages.
pub(crate) fn text_of(steps: &[Step]) -> String {
    let mut out = String::new();
    for step in steps {
        match step {
            Step::Name(name) if out.is_empty() => out.push_str(name),
            Step::Name(name) => out = crate::expr::member_text(&out, name),
            Step::Place(place) => out.push_str(&format!("[{place}]")),
            Step::Collect => out.push_str("[*]"),
            Step::Index => out.push_str("[index]"),
            Step::Append => out.push_str("[]"),
        }
    }
    if out.is_empty() { "the payload".to_owned() } else { out }
}
