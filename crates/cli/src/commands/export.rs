//! `loopwright export`.

use loopwright_model::{
    Document, GraphKind, History,
    edits::give_missing_ids,
    format::{self, Format, JsonForm},
    tasks,
};

use crate::{
    Code, Trouble,
    args::{Export, FormName, Target},
    files,
};

/// Writes a file in another format. To the format it came from it is the same text, byte for byte.
pub fn run(args: &Export) -> Result<Code, Trouble> {
    let (text, mut document) = files::open(&args.file)?;
    let format = match args.to {
        Target::Steps => Format::Steps,
        Target::MjSync => Format::MjSync,
        Target::Agentspec => Format::AgentSpec,
        Target::Plan => Format::Plan,
        Target::Tasks => Format::Tasks,
        Target::Typescript => return source(args, &document),
        Target::Document => Format::Document,
    };
    let form = match args.form {
        FormName::Text => JsonForm::Text,
        FormName::Object => JsonForm::Object,
    };
    let own = format::import(&crate::output::name_of(&args.file), &text).format;
    if format == Format::Document && own == Some(Format::Document) {
        // The same file, in its own layout.
        return files::write(args.output.as_deref(), &format::update(&document, &text)).map(|()| Code::Fine);
    }
    if matches!(format, Format::Steps | Format::MjSync) && own != Some(format) {
        // A backend tells records apart by their IDs. What has none gets one that only depends on the file, so that exporting again
        // gives the same.
        let mut ids = Ids::of(&text);
        let mut new_id = || ids.next();
        if let Some(edit) = give_missing_ids(&document, &mut new_id) {
            let mut history = History::new(document);
            history.apply(edit).map_err(|refused| Trouble::problems(refused.0))?;
            document = history.document().clone();
        }
    }
    match format::export(&document, format, form) {
        Ok(text) => files::write(args.output.as_deref(), &text).map(|()| Code::Fine),
        Err(notices) => {
            let reasons: Vec<String> = notices.iter().map(|notice| notice.message.clone()).collect();
            Err(Trouble::problems(format!("This cannot be exported: {}", reasons.join(" "))))
        }
    }
}

/// Writes the document's task graph as TypeScript source.
fn source(args: &Export, document: &Document) -> Result<Code, Trouble> {
    let mut graphs = document.graphs().filter(|graph| graph.kind() == GraphKind::Tasks);
    let (Some(graph), None) = (graphs.next(), graphs.next()) else {
        return Err(Trouble::problems("TypeScript source is written of one task graph; this file does not hold exactly one."));
    };
    let value = tasks::tasks_value(graph);
    let (read, mut problems) = tasks::read(&value);
    let (options, more) = tasks::read_options(value.get("options"));
    problems.extend(more);
    if let Some(problem) = problems.iter().find(|problem| problem.refuses) {
        return Err(Trouble::problems(format!("This cannot be exported: {}", problem.problem.message)));
    }
    files::write(args.output.as_deref(), &tasks::typescript(&read, &options)).map(|()| Code::Fine)
}

/// UUIDs (version 8) that depend on a text and on how many there were before.
struct Ids(u64);

impl Ids {
    fn of(text: &str) -> Self {
        Self(text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)))
    }

    /// The next 64 bits (SplitMix64).
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn next(&mut self) -> String {
        let (a, b) = (self.bits(), self.bits());
        let variant = 0x8000 | ((b >> 48) & 0x3fff);
        format!("{:08x}-{:04x}-8{:03x}-{variant:04x}-{:012x}", a >> 32, (a >> 16) & 0xffff, a & 0xfff, b & 0xffff_ffff_ffff)
    }
}
