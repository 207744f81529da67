//! How fast values are: `cargo run --release -p loopwright-lang --example bench_values`.
//! Every line is the best of five runs.

use loopwright_lang::{List, Object, Value, json, pool};
use std::hint::black_box;
use std::time::{Duration, Instant};

fn measure<T>(what: &str, per: usize, mut work: impl FnMut() -> T) {
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        let made = work();
        best = best.min(start.elapsed());
        black_box(made);
    }
    println!("{what:<64} {:>9.3} ms {:>8.1} ns each", best.as_secs_f64() * 1e3, best.as_secs_f64() * 1e9 / per as f64);
}

fn row(at: usize) -> Value {
    Value::object([("id", Value::Number(at as f64)), ("name", Value::text("a name")), ("ok", Value::Bool(at.is_multiple_of(3)))])
}

fn main() {
    const MANY: usize = 100_000;
    let numbers = || (0..MANY).map(|at| Value::Number(at as f64));
    measure("push 100,000 numbers, nothing kept", MANY, || {
        let mut list = List::new();
        numbers().for_each(|value| list.push(value));
        list
    });
    for each in [4096, 64, 1] {
        measure(&format!("push 100,000 numbers, a version kept each {each}"), MANY, || {
            let mut list = List::new();
            let mut kept = Vec::new();
            for (at, value) in numbers().enumerate() {
                if at.is_multiple_of(each) {
                    kept.push(list.clone());
                }
                list.push(value);
            }
            (list, kept)
        });
    }
    let list: List = numbers().collect();
    measure("set 100,000 places, a version kept each 64", MANY, || {
        let mut list = list.clone();
        let mut kept = Vec::new();
        for at in 0..MANY {
            if at.is_multiple_of(64) {
                kept.push(list.clone());
            }
            list.set(at * 7919 % MANY, Value::Null);
        }
        (list, kept)
    });
    measure("get 100,000 places", MANY, || (0..MANY).filter_map(|at| list.get(at * 7919 % MANY)?.as_number()).sum::<f64>());
    measure("walk 100,000 elements", MANY, || list.iter().filter_map(Value::as_number).sum::<f64>());
    let rows: List = (0..MANY).map(row).collect();
    measure("make 100,000 rows of three keys", MANY, || (0..MANY).map(row).collect::<List>());
    measure("read one key of 100,000 rows", MANY, || rows.iter().filter_map(|row| row.get("ok")?.as_bool()).filter(|ok| *ok).count());
    let wide = |keys: usize| (0..keys).map(|at| (format!("key{at}"), Value::Null)).collect::<Object>();
    for keys in [8, 100, 10_000] {
        let payload = wide(keys);
        measure(&format!("see an object of {keys} keys with two more, 1,000 times"), 1000, || {
            (0..1000).map(|at| payload.with([("item", Value::Number(f64::from(at))), ("index", Value::Null)]).len()).sum::<usize>()
        });
    }
    measure("make an object of 10,000 keys, key by key", 10_000, || {
        let mut object = Object::new();
        (0..10_000).for_each(|at| {
            object.insert(format!("key{at}"), Value::Null);
        });
        object
    });
    let rows = Value::List(rows);
    let text = json::print_compact(&rows);
    let kib = text.len() >> 10;
    measure(&format!("print 100,000 rows ({kib} KiB)"), MANY, || json::print_compact(&rows));
    measure(&format!("parse 100,000 rows ({kib} KiB)"), MANY, || json::parse(&text));
    let parsed = json::parse(&text);
    measure("tree of 100,000 rows to a value", MANY, || parsed.value());
    let save = || {
        let mut writer = pool::Writer::new();
        writer.add(&rows);
        writer.finish()
    };
    let saved = save();
    measure(&format!("write 100,000 rows to a pool ({} KiB)", saved.len() >> 10), MANY, save);
    measure("read them back", MANY, || pool::Reader::read(&saved).is_ok());
}
