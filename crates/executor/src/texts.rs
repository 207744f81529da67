//! The texts of a flow, read once: conditions, input mappings, output mappings.

use loopwright_lang::{
    Problem, Scope, Semantics, Severity, Span, Value,
    expr::{self, Explained, Parsed},
    mapping::{self, Resolved},
};

/// A condition, parsed.
#[derive(Clone, Debug)]
pub struct Condition {
    /// As it is written.
    pub text: String,
    parsed: Parsed,
}

impl Condition {
    /// Reads a condition.
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned(), parsed: expr::parse(text) }
    }

    /// The tree, unless an error makes it unfit to be evaluated.
    fn root(&self) -> Result<&expr::Expr, String> {
        if let Some(problem) = self.parsed.problems.iter().find(|problem| problem.severity == Severity::Error) {
            return Err(problem.message.clone());
        }
        self.parsed.root.as_ref().ok_or_else(|| "there is nothing to evaluate".to_owned())
    }

    /// Whether it holds (ruling 39); `Err` says why it cannot be evaluated.
    pub fn holds(&self, scope: &Scope, semantics: &Semantics) -> Result<bool, String> {
        expr::evaluate(self.root()?, scope, semantics).map(|value| expr::truthy(&value)).map_err(|error| error.message)
    }

    /// The evaluation with every operand's value.
    pub fn explain(&self, scope: &Scope, semantics: &Semantics) -> Explained {
        match self.root() {
            Ok(root) => expr::explain(root, scope, semantics),
            Err(message) => {
                let span = self.parsed.problems.first().map_or(Span::new(0, self.text.len()), |problem| problem.span);
                let error = expr::EvalError { code: "expr_syntax".into(), message, span, fix: None };
                Explained { span: Span::new(0, self.text.len()), value: Some(Err(error)), children: Vec::new() }
            }
        }
    }
}

/// An input mapping.
#[derive(Clone, Debug)]
pub struct Input {
    /// The object, parsed.
    pub written: Value,
}

impl Input {
    /// Takes a mapping column: an object, or JSON text of one. `Ok(None)` where there is none.
    pub fn new(column: Option<&Value>) -> Result<Option<Self>, String> {
        let Some(written) = column_object(column, "ActionInputMapping")? else { return Ok(None) };
        Ok(Some(Self { written }))
    }

    /// The parameters and what came up.
    pub fn resolve(&self, scope: &Scope, semantics: &Semantics) -> (Value, Vec<Problem>) {
        match mapping::resolve(&self.written, scope, semantics) {
            Ok(resolved) => {
                let problems = resolved.notes.into_iter().flat_map(|(_, note)| note.problems).collect();
                (resolved.params, problems)
            }
            Err(problem) => (Value::object::<&str>([]), vec![problem]),
        }
    }

    /// The same with the rule that fired for each text.
    pub fn explain(&self, scope: &Scope, semantics: &Semantics) -> Resolved {
        mapping::resolve(&self.written, scope, semantics).unwrap_or(Resolved { params: Value::object::<&str>([]), notes: Vec::new() })
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
