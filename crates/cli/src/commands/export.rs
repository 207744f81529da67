//! `loopwright export`.

use loopwright_model::format::{self, Format, JsonForm};

use crate::{
    Code, Trouble,
    args::{Export, FormName, Target},
    files,
};

/// Writes a file in another format. To the format it came from it is the same text, byte for byte.
pub fn run(args: &Export) -> Result<Code, Trouble> {
    let (_, document) = files::open(&args.file)?;
    let format = match args.to {
        Target::Steps => Format::Steps,
        Target::MjSync => Format::MjSync,
        Target::Agentspec => Format::AgentSpec,
        Target::Document => Format::Document,
    };
    let form = match args.form {
        FormName::Text => JsonForm::Text,
        FormName::Object => JsonForm::Object,
    };
    match format::export(&document, format, form) {
        Ok(text) => files::write(args.output.as_deref(), &text).map(|()| Code::Fine),
        Err(notices) => {
            let reasons: Vec<String> = notices.iter().map(|notice| notice.message.clone()).collect();
            Err(Trouble::problems(format!("This cannot be exported: {}", reasons.join(" "))))
        }
    }
}
