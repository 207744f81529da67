//! What must never panic, whatever it is given. The tests feed these with made-up bytes, the fuzz targets with found ones.

use loopwright_executor::{
    Progress, Simulation,
    protocol::{FrameId, Moment, Order, Rows},
};
use loopwright_lang::{Profile, Scope, Semantics, Value, expr, json, mapping, path};
use loopwright_model::{
    Document,
    format::{self, Format, JsonForm},
    validate::validate,
};

/// Things a run may do: enough to come through every kind of step, too few to wait for.
const STEPS: usize = 1_500;

/// Reads, prints, checks, completes and evaluates bytes as an expression, a mapping text and a path.
pub fn language(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let payload = json::parse(r#"{"items":[{"ok":true,"n":1},{"ok":false}],"text":"abc","n":-0,"none":null}"#).value();
    let scope = Scope { payload, ..Scope::default() };
    let parsed = expr::parse(&text);
    for profile in [Profile::Documented, Profile::Mj5513] {
        let semantics = Semantics::of(profile);
        let _ = parsed.evaluate(&scope, &semantics);
        let _ = expr::condition(&text, &scope, &semantics);
        let _ = mapping::resolve_text(&text, &scope, &semantics);
        let _ = mapping::message(&text, &scope, &semantics);
    }
    if let Some(root) = &parsed.root {
        let _ = expr::explain(root, &scope, &Semantics::of(Profile::Documented));
        let _ = expr::check(root, &scope);
        let printed = expr::print(root);
        if parsed.error().is_none() {
            let again = expr::parse(&printed);
            let stable = again.root.as_ref().map(expr::print);
            assert_eq!(stable.as_deref(), Some(printed.as_str()), "printed, read and printed again it stays the same: {text}");
        }
    }
    for offset in [0, text.len() / 2, text.len()] {
        let _ = expr::complete(&text, offset, &scope);
        let _ = mapping::complete_text(&text, offset, &scope);
    }
    let _ = path::parse(&text);
    let value = json::parse_bytes(bytes).value();
    if let Some(value) = value {
        let printed = json::print_pretty(&value);
        let again = json::parse(&printed).value().map(|value| json::print_pretty(&value));
        assert_eq!(again, Some(printed), "JSON printed, read and printed again stays the same");
    }
}

/// Opens bytes as a file; checks it, and writes it in every format. Gives the document.
pub fn import(bytes: &[u8]) -> Option<Document> {
    let text = format::decode(bytes).ok()?;
    let document = format::import("made-up.json", text).document?;
    let _ = validate(&document);
    for to in [Format::Document, Format::Steps, Format::MjSync, Format::AgentSpec] {
        for form in [JsonForm::Text, JsonForm::Object] {
            let _ = format::export(&document, to, form);
        }
    }
    let _ = format::update(&document, text);
    Some(document)
}

/// Opens bytes and runs everything in them for a while, by the rules of both profiles, asks about the run, saves it and goes on.
pub fn run(bytes: &[u8]) {
    let Some(document) = import(bytes) else { return };
    let scenarios: Vec<_> = document.scenarios().map(|scenario| Some(scenario.id)).chain([None]).collect();
    for graph in document.graphs().take(4) {
        for scenario in scenarios.iter().take(3) {
            for profile in [Profile::Documented, Profile::Mj5513] {
                let new = || Simulation::new(&document, graph.id(), *scenario, profile).ok();
                let Some(mut simulation) = new() else { continue };
                simulation.limit_log(1 << 20);
                let progress = simulation.run_slice(STEPS);
                let saved = simulation.save();
                if let Some(loaded) = new().and_then(|new| new.load(&saved).ok()) {
                    assert!(loaded.save() == saved, "what was loaded is what was saved");
                }
                ask(&mut simulation);
                if progress == Progress::Working {
                    simulation.cancel();
                }
                let _ = loopwright_executor::suite::judge(&simulation);
                let _ = simulation.log().to_bytes();
            }
        }
    }
}

fn ask(simulation: &mut Simulation) {
    let end = simulation.execution().now();
    let _ = simulation.summary();
    let _ = simulation.steps(end / 2);
    let _ = simulation.payload(end, Some(0));
    let rows = u32::try_from(simulation.log().rows.len()).unwrap_or(u32::MAX);
    let some: Vec<FrameId> = (0..rows.min(6)).chain(rows.saturating_sub(4)..rows).map(FrameId).collect();
    let _ = simulation.timeline(0, end, 300, &some);
    let _ = simulation.events(0, 200);
    for frame in &some {
        let _ = simulation.frame(*frame);
        let _ = simulation.exit(frame.0);
        let _ = simulation.between(Some(frame.0), Moment::Before(*frame), Moment::After(*frame));
        let order = Order { by: "duration".into(), down: true };
        let _ = simulation.matrix(&Rows::Loop { frame: *frame }, "-status:failed item.x~1", Some(&order), 0, 5);
    }
    let _ = simulation.writers_of(None, "items[0]", Moment::End);
    let _ = simulation.held();
}

/// Numbers that look like chance and are the same every time (SplitMix64).
#[derive(Clone, Debug)]
pub struct Dice(pub u64);

impl Dice {
    /// A number below `below` (0 where that is 0).
    pub fn below(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % (below.max(1) as u64)).unwrap_or(0)
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from.get(self.below(from.len())).copied().unwrap_or_default()
    }
}

/// Texts that have meant something to some part.
const WORDS: [&str; 44] = [
    "payload",
    "payload.items",
    "{{",
    "}}",
    "static:",
    "[*]",
    "[]",
    "results[*].x",
    "item",
    "index",
    "&&",
    "||",
    "===",
    "?.",
    "?",
    ":",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "\\u",
    "'",
    "`",
    "=>",
    ".filter(x => x)",
    "-1",
    "0",
    "1e999",
    "NaN",
    "ForEach",
    "While",
    "retry",
    "continue",
    "null",
    "true",
    "é",
    "😀",
    "\u{0}",
    "$message",
    "__proto__",
    "\\",
];

/// Values that some part may not expect.
const VALUES: [&str; 20] = [
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1.5",
    "1e308",
    "9007199254740993",
    "\"\"",
    "\"payload.items\"",
    "\"{{payload.items[0].n}}\"",
    "\"true\"",
    "[]",
    "{}",
    "[1,2,3]",
    "{\"a\":{\"b\":[]}}",
    "\"static:[1,2]\"",
    "\"ForEach\"",
    "\"payload.n < 3\"",
    "{\"$repeat\":3,\"item\":\"{{index}}\"}",
];

/// Bytes made from a text by a few slips.
pub fn slips(text: &str, dice: &mut Dice) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=dice.below(4) {
        let at = dice.below(bytes.len() + 1);
        match dice.below(5) {
            0 => {
                let to = (at + dice.below(12)).min(bytes.len());
                bytes.drain(at..to);
            }
            1 => bytes.splice(at..at, dice.pick(&WORDS).bytes()).for_each(drop),
            2 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << dice.below(8);
                }
            }
            3 => bytes.truncate(at),
            _ => {
                let from = dice.below(bytes.len() + 1);
                let piece: Vec<u8> = bytes.iter().skip(from).take(dice.below(40)).copied().collect();
                bytes.splice(at..at, piece).for_each(drop);
            }
        }
    }
    bytes
}

/// A text of pieces of the language.
pub fn babble(dice: &mut Dice) -> Vec<u8> {
    let mut text = String::new();
    for _ in 0..dice.below(14) {
        text.push_str(dice.pick(&WORDS));
        if dice.below(3) == 0 {
            text.push(' ');
        }
    }
    text.into_bytes()
}

/// A JSON text with some of its values exchanged, so that it still is one.
pub fn exchanged(text: &str, dice: &mut Dice) -> Vec<u8> {
    let Some(value) = json::parse(text).value() else { return slips(text, dice) };
    json::print_compact(&exchange(&value, dice, 0)).into_bytes()
}

fn exchange(value: &Value, dice: &mut Dice, depth: usize) -> Value {
    if depth > 0 && dice.below(40) == 0 {
        return json::parse(dice.pick(&VALUES)).value().unwrap_or_default();
    }
    match value {
        Value::Object(object) => {
            let mut out = loopwright_lang::Object::new();
            for (key, value) in object.iter() {
                // Now and then a key is lost.
                if dice.below(60) != 0 {
                    out.insert(key.clone(), exchange(value, dice, depth + 1));
                }
            }
            Value::Object(out)
        }
        Value::List(list) => Value::list(list.iter().map(|value| exchange(value, dice, depth + 1)).collect::<Vec<_>>()),
        // Configuration and mappings as text.
        Value::Text(text) if text.starts_with('{') && dice.below(4) == 0 => {
            Value::text(String::from_utf8_lossy(&exchanged(text, dice)).into_owned())
        }
        other => other.clone(),
    }
}
