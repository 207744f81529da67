//! The largest documents open, change, save and come out again without a step that is quadratic.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::{fmt::Write, time::Instant};

use loopwright_model::{
    History, edits,
    format::{Format, JsonForm, export, import},
};

#[test]
fn ten_thousand_steps_take_no_longer_than_they_must() {
    let mut text = String::from("{\"agents\":[{\"Name\":\"Large\",\"steps\":[\n");
    for at in 0..10_000 {
        let comma = if at == 0 { "" } else { ",\n" };
        write!(text, "{comma}{{\"ID\":\"id-{at}\",\"Name\":\"Step {at}\",\"StepType\":\"Action\",\"Action\":\"A\",\"PositionX\":{at}}}")
            .unwrap();
    }
    text.push_str("],\n\"paths\":[\n");
    for at in 1..10_000 {
        let comma = if at == 1 { "" } else { ",\n" };
        write!(text, "{comma}{{\"OriginStepID\":\"id-{}\",\"DestinationStepID\":\"Step {at}\"}}", at - 1).unwrap();
    }
    text.push_str("]}]}\n");
    let started = Instant::now();
    let lap = |what: &str| eprintln!("{what}: {} ms", started.elapsed().as_millis());
    let document = import("large.json", &text).document.unwrap();
    lap("import");
    assert_eq!(export(&document, Format::Steps, JsonForm::AsWritten).unwrap(), text);
    lap("export");
    let mut history = History::new(document);
    let graph = history.document().graphs().next().unwrap().id();
    let steps: Vec<_> = history.document().graph(graph).unwrap().steps().map(|step| step.id()).collect();
    let edit = edits::duplicate(history.document(), &steps, (8.0, 8.0), &mut || "new".into()).unwrap().edit;
    lap("duplicate");
    history.apply(edit).unwrap();
    lap("apply");
    export(history.document(), Format::MjSync, JsonForm::AsWritten).unwrap();
    lap("export as metadata");
    export(history.document(), Format::Document, JsonForm::AsWritten).unwrap();
    lap("save");
    history.undo();
    lap("undo");
    let edit = edits::delete(history.document(), &steps);
    history.apply(edit).unwrap();
    lap("delete all");
    history.undo();
    lap("undo");
    let saved = history.save();
    lap("autosave");
    assert_eq!(History::load(&saved).unwrap().document(), history.document());
    lap("restore");
    assert_eq!(export(history.document(), Format::Steps, JsonForm::AsWritten).unwrap(), text);
    lap("export");
    assert!(started.elapsed().as_secs() < 20, "{} s", started.elapsed().as_secs());
}
