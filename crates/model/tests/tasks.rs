//! Task graphs as documents: in and out byte for byte, changes, problems at their places.
#![allow(clippy::unwrap_used, missing_docs)]

use loopwright_lang::Value;
use loopwright_model::{
    Change, Document, Edit, GraphKind, History, StepKind,
    format::{self, Format, JsonForm},
    tasks, validate,
};

const REVIEW: &str = "{ \"name\":\"review\",\r\n  \"tasks\": [\n    {\"key\":\"brief\",\"type\":\"task\",\"perform\":{\"action\":\"Collect\"}, \"x\":1.50},\n\t{ \"key\":\"draft\", \"type\":\"loop\",\"after\":[\"brief\"],\"maxRounds\":3e0,\n      \"attempt\":{\"prompt\":\"Write\",\"params\":{\"b\":\"value.brief\",\"f\":\"feedback\"}},\"check\":{\"prompt\":\"Review\"}} ,\n    {\"key\":\"ok\",\"type\":\"approval\",\"after\":[\"draft\"],\"prompt\":\"Publish?\",\"actors\":[\"ann\"]}\n  ], \"options\": {\"concurrency\":2,\"budget\":{\"attempts\":null}}, \"note\": {\"k\":1e2} }\n\n";

fn open(text: &str) -> Document {
    let imported = format::import("review.tasks.json", text);
    assert_eq!(imported.format, Some(Format::Tasks), "{:?}", imported.notices);
    imported.document.unwrap()
}

fn export(document: &Document) -> String {
    format::export(document, Format::Tasks, JsonForm::AsWritten).unwrap()
}

#[test]
fn a_task_graph_comes_out_byte_for_byte_also_by_way_of_our_own_file() {
    let document = open(REVIEW);
    let graph = document.graphs().next().unwrap();
    assert_eq!((graph.kind(), graph.name(), graph.steps().count()), (GraphKind::Tasks, "review", 3));
    let kinds: Vec<StepKind> = graph.steps().map(|step| step.kind()).collect();
    assert_eq!(kinds, [StepKind::Action, StepKind::Refine, StepKind::Unknown]);
    assert_eq!(tasks::connectors(graph).len(), 2);
    assert_eq!(validate(&document), [], "there is nothing wrong with it");
    assert_eq!(export(&document), REVIEW);
    let own = format::export(&document, Format::Document, JsonForm::AsWritten).unwrap();
    let imported = format::import("x.loopwright.json", &own);
    assert_eq!(imported.notices, [], "our own file holds a task graph as it is");
    assert_eq!(export(&imported.document.unwrap()), REVIEW);
}

#[test]
fn a_change_leaves_the_rest_of_the_text_alone_and_taking_it_back_gives_the_same_bytes() {
    let mut history = History::new(open(REVIEW));
    let draft = history.document().graphs().next().unwrap().steps().nth(1).unwrap().id();
    history.apply(Edit::new("Move", vec![Change::set(draft, "PositionX", 40.0)])).unwrap();
    assert_eq!(export(history.document()), REVIEW, "where a card is, is no part of the task");
    history.apply(Edit::new("Rounds", vec![Change::set(draft, "maxRounds", 5.0)])).unwrap();
    assert_eq!(export(history.document()), REVIEW.replace("3e0", "5"));
    history.undo();
    assert_eq!(export(history.document()), REVIEW);
}

#[test]
fn problems_stand_at_the_task_and_the_field() {
    let document = open(&REVIEW.replace("3e0", "0").replace("value.brief", "value.other.x").replace("[\"ann\"]", "[]"));
    let found: Vec<_> = validate(&document)
        .into_iter()
        .map(|problem| {
            let step = document.step(problem.place.entity).map(|step| step.name().to_owned());
            (problem.code, step.unwrap_or_default(), problem.place.field.unwrap_or_default(), problem.place.inside.join("."))
        })
        .collect();
    let at = |code, task: &str, field: &str, inside: &str| (code, task.to_owned(), field.to_owned(), inside.to_owned());
    assert_eq!(
        found,
        [
            at("loop_max_rounds", "draft", "maxRounds", ""),
            at("gate_actors", "ok", "actors", ""),
            at("undeclared_dependency", "draft", "attempt", "params.b"),
        ]
    );
}

#[test]
fn a_plan_is_not_taken_for_a_task_graph() {
    let kind = |text: &str| format::import("x.json", text).format;
    assert_eq!(kind(r#"{"tasks":[{"id":"a","tool":"t"}]}"#), Some(Format::Plan));
    assert_eq!(kind(r#"{"name":"w","tasks":[{"key":"a","type":"task"}]}"#), Some(Format::Tasks));
    assert_eq!(kind(r#"{"name":"w","tasks":[],"options":{}}"#), Some(Format::Tasks));
}

#[test]
fn a_task_graph_is_not_written_as_steps_and_says_why() {
    let refused = format::export(&open(REVIEW), Format::Steps, JsonForm::AsWritten).unwrap_err();
    assert_eq!(refused.first().unwrap().code, "export_tasks");
    let mut history = History::new(open(REVIEW));
    let graph = history.document().graphs().next().unwrap().id();
    history.apply(Edit::new("Rename", vec![Change::set(graph, "Name", Value::text("later"))])).unwrap();
    assert_eq!(export(history.document()), REVIEW.replace("\"review\"", "\"later\""), "the graph's name is the file's");
}
