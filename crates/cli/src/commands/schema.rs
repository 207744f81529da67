//! `loopwright schema`.

use crate::{Code, Trouble, args::Schema, files};

/// Prints the JSON Schema of the document's own file.
pub fn run(_args: &Schema) -> Result<Code, Trouble> {
    files::print(include_str!("../document.schema.json")).map(|()| Code::Fine)
}
