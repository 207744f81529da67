//! Changing scenarios.

use loopwright_lang::{Object, Value};

use super::{Draft, Made, refuse, unique};
use crate::{Change, Document, Edit, EntityId, EntityKind, Refused, document::ROOT, scenario::scripts_key};

/// The keys of a scenario in the order in which they are written.
const ORDER: &[&str] = &["name", "graph", "payload", "data", "context", "conversation", "seed", "actions", "prompts", "agents", "expect"];

/// Adds a scenario with an empty payload for a graph.
pub fn add_scenario(document: &Document, name: &str, graph: Option<EntityId>) -> Made {
    let mut draft = Draft::new(document);
    let name = free_name(document, name);
    let mut fields = Object::from_iter([("name", Value::text(name.as_str()))]);
    if let Some(graph) = graph.and_then(|id| document.graph(id)) {
        fields.insert("graph", Value::text(graph.name()));
    }
    fields.insert("payload", Value::Object(Object::new()));
    let id = draft.add(EntityKind::Scenario, ROOT, fields, None);
    Made { edit: draft.finish(format!("Add scenario {name}")), ids: vec![id] }
}

/// A copy of a scenario under another name.
pub fn duplicate_scenario(document: &Document, scenario: EntityId) -> Result<Made, Refused> {
    let Some(scenario) = document.scenario(scenario) else { return refuse("This scenario is not in the document any more.") };
    let mut fields = scenario.entity.fields.clone();
    let name = free_name(document, scenario.name());
    fields.insert("name", Value::text(name.as_str()));
    let mut draft = Draft::new(document);
    let id = draft.add(EntityKind::Scenario, ROOT, fields, None);
    Ok(Made { edit: draft.finish(format!("Duplicate scenario {}", scenario.name())), ids: vec![id] })
}

/// Removes a scenario.
pub fn remove_scenario(document: &Document, scenario: EntityId) -> Result<Edit, Refused> {
    let Some(scenario) = document.scenario(scenario) else { return refuse("This scenario is not in the document any more.") };
    Ok(Edit::new(format!("Remove scenario {}", scenario.name()), vec![Change::Remove(scenario.id())]))
}

/// Sets a part of a scenario (`name`, `payload`, `data`, `seed`, …), or takes it away.
pub fn set_scenario_part(document: &Document, scenario: EntityId, part: &str, value: Option<Value>) -> Result<Edit, Refused> {
    let Some(scenario) = document.scenario(scenario) else { return refuse("This scenario is not in the document any more.") };
    let index = crate::columns::place_of(&scenario.entity.fields, ORDER, part);
    let change = Change::SetField { id: scenario.id(), name: part.to_owned(), value, index };
    Ok(Edit::new(format!("Change {part} of {}", scenario.name()), vec![change]).merging(format!("{}.{part}", scenario.id().0)))
}

/// Sets the script (or the list of scripts) of an action, an agent or a prompt, or takes it away.
pub fn set_script(document: &Document, scenario: EntityId, kind: EntityKind, name: &str, script: Option<Value>) -> Result<Edit, Refused> {
    let (Some(scenario), Some(key)) = (document.scenario(scenario), scripts_key(kind)) else {
        return refuse("This scenario is not in the document any more.");
    };
    let mut scripts = match scenario.part(key) {
        None | Some(Value::Null) => Object::new(),
        Some(Value::Object(scripts)) => scripts.clone(),
        Some(other) => return refuse(format!("\"{key}\" should be an object and is {}.", other.what())),
    };
    match script {
        Some(script) => drop(scripts.insert(name, script)),
        None => drop(scripts.remove(name)),
    }
    let value = (!scripts.is_empty()).then_some(Value::Object(scripts));
    let index = crate::columns::place_of(&scenario.entity.fields, ORDER, key);
    let change = Change::SetField { id: scenario.id(), name: key.to_owned(), value, index };
    Ok(Edit::new(format!("Change the script of {name}"), vec![change]).merging(format!("{}.{key}.{name}", scenario.id().0)))
}

fn free_name(document: &Document, wish: &str) -> String {
    let taken = |name: &str| document.scenarios().any(|scenario| scenario.fields.get("name").and_then(Value::as_str) == Some(name));
    unique(if wish.trim().is_empty() { "Scenario" } else { wish }, taken)
}
