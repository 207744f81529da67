//! Records of the backend about an agent: what it may read and write, whose child it is, what it is linked to
//! (runtime-5.51.3.md, sections 1 and 2). They are columns of its graph or of its entry in the catalogue, kept as they came, and
//! only the released runtime's rules ask for them. What no record says is allowed: a document seldom holds them.
//!
//! A graph may also hold `Actions`, the actions assigned to it (names, or objects with `ActionID` or `Name` and `Status`), and
//! `SubAgents`, its links (objects with `Type` "related", `SubAgent`, and the columns of the relationship).

use loopwright_lang::{Object, Text, Value, json};

use super::{Body, Bound, Callee, CalleeKind, Compiled};

/// What the records say about an agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    /// `ParentID`.
    pub parent: Option<Text>,
    /// `PayloadDownstreamPaths`: what it is given of its parent's payload.
    pub downstream: Option<Vec<String>>,
    /// `PayloadUpstreamPaths`: what its payload may write into its parent's.
    pub upstream: Option<Vec<String>>,
    /// `PayloadSelfReadPaths`: what its own prompt sees.
    pub self_read: Option<Vec<String>>,
    /// `PayloadSelfWritePaths`: what its own changes may write.
    pub self_write: Option<Vec<String>>,
    /// `PayloadScope`: the part of the payload that is all it sees.
    pub scope: Option<Text>,
    /// `ChatHandlingOption`: what a message to the user is taken as.
    pub chat: Option<Text>,
    /// `MessageMode` and `MaxMessages`: which of its parent's messages it is given.
    pub messages: (Option<Text>, Option<f64>),
    /// The names of the actions assigned to it; `None`: all there are.
    pub actions: Option<Vec<Text>>,
    /// Its links to agents that are not its children.
    pub links: Vec<Link>,
}

/// A relationship between two agents.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The other agent's name or ID.
    pub agent: Text,
    /// `SubAgentInputMapping`.
    pub input: Option<Object>,
    /// `SubAgentOutputMapping`.
    pub output: Option<Object>,
    /// `SubAgentContextPaths`.
    pub context: Vec<String>,
    /// `MessageMode` and `MaxMessages`.
    pub messages: (Option<Text>, Option<f64>),
}

impl Records {
    /// Reads the records off a graph or an entry of the catalogue.
    pub fn read(fields: &Object) -> Self {
        Self {
            parent: text(fields, "ParentID"),
            downstream: paths(fields, "PayloadDownstreamPaths"),
            upstream: paths(fields, "PayloadUpstreamPaths"),
            self_read: paths(fields, "PayloadSelfReadPaths"),
            self_write: paths(fields, "PayloadSelfWritePaths"),
            scope: text(fields, "PayloadScope"),
            chat: text(fields, "ChatHandlingOption"),
            messages: messages(fields),
            actions: fields.get("Actions").and_then(Value::as_list).map(|list| list.iter().filter_map(assigned).collect()),
            links: fields
                .get("SubAgents")
                .and_then(Value::as_list)
                .into_iter()
                .flat_map(|list| list.iter())
                .filter_map(Link::read)
                .collect(),
        }
    }
}

impl Link {
    fn read(value: &Value) -> Option<Self> {
        let fields = value.as_object().filter(|_| value.get("Type").and_then(Value::as_str) == Some("related"))?;
        let agent = match fields.get("SubAgent").or_else(|| fields.get("SubAgentID"))? {
            Value::Text(name) => name.clone(),
            other => text(other.as_object()?, "ID").or_else(|| text(other.as_object()?, "Name"))?,
        };
        let mapping = |name: &str| column(fields, name).and_then(|value| value.as_object().cloned());
        Some(Self {
            agent,
            input: mapping("SubAgentInputMapping"),
            output: mapping("SubAgentOutputMapping"),
            context: paths(fields, "SubAgentContextPaths").unwrap_or_default(),
            messages: messages(fields),
        })
    }
}

/// An assigned action; one whose `Status` is not Active is not.
fn assigned(value: &Value) -> Option<Text> {
    match value {
        Value::Text(name) => Some(name.clone()),
        other => {
            let fields = other.as_object()?;
            let active = text(fields, "Status").is_none_or(|status| status.as_str() == "Active");
            active.then(|| text(fields, "ActionID").or_else(|| text(fields, "Name")).or_else(|| text(fields, "Action")))?
        }
    }
}

fn text(fields: &Object, name: &str) -> Option<Text> {
    match fields.get(name) {
        Some(Value::Text(text)) if !text.is_empty() => Some(text.clone()),
        _ => None,
    }
}

/// A JSON column: text of it, or the value itself.
fn column(fields: &Object, name: &str) -> Option<Value> {
    match fields.get(name)? {
        Value::Text(text) => json::parse(text).value(),
        other => Some(other.clone()),
    }
}

fn paths(fields: &Object, name: &str) -> Option<Vec<String>> {
    let column = column(fields, name)?;
    Some(column.as_list()?.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

fn messages(fields: &Object) -> (Option<Text>, Option<f64>) {
    (text(fields, "MessageMode"), fields.get("MaxMessages").and_then(Value::as_number).filter(|most| *most != 0.0))
}

/// Whether two names or IDs are the same to the runtime.
pub(crate) fn same_name(a: &str, b: &str) -> bool {
    a.trim().to_lowercase() == b.trim().to_lowercase()
}

impl Compiled {
    /// The actions an agent may use, in the catalogue's order: their places among the callees.
    pub fn actions_of(&self, agent: usize) -> Vec<usize> {
        let assigned = self.agents.get(agent).and_then(|agent| agent.records.actions.as_ref());
        let fits = |callee: &Callee| {
            callee.kind == CalleeKind::Action
                && assigned.is_none_or(|assigned| {
                    assigned.iter().any(|name| same_name(name, &callee.name) || callee.id.as_ref().is_some_and(|id| same_name(name, id)))
                })
        };
        self.callees.iter().enumerate().filter(|(_, callee)| fits(callee)).map(|(place, _)| place).collect()
    }

    /// The names of those actions, for messages.
    pub fn action_names(&self, agent: usize) -> String {
        let names: Vec<&str> = self.actions_of(agent).iter().filter_map(|place| Some(self.callees.get(*place)?.name.as_str())).collect();
        names.join(", ")
    }

    /// Finds an action of an agent as the runtime does: the name in any case, or the only one it is a part of. `Err` has the names
    /// it is a part of.
    pub fn action_named(&self, agent: usize, wanted: &str) -> Result<usize, Vec<Text>> {
        let known = self.actions_of(agent);
        let name = |place: &usize| self.callees.get(*place).map_or("", |callee| callee.name.as_str());
        if let Some(place) = known.iter().find(|place| same_name(name(place), wanted)) {
            return Ok(*place);
        }
        let part = wanted.trim().to_lowercase();
        let fits: Vec<usize> = known.into_iter().filter(|place| name(place).trim().to_lowercase().contains(&part)).collect();
        match fits.as_slice() {
            [one] => Ok(*one),
            several => Err(several.iter().map(|place| name(place).into()).collect()),
        }
    }

    /// The agents an agent may call, with how each is found.
    pub fn sub_agents_of(&self, agent: usize) -> Vec<(Text, Body, Bound)> {
        let graphs = self.agents.iter().enumerate().filter(|(place, _)| *place != agent);
        let graphs = graphs.map(|(place, made)| (made.name.clone(), Body::Agent(place)));
        let callees = self.callees.iter().enumerate().filter(|(_, callee)| callee.kind == CalleeKind::Agent);
        let callees: Vec<(Text, Body)> = callees.map(|(place, callee)| (callee.name.clone(), Body::Call(place))).collect();
        // A graph whose results are scripted is called, not run.
        let graphs: Vec<(Text, Body)> = graphs.filter(|(name, _)| !callees.iter().any(|(other, _)| other == name)).collect();
        let all = graphs.into_iter().chain(callees);
        all.map(|(name, body)| {
            let bound = self.bound(agent, &body);
            (name, body, bound)
        })
        .filter(|(.., bound)| *bound != Bound::Unlinked)
        .collect()
    }

    /// The names of those agents, for messages.
    pub fn sub_agent_names(&self, agent: usize) -> String {
        let names: Vec<Text> = self.sub_agents_of(agent).into_iter().map(|(name, ..)| name).collect();
        if names.is_empty() { "(none)".to_owned() } else { names.iter().map(Text::as_str).collect::<Vec<_>>().join(", ") }
    }

    /// The records, the name and the ID of an agent that is called.
    pub fn callee_records(&self, body: &Body) -> Option<(&Records, &Text, Option<&Text>)> {
        match body {
            Body::Agent(agent) => self.agents.get(*agent).map(|made| (&made.records, &made.name, made.id.as_ref())),
            Body::Call(place) => {
                let callee = self.callees.get(*place)?;
                Some((callee.records.as_deref().unwrap_or(&NO_RECORDS), &callee.name, callee.id.as_ref()))
            }
            Body::Own | Body::Missing => None,
        }
    }

    /// How an agent finds another: as its child where the records do not say that it is someone else's, or by a link.
    pub fn bound(&self, agent: usize, body: &Body) -> Bound {
        let (Some(parent), Some((records, name, id))) = (self.agents.get(agent), self.callee_records(body)) else { return Bound::Unlinked };
        let of_parent = |said: &Text| parent.id.as_ref().is_some_and(|id| same_name(id, said));
        if records.parent.as_ref().is_some_and(of_parent) {
            return Bound::Child;
        }
        let same = |link: &Link| same_name(&link.agent, name) || id.is_some_and(|id| same_name(&link.agent, id));
        match (parent.records.links.iter().position(same), &records.parent) {
            (Some(link), _) => Bound::Related(link),
            (None, None) => Bound::Child,
            (None, Some(_)) => Bound::Unlinked,
        }
    }
}

static NO_RECORDS: Records = Records {
    parent: None,
    downstream: None,
    upstream: None,
    self_read: None,
    self_write: None,
    scope: None,
    chat: None,
    messages: (None, None),
    actions: None,
    links: Vec::new(),
};
