//! Where a run passes a place at which the other profile would have acted differently. Noted only when two profiles are compared;
//! nothing of it is in the log.

use loopwright_lang::{
    Profile, Scope, Semantics, Text, Value,
    differences::Rule,
    expr,
    mapping::{self, OutputMapping, OutputPlace},
};

use super::Execution;
use crate::{
    compile::{Refusal, Step, Task},
    texts::Condition,
};

/// A place at which the profiles part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noted {
    /// The number of the event that came next.
    pub event: u32,
    /// The row it belongs to.
    pub row: u32,
    /// The rule.
    pub rule: Rule,
}

impl Execution {
    /// Notes a rule, if notes are wanted.
    pub(crate) fn note(&mut self, row: u32, rule: Rule) {
        let event = u32::try_from(self.log.len()).unwrap_or(u32::MAX);
        if let Some(notes) = &mut self.differences {
            notes.push(Noted { event, row, rule });
        }
    }

    fn other(&self) -> Semantics {
        Semantics::of(match self.compiled.semantics.profile {
            Profile::Documented => Profile::Mj5513,
            Profile::Mj5513 => Profile::Documented,
        })
    }

    /// Notes the texts of a mapping that the other profile would have resolved to something else.
    pub(crate) fn note_texts(&mut self, task: &Task, scope: &Scope, row: u32) {
        let Some(input) = task.input.as_ref().filter(|_| self.differences.is_some()) else { return };
        let own = scope.clone();
        let mut other = scope.clone();
        let documented = self.compiled.semantics.profile == Profile::Documented;
        // In the runtime there are no loops around a plain step, and one around a body; and nothing of them is in the payload.
        let in_loop = self.in_body(row);
        if documented {
            other.loops.truncate(usize::from(in_loop));
            if let (Some(frame), Some(Value::Object(payload))) = (scope.loops.first(), &mut other.payload) {
                payload.remove(&frame.item_variable);
                payload.remove(frame.index_variable.as_deref().unwrap_or("index"));
            }
        }
        let semantics = (self.compiled.semantics.clone(), self.other());
        let mut rules = Vec::new();
        texts(&input.written, &mut |text| {
            let found = mapping::resolve_text(text, &own, &semantics.0).value;
            if found != mapping::resolve_text(text, &other, &semantics.1).value {
                rules.push(rule_of_text(text, scope, in_loop));
            }
        });
        for rule in rules {
            self.note(row, rule);
        }
    }

    /// Whether a row is an iteration's.
    fn in_body(&self, row: u32) -> bool {
        self.log.row(row).is_some_and(|row| row.kind == crate::protocol::FrameKind::Iteration)
    }

    /// Notes what the other profile would have made of a path's condition.
    pub(crate) fn note_condition(&mut self, condition: &Condition, scope: &Scope, row: u32, revisited: bool) {
        if self.differences.is_none() {
            return;
        }
        let own = condition.holds(scope, self.semantics()).ok();
        let other = expr::condition(&condition.text, scope, &self.other()).ok();
        if own != other {
            let rule = if condition.text.trim().is_empty() {
                Rule::BlankCondition
            } else if own.is_none() || other.is_none() {
                Rule::ForbiddenWords
            } else {
                Rule::KeyOrder
            };
            self.note(row, rule);
        }
        if condition.text.contains("stepResult") {
            let at_limit = condition.text.contains("exitReason");
            self.note(
                row,
                if at_limit {
                    Rule::BeyondTheLimit
                } else if revisited {
                    Rule::StepLists
                } else {
                    Rule::StepResult
                },
            );
        }
        if condition.text.contains("flowContext") {
            self.note(row, Rule::StepLists);
        }
    }

    /// Notes why a step that cannot run here could run there, or fails there in another way.
    pub(crate) fn note_refusal(&mut self, row: u32, step: &Step, message: &str) {
        let begins = |start: &str| message.starts_with(start) || message.contains(&format!(" configuration invalid: {start}"));
        let rule = if begins("Item variable is required") {
            Rule::ItemVariable
        } else if begins("Prompt loop bodies") {
            Rule::PromptBody
        } else if begins("No action '") || begins("No child agent '") {
            Rule::Assigned
        } else if begins("Unknown step type: Refine") {
            Rule::Refine
        } else if begins("maxIterations must be") {
            Rule::NegativeIterations
        } else if [
            "ActionInputMapping is not",
            "ActionOutputMapping is not",
            "Configuration is",
            "Output target",
            "max",
            "delay",
            "executionMode",
        ]
        .iter()
        .any(|start| begins(start))
            || step.refusal == Refusal::BreaksOff
        {
            Rule::BrokenJson
        } else {
            return;
        };
        self.note(row, rule);
    }

    /// Notes what the guide would have made of an action's outputs.
    pub(crate) fn note_outputs(&mut self, written: &OutputMapping, outputs: &Value, before: &Value, after: &Value, row: u32) {
        if self.differences.is_none() {
            return;
        }
        let guide = Semantics::of(Profile::Documented);
        let mapping = written.as_documented();
        if mapping.problems.iter().any(|problem| problem.severity == loopwright_lang::Severity::Error) {
            return self.note(row, Rule::BrokenJson);
        }
        let rule = match mapping.apply(outputs, before, &OutputPlace::default(), &guide) {
            Ok(applied) if applied.payload == *after => return,
            Err(_) => Rule::ConflictingTargets,
            Ok(_) if mapping.has_payload_prefix() => Rule::PayloadPrefix,
            Ok(_) if same_but_for_case(outputs) => Rule::OutputNames,
            Ok(_) => Rule::MergedOutputs,
        };
        self.note(row, rule);
    }
}

/// Whether two outputs have the same name but for case.
fn same_but_for_case(outputs: &Value) -> bool {
    let names: Vec<String> = outputs.as_object().into_iter().flat_map(|object| object.keys()).map(|name| name.to_lowercase()).collect();
    names.iter().enumerate().any(|(at, name)| names.iter().skip(at + 1).any(|other| other == name))
}

/// Goes through all texts of a mapping.
fn texts(value: &Value, each: &mut dyn FnMut(&Text)) {
    match value {
        Value::Text(text) => each(text),
        Value::List(list) => list.iter().for_each(|item| texts(item, each)),
        Value::Object(object) => object.iter().for_each(|(_, item)| texts(item, each)),
        _ => {}
    }
}

/// The rule by which a text resolves differently.
fn rule_of_text(text: &str, scope: &Scope, in_loop: bool) -> Rule {
    let trimmed = text.trim().trim_start_matches("{{").trim_end_matches("}}").trim();
    let root: String = trimmed.chars().take_while(|c| c.is_alphanumeric() || *c == '_' || *c == '$').collect();
    let rest = trimmed.get(root.len()..).unwrap_or_default();
    let is_path = rest.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '[' | ']' | '-' | '$'));
    let outer = scope.loops.iter().skip(usize::from(in_loop));
    let named = |frame: &loopwright_lang::LoopFrame| frame.item_variable.as_str() == root || frame.index_variable.as_deref() == Some(&root);
    let own = scope.loops.first().filter(|_| in_loop);
    let inside = rest.trim_start_matches('.').split(['.', '[']).next().unwrap_or_default();
    let is_variable = |name: &str| {
        own.is_some_and(|frame| frame.item_variable.as_str() == name || frame.index_variable.as_deref().unwrap_or("index") == name)
    };
    if trimmed.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("static:")) {
        Rule::StaticInBody
    } else if outer.clone().any(named) {
        Rule::Nesting
    } else if own.is_some_and(|frame| frame.index_variable.as_deref() == Some(&root)) {
        Rule::IndexVariable
    } else if root.eq_ignore_ascii_case("payload") && (is_variable(inside) || (in_loop && rest.is_empty())) {
        Rule::LoopVariablesInPayload
    } else if is_path && rest.contains('-') {
        Rule::DashedKeys
    } else if !rest.is_empty() && !is_path && !text.contains("{{") {
        Rule::Expressions
    } else if in_loop {
        Rule::BodyNames
    } else {
        Rule::PlainTexts
    }
}
