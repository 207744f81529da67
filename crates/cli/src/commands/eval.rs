//! `loopwright eval`.

use loopwright_lang::{LoopFrame, Problem, Scope, Semantics, Severity, Value, expr, json, mapping};
use serde_json::json;

use crate::{Code, Trouble, args::Eval, files, output};

/// Evaluates an expression, a mapping text or a whole mapping.
pub fn run(args: &Eval) -> Result<Code, Trouble> {
    let semantics = Semantics::of(args.profile.into());
    let optional = |what: &str, given: &Option<String>| given.as_deref().map(|given| files::value(what, given)).transpose();
    let mut scope = Scope {
        payload: Some(files::value("The payload", &args.payload)?),
        data: optional("The data", &args.data)?,
        context: optional("The context", &args.context)?,
        ..Scope::default()
    };
    if let Some(item) = optional("The item", &args.item)? {
        let frame = LoopFrame { item_variable: args.item_variable.as_str().into(), item, index_variable: None, index: args.index };
        scope.loops.push(frame);
    }
    if !args.mapping {
        return expression(args, &scope, &semantics);
    }
    let whole = json::parse(&args.text).value().filter(|value| value.as_object().is_some());
    let (value, rule, problems) = match whole {
        Some(object) => {
            let resolved = mapping::resolve(&object, &scope, &semantics).map_err(|problem| Trouble::problems(problem.message))?;
            let problems = resolved.notes.into_iter().flat_map(|(_, note)| note.problems).collect();
            (resolved.params, None, problems)
        }
        None => {
            let resolution = mapping::resolve_text(&args.text, &scope, &semantics);
            (resolution.value, Some(resolution.rule), resolution.problems)
        }
    };
    report(args, &value, rule, &problems)
}

fn expression(args: &Eval, scope: &Scope, semantics: &Semantics) -> Result<Code, Trouble> {
    let parsed = expr::parse(&args.text);
    let mut problems = parsed.problems;
    let broken = problems.iter().any(|problem| problem.severity == Severity::Error);
    let value = match parsed.root.filter(|_| !broken) {
        None => Value::Undefined,
        Some(root) => match expr::evaluate(&root, scope, semantics) {
            Ok(value) => value,
            Err(error) => {
                problems.push(error.into_problem());
                Value::Undefined
            }
        },
    };
    report(args, &value, None, &problems)
}

fn report(args: &Eval, value: &Value, rule: Option<mapping::Rule>, problems: &[Problem]) -> Result<Code, Trouble> {
    let failed = problems.iter().any(|problem| problem.severity == Severity::Error);
    let printed = if value.is_undefined() { "undefined".to_owned() } else { json::print_pretty(value) };
    if args.json {
        files::print(&format!("{}\n", json!({ "value": printed, "rule": rule, "problems": problems })))?;
    } else {
        for problem in problems {
            eprintln!("{}[{}]: {}", output::severity(problem.severity), problem.code, problem.message);
            let start = args.text.get(..problem.span.start as usize).map_or(0, |text| text.chars().count());
            let marks = args.text.get(problem.span.range()).map_or(1, |text| text.chars().count()).max(1);
            eprintln!("    {}\n    {}{}", args.text, " ".repeat(start), "^".repeat(marks));
        }
        if !failed {
            files::print(&format!("{printed}\n"))?;
        }
    }
    Ok(if failed { Code::Problems } else { Code::Fine })
}
