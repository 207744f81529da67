//! A case's flow as a document and a scenario, made by edits as everything is.

use std::collections::BTreeMap;

use loopwright_lang::{Object, Value};
use loopwright_model::{Change, Document, Edit, End, Entity, EntityId, EntityKind, History, document::ROOT};

/// A case's flow, ready to run.
#[derive(Debug)]
pub struct Converted {
    /// The document.
    pub document: Document,
    /// The graph to run.
    pub graph: EntityId,
    /// Its scenario.
    pub scenario: EntityId,
}

/// What names mean in an agent: its own, then those of the agents around it.
#[derive(Clone, Debug, Default)]
struct Names {
    actions: BTreeMap<String, String>,
    prompts: BTreeMap<String, String>,
    agents: BTreeMap<String, String>,
    turns: Option<Value>,
}

#[derive(Debug)]
struct Builder {
    history: History,
    next: u32,
    actions: Object,
    prompts: Object,
    agents: Object,
}

/// Makes the document of a case's `input`.
pub fn convert(input: &Value) -> Result<Converted, String> {
    let mut builder =
        Builder { history: History::new(Document::new()), next: 0, actions: Object::new(), prompts: Object::new(), agents: Object::new() };
    let graph = builder.agent("Main", "root", input, &Names::default(), input.get("type").and_then(Value::as_str) == Some("Loop"))?;
    let mut fields = Object::new();
    for (from, to) in [
        ("payload", "payload"),
        ("data", "data"),
        ("context", "context"),
        ("conversationMessages", "conversation"),
        ("agentTypeParams", "agentTypeParams"),
    ] {
        if let Some(value) = input.get(from) {
            fields.insert(to, value.clone());
        }
    }
    fields.insert("actions", Value::Object(builder.actions.clone()));
    fields.insert("prompts", Value::Object(builder.prompts.clone()));
    fields.insert("agents", Value::Object(builder.agents.clone()));
    let scenario = builder.insert(EntityKind::Scenario, ROOT, fields, None)?;
    Ok(Converted { document: builder.history.document().clone(), graph, scenario })
}

impl Builder {
    fn insert(&mut self, kind: EntityKind, parent: EntityId, fields: Object, ends: Option<(End, End)>) -> Result<EntityId, String> {
        let document = self.history.document();
        let id = document.next_id();
        let index = document.children(parent).len();
        let entity = Entity { id, kind, parent, fields, ends, origin: None };
        self.history.apply(Edit::new("Add", vec![Change::Insert { entity, index }])).map_err(|refused| refused.to_string())?;
        Ok(id)
    }

    fn key(&mut self, kind: &str) -> String {
        self.next += 1;
        format!("{kind}-{}", self.next)
    }

    fn entry(&mut self, kind: EntityKind, name: &str, records: Option<Object>) -> Result<String, String> {
        let key = self.key("id");
        let mut fields: Object = [("id", Value::text(key.as_str())), ("name", Value::text(name))].into_iter().collect();
        for (name, value) in records.iter().flat_map(Object::iter) {
            fields.insert(name.clone(), value.clone());
        }
        self.insert(kind, ROOT, fields, None)?;
        Ok(key)
    }

    /// An agent with everything it defines; gives its graph.
    fn agent(&mut self, name: &str, key: &str, input: &Value, outer: &Names, is_loop: bool) -> Result<EntityId, String> {
        let mut names = outer.clone();
        for (called, script) in members(input, "actions") {
            let id = self.entry(EntityKind::Action, &called, None)?;
            self.actions.insert(id.as_str(), script);
            names.actions.insert(called, id);
        }
        for (called, answers) in members(input, "prompts") {
            if called == "(agent prompt)" {
                names.turns = Some(answers);
                continue;
            }
            let id = self.entry(EntityKind::Prompt, &called, None)?;
            self.prompts.insert(id.as_str(), answers);
            names.prompts.insert(called, id);
        }
        let mut nested = Vec::new();
        for (called, agent) in members(input, "subAgents") {
            let inner = agent.get("flow").map(|flow| (flow, false)).or_else(|| agent.get("loop").map(|turns| (turns, true)));
            if let Some((inner, is_loop)) = inner {
                let id = self.key("agent");
                names.agents.insert(called.clone(), id.clone());
                nested.push((called, id, inner.clone(), is_loop));
            } else {
                let id = self.entry(EntityKind::Agent, &called, agent.get("agent").map(|records| self.records(records)))?;
                if let Some(results) = agent.get("results") {
                    self.agents.insert(id.as_str(), Value::object([("results", results.clone())]));
                }
                names.agents.insert(called, id);
            }
        }
        // What the backend's records say: the agent's columns, the actions assigned to it, its links to others.
        let mut fields = input.get("agent").map(|records| self.records(records)).unwrap_or_default();
        if let Some(unassigned) = input.get("unassigned").and_then(Value::as_list) {
            let assigned = names.actions.keys().filter(|name| !unassigned.iter().any(|other| other.as_str() == Some(name.as_str())));
            fields.insert("Actions", Value::list(assigned.map(|name| Value::text(name.as_str()))));
        }
        let links: Vec<Value> = members(input, "subAgents").iter().filter_map(|(called, agent)| link(called, agent)).collect();
        if !links.is_empty() {
            fields.insert("SubAgents", Value::list(links));
        }
        fields.insert("ID", Value::text(key));
        fields.insert("Name", Value::text(name));
        if is_loop {
            fields.insert("kind", Value::text("loop"));
            if let Some(turns) = &names.turns {
                self.agents.insert(key, Value::object([("turns", turns.clone())]));
            }
        }
        let graph = self.insert(EntityKind::Graph, ROOT, fields, None)?;
        self.steps(graph, input, &names)?;
        for (called, id, inner, is_loop) in nested {
            self.agent(&called, &id, &inner, &names, is_loop)?;
        }
        Ok(graph)
    }

    /// Columns of an agent, as an object.
    fn records(&self, records: &Value) -> Object {
        records.as_object().cloned().unwrap_or_default()
    }

    fn steps(&mut self, graph: EntityId, input: &Value, names: &Names) -> Result<(), String> {
        let mut places: BTreeMap<String, EntityId> = BTreeMap::new();
        for step in list(input, "steps") {
            let mut fields = step.as_object().cloned().unwrap_or_default();
            for (by_name, by_id, table) in
                [("Action", "ActionID", &names.actions), ("Prompt", "PromptID", &names.prompts), ("SubAgent", "SubAgentID", &names.agents)]
            {
                for column in [by_id, by_name] {
                    let known = fields.get(column).and_then(Value::as_str).and_then(|said| table.get(said)).cloned();
                    if let Some(id) = known {
                        fields.remove(by_name);
                        fields.insert(by_id, Value::text(id));
                        break;
                    }
                }
            }
            let name = fields.get("Name").and_then(Value::as_str).unwrap_or_default().to_owned();
            let id = self.insert(EntityKind::Step, graph, fields, None)?;
            places.insert(name, id);
        }
        for path in list(input, "paths") {
            let mut fields = path.as_object().cloned().unwrap_or_default();
            let mut end = |columns: [&str; 2]| {
                let said = columns.iter().find_map(|column| fields.remove(column)).unwrap_or_default();
                match said.as_str().and_then(|name| places.get(name)) {
                    Some(id) => End::Step(*id),
                    None => End::Missing(said),
                }
            };
            let ends = (end(["from", "OriginStepID"]), end(["to", "DestinationStepID"]));
            self.insert(EntityKind::Path, graph, fields, Some(ends))?;
        }
        Ok(())
    }
}

/// The link to an agent that is not a child; a case has its columns, or only says that there is one.
fn link(called: &str, agent: &Value) -> Option<Value> {
    let related = agent.get("related").filter(|related| related.as_bool() != Some(false) && !related.is_nullish())?;
    let mut fields = related.as_object().cloned().unwrap_or_default();
    fields.insert("Type", Value::text("related"));
    fields.insert("SubAgent", Value::text(called));
    Some(Value::Object(fields))
}

fn members(value: &Value, name: &str) -> Vec<(String, Value)> {
    let object = value.get(name).and_then(Value::as_object);
    object.map(|object| object.iter().map(|(key, value)| (key.as_str().to_owned(), value.clone())).collect()).unwrap_or_default()
}

fn list(value: &Value, name: &str) -> Vec<Value> {
    value.get(name).and_then(Value::as_list).map(|list| list.iter().cloned().collect()).unwrap_or_default()
}
