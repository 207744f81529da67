//! Completion in a mapping text: the expression's own completion, inside `{{ }}` or from a root.

use loopwright_lang::{Scope, expr::Completion};

use crate::syntax::Mode;

/// What could stand at byte `offset`.
pub fn complete(text: &str, offset: usize, mode: Mode, scope: &Scope) -> Vec<Completion> {
    let Some(before) = text.get(..offset) else { return Vec::new() };
    match mode {
        Mode::Json | Mode::Text => Vec::new(),
        Mode::Expression => loopwright_lang::expr::complete(text, offset, scope),
        Mode::Mapping => {
            if before.trim_start().get(..7).is_some_and(|prefix| prefix.eq_ignore_ascii_case("static:")) {
                return Vec::new();
            }
            if let Some(open) = before.rfind("{{") {
                let inside = open + 2;
                if !before.get(inside..).is_some_and(|typed| typed.contains("}}")) {
                    let end = text.get(inside..).and_then(|rest| rest.find("}}")).map_or(text.len(), |found| inside + found);
                    let part = text.get(inside..end).unwrap_or_default();
                    return loopwright_lang::expr::complete(part, offset - inside, scope)
                        .into_iter()
                        .map(|found| Completion { replace: found.replace.shifted(inside), ..found })
                        .collect();
                }
            }
            // Outside `{{ }}` only a reference from the start of the text is one; words of a sentence are not.
            let first = text.trim_start();
            let word = first.split(|c: char| c.is_whitespace()).next().unwrap_or_default();
            if text.contains("{{") || (word.len() < first.trim_end().len() && !word.contains(['.', '['])) {
                return Vec::new();
            }
            loopwright_lang::expr::complete(text, offset, scope)
        }
    }
}
