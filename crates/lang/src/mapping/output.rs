//! Output mappings: what an action gave, written into the payload.

use super::target::{self, Iteration, Refusal, Step, Target};
use super::updates;
use crate::expr::{js_trim, list_index, nearest};
use crate::semantics::OutputWriter;
use crate::{Object, Problem, Semantics, Span, Text, Value, json, limits};

/// Where an output is written.
#[derive(Clone, Debug, Default)]
pub struct OutputPlace {
    /// Inside a loop: the iteration's index and the loop's own index variable; outside `None`.
    pub iteration: Option<(u64, Option<crate::Text>)>,
    /// The number of successful iterations before this one, i.e. the place of a `[*]` element.
    pub collected: u64,
}

/// A parsed output mapping. Parse once, apply for each iteration.
#[derive(Clone, Debug)]
pub struct OutputMapping {
    /// Malformed targets and the like; an error here fails the step before anything is called (in `documented`).
    pub problems: Vec<Problem>,
    entries: Vec<Entry>,
    /// As it was written, for the profile that writes otherwise.
    written: Object,
}

#[derive(Clone, Debug)]
struct Entry {
    /// The output's name.
    name: Text,
    /// The target's text.
    text: Text,
    target: Target,
}

/// What applying an output mapping did.
#[derive(Clone, Debug, Default)]
pub struct Applied {
    /// The payload after it.
    pub payload: Value,
    /// `$message`, `$reasoning`, `$confidence`, in the order they were written (names without `$`).
    pub specials: Vec<(String, Value)>,
    /// Outputs that do not exist, values of a wrong type.
    pub warnings: Vec<Problem>,
}

impl OutputMapping {
    /// Reads a mapping (an object, or JSON text of one; blank, null and undefined are none). `Err` when it is no object:
    /// `ActionOutputMapping is not …`. Spans of problems are in the target's text.
    pub fn parse(mapping: &Value, index_variable: Option<&str>) -> Result<Self, Problem> {
        let written = object_of(mapping)?;
        let mut problems = Vec::new();
        let mut entries = Vec::new();
        for (name, written) in written.iter() {
            let Some(text) = written.as_str() else {
                let message = format!("Output target is not a path: {} of `{name}` is {}", json::print_compact(written), written.what());
                problems.push(Problem::error("output_target_not_a_path", Span::default(), message));
                continue;
            };
            match target::parse(text, index_variable) {
                Ok(target) => entries.push(Entry { name: name.clone(), text: Text::from(text), target }),
                Err(problem) => problems.push(problem),
            }
        }
        Ok(Self { problems, entries, written })
    }

    /// Takes a mapping as the released runtime does: text that is no JSON, targets that are none, are its own affair when it writes.
    pub fn released(mapping: &Value) -> Self {
        Self { problems: Vec::new(), entries: Vec::new(), written: updates::entries(mapping) }
    }

    /// The same mapping as the guide reads it.
    pub fn as_documented(&self) -> Self {
        Self::parse(&Value::Object(self.written.clone()), None).unwrap_or_else(|_| self.clone())
    }

    /// Whether a target begins with `payload.`, as it is written.
    pub fn has_payload_prefix(&self) -> bool {
        self.written.iter().any(|(_, target)| target.as_str().is_some_and(|target| target.starts_with("payload.")))
    }

    /// What the released runtime writes, as far as the paths allow (`path[:add,update,delete]`; `None` allows all).
    pub fn apply_allowed(&self, outputs: &Value, payload: &Value, allowed: Option<&[&str]>) -> Applied {
        updates::apply(&self.written, outputs, payload, allowed)
    }

    /// Whether it writes nothing.
    pub fn is_empty(&self) -> bool {
        self.written.is_empty()
    }

    /// The targets that need a loop, as they are written: problems outside of one.
    pub fn loop_targets(&self) -> impl Iterator<Item = &str> {
        let needs = |entry: &&Entry| matches!(&entry.target, Target::Place(steps) if steps.iter().any(|step| matches!(step, Step::Collect | Step::Index)));
        self.entries.iter().filter(needs).map(|entry| entry.text.as_str())
    }

    /// Each output's name with the first key of the payload it is written to (none for `$message` and the like).
    pub fn targets(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.entries.iter().map(|entry| match &entry.target {
            Target::Place(steps) => match steps.first() {
                Some(Step::Name(name)) => (entry.name.as_str(), Some(name.as_str())),
                _ => (entry.name.as_str(), None),
            },
            Target::Special(_) => (entry.name.as_str(), None),
        })
    }

    /// Names that an action with these outputs does not give, each with the nearest that it gives.
    pub fn unknown_outputs<'a>(&'a self, known: &'a [&'a str]) -> impl Iterator<Item = (&'a str, Option<&'a str>)> {
        let first = |name: &'a str| name.split('.').next().unwrap_or(name);
        let is_known =
            move |name: &str| known.iter().any(|known| same_ignoring_case(known, name) || same_ignoring_case(known, first_part(name)));
        let names = self.entries.iter().map(|entry| entry.name.as_str()).filter(move |name| *name != "*" && !is_known(name));
        names.map(move |name| (name, nearest(first(name), known.iter().copied())))
    }

    /// Empties the lists a loop collects into (ruling 16). `Err` is `Cannot write …`.
    pub fn start_loop(&self, payload: &Value) -> Result<Value, Problem> {
        let mut payload = payload.clone();
        for entry in &self.entries {
            let Some((base, _)) = entry.loop_base() else { continue };
            target::write(&mut payload, base, 0, Value::list([]), None).map_err(|refusal| entry.refused(refusal))?;
        }
        Ok(payload)
    }

    /// Writes one result. `Err` is `Cannot write …` or `Output target …`; then nothing was written.
    pub fn apply(&self, outputs: &Value, payload: &Value, place: &OutputPlace, semantics: &Semantics) -> Result<Applied, Problem> {
        self.apply_to(outputs, payload.clone(), place, semantics)
    }

    /// The same to a payload that is handed over: where nobody else holds it, it is changed in place and nothing is copied. After an
    /// `Err` it is gone.
    pub fn apply_to(&self, outputs: &Value, payload: Value, place: &OutputPlace, semantics: &Semantics) -> Result<Applied, Problem> {
        if semantics.output_writer == OutputWriter::Updates {
            return Ok(updates::apply(&self.written, outputs, &payload, None));
        }
        let iteration =
            place.iteration.as_ref().map(|(index, _)| Iteration { index: clamped(*index), collected: clamped(place.collected) });
        let mut applied = Applied { payload, ..Applied::default() };
        for entry in &self.entries {
            let Some(value) = find(outputs, &entry.name) else {
                applied.warnings.push(not_produced(&entry.name, outputs));
                continue;
            };
            match &entry.target {
                Target::Special(name) => match special(name, &value) {
                    Ok(()) => applied.specials.push((name.to_string(), value)),
                    Err(warning) => applied.warnings.push(warning),
                },
                Target::Place(steps) => {
                    target::write(&mut applied.payload, steps, 0, value, iteration).map_err(|refusal| entry.refused(refusal))?;
                }
            }
        }
        if let Some(iteration) = iteration {
            self.complete_elements(&mut applied.payload, iteration)?;
        }
        let too_deep = applied.payload.depth() > limits::JSON_DEPTH;
        if too_deep || applied.payload.printed_size() > limits::VALUE_BYTES {
            let what = if too_deep { "nested more than 128 levels deep" } else { "larger than 64 MiB" };
            let target = self.entries.last().map_or("", |entry| &entry.text);
            let message = format!("Cannot write {}: the payload would be {what}", json::quote(target));
            return Err(Problem::error("output_too_large", Span::new(0, target.len()), message));
        }
        Ok(applied)
    }

    /// A successful iteration always gets its element: `{}` or null where nothing was written (ruling 15).
    fn complete_elements(&self, payload: &mut Value, iteration: Iteration) -> Result<(), Problem> {
        for entry in &self.entries {
            let Some((base, _)) = entry.loop_base() else { continue };
            let collects = matches!(entry.steps().get(base.len()), Some(Step::Collect));
            let index = if collects { iteration.collected } else { iteration.index };
            let list = base.iter().try_fold(&*payload, |at, step| match step {
                Step::Name(name) => at.get(name),
                Step::Place(place) => at.as_list()?.get(*place),
                _ => None,
            });
            let element = list.and_then(Value::as_list).and_then(|list| list.get(index));
            if element.is_some_and(|element| !element.is_null()) {
                continue;
            }
            let of_objects = self
                .entries
                .iter()
                .filter_map(Entry::loop_base)
                .any(|(other, rest)| other == base && matches!(rest.first(), Some(Step::Name(_))));
            // Null may have been put there by an iteration further on.
            if element.is_none_or(|element| element.is_null() && of_objects) {
                let blank = if of_objects { Value::Object(Object::new()) } else { Value::Null };
                let steps = entry.steps().get(..=base.len()).unwrap_or_default();
                target::write(payload, steps, 0, blank, Some(iteration)).map_err(|refusal| entry.refused(refusal))?;
            }
        }
        Ok(())
    }
}

impl Entry {
    fn steps(&self) -> &[Step] {
        match &self.target {
            Target::Place(steps) => steps,
            Target::Special(_) => &[],
        }
    }

    /// What stands before `[*]` or `[index]`, and what behind.
    fn loop_base(&self) -> Option<(&[Step], &[Step])> {
        let steps = self.steps();
        let at = steps.iter().position(|step| matches!(step, Step::Collect | Step::Index))?;
        Some((steps.get(..at)?, steps.get(at + 1..)?))
    }

    #[cold]
    fn refused(&self, refusal: Refusal) -> Problem {
        let whole = Span::new(0, self.text.len());
        let target = json::quote(&self.text);
        match refusal {
            Refusal::NeedsLoop => Problem::error("output_target_needs_loop", whole, format!("Output target {target} needs a loop")),
            Refusal::Stands(depth, what) => {
                let place = target::text_of(self.steps().get(..depth).unwrap_or_default());
                Problem::error("output_cannot_write", whole, format!("Cannot write {target}: {place} is {what}"))
            }
            Refusal::TooFar(depth, index, length) => {
                let (place, most) = (target::text_of(self.steps().get(..depth).unwrap_or_default()), limits::PAST_THE_END);
                let message =
                    format!("Cannot write {target}: place {index} is more than {most} past the end of {place}, which has {length}");
                Problem::error("output_cannot_write", whole, message)
            }
        }
    }
}

fn clamped(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn object_of(mapping: &Value) -> Result<Object, Problem> {
    let refuse = |what: &str| {
        let message = format!("ActionOutputMapping is not {what}");
        Err(Problem::error("mapping_not_an_object", Span::default(), message))
    };
    match mapping {
        Value::Undefined | Value::Null => Ok(Object::new()),
        Value::Object(object) => Ok(object.clone()),
        Value::Text(text) if js_trim(text).is_empty() => Ok(Object::new()),
        Value::Text(text) => match json::parse(text).value() {
            Some(Value::Object(object)) => Ok(object),
            Some(_) => refuse("a JSON object"),
            None => refuse("JSON"),
        },
        _ => refuse("a JSON object"),
    }
}

fn first_part(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

fn same_ignoring_case(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || (!(a.is_ascii() && b.is_ascii()) && a.to_lowercase() == b.to_lowercase())
}

/// A key of an object: exactly, otherwise the first that is the same ignoring case.
pub(crate) fn key_ignoring_case<'v>(object: &'v Object, name: &str) -> Option<&'v Value> {
    object.get(name).or_else(|| object.iter().find(|(key, _)| same_ignoring_case(key, name)).map(|(_, value)| value))
}

/// The output of a name: `*` is all of it; otherwise the name as it is, ignoring case, and segment by segment (ruling 13).
fn find(outputs: &Value, name: &str) -> Option<Value> {
    let found = if name == "*" {
        outputs.clone()
    } else {
        match outputs.as_object().and_then(|object| key_ignoring_case(object, name)) {
            Some(value) => value.clone(),
            None => name.split('.').try_fold(outputs.clone(), |at, part| match &at {
                Value::Object(object) => key_ignoring_case(object, part).cloned(),
                Value::List(list) if part == "length" => Some(Value::Number(list.len() as f64)),
                Value::List(list) => list.get(list_index(part)?).cloned(),
                _ => None,
            })?,
        }
    };
    (!found.is_undefined()).then_some(found)
}

fn not_produced(name: &str, outputs: &Value) -> Problem {
    let keys: Vec<&str> = outputs.as_object().map(|object| object.keys().map(Text::as_str).collect()).unwrap_or_default();
    let message = match nearest(name, keys.iter().copied()) {
        Some(near) => format!("The result has no output `{name}`, so nothing was written; did you mean `{near}`?"),
        None if keys.is_empty() => format!("The result has no output `{name}`, so nothing was written."),
        None => format!("The result has no output `{name}`, so nothing was written. It has {}.", keys.join(", ")),
    };
    Problem::warning("output_not_produced", Span::default(), message)
}

/// Whether a value may be the final answer's field of that name (ruling 14).
fn special(name: &str, value: &Value) -> Result<(), Problem> {
    let wanted = match name {
        "message" | "reasoning" => "a string",
        "confidence" => "a number",
        _ => {
            let near = nearest(name, ["message", "reasoning", "confidence"]);
            let message = match near {
                Some(near) => format!("There is no `${name}`; did you mean `${near}`? Nothing was written."),
                None => format!("There is no `${name}`; there are $message, $reasoning and $confidence. Nothing was written."),
            };
            return Err(Problem::warning("output_special_unknown", Span::new(0, name.len() + 1), message));
        }
    };
    if value.what() == wanted {
        return Ok(());
    }
    let message = format!("`${name}` takes {wanted}, and this is {}. Nothing was written.", value.what());
    Err(Problem::warning("output_special_type", Span::new(0, name.len() + 1), message))
}
