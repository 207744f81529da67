//! The words by which iterations are looked for: `status:failed item.id=42 duration>1s -label~test`.
//!
//! Words part by spaces; all must fit; one with `-` before it must not. A word is `key op value` — `:` and `=` is equal, `!=`, `<`,
//! `<=`, `>`, `>=` as numbers where both sides are, `~` contains, in any letter case — or a text that occurs in the label, the item
//! or the error. A value with spaces stands in quotes. Keys: `status` (or `state`), `index` (0-based), `number` (from 1), `duration`
//! and `start` (in ms, or with `ms`, `s`, `us`), `label`, `error`, and `item`, `params` and `result` with a path.

use loopwright_lang::{
    Value,
    path::{self, Segment},
};

use crate::{
    log::Row,
    protocol::State,
    queries::{cut, iterations::label},
    simulation::Simulation,
};

/// Words, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq)]
struct Term {
    not: bool,
    key: Option<Key>,
    op: Op,
    value: String,
    number: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Equal,
    Other,
    Less,
    AtMost,
    More,
    AtLeast,
    Contains,
}

/// What of an iteration is looked at, or sorted by.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Key {
    State,
    Index,
    Number,
    Duration,
    Start,
    Label,
    Error,
    Item(Vec<Segment>),
    Params(Vec<Segment>),
    Result(Vec<Segment>),
}

/// The keys without a path.
const PLAIN: [(&str, Key); 8] = [
    ("status", Key::State),
    ("state", Key::State),
    ("index", Key::Index),
    ("number", Key::Number),
    ("duration", Key::Duration),
    ("start", Key::Start),
    ("label", Key::Label),
    ("error", Key::Error),
];
const OPS: [(&str, Op); 8] = [
    ("!=", Op::Other),
    ("<=", Op::AtMost),
    (">=", Op::AtLeast),
    ("<", Op::Less),
    (">", Op::More),
    ("=", Op::Equal),
    (":", Op::Equal),
    ("~", Op::Contains),
];

impl Key {
    /// Reads a key; `Err` says which there are.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        if let Some((_, key)) = PLAIN.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
            return Ok(key.clone());
        }
        if let Ok(path) = path::parse(text)
            && let Some((root, rest)) = path.segments.split_first()
        {
            let rest = rest.to_vec();
            match root.key.text().as_str() {
                "item" => return Ok(Self::Item(rest)),
                "params" => return Ok(Self::Params(rest)),
                "result" => return Ok(Self::Result(rest)),
                _ => {}
            }
        }
        let known: Vec<&str> = PLAIN.iter().map(|(name, _)| *name).chain(["item.…", "params.…", "result.…"]).collect();
        Err(format!("Iterations have no {text}. There is {}.", known.join(", ")))
    }

    /// What an iteration has there; times in milliseconds.
    pub(crate) fn of(&self, simulation: &Simulation, number: u32, row: &Row) -> Value {
        match self {
            Self::State => Value::text(state_word(row.state)),
            Self::Index => Value::Number(f64::from(row.index)),
            Self::Number => Value::Number(f64::from(row.index) + 1.0),
            Self::Duration => {
                let end = if row.state == State::Running { simulation.execution().now() } else { row.end };
                Value::Number((end - row.start) as f64 / 1_000.0)
            }
            Self::Start => Value::Number(row.start as f64 / 1_000.0),
            Self::Label => Value::text(label(&row.given)),
            Self::Error => row.error.clone().map_or(Value::Undefined, Value::Text),
            Self::Item(rest) => path::walk(&row.given, rest),
            Self::Result(rest) => path::walk(&row.result, rest),
            Self::Params(rest) => path::walk(&simulation.params_of(number).unwrap_or_default(), rest),
        }
    }
}

fn state_word(state: State) -> &'static str {
    match state {
        State::Pending => "pending",
        State::Running => "running",
        State::Succeeded => "succeeded",
        State::Failed => "failed",
        State::Cancelled => "cancelled",
        State::Skipped => "skipped",
    }
}

impl Filter {
    /// Reads words; `Err` says which of them makes no sense.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut terms = Vec::new();
        for word in words(text) {
            let (not, word) = match word.strip_prefix('-').filter(|rest| !rest.is_empty()) {
                Some(rest) => (true, rest),
                None => (false, word.as_str()),
            };
            terms.push(Term::read(word, not)?);
        }
        Ok(Self { terms })
    }

    /// Whether it lets everything through.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether an iteration fits.
    pub fn fits(&self, simulation: &Simulation, number: u32) -> bool {
        let Some(row) = simulation.log().row(number) else { return false };
        self.terms.iter().all(|term| term.fits(simulation, number, row) != term.not)
    }
}

/// Parts a text at spaces outside of quotes; the quotes go.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quoted, mut any) = (String::new(), false, false);
    for ch in text.chars() {
        match ch {
            '"' => {
                quoted = !quoted;
                any = true;
            }
            ch if ch.is_whitespace() && !quoted => {
                if any {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
            }
            ch => {
                word.push(ch);
                any = true;
            }
        }
    }
    if any {
        words.push(word);
    }
    words
}

impl Term {
    fn read(word: &str, not: bool) -> Result<Self, String> {
        // The operator that stands first; of two that begin at one place the longer.
        let first = OPS
            .iter()
            .filter_map(|(sign, op)| word.find(sign).map(|at| (at, std::cmp::Reverse(sign.len()), *op)))
            .min_by_key(|found| (found.0, found.1));
        let Some((at, length, op)) = first.filter(|(at, ..)| *at > 0) else {
            return Ok(Self { not, key: None, op: Op::Contains, value: word.to_lowercase(), number: None });
        };
        let (key, value) = (word.get(..at).unwrap_or_default(), word.get(at + length.0..).unwrap_or_default());
        let key = Key::read(key)?;
        let number = match key {
            Key::Duration | Key::Start => milliseconds(value),
            _ => value.parse().ok(),
        };
        Ok(Self { not, key: Some(key), op, value: value.to_lowercase(), number })
    }

    fn fits(&self, simulation: &Simulation, number: u32, row: &Row) -> bool {
        let Some(key) = &self.key else {
            let contains = |text: &str| text.to_lowercase().contains(&self.value);
            return contains(&label(&row.given)) || row.error.as_deref().is_some_and(contains) || contains(&cut(&row.given, 400));
        };
        let found = key.of(simulation, number, row);
        if *key == Key::State && self.op != Op::Contains {
            // `status:fail` is as good as `status:failed`.
            let is = found.as_str().is_some_and(|found| !self.value.is_empty() && found.starts_with(&self.value));
            return is == (self.op != Op::Other);
        }
        if let (Some(found), Some(wanted)) = (found.as_number(), self.number) {
            return match self.op {
                Op::Equal => found == wanted,
                Op::Other => found != wanted,
                Op::Less => found < wanted,
                Op::AtMost => found <= wanted,
                Op::More => found > wanted,
                Op::AtLeast => found >= wanted,
                Op::Contains => found.to_string().contains(&self.value),
            };
        }
        let text = match &found {
            Value::Text(text) => text.as_str().to_lowercase(),
            other => super::shown(other).to_lowercase(),
        };
        match self.op {
            Op::Equal => text == self.value,
            Op::Other => text != self.value,
            Op::Less => text < self.value,
            Op::AtMost => text <= self.value,
            Op::More => text > self.value,
            Op::AtLeast => text >= self.value,
            Op::Contains => text.contains(&self.value),
        }
    }
}

/// `250`, `250ms`, `1.5s`, `90us`.
fn milliseconds(text: &str) -> Option<f64> {
    let lower = text.to_ascii_lowercase();
    let (number, factor) = match (lower.strip_suffix("ms"), lower.strip_suffix("us"), lower.strip_suffix('s')) {
        (Some(number), ..) => (number, 1.0),
        (None, Some(number), _) => (number, 0.001),
        (None, None, Some(number)) => (number, 1_000.0),
        _ => (lower.as_str(), 1.0),
    };
    number.trim().parse::<f64>().ok().map(|number| number * factor)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn words_part_at_spaces_and_keep_together_in_quotes() {
        assert_eq!(words(r#"a  "b c" d="e f""#), ["a", "b c", "d=e f"]);
        assert_eq!(words("  "), Vec::<String>::new());
    }

    #[test]
    fn a_word_that_makes_no_sense_says_what_there_is() {
        assert!(Filter::read("colour:red").unwrap_err().starts_with("Iterations have no colour. There is status,"));
        assert!(Filter::read("status:failed item.id=42 -result.ok=true duration>=1.5s free").is_ok());
        assert_eq!(milliseconds("1.5s"), Some(1_500.0));
        assert_eq!(Term::read("index>=10", false).unwrap().op, Op::AtLeast);
    }
}
