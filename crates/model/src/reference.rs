//! References of metadata files: `@lookup:Entity.Field=Value&Field2=Value2?create`, `@parent:Field`.

use loopwright_lang::Value;

/// The parts of a `@lookup:` text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lookup<'a> {
    /// The entity looked in, e.g. `MJ: Actions`.
    pub entity: &'a str,
    /// What stands after `Name=`, up to the end: the name and whatever narrows the search.
    rest: &'a str,
}

impl<'a> Lookup<'a> {
    /// Reads a `@lookup:` by `Name`; any other text is `None`.
    pub fn parse(text: &'a str) -> Option<Self> {
        let body = text.trim_start().strip_prefix("@lookup:")?;
        let (entity, condition) = body.split_once('.')?;
        let rest = condition.strip_prefix("Name=")?;
        Some(Self { entity, rest })
    }

    /// The name that is looked for: up to `&Column=` or `?create`, `?allowDefer`.
    pub fn name(self) -> &'a str {
        self.rest.get(..self.name_end()).unwrap_or(self.rest)
    }

    /// What follows the name, e.g. `&AgentID=@parent:AgentID`.
    pub fn tail(self) -> &'a str {
        self.rest.get(self.name_end()..).unwrap_or_default()
    }

    fn name_end(self) -> usize {
        let flags = ["?create", "?allowDefer"].iter().filter_map(|flag| self.rest.find(flag));
        let columns =
            self.rest.match_indices('&').map(|(at, _)| at).filter(|at| starts_column(self.rest.get(at + 1..).unwrap_or_default()));
        flags.chain(columns).min().unwrap_or(self.rest.len())
    }
}

/// Whether a text begins with `Column=`.
fn starts_column(text: &str) -> bool {
    text.split_once('=').is_some_and(|(column, _)| !column.is_empty() && column.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// The text a column holds, trimmed; `None` when there is none or it is blank.
pub(crate) fn nonblank(value: Option<&Value>) -> Option<&str> {
    value.and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// An entity's name without the prefix that some versions write.
pub(crate) fn plain_entity(name: &str) -> &str {
    name.strip_prefix("MJ: ").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lookups_are_taken_apart_at_columns_and_flags_only() {
        let check = |text, entity, name, tail| {
            let lookup = Lookup::parse(text).map(|lookup| (lookup.entity, lookup.name(), lookup.tail()));
            assert_eq!(lookup, Some((entity, name, tail)), "{text}");
        };
        check("@lookup:MJ: Actions.Name=Get Records", "MJ: Actions", "Get Records", "");
        check("@lookup:Actions.Name=Send?create", "Actions", "Send", "?create");
        check(
            "@lookup:MJ: AI Agent Steps.Name=Draft & review&AgentID=@parent:AgentID",
            "MJ: AI Agent Steps",
            "Draft & review",
            "&AgentID=@parent:AgentID",
        );
        check("@lookup:MJ: AI Agent Steps.Name=Ready? Go. &AgentID=@parent:ID", "MJ: AI Agent Steps", "Ready? Go. ", "&AgentID=@parent:ID");
        assert_eq!(Lookup::parse("@lookup:MJ: Actions.ID=5"), None);
        assert_eq!(Lookup::parse("Get Records"), None);
    }
}
