//! `loopwright diff --profiles`.

use loopwright_executor::profiles::{Comparison, Doing, Outcome, compare};
use loopwright_lang::json::print_compact;
use loopwright_model::{Document, GraphRef};
use serde_json::{Value, json};

use super::simulate::{choose, state_word, text};
use crate::{Code, Trouble, args::Diff, files, output};

/// Runs a flow by both profiles and says where the runs part. Exit code 1 where they do.
pub fn run(args: &Diff) -> Result<Code, Trouble> {
    let (_, document) = files::open(&args.file)?;
    let (document, graph, scenario) = choose(&args.which, document)?;
    let found = compare(&document, graph, scenario).map_err(|trouble| Trouble::problems(trouble.message))?;
    if args.json {
        files::print(&format!("{}\n", as_json(&document, &found)))?;
    } else {
        let name = document.graph(graph).map_or("", GraphRef::name);
        let under = scenario.and_then(|id| document.get(id)).map_or("no scenario", |entity| text(entity, "name"));
        files::print(&format!("{name} · {under}\n{}", in_words(&document, &found)))?;
    }
    Ok(if found.parting.is_some() { Code::Problems } else { Code::Fine })
}

fn in_words(document: &Document, found: &Comparison) -> String {
    let mut said = String::new();
    for (name, outcome) in [("documented", &found.documented), ("mj-5.51.3", &found.released)] {
        let error = outcome.error.as_ref().map_or(String::new(), |error| format!(": {error}"));
        said.push_str(&format!("  {name}: {} after {}{error}\n", state_word(outcome.state), output::time(outcome.end_us)));
    }
    let Some(parting) = &found.parting else {
        said.push_str("  Both do the same.\n");
        return said;
    };
    let step = parting.step.and_then(|step| document.step(step)).map_or(String::new(), |step| format!(" at {}", step.name()));
    said.push_str(&format!("They part{step}:\n"));
    for (name, doing) in [("documented", &parting.documented), ("mj-5.51.3", &parting.released)] {
        let what = doing.as_ref().map_or("nothing more".to_owned(), |doing| {
            let cut: String = doing.what.chars().take(400).collect();
            format!("{} (event {}, {})", cut, doing.event, output::time(doing.at_us))
        });
        said.push_str(&format!("  {name}: {what}\n"));
    }
    if let Some(rule) = parting.rule {
        let entry = rule.entry();
        said.push_str(&format!("{} {}\n  To make both agree: {}\n", rule.code(), entry.what, entry.mend));
    }
    let others: Vec<String> = found
        .rules
        .iter()
        .filter(|(rule, _)| Some(*rule) != parting.rule)
        .map(|(rule, count)| format!("{} ({count} times)", rule.code()))
        .collect();
    if !others.is_empty() {
        said.push_str(&format!("Other rules the runs touched: {}\n", others.join(", ")));
    }
    if found.payload.is_empty() {
        said.push_str("The final payloads are the same.\n");
    } else {
        said.push_str("The final payloads differ:\n");
        for change in &found.payload {
            let value = |text: &Option<String>| text.clone().unwrap_or_else(|| "nothing".to_owned());
            said.push_str(&format!("  {}: {} → {}\n", change.path, value(&change.before), value(&change.after)));
        }
    }
    said
}

fn as_json(document: &Document, found: &Comparison) -> String {
    let run = |outcome: &Outcome| {
        json!({ "state": outcome.state, "error": outcome.error, "message": outcome.message, "endMs": outcome.end_us as f64 / 1_000.0,
            "calls": outcome.calls })
    };
    let doing = |doing: &Option<Doing>| {
        doing.as_ref().map(|doing| json!({ "event": doing.event, "atMs": doing.at_us as f64 / 1_000.0, "what": doing.what }))
    };
    let rule = |rule: loopwright_lang::differences::Rule| {
        let entry = rule.entry();
        json!({ "code": rule.code(), "what": entry.what, "mend": entry.mend })
    };
    let parting = found.parting.as_ref().map(|parting| {
        let step = parting.step.and_then(|step| document.step(step)).map(|step| step.name().to_owned());
        json!({ "step": step, "documented": doing(&parting.documented), "mj-5.51.3": doing(&parting.released),
            "rule": parting.rule.map(rule) })
    });
    let changes: Vec<Value> =
        found.payload.iter().map(|change| json!({ "path": change.path, "documented": change.before, "mj-5.51.3": change.after })).collect();
    let rules: Vec<Value> = found.rules.iter().map(|(rule, count)| json!({ "code": rule.code(), "count": count })).collect();
    let head = json!({ "documented": run(&found.documented), "mj-5.51.3": run(&found.released), "parting": parting,
        "payloadChanges": changes, "rules": rules });
    // Payloads are written by the language's own printer: no number changes its spelling.
    let head = head.to_string();
    let head = head.strip_suffix('}').unwrap_or(&head);
    let (ours, theirs) = (print_compact(&found.documented.payload), print_compact(&found.released.payload));
    format!("{head},\"payloads\":{{\"documented\":{ours},\"mj-5.51.3\":{theirs}}}}}")
}
