//! `loopwright fmt`.

use loopwright_lang::json;

use crate::{Code, Trouble, args::Fmt, files, output};

/// Prints, checks or rewrites files in the house style. Numbers, keys and their order stay as they are written.
pub fn run(args: &Fmt) -> Result<Code, Trouble> {
    let mut untidy = false;
    for path in &args.files {
        let text = files::read(path)?;
        let parsed = json::parse(&text);
        let Some(value) = parsed.value() else {
            let reason = parsed.problems.first().map_or(String::new(), |problem| problem.message.clone());
            return Err(Trouble::problems(format!("{} is not JSON: {reason}", output::name_of(path))));
        };
        if let Some(doubled) = parsed.problems.iter().find(|problem| problem.code == "json_doubled_key") {
            return Err(Trouble::problems(format!("{} would lose something: {}", output::name_of(path), doubled.message)));
        }
        let tidy = format!("{}\n", json::print_pretty(&value));
        if args.check {
            if tidy != text {
                untidy = true;
                files::print(&format!("{} is not in the house style\n", output::name_of(path)))?;
            }
        } else if args.write && path.as_os_str() != "-" {
            if tidy != text {
                files::write(Some(path), &tidy)?;
            }
        } else {
            files::print(&tidy)?;
        }
    }
    Ok(if untidy { Code::Problems } else { Code::Fine })
}
