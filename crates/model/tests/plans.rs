//! Plans as documents: in and out byte for byte, edits, problems at their places.
#![allow(clippy::unwrap_used, missing_docs)]

use loopwright_lang::Severity;
use loopwright_model::{
    Document, EntityId, GraphKind, History, edits,
    format::{self, Format, JsonForm},
    plan, validate,
};

const TRIAGE: &str = "{ \"version\":1.0,\r\n  \"tasks\": [\n    {\"id\":\"list\",\"tool\":\"fetch\", \"args\":{\"n\":1e3,\"n\":2.50}},\n\t{ \"id\":\"each\", \"depends_on\":[\"list\"], \"type\":\"tool\",\"tool\":\"fetch\",\n      \"for_each\":\"${list.result.items}\",\"when\":{\"ref\":\"${item.ok}\",\"operator\":\"equals\",\"value\":1.0},\n      \"args\":{\"a\":[\"x ${list.result.items.0} y\"],\"b\":\"${item}\"}} ,\n    null, {\"id\":\"tell\",\"type\":\"sub_agent\",\"agent\":\"writer\",\"task\":\"say ${each.result}\",\"depends_on\":[\"each\"]}\n  ], \"note\": {\"kind\":\"x\",\"Name\":\"y\"} }\n\n";

fn open(text: &str) -> Document {
    let imported = format::import("incident.plan.json", text);
    assert_eq!(imported.format, Some(Format::Plan), "{:?}", imported.notices);
    imported.document.unwrap()
}

fn export(document: &Document) -> String {
    format::export(document, Format::Plan, JsonForm::AsWritten).unwrap()
}

fn task(document: &Document, id: &str) -> EntityId {
    document.graphs().next().unwrap().step_named(id).unwrap().id()
}

#[test]
fn a_plan_comes_out_byte_for_byte_also_by_way_of_our_own_file() {
    let document = open(TRIAGE);
    let graph = document.graphs().next().unwrap();
    assert_eq!((graph.kind(), graph.name(), graph.steps().count()), (GraphKind::Plan, "incident", 4));
    assert_eq!(export(&document), TRIAGE);
    let own = format::export(&document, Format::Document, JsonForm::AsWritten).unwrap();
    let imported = format::import("x.loopwright.json", &own);
    assert_eq!(imported.notices, [], "our own file holds a plan as it is");
    assert_eq!(export(&imported.document.unwrap()), TRIAGE);
}

#[test]
fn a_change_leaves_the_rest_of_the_text_alone() {
    let mut history = History::new(open(TRIAGE));
    let edit = edits::move_to(history.document(), &[(task(history.document(), "list"), 40.0, 80.0)]);
    history.apply(edit).unwrap();
    assert_eq!(export(history.document()), TRIAGE, "where a card is, is no part of the plan");
    let each = task(history.document(), "each");
    history.apply(edits::rename_step(history.document(), each, "look").unwrap()).unwrap();
    let renamed = TRIAGE
        .replace("\"id\":\"each\"", "\"id\":\"look\"")
        .replace("${each.result}", "${look.result}")
        .replace("[\"each\"]", "[\"look\"]");
    assert_eq!(export(history.document()), renamed);
    history.undo();
    assert_eq!(export(history.document()), TRIAGE);
}

#[test]
fn connecting_and_deleting_keep_depends_on_right() {
    let mut history = History::new(open(TRIAGE));
    let (list, each, tell) = (task(history.document(), "list"), task(history.document(), "each"), task(history.document(), "tell"));
    let edit = edits::depend(history.document(), list, tell).unwrap();
    history.apply(edit).unwrap();
    let graph = history.document().graphs().next().unwrap();
    assert_eq!(plan::connectors(graph), [(list, each), (each, tell), (list, tell)]);
    assert!(edits::depend(history.document(), tell, list).is_err(), "a circle is refused");
    assert!(edits::depend(history.document(), list, tell).is_err(), "once is enough");
    let edit = edits::undepend(history.document(), each, tell).unwrap();
    history.apply(edit).unwrap();
    let edit = edits::delete(history.document(), &[list]);
    history.apply(edit).unwrap();
    let graph = history.document().graphs().next().unwrap();
    assert_eq!(plan::connectors(graph), []);
    assert!(export(history.document()).contains("\"depends_on\":[]"), "{}", export(history.document()));
    while history.undo().is_some() {}
    assert_eq!(export(history.document()), TRIAGE);
}

#[test]
fn a_new_plan_is_written_as_one() {
    let mut history = History::new(Document::new());
    let made = edits::add_plan(history.document(), "Night watch");
    let graph = *made.ids.first().unwrap();
    history.apply(made.edit).unwrap();
    let first = edits::add_task(history.document(), graph, loopwright_model::StepKind::Action, None, (0.0, 0.0), &[]).unwrap();
    let before = first.ids.clone();
    history.apply(first.edit).unwrap();
    let second = edits::add_task(history.document(), graph, loopwright_model::StepKind::Unknown, None, (0.0, 0.0), &before).unwrap();
    history.apply(second.edit).unwrap();
    let text = export(history.document());
    assert!(format::import("p.json", &text).document.is_some(), "{text}");
    assert!(text.contains("\"depends_on\": [\n        \"task\"\n      ]") || text.contains("\"depends_on\": [\"task\"]"), "{text}");
    assert!(!text.contains("Position"));
    assert!(format::export(history.document(), Format::Steps, JsonForm::Text).is_err(), "a plan is no agent");
}

#[test]
fn problems_stand_where_the_mistake_is_and_a_fix_mends_it() {
    let text = r#"{"tasks":[{"id":"a","tool":"fetch"},{"id":"b","tool":"fetch","args":{"v":["so ${a.result.n}"]}}]}"#;
    let mut history = History::new(open(text));
    let problems = validate(history.document());
    let [problem] = problems.as_slice() else { panic!("{problems:?}") };
    assert_eq!((problem.code, problem.family(), problem.severity), ("workflow_reference_unresolved", "Plan", Severity::Error));
    assert_eq!(problem.place.entity, task(history.document(), "b"));
    assert_eq!((problem.place.field.as_deref(), problem.place.inside.as_slice()), (Some("args"), &["v".to_owned(), "0".to_owned()][..]));
    let at = problem.place.span.unwrap();
    assert_eq!("so ${a.result.n}".get(at.range()), Some("${a.result.n}"));
    history.apply(problem.fix.clone().unwrap()).unwrap();
    assert_eq!(validate(history.document()), []);
    assert!(export(history.document()).contains("depends_on"));
}

#[test]
fn a_catalogue_limits_what_a_plan_may_call() {
    let own = |tool: &str| {
        format!(
            r#"{{"loopwright":1,"graphs":[{{"kind":"plan","Name":"P","plan":{{}},"steps":[{{"id":"a","tool":"{tool}"}}],"paths":[]}}],
               "catalogue":{{"actions":[{{"id":"1","name":"fetch"}}]}}}}"#
        )
    };
    let codes = |text: &str| {
        let document = format::import("x.json", text).document.unwrap();
        validate(&document).into_iter().map(|problem| problem.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(&own("fetch")), [] as [&str; 0]);
    assert_eq!(codes(&own("fetsh")), ["plan_tool"]);
}

#[test]
fn a_list_of_tasks_with_keys_is_no_plan() {
    let imported = format::import("x.json", r#"{"name":"w","tasks":[{"key":"a","type":"task","perform":{"action":"A"}}]}"#);
    assert_ne!(imported.format, Some(Format::Plan));
    assert_eq!(format::import("x.json", r#"{"tasks":[]}"#).format, Some(Format::Plan));
}

#[test]
fn copies_of_tasks_depend_on_each_other_and_a_pasted_plan_becomes_a_graph() {
    let mut history = History::new(open(TRIAGE));
    let graph = history.document().graphs().next().unwrap().id();
    let (each, tell) = (task(history.document(), "each"), task(history.document(), "tell"));
    let text = edits::copy(history.document(), &[each, tell]).unwrap();
    let mut ids = || "never".to_owned();
    let made = edits::paste(history.document(), graph, &text, None, &mut ids).unwrap();
    history.apply(made.edit).unwrap();
    let copy = history.document().step(task(history.document(), "tell_2")).unwrap();
    assert_eq!(copy.field("task").unwrap().as_str(), Some("say ${each_2.result}"));
    let named = plan::connectors(history.document().graphs().next().unwrap());
    let (list, each_2) = (task(history.document(), "list"), task(history.document(), "each_2"));
    assert!(named.contains(&(list, each_2)) && named.contains(&(each_2, copy.id())));
    assert_eq!(validate(history.document()).len(), 1, "only the task that is null is wrong");
    let flow = edits::add_graph(history.document(), "Flow", &mut ids);
    let flow_id = *flow.ids.first().unwrap();
    history.apply(flow.edit).unwrap();
    let made = edits::paste(history.document(), flow_id, TRIAGE, None, &mut ids).unwrap();
    history.apply(made.edit).unwrap();
    assert_eq!(history.document().graphs().filter(|graph| graph.kind() == GraphKind::Plan).count(), 2);
    let steps = r#"{"agents":[{"Name":"A","steps":[{"Name":"One","StepType":"Action"}],"paths":[]}]}"#;
    assert!(edits::paste(history.document(), graph, steps, None, &mut ids).is_err());
}
