#![allow(clippy::unwrap_used)]
use super::*;
use crate::json::{parse, print_compact};
use proptest::prelude::*;

pub(crate) fn value(json: &str) -> Value {
    parse(json).value().unwrap()
}

/// Any value, `undefined` and spelled numbers included.
pub(crate) fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Undefined),
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-1000_i32..1000).prop_map(|whole| Value::Number(f64::from(whole))),
        any::<f64>().prop_map(Value::Number),
        prop_oneof![Just("1.0"), Just("-0"), Just("12345678901234567890")].prop_map(value),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 200, 40, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..40).prop_map(Value::list),
            proptest::collection::vec(("[a-d]{0,3}|\\PC{0,2}", inner), 0..12).prop_map(Value::object),
        ]
    })
}

/// What is known without counting, counted.
fn counted_depth(value: &Value) -> usize {
    match value {
        Value::List(list) => 1 + list.iter().map(counted_depth).max().unwrap_or(0),
        Value::Object(object) => 1 + object.values().map(counted_depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn check_known(value: &Value) {
    let json = print_compact(value);
    assert_eq!(value.printed_size(), json.len(), "{value:?}");
    assert_eq!(value.depth(), counted_depth(value), "{value:?}");
}

#[test]
fn a_value_takes_sixteen_bytes_and_its_parts_a_pointer() {
    assert!(size_of::<Value>() <= 16);
    assert_eq!(size_of::<Text>(), size_of::<usize>());
    assert_eq!(size_of::<List>(), size_of::<usize>());
    assert_eq!(size_of::<Object>(), size_of::<usize>());
}

#[test]
fn values_can_be_sent_to_other_threads() {
    fn check<T: Send + Sync>() {}
    check::<Value>();
}

#[test]
fn texts_are_indexed_by_utf16_unit() {
    let text = Text::from("a\u{e9}\u{1F600}b");
    assert_eq!((text.utf16_len(), text.len(), text.is_ascii()), (5, 8, false));
    let units: Vec<String> = (0..6).map(|at| text.unit_at(at).map_or("-".to_owned(), |unit| unit.to_string())).collect();
    assert_eq!(units, ["a", "\u{e9}", "\u{fffd}", "\u{fffd}", "b", "-"]);
    for (start, end, expected) in [
        (0, 5, "a\u{e9}\u{1F600}b"),
        (0, 99, "a\u{e9}\u{1F600}b"),
        (1, 4, "\u{e9}\u{1F600}"),
        (0, 3, "a\u{e9}\u{fffd}"),
        (3, 5, "\u{fffd}b"),
        (2, 3, "\u{fffd}"),
        (3, 4, "\u{fffd}"),
        (4, 2, ""),
        (5, 9, ""),
    ] {
        assert_eq!(text.units(start, end).as_str(), expected, "{start}..{end}");
    }
    for (byte, unit) in [(0, 0), (1, 1), (2, 1), (3, 2), (7, 4), (8, 5), (99, 5)] {
        assert_eq!(text.unit_at_byte(byte), unit, "byte {byte}");
    }
    assert_eq!(Text::from("abc").byte_at_unit(2), (2, false));
    assert_eq!(text.byte_at_unit(3), (3, true));
}

#[test]
fn a_unit_of_a_long_text_is_found_without_walking_it_and_is_the_right_one() {
    for piece in ["a\u{1F600}", "\u{e9}", "\u{1F600}", "abc\u{20ac}\u{1F600}d"] {
        let text = Text::from(piece.repeat(300));
        let units: Vec<u16> = text.encode_utf16().collect();
        assert_eq!(text.utf16_len(), units.len());
        for (at, unit) in units.iter().enumerate() {
            let expected = char::from_u32(u32::from(*unit)).unwrap_or('\u{fffd}').to_string();
            assert_eq!(text.unit_at(at).unwrap().as_str(), expected, "unit {at} of {piece} again and again");
        }
        for (byte, _) in text.char_indices() {
            let unit = text[..byte].encode_utf16().count();
            assert_eq!((text.unit_at_byte(byte), text.byte_at_unit(unit)), (unit, (byte, false)));
        }
        assert_eq!((text.byte_at_unit(units.len()), text.byte_at_unit(9999)), ((text.len(), false), (text.len(), false)));
    }
    let long = Text::from("\u{1F600}".repeat(500_000));
    let start = std::time::Instant::now();
    for at in 0..100_000 {
        assert!(long.unit_at(999_999 - at).is_some());
    }
    // Walking would be tens of thousands of millions of steps.
    assert!(start.elapsed().as_secs() < 20);
}

#[test]
fn equality_is_that_of_values() {
    for (a, b, equal) in [
        ("1", "1.0", true),
        ("{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true),
        ("{\"a\":1}", "{\"b\":1}", false),
        ("{\"a\":1}", "{\"a\":1,\"b\":1}", false),
        ("[1,[2]]", "[1,[2]]", true),
        ("[1,[2]]", "[1,[3]]", false),
        ("[]", "{}", false),
        ("[1]", "[1,2]", false),
        ("null", "false", false),
        ("\"1\"", "1", false),
        ("-0", "0", true),
    ] {
        assert_eq!(value(a) == value(b), equal, "{a} == {b}");
    }
    assert_eq!(Value::Number(f64::NAN), Value::Number(f64::NAN));
    assert_ne!(Value::Undefined, Value::Null);
    assert_ne!(Value::object([("a", Value::Undefined)]), Value::object([("b", Value::Undefined)]));
}

#[test]
fn a_million_deep_value_can_be_made_compared_printed_and_dropped() {
    fn deep(leaf: Value) -> Value {
        (0..1_000_000).fold(leaf, |inner, level| match level % 3 {
            0 => Value::list([inner]),
            1 => Value::object([("k", inner)]),
            // Deep inside the tree of a list, not in its tail.
            _ if level % 99_999 == 2 => Value::list(std::iter::once(inner).chain((0..40).map(|at| Value::Number(f64::from(at))))),
            _ => Value::list([inner]),
        })
    }
    let one = deep(Value::Null);
    assert_eq!(one.depth(), 1_000_000);
    assert_eq!(print_compact(&one).len(), one.printed_size());
    assert!(one == deep(Value::Null));
    assert!(one != deep(Value::Bool(true)));
    let shared = one.clone();
    drop(one);
    assert_eq!(shared.depth(), 1_000_000);
}

#[test]
fn rows_of_one_shape_share_their_keys() {
    let rows: String = (0..100).map(|row| format!("{{\"id\":{row},\"name\":\"n\",\"ok\":true}},")).collect();
    let rows = value(&format!("[{}]", rows.trim_end_matches(',')));
    let objects: Vec<&Object> = rows.as_list().unwrap().iter().map(|row| row.as_object().unwrap()).collect();
    assert!(objects.windows(2).all(|pair| pair[0].same_shape(pair[1])));
    // So do those that code makes key by key.
    let make = || {
        let mut object = Object::new();
        for key in ["a", "b", "c"] {
            object.insert(key, Value::Null);
        }
        object
    };
    assert!(make().same_shape(&make()));
    assert!(make().with([("d", Value::Null)]).same_shape(&make().with([("d", Value::Null)])));
}

#[test]
fn changing_a_clone_leaves_the_original() {
    let original = value("{\"a\":[1,2],\"b\":{\"c\":1}}");
    let before = print_compact(&original);
    let mut copy = original.as_object().unwrap().clone();
    copy.insert("a", Value::Null);
    copy.insert("z", Value::Null);
    copy.remove("b");
    copy.insert_at(0, "first", Value::Bool(true));
    assert_eq!(print_compact(&original), before);
    assert_eq!(print_compact(&Value::Object(copy)), "{\"first\":true,\"a\":null,\"z\":null}");
}

#[test]
fn a_size_too_large_to_count_stays_at_its_maximum_and_comes_back() {
    let mut list = List::from_iter([Value::Null]);
    for _ in 0..70 {
        list = List::from_iter([Value::List(list.clone()), Value::List(list)]);
    }
    assert_eq!(Value::List(list.clone()).printed_size(), usize::MAX);
    list.set(0, Value::Null);
    list.set(1, Value::Null);
    assert_eq!(Value::List(list).printed_size(), "[null,null]".len());
}

#[test]
fn setting_past_the_end_fills_with_null() {
    let mut list = List::new();
    list.set(3, Value::Bool(true));
    assert_eq!(print_compact(&Value::List(list.clone())), "[null,null,null,true]");
    list.set(1, Value::Undefined);
    assert_eq!(list.len(), 4);
}

#[derive(Clone, Debug)]
enum ListOp {
    Push(Value),
    Extend(usize),
    Set(usize, Value),
    Keep,
    Back,
}

fn small_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        (0..99_i32).prop_map(|whole| Value::Number(f64::from(whole))),
        Just(Value::Undefined),
        Just(value("[[[]]]")),
        Just(value("{\"a\":{\"b\":[1.50]}}")),
    ]
}

fn list_op() -> impl Strategy<Value = ListOp> {
    prop_oneof![
        4 => small_value().prop_map(ListOp::Push),
        2 => (0..200_usize).prop_map(ListOp::Extend),
        1 => (0..4000_usize).prop_map(ListOp::Extend),
        6 => (any::<usize>(), small_value()).prop_map(|(at, value)| ListOp::Set(at, value)),
        2 => Just(ListOp::Keep),
        1 => Just(ListOp::Back),
    ]
}

#[derive(Clone, Debug)]
enum ObjectOp {
    Insert(String, Value),
    InsertAt(usize, String, Value),
    Remove(String),
    Keep,
    Back,
}

fn object_op() -> impl Strategy<Value = ObjectOp> {
    let key = || "[a-c]{1,3}";
    prop_oneof![
        6 => (key(), small_value()).prop_map(|(key, value)| ObjectOp::Insert(key, value)),
        2 => (0..50_usize, key(), small_value()).prop_map(|(at, key, value)| ObjectOp::InsertAt(at, key, value)),
        2 => key().prop_map(ObjectOp::Remove),
        1 => Just(ObjectOp::Keep),
        1 => Just(ObjectOp::Back),
    ]
}

fn same_list(list: &List, model: &[Value]) {
    assert_eq!(list.len(), model.len());
    assert!(list.iter().eq(model.iter()));
    assert!(list.iter().rev().eq(model.iter().rev()));
    check_known(&Value::List(list.clone()));
    let step = model.len() / 50 + 1;
    for at in (0..model.len()).step_by(step) {
        assert_eq!(list.get(at), model.get(at));
        assert_eq!(list.iter().nth(at), model.get(at));
        assert_eq!(list.iter().skip(at).len(), model.len() - at);
    }
    assert_eq!((list.get(model.len()), list.first(), list.last()), (None, model.first(), model.last()));
    let (from, to) = (model.len() / 3, model.len() / 2 + 1);
    assert!(list.slice(from, to).iter().eq(model.get(from..to.min(model.len())).unwrap().iter()));
    // From both ends at once, as far as they meet.
    let (mut both, mut expected) = (list.iter(), model.iter());
    for turn in 0..model.len() + 1 {
        assert_eq!(both.len(), expected.len());
        if turn % 3 == 0 {
            assert_eq!(both.next_back(), expected.next_back());
        } else {
            assert_eq!(both.next(), expected.next());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_list_is_a_vec_whatever_older_versions_are_kept(ops in proptest::collection::vec(list_op(), 1..40)) {
        let (mut list, mut model) = (List::new(), Vec::new());
        let mut kept: Vec<(List, Vec<Value>)> = Vec::new();
        for op in ops {
            match op {
                ListOp::Push(value) => {
                    list.push(value.clone());
                    model.push(value);
                }
                ListOp::Extend(count) => {
                    let values = || (0..count).map(|at| Value::Number(at as f64));
                    list.extend(values());
                    model.extend(values());
                }
                ListOp::Set(at, value) => {
                    let at = at % (model.len() + 3);
                    list.set(at, value.clone());
                    if at >= model.len() {
                        model.resize(at + 1, Value::Null);
                    }
                    model[at] = value;
                }
                ListOp::Keep => kept.push((list.clone(), model.clone())),
                ListOp::Back => (list, model) = kept.last().cloned().unwrap_or_default(),
            }
        }
        kept.push((list, model));
        for (list, model) in &kept {
            same_list(list, model);
            let made = List::from(model.clone());
            prop_assert!(made == *list);
        }
    }

    #[test]
    fn an_object_is_a_list_of_pairs_whatever_older_versions_are_kept(ops in proptest::collection::vec(object_op(), 1..120)) {
        let (mut object, mut model): (Object, Vec<(String, Value)>) = Default::default();
        let mut kept: Vec<(Object, Vec<(String, Value)>)> = Vec::new();
        for op in ops {
            match op {
                ObjectOp::Insert(key, value) => match model.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, old)) => {
                        let old = std::mem::replace(old, value.clone());
                        prop_assert_eq!(object.insert(key, value), Some(old));
                    }
                    None => {
                        prop_assert!(object.insert(key.as_str(), value.clone()).is_none());
                        model.push((key, value));
                    }
                },
                ObjectOp::InsertAt(at, key, value) => {
                    object.insert_at(at, key.as_str(), value.clone());
                    match model.iter_mut().find(|(known, _)| *known == key) {
                        Some((_, old)) => *old = value,
                        None => model.insert(at.min(model.len()), (key, value)),
                    }
                }
                ObjectOp::Remove(key) => {
                    let place = model.iter().position(|(known, _)| *known == key);
                    prop_assert_eq!(object.remove(&key), place.map(|place| model.remove(place).1));
                }
                ObjectOp::Keep => kept.push((object.clone(), model.clone())),
                ObjectOp::Back => (object, model) = kept.last().cloned().unwrap_or_default(),
            }
        }
        kept.push((object, model));
        for (object, model) in &kept {
            prop_assert_eq!(object.len(), model.len());
            prop_assert!(object.iter().map(|(key, value)| (key.as_str(), value)).eq(model.iter().map(|(key, value)| (key.as_str(), value))));
            for (at, (key, value)) in model.iter().enumerate() {
                prop_assert_eq!(object.index_of(key), Some(at));
                prop_assert_eq!(object.get(key), Some(value));
            }
            prop_assert_eq!(object.get("nowhere"), None);
            check_known(&Value::Object(object.clone()));
            let turned: Object = model.iter().rev().cloned().collect();
            prop_assert!(turned == *object, "the order of keys does not count");
        }
    }

    #[test]
    fn size_and_depth_are_known(value in any_value()) {
        check_known(&value);
    }
}
