//! Iterations as a table for a spreadsheet (RFC 4180): a column for each parameter and each part of a result, with whole values.

use loopwright_lang::{Object, Value};

use super::{iterations::label, shown};
use crate::{
    protocol::{Order, Rows, State, Trouble},
    simulation::Simulation,
};

/// Most columns for parameters, and for results.
const COLUMNS: usize = 100;
/// Iterations found at a time.
const WINDOW: u32 = 2_000;

impl Simulation {
    /// The iterations that fit some words, in an order.
    pub fn csv(&mut self, of: &Rows, filter: &str, order: Option<&Order>) -> Result<String, Trouble> {
        while self.matrix(of, filter, order, 0, 0)?.left > 0 {}
        let mut numbers = Vec::new();
        loop {
            let window = self.matrix(of, filter, order, numbers.len() as u64, WINDOW)?;
            if window.rows.is_empty() {
                break;
            }
            numbers.extend(window.rows.iter().map(|row| row.frame.0));
        }
        Ok(self.table(&numbers))
    }

    fn table(&self, numbers: &[u32]) -> String {
        let mut columns: [Vec<String>; 2] = Default::default();
        let mut lines = Vec::with_capacity(numbers.len());
        for number in numbers {
            let Some(row) = self.log().row(*number) else { continue };
            let parts = [self.params_of(*number).unwrap_or_default(), row.result.clone()];
            for (names, part) in columns.iter_mut().zip(&parts) {
                for (name, _) in part.as_object().into_iter().flat_map(Object::iter) {
                    if names.len() < COLUMNS && !names.iter().any(|known| known == name.as_str()) {
                        names.push(name.as_str().to_owned());
                    }
                }
            }
            lines.push((*number, row, parts));
        }
        let mut out = String::from("iteration,item,state,start_s,duration_s,error");
        for (root, names) in ["params", "result"].iter().zip(&columns) {
            // Where a part is no object there is one column for the whole of it.
            let whole = names.is_empty().then(|| (*root).to_owned());
            for name in names.iter().map(|name| format!("{root}.{name}")).chain(whole) {
                out.push(',');
                write_cell(&Value::text(name), &mut out);
            }
        }
        out.push_str("\r\n");
        for (number, row, parts) in lines {
            let path: Vec<String> = self.log().iteration_path(number).iter().map(|index| (index + 1).to_string()).collect();
            out.push_str(&path.join(" › "));
            let took = if row.state == State::Running { Value::Undefined } else { Value::Number((row.end - row.start) as f64 / 1e6) };
            let error = row.error.as_ref().map_or(Value::Undefined, |error| Value::text(error.as_str()));
            let own = [
                Value::text(label(&row.given)),
                Value::text(format!("{:?}", row.state).to_lowercase()),
                Value::Number(row.start as f64 / 1e6),
                took,
                error,
            ];
            for value in &own {
                out.push(',');
                write_cell(value, &mut out);
            }
            for (part, names) in parts.iter().zip(&columns) {
                if names.is_empty() {
                    out.push(',');
                    write_cell(part, &mut out);
                }
                for name in names {
                    out.push(',');
                    write_cell(part.get(name).unwrap_or(&Value::Undefined), &mut out);
                }
            }
            out.push_str("\r\n");
        }
        out
    }
}

/// A cell: texts as they are, nothing for nothing, the rest as JSON. A text that a spreadsheet would take for a formula gets a quote
/// before it.
fn write_cell(value: &Value, out: &mut String) {
    let text = match value {
        Value::Undefined => return,
        Value::Text(text) if text.starts_with(['=', '+', '-', '@', '\t']) => format!("'{}", text.as_str()),
        Value::Text(text) => text.as_str().to_owned(),
        other => shown(other),
    };
    if text.contains([',', '"', '\n', '\r']) {
        out.push('"');
        out.push_str(&text.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(&text);
    }
}
