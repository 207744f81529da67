//! `loopwright check`.

use loopwright_lang::{Profile, Severity};
use loopwright_model::{validate, validate::backend};
use serde_json::json;

use crate::{Code, Trouble, args::Check, files, output};

/// Lists what is wrong with each file.
pub fn run(args: &Check) -> Result<Code, Trouble> {
    let mut bad = false;
    for path in &args.files {
        let (text, imported) = files::import(path)?;
        let mut problems = imported.document.as_ref().map(validate).unwrap_or_default();
        if Profile::from(args.profile) == Profile::Mj5513 {
            problems.extend(imported.document.as_ref().map(backend).unwrap_or_default());
        }
        let counts = |severity: Severity| {
            let notices = imported.notices.iter().filter(|notice| notice.severity == severity).count();
            notices + problems.iter().filter(|problem| problem.severity == severity).count()
        };
        let (errors, warnings) = (counts(Severity::Error), counts(Severity::Warning));
        bad |= errors > 0 || (args.strict && warnings > 0) || imported.document.is_none();
        if args.json {
            let notices: Vec<_> = imported
                .notices
                .iter()
                .map(|notice| {
                    let span = notice.span.map(|span| [span.start, span.end]);
                    json!({ "code": notice.code, "severity": notice.severity, "message": notice.message, "span": span })
                })
                .collect();
            let listed: Vec<_> = problems
                .iter()
                .filter_map(|problem| {
                    let document = imported.document.as_ref()?;
                    Some(json!({
                        "code": problem.code,
                        "family": problem.family(),
                        "severity": problem.severity,
                        "message": problem.message,
                        "place": output::place(document, &problem.place),
                        "field": problem.place.field,
                        "inside": problem.place.inside,
                        "span": problem.place.span.map(|span| [span.start, span.end]),
                        "fix": problem.fix.as_ref().map(|fix| &fix.label),
                    }))
                })
                .collect();
            files::print(&format!("{}\n", json!({ "file": output::name_of(path), "notices": notices, "problems": listed })))?;
            continue;
        }
        for notice in &imported.notices {
            files::print(&format!("{}\n", output::notice(path, &text, notice)))?;
        }
        if let Some(document) = &imported.document {
            for problem in &problems {
                files::print(&format!("{}\n", output::problem(document, problem)))?;
            }
        }
        let total = match (errors, warnings) {
            (0, 0) => "no problems".to_owned(),
            (errors, warnings) => format!("{errors} errors, {warnings} warnings"),
        };
        files::print(&format!("{}: {total}\n", output::name_of(path)))?;
    }
    Ok(if bad { Code::Problems } else { Code::Fine })
}
