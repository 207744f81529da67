//! The texts of a flow, read once: conditions, input mappings, output mappings.

use loopwright_lang::{
    Problem, Scope, Semantics, Span, Value,
    expr::{self, Explained},
    mapping::{CompiledInput, Resolved},
};
use std::sync::OnceLock;

/// A condition, read at its first use. A run has one profile, so what was read serves all of it.
#[derive(Clone, Debug)]
pub struct Condition {
    /// As it is written.
    pub text: String,
    read: OnceLock<expr::Condition>,
}

impl Condition {
    /// Takes a condition's text.
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned(), read: OnceLock::new() }
    }

    fn read(&self, semantics: &Semantics) -> &expr::Condition {
        self.read.get_or_init(|| expr::Condition::new(&self.text, semantics))
    }

    /// Whether it holds (ruling 39); `Err` says why it cannot be evaluated.
    pub fn holds(&self, scope: &Scope, semantics: &Semantics) -> Result<bool, String> {
        self.read(semantics).holds(scope, semantics).map_err(|error| error.message)
    }

    /// The evaluation with every operand's value.
    pub fn explain(&self, scope: &Scope, semantics: &Semantics) -> Explained {
        let condition = self.read(semantics);
        let whole = Span::new(0, self.text.len());
        match (condition.error(), condition.expression()) {
            (None, Some(root)) => expr::explain(root, scope, semantics),
            (None, None) => Explained { span: whole, value: None, children: Vec::new() },
            (Some(error), _) => Explained { span: whole, value: Some(Err(error)), children: Vec::new() },
        }
    }
}

/// An input mapping, read at its first use.
#[derive(Clone, Debug)]
pub struct Input {
    /// The object, parsed.
    pub written: Value,
    read: OnceLock<Result<CompiledInput, Problem>>,
    /// What [`Self::sees_in_payload`] said; the keys are those of the one loop it is in.
    sees: OnceLock<bool>,
}

impl Input {
    /// Takes a mapping column: an object, or JSON text of one. `Ok(None)` where there is none.
    pub fn new(column: Option<&Value>) -> Result<Option<Self>, String> {
        let Some(written) = column_object(column, "ActionInputMapping")? else { return Ok(None) };
        Ok(Some(Self { written, read: OnceLock::new(), sees: OnceLock::new() }))
    }

    /// Takes whatever is written; what it means is the profile's affair.
    pub fn released(column: &Value) -> Option<Self> {
        (!column.is_nullish()).then(|| Self { written: column.clone(), read: OnceLock::new(), sees: OnceLock::new() })
    }

    /// Whether the text of it mentions one of these words at all.
    pub fn mentions(&self, words: &[&str]) -> bool {
        fn within(value: &Value, words: &[&str]) -> bool {
            match value {
                Value::Text(text) => words.iter().any(|word| text.to_ascii_lowercase().contains(word)),
                Value::List(list) => list.iter().any(|value| within(value, words)),
                Value::Object(object) => object.iter().any(|(_, value)| within(value, words)),
                _ => false,
            }
        }
        within(&self.written, words)
    }

    /// Whether a text of it may look at the payload as a whole, or at one of these keys of it: anything but `payload.KEY` with
    /// another key counts.
    pub fn sees_in_payload(&self, keys: [&str; 2]) -> bool {
        const ROOT: &str = "payload";
        fn text_sees(text: &str, keys: [&str; 2]) -> bool {
            let text = text.to_ascii_lowercase();
            if text.contains('\\') {
                return true;
            }
            let mut after = text.match_indices(ROOT).map(|(at, _)| text.get(at + ROOT.len()..).unwrap_or_default());
            after.any(|rest| {
                let Some(key) = rest.strip_prefix('.') else { return true };
                let end = key.find(|ch: char| !ch.is_ascii_alphanumeric() && ch != '_').unwrap_or(key.len());
                let (key, rest) = key.split_at(end);
                // A key that goes on in a way that is not looked into here may be any.
                key.is_empty()
                    || rest.starts_with(|ch: char| !ch.is_ascii() || ch == '$')
                    || keys.iter().any(|own| own.eq_ignore_ascii_case(key))
            })
        }
        fn within(value: &Value, keys: [&str; 2]) -> bool {
            match value {
                Value::Text(text) => text_sees(text, keys),
                Value::List(list) => list.iter().any(|value| within(value, keys)),
                Value::Object(object) => object.iter().any(|(_, value)| within(value, keys)),
                _ => false,
            }
        }
        *self.sees.get_or_init(|| within(&self.written, keys))
    }

    fn read(&self, semantics: &Semantics) -> &Result<CompiledInput, Problem> {
        self.read.get_or_init(|| CompiledInput::compile(&self.written, semantics))
    }

    /// The parameters and what came up: values that are missing, expressions that cannot be evaluated.
    pub fn resolve(&self, scope: &Scope, semantics: &Semantics) -> (Value, Vec<Problem>) {
        match self.read(semantics) {
            Ok(input) => {
                let mut problems = Vec::new();
                let params = input.params(scope, &mut problems);
                (params, problems.into_iter().map(|(_, problem)| problem).collect())
            }
            Err(problem) => (Value::object::<&str>([]), vec![problem.clone()]),
        }
    }

    /// The same with the rule that fired for each text.
    pub fn explain(&self, scope: &Scope, semantics: &Semantics) -> Resolved {
        match self.read(semantics) {
            Ok(input) => input.resolve(scope),
            Err(_) => Resolved { params: Value::object::<&str>([]), notes: Vec::new() },
        }
    }
}

/// A column that must be a JSON object if there is anything in it (ruling 59).
pub fn column_object(column: Option<&Value>, name: &str) -> Result<Option<Value>, String> {
    match column {
        None | Some(Value::Null | Value::Undefined) => Ok(None),
        Some(Value::Text(text)) if text.trim().is_empty() => Ok(None),
        Some(Value::Text(text)) => match loopwright_lang::json::parse(text).value() {
            Some(value @ Value::Object(_)) => Ok(Some(value)),
            Some(_) => Err(format!("{name} is not a JSON object")),
            None => Err(format!("{name} is not JSON")),
        },
        Some(value @ Value::Object(_)) => Ok(Some(value.clone())),
        Some(_) => Err(format!("{name} is not a JSON object")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_a_text_that_may_see_a_loops_variable_in_the_payload_needs_it_there() {
        for (text, sees) in [
            ("payload.template", false),
            ("customer.email", false),
            ("{{payload.items.length}} of {{payload.n}}", false),
            ("payload", true),
            ("{{payload}}", true),
            ("payload.item", true),
            ("Payload.ITEM.x", true),
            ("payload.i", true),
            ("payload[name]", true),
            ("payload?.x", true),
            ("payload.a && Object.keys(payload)", true),
            ("payload.$x", true),
            ("payload.ité", true),
        ] {
            let input = Input::new(Some(&Value::object([("p", Value::text(text))]))).unwrap().unwrap();
            assert_eq!(input.sees_in_payload(["item", "i"]), sees, "{text}");
        }
    }
}
