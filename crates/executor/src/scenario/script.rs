//! The script of one callee, read once.

use loopwright_lang::{Object, Text, Value, expr, json::print_compact};

use super::{
    Answer, Asked,
    chance::{Latency, Occasion, evaluate},
};
use crate::{compile::CalleeKind, engine::Outcome, random::Purpose};
use loopwright_model::scenario::{PROMPT_ANSWERS, PROMPT_KEYS};

/// What a callee answers, call by call.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    entries: Vec<Entry>,
}

/// What one call answers.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    made: Made,
    mishaps: Vec<Mishap>,
    malformed: Option<(Occasion, Garble)>,
    latency: Latency,
    overlays: Overlays,
    /// An action's own words: its message and its result code.
    own: (Option<Text>, Option<Text>),
    /// Whether a failure says that another attempt may help; only plans ask.
    pub(super) retryable: bool,
}

/// What stands in place of an entry in some iterations.
#[derive(Clone, Debug)]
enum Overlays {
    None,
    /// By the innermost loop's number.
    Numbered(Vec<(u64, Entry)>),
    /// The first iterations; the last repeats.
    Listed(Vec<Entry>),
}

/// A way to go wrong.
#[derive(Clone, Debug)]
struct Mishap {
    when: Occasion,
    throws: bool,
    message: Text,
    /// Whether the script says this message.
    says: bool,
}

/// What is done to an answer that shall not be JSON.
#[derive(Clone, Copy, Debug)]
enum Garble {
    Cut,
    Prose,
    Fence,
}

/// How an answer is made.
#[derive(Clone, Debug)]
enum Made {
    /// This, always.
    Value(Value),
    /// Text as a model wrote it.
    Raw(Text),
    /// What an expression gives.
    Expression(Box<expr::Parsed>),
    /// An object with parts from elsewhere.
    Parts { base: Value, copy: Vec<(Text, Text)>, count: Option<Text>, expressions: Vec<(Text, expr::Parsed)> },
    /// An agent's message to the user.
    Ends { message: Text, payload: Value },
}

impl Script {
    pub(super) fn read(written: &Value, kind: CalleeKind) -> Self {
        let entries = match written {
            Value::List(entries) => entries.iter().map(|entry| Entry::read(entry, kind)).collect(),
            one => vec![Entry::read(one, kind)],
        };
        Self { entries }
    }

    /// The entry for a call, and whether it had its turn before.
    pub(super) fn entry(&self, asked: &Asked<'_>) -> Option<(&Entry, bool)> {
        let last = self.entries.len().checked_sub(1)?;
        let at = usize::try_from(asked.number).unwrap_or(usize::MAX);
        Some((self.entries.get(at.min(last))?.in_iteration(asked.path.last().copied()), at > last))
    }
}

impl Entry {
    fn read(written: &Value, kind: CalleeKind) -> Self {
        let mut entry = Self::plain(written, kind);
        let laid = |over: &Value| Self::plain(&laid_over(written, over, kind), kind);
        entry.overlays = match key(written, "byIteration").filter(|_| kind != CalleeKind::Prompt || is_wrapped(written)) {
            Some(Value::List(list)) if !list.is_empty() => Overlays::Listed(list.iter().map(laid).collect()),
            Some(Value::Object(by)) => {
                Overlays::Numbered(by.iter().filter_map(|(number, over)| Some((number.parse().ok()?, laid(over)))).collect())
            }
            _ => Overlays::None,
        };
        entry
    }

    fn in_iteration(&self, index: Option<u64>) -> &Self {
        let Some(index) = index else { return self };
        match &self.overlays {
            Overlays::None => self,
            Overlays::Numbered(by) => by.iter().find(|(number, _)| *number == index).map_or(self, |(_, entry)| entry),
            Overlays::Listed(list) => usize::try_from(index).ok().and_then(|at| list.get(at)).or_else(|| list.last()).unwrap_or(self),
        }
    }

    fn plain(written: &Value, kind: CalleeKind) -> Self {
        if kind == CalleeKind::Prompt && !is_wrapped(written) {
            let (made, latency) = (Made::Value(written.clone()), Latency::Fixed(0));
            return Self {
                made,
                mishaps: Vec::new(),
                malformed: None,
                latency,
                overlays: Overlays::None,
                own: (None, None),
                retryable: false,
            };
        }
        let own = |name: &str| key(written, name).and_then(Value::as_str).map(Text::from);
        Self {
            made: Made::read(written, kind),
            mishaps: mishaps(written, kind),
            malformed: key(written, "malformed").filter(|_| kind == CalleeKind::Prompt).and_then(garble),
            latency: Latency::read(key(written, "latencyMs")),
            overlays: Overlays::None,
            own: if kind == CalleeKind::Action { (own("message"), own("resultCode")) } else { (None, None) },
            retryable: key(written, "retryable").and_then(Value::as_bool) == Some(true),
        }
    }

    pub(super) fn answer(&self, kind: CalleeKind, asked: &Asked<'_>, seed: &str) -> Answer {
        let after = match self.latency.draw(asked, seed) {
            Ok(after) => after,
            Err(message) => return Answer { after: 0, outcome: Outcome::Threw(message.into()) },
        };
        Answer { after, outcome: self.outcome(kind, asked, seed).unwrap_or_else(|message| Outcome::Threw(message.into())) }
    }

    fn outcome(&self, kind: CalleeKind, asked: &Asked<'_>, seed: &str) -> Result<Outcome, String> {
        let mut failed = None;
        for mishap in &self.mishaps {
            if mishap.when.comes(asked, seed, Purpose::Failure)? {
                failed = Some(mishap);
                break;
            }
        }
        if let Some(mishap) = failed.filter(|mishap| mishap.throws) {
            return Ok(Outcome::Threw(mishap.message.clone()));
        }
        let value = match &self.made {
            Made::Value(value) => value.clone(),
            Made::Raw(text) => return Ok(Outcome::Answered(text.clone())),
            Made::Expression(text) => evaluate(text, asked)?,
            Made::Parts { base, copy, count, expressions } => {
                let mut object = base.as_object().cloned().unwrap_or_default();
                for (output, param) in copy {
                    if let Some(given) = asked.params.get(param).filter(|given| !given.is_undefined()) {
                        object.insert(output.clone(), given.clone());
                    }
                }
                if let Some(output) = count {
                    object.insert(output.clone(), Value::Number((asked.number + 1) as f64));
                }
                for (output, text) in expressions {
                    object.insert(output.clone(), evaluate(text, asked)?);
                }
                Value::Object(object)
            }
            Made::Ends { message, payload } if failed.is_none() => {
                return Ok(Outcome::Ended { message: message.clone(), payload: payload.clone() });
            }
            Made::Ends { payload, .. } => payload.clone(),
        };
        if let Some(mishap) = failed {
            let message = mishap.message.clone();
            return Ok(match self.own.1.clone() {
                // Its message is its own or none.
                Some(code) => {
                    Outcome::Reported { ok: false, message: Some(message).filter(|_| mishap.says), code: Some(code), outputs: value }
                }
                None => Outcome::Failed { message, outputs: value },
            });
        }
        if let Some((when, garble)) = &self.malformed
            && kind == CalleeKind::Prompt
            && when.comes(asked, seed, Purpose::Malformed)?
        {
            return Ok(Outcome::Answered(garble.text(&value).into()));
        }
        Ok(match self.own.clone() {
            (None, None) => Outcome::Returned(value),
            (message, code) => Outcome::Reported { ok: true, message, code, outputs: value },
        })
    }
}

impl Made {
    fn read(written: &Value, kind: CalleeKind) -> Self {
        if let Some(Value::Text(text)) = key(written, "expression") {
            return Self::Expression(Box::new(expr::parse(text)));
        }
        if kind == CalleeKind::Prompt {
            return match (key(written, "raw"), key(written, "response")) {
                (Some(raw), _) => Self::Raw(text_of(raw)),
                (None, response) => Self::Value(response.cloned().unwrap_or_default()),
            };
        }
        let names: &[&str] = if kind == CalleeKind::Action { &["outputs", "result"] } else { &["payload", "result", "outputs"] };
        let base = names.iter().find_map(|name| key(written, name)).cloned().unwrap_or_else(|| Value::object::<&str>([]));
        if kind == CalleeKind::Agent && key(written, "finalStep").and_then(Value::as_str) == Some("Chat") {
            return Self::Ends { message: key(written, "message").map_or_else(|| "".into(), text_of), payload: base };
        }
        let pairs = |name: &str| -> Vec<(Text, Text)> {
            let Some(Value::Object(object)) = key(written, name) else { return Vec::new() };
            object.iter().filter_map(|(output, text)| Some((output.clone(), text.as_str()?.into()))).collect()
        };
        let (mut copy, mut count) = (Vec::new(), None);
        if kind == CalleeKind::Action {
            copy = pairs("copy");
            count = key(written, "countAs").and_then(Value::as_str).map(Text::from);
        }
        let expressions: Vec<_> = pairs("expressions").into_iter().map(|(output, text)| (output, expr::parse(&text))).collect();
        if base.as_object().is_none() || (copy.is_empty() && count.is_none() && expressions.is_empty()) {
            return Self::Value(base);
        }
        Self::Parts { base, copy, count, expressions }
    }
}

/// How an entry may go wrong, in the order in which that is looked at.
fn mishaps(written: &Value, kind: CalleeKind) -> Vec<Mishap> {
    let mut found = Vec::new();
    let text = |names: &[&str], fallback: &str| -> Text {
        names.iter().find_map(|name| key(written, name).and_then(Value::as_str)).unwrap_or(fallback).into()
    };
    let mut add = |when: Option<Occasion>, throws: bool, message: Text| {
        if let Some(when) = when {
            let says = ["message", "failMessage", "errorMessage"].iter().any(|name| key(written, name).is_some());
            found.push(Mishap { when, throws, message, says });
        }
    };
    if kind == CalleeKind::Action {
        if let Some(thrown) = key(written, "throw").filter(|thrown| !matches!(thrown, Value::Null | Value::Bool(false) | Value::Undefined))
        {
            let message = thrown.as_str().map_or_else(|| text(&["throwMessage"], "thrown"), Text::from);
            add(Some(Occasion::Always), true, message);
        }
        add(key(written, "throwWhen").and_then(Occasion::when), true, text(&["throwMessage", "message"], "thrown"));
    } else {
        let named: &[&str] = if kind == CalleeKind::Agent { &["throw", "error"] } else { &["error"] };
        let thrown = named.iter().find_map(|name| key(written, name)).filter(|thrown| kind == CalleeKind::Prompt || !thrown.is_nullish());
        if let Some(thrown) = thrown {
            add(Some(Occasion::Always), true, text_of(thrown));
        }
    }
    // A prompt that fails gives nothing.
    let throws = kind == CalleeKind::Prompt;
    let message = match kind {
        CalleeKind::Action => text(&["failMessage", "message"], "failed"),
        CalleeKind::Agent => match key(written, "errorMessage").or_else(|| key(written, "message")) {
            Some(message) => text_of(message),
            None => text(&["failMessage"], "failed"),
        },
        CalleeKind::Prompt => text(&["failMessage"], "failed"),
    };
    if !throws && key(written, "success").and_then(Value::as_bool) == Some(false) {
        add(
            Some(Occasion::Always),
            false,
            if kind == CalleeKind::Action { text(&["message", "failMessage"], "failed") } else { message.clone() },
        );
    }
    add(key(written, "failWhen").and_then(Occasion::when), throws, message.clone());
    add(key(written, "failIterations").and_then(Occasion::iterations), throws, message.clone());
    add(key(written, "failEvery").and_then(Occasion::every), throws, message.clone());
    add(key(written, "failRate").and_then(Occasion::rate), throws, message);
    found
}

fn garble(written: &Value) -> Option<(Occasion, Garble)> {
    let how = match key(written, "as").and_then(Value::as_str) {
        Some("prose") => Garble::Prose,
        Some("fence") => Garble::Fence,
        _ => Garble::Cut,
    };
    if let Value::Bool(always) = written {
        return always.then_some((Occasion::Always, how));
    }
    written.as_object()?;
    let part = |name: &str, read: fn(&Value) -> Option<Occasion>| key(written, name).map(read);
    let when = part("when", Occasion::when)
        .or_else(|| part("iterations", Occasion::iterations))
        .or_else(|| part("every", Occasion::every))
        .or_else(|| part("rate", Occasion::rate));
    // A rate of 0 is never, nothing said is always.
    when.map_or(Some(Occasion::Always), |when| when).map(|when| (when, how))
}

impl Garble {
    fn text(self, answer: &Value) -> String {
        let text = answer.as_str().map_or_else(|| print_compact(answer), str::to_owned);
        match self {
            Self::Cut => text.chars().take(text.chars().count() / 2).collect(),
            Self::Prose => "I am sorry, but I cannot answer that in the form you asked for.".to_owned(),
            Self::Fence => format!("Here is the answer:\n```json\n{text}\n```"),
        }
    }
}

/// An entry with other keys over it.
fn laid_over(written: &Value, over: &Value, kind: CalleeKind) -> Value {
    let Some(over) = over.as_object() else { return written.clone() };
    let mut object = written.as_object().cloned().unwrap_or_default();
    object.remove("byIteration");
    for (name, value) in over.iter() {
        let own = object.keys().find(|own| same_key(own, name)).cloned();
        object.insert(own.unwrap_or_else(|| name.clone()), value.clone());
    }
    let laid = Value::Object(object);
    // What is left must still read as a prompt's entry, and not as its answer.
    if kind == CalleeKind::Prompt && !is_wrapped(&laid) {
        return Value::object([("response", laid)]);
    }
    laid
}

/// Whether a prompt's entry says more than its answer.
fn is_wrapped(written: &Value) -> bool {
    let known = |name: &Text, names: &[&str]| names.iter().any(|known| same_key(name, known));
    written.as_object().is_some_and(|object| {
        object.keys().all(|name| known(name, &PROMPT_ANSWERS) || known(name, &PROMPT_KEYS))
            && object.keys().any(|name| known(name, &PROMPT_ANSWERS))
    })
}

/// An agent's results; its turns script a loop agent's model, not the agent.
pub(super) fn results(written: &Value) -> Option<&Value> {
    let found = key(written, "results").or_else(|| (!written.is_nullish() && key(written, "turns").is_none()).then_some(written))?;
    Some(found).filter(|found| !found.is_nullish() && found.as_object().is_none_or(|found: &Object| !found.is_empty()))
}

fn text_of(value: &Value) -> Text {
    value.as_str().map_or_else(|| print_compact(value).into(), Text::from)
}

pub(super) use loopwright_model::scenario::{key, same_key};
