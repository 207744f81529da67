#![allow(clippy::unwrap_used)]
use super::*;
use crate::json::print_log;
use crate::value::tests::{any_value, value};
use proptest::prelude::*;

fn pool<'v>(values: impl IntoIterator<Item = &'v Value>) -> Vec<u8> {
    let mut writer = Writer::new();
    for (at, value) in values.into_iter().enumerate() {
        assert_eq!(writer.add(value), at as u64);
    }
    writer.finish()
}

/// What values take in memory, everything shared counted once, block headers and room to grow left out.
fn memory(values: &[Value]) -> usize {
    let mut seen = std::collections::HashSet::new();
    values.iter().map(|value| 16 + memory_of(value, &mut seen)).sum()
}

fn memory_of(value: &Value, seen: &mut std::collections::HashSet<usize>) -> usize {
    match value {
        Value::Text(text) => text_memory(text, seen),
        Value::Spelled(number) if seen.insert(number.address()) => 24 + number.spelling().len(),
        Value::Object(object) if seen.insert(object.address()) => {
            let keys = if seen.insert(object.shape_address()) { object.keys().map(|key| 8 + text_memory(key, seen)).sum() } else { 0 };
            48 + keys + object.values().map(|inner| 16 + memory_of(inner, seen)).sum::<usize>()
        }
        Value::List(list) if seen.insert(list.address()) => {
            let (tree, tail) = list.parts();
            let tail = tail.iter().map(|inner| 16 + memory_of(inner, seen)).sum::<usize>();
            64 + tail + tree.map_or(0, |tree| node_memory(tree, seen))
        }
        _ => 0,
    }
}

fn text_memory(text: &Text, seen: &mut std::collections::HashSet<usize>) -> usize {
    if seen.insert(text.address()) { 24 + text.len() } else { 0 }
}

fn node_memory(node: &Arc<Node>, seen: &mut std::collections::HashSet<usize>) -> usize {
    if !seen.insert(Arc::as_ptr(node).addr()) {
        return 0;
    }
    match &node.kids {
        Kids::Chunk(values) => 48 + values.iter().map(|inner| 16 + memory_of(inner, seen)).sum::<usize>(),
        Kids::Nodes(nodes) => 48 + nodes.iter().map(|inner| 8 + node_memory(inner, seen)).sum::<usize>(),
    }
}

/// Versions of a payload, as a loop that gathers results makes them.
fn versions(iterations: usize, kept_each: usize) -> Vec<Value> {
    let mut payload = value("{\"customers\":[{\"id\":1,\"name\":\"Ann\"}],\"note\":\"a text that every version shares\",\"results\":[]}")
        .as_object()
        .unwrap()
        .clone();
    let mut results = List::new();
    let mut kept = Vec::new();
    for iteration in 0..iterations {
        let row = [
            ("ok", Value::Bool(iteration % 7 != 0)),
            ("id", Value::Number(iteration as f64)),
            ("text", Value::text(format!("row {iteration}"))),
        ];
        results.push(Value::object(row));
        payload.insert("results", Value::List(results.clone()));
        if iteration % kept_each == 0 {
            kept.push(Value::Object(payload.clone()));
        }
    }
    kept
}

#[test]
fn a_save_is_at_most_twice_the_size_in_memory() {
    let scalars = value("[1,2,3,null,true,1.5,\"x\"]");
    let strange: Vec<Value> = (0..2000).map(|at| Value::Number(f64::from(at) + 0.1)).collect();
    for values in [versions(20_000, 1000), versions(2000, 1), vec![scalars], vec![Value::Null], strange] {
        let (saved, held) = (pool(&values).len(), memory(&values));
        assert!(saved <= 2 * held, "saved {saved}, in memory {held}");
    }
}

#[test]
fn what_versions_share_is_written_once() {
    let all = versions(20_000, 100);
    let last = pool(all.last());
    assert!(pool(&all).len() < last.len() * 5 / 4, "200 versions: {}, the last alone: {}", pool(&all).len(), last.len());
}

#[test]
fn sharing_comes_back_when_a_pool_is_read() {
    let all = versions(5000, 50);
    let read = Reader::read(&pool(&all)).unwrap();
    assert_eq!(read.values(), all.as_slice());
    // Equal parts have become one, so it may only have got smaller.
    assert!(memory(read.values()) <= memory(&all), "{} and {}", memory(read.values()), memory(&all));
    let parts: Vec<&Value> = read.values().iter().map(|version| version.get("customers").unwrap()).collect();
    assert!(parts.windows(2).all(|pair| pair[0].ptr_eq(pair[1])));
}

#[test]
fn equal_values_give_equal_bytes_however_they_came_about() {
    let mut pushed = List::new();
    let mut set = List::new();
    for at in 0..3000_u32 {
        let older = pushed.clone();
        pushed.push(Value::Number(f64::from(at)));
        set.set(at as usize, Value::Null);
        drop(older);
    }
    for at in (0..3000_u32).rev() {
        set.set(at as usize, Value::Number(f64::from(at)));
    }
    let collected = Value::list((0..3000_u32).map(|at| Value::Number(f64::from(at))));
    let bytes = pool([&collected]);
    assert_eq!(pool([&Value::List(pushed)]), bytes);
    assert_eq!(pool([&Value::List(set)]), bytes);
    let one = value("{\"a\":[1,\"x\"],\"b\":[1,\"x\"]}");
    let shared = value("[1,\"x\"]");
    assert_eq!(pool([&Value::object([("a", shared.clone()), ("b", shared)])]), pool([&one]));
    // Spellings and the order of keys are told apart.
    assert_ne!(pool([&value("[1.0]")]), pool([&value("[1]")]));
    assert_ne!(pool([&value("{\"a\":1,\"b\":2}")]), pool([&value("{\"b\":2,\"a\":1}")]));
}

#[test]
fn lists_of_every_height_come_back() {
    for length in [0, 1, 31, 32, 33, 64, 65, 1024, 1056, 1057, 32_768 + 32, 32_768 + 33, 70_000] {
        let list = Value::list((0..length).map(|at| Value::Number(f64::from(at))));
        let read = Reader::read(&pool([&list])).unwrap();
        let mut again = read.get(0).unwrap().clone();
        assert_eq!(again, list, "{length} elements");
        // It can be changed like one that was never saved.
        if let Value::List(list) = &mut again {
            (0..70).for_each(|_| list.push(Value::Null));
            list.set(0, Value::Bool(true));
            assert_eq!((list.len(), list.get(0), list.last()), (length as usize + 70, Some(&Value::Bool(true)), Some(&Value::Null)));
        }
    }
}

#[test]
fn a_deep_value_is_saved_without_recursion() {
    let deep = (0..300_000).fold(Value::Null, |inner, _| Value::list([inner]));
    let read = Reader::read(&pool([&deep])).unwrap();
    assert_eq!(read.get(0).unwrap().depth(), 300_000);
}

#[test]
fn varints_keep_every_number() {
    for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
        let mut bytes = Vec::new();
        push_varint(number, &mut bytes);
        assert_eq!(take_varint(&mut bytes.as_slice()), Some(number));
        bytes.pop();
        assert_eq!(take_varint(&mut bytes.as_slice()), None, "{number} cut short");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_come_back_as_they_were(values in proptest::collection::vec(any_value(), 0..4)) {
        let bytes = pool(&values);
        let read = Reader::read(&bytes).unwrap();
        prop_assert_eq!(read.values().len(), values.len());
        for (read, value) in read.values().iter().zip(&values) {
            prop_assert_eq!(print_log(read), print_log(value));
            prop_assert_eq!((read.depth(), read.printed_size()), (value.depth(), value.printed_size()));
        }
        prop_assert_eq!(pool(read.values()), bytes, "saved again it is the same");
    }

    #[test]
    fn damaged_bytes_are_a_problem_and_never_a_panic(
        values in proptest::collection::vec(any_value(), 1..3),
        damage in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..6),
        cut in any::<usize>(),
    ) {
        let mut bytes = pool(&values);
        let whole = bytes.len();
        prop_assert!(Reader::read(bytes.get(..cut % whole).unwrap()).is_err(), "cut short");
        for (at, byte) in damage {
            bytes[at % whole] = byte;
        }
        if let Ok(read) = Reader::read(&bytes) {
            for value in read.values().iter().filter(|value| value.printed_size() < 1 << 20) {
                print_log(value);
            }
        }
        let _ = Reader::read(&bytes.iter().rev().copied().collect::<Vec<u8>>());
    }
}
