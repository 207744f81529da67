//! The packed form of a log, of which "the same run" is said: bytes that depend on what happened only, not on how values are
//! shared in memory, nor on the machine.

use std::collections::BTreeMap;

use loopwright_lang::{Value, json::print_compact};

use super::{RunLog, Written};

/// Writes numbers and values; each distinct value once.
#[derive(Default)]
struct Packer {
    out: Vec<u8>,
    values: BTreeMap<Vec<u8>, u64>,
    table: Vec<u8>,
}

impl Packer {
    /// A number in as few bytes as it needs, seven bits at a time.
    fn number(out: &mut Vec<u8>, mut number: u64) {
        while number >= 0x80 {
            out.push((number as u8) | 0x80);
            number >>= 7;
        }
        out.push(number as u8);
    }

    fn put(&mut self, number: u64) {
        Self::number(&mut self.out, number);
    }

    fn bytes(out: &mut Vec<u8>, bytes: &[u8]) {
        Self::number(out, bytes.len() as u64);
        out.extend_from_slice(bytes);
    }

    /// The number of a value in the table; lists and objects refer to their parts.
    fn value(&mut self, value: &Value) -> u64 {
        let mut node = Vec::new();
        match value {
            Value::Undefined => node.push(0),
            Value::List(list) => {
                node.push(2);
                Self::number(&mut node, list.len() as u64);
                for item in list.iter() {
                    let number = self.value(item);
                    Self::number(&mut node, number);
                }
            }
            Value::Object(object) => {
                node.push(3);
                Self::number(&mut node, object.len() as u64);
                for (key, item) in object.iter() {
                    Self::bytes(&mut node, key.as_bytes());
                    let number = self.value(item);
                    Self::number(&mut node, number);
                }
            }
            Value::Number(number) if !number.is_finite() => {
                node.push(4);
                node.extend_from_slice(&if number.is_nan() { f64::NAN.to_bits() } else { number.to_bits() }.to_be_bytes());
            }
            scalar => {
                node.push(1);
                node.extend_from_slice(print_compact(scalar).as_bytes());
            }
        }
        if let Some(known) = self.values.get(&node) {
            return *known;
        }
        let number = self.values.len() as u64;
        Self::bytes(&mut self.table, &node);
        self.values.insert(node, number);
        number
    }

    fn put_value(&mut self, value: &Value) {
        let number = self.value(value);
        self.put(number);
    }

    fn put_text(&mut self, text: Option<&str>) {
        let value = text.map_or(Value::Undefined, Value::text);
        self.put_value(&value);
    }
}

impl RunLog {
    /// The log as bytes: the same bytes for the same run, on every machine.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut pack = Packer::default();
        pack.put(self.times.len() as u64);
        let mut before = 0;
        for (((time, kind), row), arg) in self.times.iter().zip(&self.kinds).zip(&self.event_rows).zip(&self.args) {
            pack.put(time - before);
            before = *time;
            pack.put(*kind as u64);
            pack.put(u64::from(*row));
            pack.put(u64::from(*arg));
        }
        pack.put(self.rows.len() as u64);
        for row in &self.rows {
            pack.put(row.kind as u64);
            pack.put(row.state as u64);
            pack.put(u64::from(row.parent));
            pack.put(u64::from(row.step));
            pack.put(u64::from(row.index));
            pack.put(row.start);
            pack.put(row.end);
            pack.put_value(&row.given);
            pack.put_value(&row.result);
            pack.put_text(row.error.as_deref());
        }
        for agent in &self.agents {
            pack.put(u64::from(agent.agent));
            for write in &agent.writes {
                pack.put(u64::from(write.event));
                pack.put(u64::from(write.by));
            }
        }
        for detail in &self.loops {
            pack.put(detail.started);
            pack.put(detail.succeeded);
            pack.put(detail.failed);
            pack.put_text(detail.exit);
        }
        for notice in &self.notices {
            pack.put_text(Some(&notice.code));
            pack.put_text(Some(&notice.message));
            pack.put(u64::from(notice.row));
            pack.put(notice.at);
            pack.put(notice.count);
        }
        pack.put(self.state as u64);
        pack.put_text(self.error.as_deref());
        pack.put_text(self.final_message.as_deref());
        let payload = self.final_payload.clone();
        pack.put_value(&payload);
        let mut bytes = b"loopwright log 1\n".to_vec();
        Packer::bytes(&mut bytes, &pack.table);
        bytes.extend_from_slice(&pack.out);
        bytes
    }

    /// How many payloads are kept whole.
    pub fn roots(&self) -> usize {
        self.agents.iter().flat_map(|agent| &agent.writes).filter(|write| matches!(write.what, Written::Root(_))).count()
    }
}
