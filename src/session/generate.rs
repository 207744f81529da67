//! Large documents made to order (`#generate=steps:2000`), to see how the canvas bears them.

use loopwright_lang::{Object, Value};
use loopwright_model::{Change, Document, Edit, End, Entity, EntityId, EntityKind, document::ROOT};

/// The least number of steps in a row.
const ROW: usize = 20;

/// A flow of `count` steps in rows, each leading to the next.
pub fn steps(count: usize) -> Document {
    let number = |at: usize| EntityId(u32::try_from(at).unwrap_or(u32::MAX));
    let entity = |id, kind, parent, fields, ends| Entity { id, kind, parent, fields, ends, origin: None };
    // About as wide as high.
    let row = ROW.max((count as f64).sqrt() as usize);
    let title = crate::text::generated(count);
    let graph = EntityId(1);
    let mut changes = vec![
        Change::set(ROOT, "title", title.as_str()),
        Change::Insert {
            entity: entity(graph, EntityKind::Graph, ROOT, Object::from_iter([("Name", Value::text(title.as_str()))]), None),
            index: 0,
        },
    ];
    for at in 0..count {
        let is_loop = at % 7 == 3;
        let kind = if is_loop { "ForEach" } else { ["Action", "Prompt", "Sub-Agent"].get(at % 3).copied().unwrap_or("Action") };
        let (column, line) = ((at % row) as f64, (at / row) as f64);
        let mut fields = Object::from_iter([("Name", Value::text(format!("Step {}", at + 1))), ("StepType", Value::text(kind))]);
        if at == 0 {
            fields.insert("StartingStep", Value::Bool(true));
        }
        if is_loop {
            fields.insert("LoopBodyType", Value::text("Action"));
            fields.insert("Configuration", Value::text(r#"{"type":"ForEach","collectionPath":"payload.items","itemVariable":"item"}"#));
        }
        fields.insert("PositionX", Value::Number(column * 352.0));
        fields.insert("PositionY", Value::Number(line * 240.0 + if is_loop { 0.0 } else { 80.0 }));
        changes.push(Change::Insert { entity: entity(number(2 + at), EntityKind::Step, graph, fields, None), index: at });
    }
    for at in 1..count {
        let ends = Some((End::Step(number(1 + at)), End::Step(number(2 + at))));
        changes.push(Change::Insert {
            entity: entity(number(1 + count + at), EntityKind::Path, graph, Object::new(), ends),
            index: count + at,
        });
    }
    let mut history = loopwright_model::History::default();
    // The numbers count on and every end is there, so nothing is refused.
    let _ = history.apply(Edit::new("", changes));
    history.document().clone()
}
