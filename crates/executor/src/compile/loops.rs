//! A loop's Configuration (or a Loop agent's operation), read with its defaults and checked (flow-agents.md, rulings 6, 27, 45).

use loopwright_lang::{
    Value,
    differences::Rule,
    json::print_compact,
    path::{self, Path},
};

use super::Task;
use crate::texts::{Condition, column_object};

/// ForEach or While.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopKind {
    /// For each item of a list.
    ForEach,
    /// While a condition holds.
    While,
    /// Until a check accepts.
    Refine,
}

impl LoopKind {
    /// Its `StepType`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ForEach => "ForEach",
            Self::While => "While",
            Self::Refine => "Refine",
        }
    }
}

/// A loop made ready to run.
#[derive(Debug)]
pub struct LoopSpec {
    /// How it goes round.
    pub config: LoopConfig,
    /// What it does each time.
    pub task: Task,
    /// Where it comes from, so that a saved run finds it again.
    pub origin: SpecOrigin,
    /// The rules by which the profiles differ here, whatever happens.
    pub differs: Vec<Rule>,
    /// Of a Refine step: how its rounds are judged.
    pub refine: Option<Box<super::refine::Refine>>,
}

/// Where a loop comes from.
#[derive(Clone, Debug)]
pub enum SpecOrigin {
    /// The step of this number.
    Step(u32),
    /// A model's operation: of this agent, whether it is a While.
    Operation(usize, bool, Value),
}

/// How a loop goes round.
#[derive(Debug)]
pub struct LoopConfig {
    /// ForEach or While.
    pub kind: LoopKind,
    /// What a ForEach goes through.
    pub collection: Option<Collection>,
    /// While this holds.
    pub condition: Option<Condition>,
    /// The item's name.
    pub item_variable: String,
    /// The index variable that is written.
    pub index_variable: Option<loopwright_lang::Text>,
    /// Most iterations; `None`: no limit of its own.
    pub limit: Option<u64>,
    /// Whether a failed iteration lets it go on.
    pub continue_on_error: bool,
    /// The pause between iterations (or batches), in microseconds.
    pub delay: u64,
    /// How many at a time; `None`: one after the other.
    pub batch: Option<usize>,
    /// What is strange but harmless: codes and sentences.
    pub warnings: Vec<(&'static str, String)>,
}

/// Where a ForEach finds its list.
#[derive(Debug)]
pub struct Collection {
    /// As it is written.
    pub text: String,
    /// What that means.
    pub source: Source,
}

/// What a `collectionPath` means.
#[derive(Debug)]
pub enum Source {
    /// `static:` and a JSON text; `Undefined` where it is none.
    Static(Value),
    /// A path.
    Path(Path),
    /// Walked as the released runtime does.
    Released,
    /// No path; it resolves to nothing.
    Nothing,
}

impl LoopConfig {
    /// Reads a `Configuration` column.
    pub fn read(column: Option<&Value>, kind: LoopKind) -> Result<Self, String> {
        let Some(written) = column_object(column, "Configuration")? else { return Err("The step has no Configuration".to_owned()) };
        let found = present(&written, "type");
        if let Some(other) = found.filter(|found| found.as_str() != Some(kind.name())) {
            return Err(format!("Configuration is of type {}", print_compact(other)));
        }
        let mut config = Self::from_operation(&written, kind)?;
        if found.is_none() {
            config.warnings.insert(0, ("N10", format!("Configuration has no type; it is read as {}.", kind.name())));
        }
        Ok(config)
    }

    /// Reads a loop agent's operation, which has no type of its own.
    pub fn from_operation(written: &Value, kind: LoopKind) -> Result<Self, String> {
        let required = |name: &str| match present(written, name) {
            Some(Value::Text(text)) if !text.trim().is_empty() => Ok(text.as_str().to_owned()),
            _ => Err(format!("{name} is required")),
        };
        let (collection, condition) = match kind {
            LoopKind::ForEach => (Some(Collection::new(required("collectionPath")?)), None),
            LoopKind::While => (None, Some(Condition::new(&required("condition")?))),
            // It has a Configuration of its own.
            LoopKind::Refine => return Err("The loop has no body".to_owned()),
        };
        let default = if kind == LoopKind::ForEach { 1_000 } else { 100 };
        let limit = match whole(written, "maxIterations", 0)? {
            None => Some(default),
            Some(0) => None,
            Some(limit) => Some(limit),
        };
        let delay = whole(written, "delayBetweenIterationsMs", 0)?.unwrap_or(0).saturating_mul(1_000);
        let mut warnings = Vec::new();
        if limit.is_none() {
            warnings.push(("N09", "maxIterations is 0: the loop has no limit of its own.".to_owned()));
        }
        let mut batch = None;
        if kind == LoopKind::ForEach {
            let at_once = whole(written, "maxConcurrency", 1)?.unwrap_or(10);
            match present(written, "executionMode") {
                None => {}
                Some(mode) if mode.as_str() == Some("sequential") => {}
                Some(mode) if mode.as_str() == Some("parallel") => batch = Some(usize::try_from(at_once).unwrap_or(usize::MAX)),
                Some(mode) => return Err(format!("executionMode must be sequential or parallel: {}", print_compact(mode))),
            }
        } else {
            for name in ["executionMode", "maxConcurrency", "indexVariable"] {
                if present(written, name).is_some() {
                    warnings.push(("N11", format!("While ignores {name}.")));
                }
            }
        }
        let fallback = if kind == LoopKind::ForEach { "item" } else { "attempt" };
        let item_variable = variable(written, "itemVariable", false)?.unwrap_or_else(|| fallback.to_owned());
        let index_variable = if kind == LoopKind::ForEach { variable(written, "indexVariable", true)?.map(Into::into) } else { None };
        let continue_on_error = present(written, "continueOnError").and_then(Value::as_bool).unwrap_or(false);
        Ok(Self { kind, collection, condition, item_variable, index_variable, limit, continue_on_error, delay, batch, warnings })
    }

    /// The name under which the index stands in the payload that a body sees.
    pub fn index_name(&self) -> &str {
        self.index_variable.as_deref().unwrap_or("index")
    }
}

impl Collection {
    pub(super) fn new(text: String) -> Self {
        let trimmed = text.trim();
        let is_static = trimmed.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("static:"));
        let source = if is_static {
            let value = trimmed.get(7..).and_then(|rest| loopwright_lang::json::parse(rest).value());
            Source::Static(value.unwrap_or_default())
        } else {
            path::parse(trimmed).map_or(Source::Nothing, Source::Path)
        };
        Self { text, source }
    }
}

impl Collection {
    /// Where the released runtime finds it: it reads the text itself.
    pub(super) fn released(text: String) -> Self {
        Self { text, source: Source::Released }
    }
}

/// A field that is there; null is absent (ruling 45).
fn present<'a>(written: &'a Value, name: &str) -> Option<&'a Value> {
    written.get(name).filter(|value| !value.is_nullish())
}

/// A whole number of at least `least`.
fn whole(written: &Value, name: &str, least: u64) -> Result<Option<u64>, String> {
    let Some(value) = present(written, name) else { return Ok(None) };
    match value.as_number() {
        Some(number) if number.is_finite() && number.fract() == 0.0 && number >= least as f64 => Ok(Some(number as u64)),
        _ => Err(format!("{name} must be a whole number, at least {least}: {}", print_compact(value))),
    }
}

/// A variable's name (ruling 6).
fn variable(written: &Value, name: &str, may_be_index: bool) -> Result<Option<String>, String> {
    const RESERVED: [&str; 14] = [
        "payload",
        "data",
        "context",
        "conversation",
        "static",
        "results",
        "errors",
        "stepResult",
        "flowContext",
        "true",
        "false",
        "null",
        "undefined",
        "typeof",
    ];
    let Some(value) = present(written, name) else { return Ok(None) };
    let fits = |text: &str| {
        let mut chars = text.chars();
        let starts = chars.next().is_some_and(|first| first.is_alphabetic() || first == '_' || first == '$');
        starts
            && chars.all(|ch| ch.is_alphanumeric() || ch == '_' || ch == '$')
            && !RESERVED.contains(&text)
            && (may_be_index || text != "index")
    };
    match value.as_str() {
        Some(text) if fits(text) => Ok(Some(text.to_owned())),
        _ => Err(format!("Not a variable name: {}", print_compact(value))),
    }
}
