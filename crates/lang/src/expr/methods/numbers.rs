//! Methods of numbers: `toFixed`, `toString`.

use super::Method;
use crate::Value;
use crate::expr::coerce::{number_text, to_integer};

/// Calls a method of a number. `None`: numbers do not have it. `Err`: JavaScript throws, with why.
pub(crate) fn call_on_number(number: f64, method: Method, args: &[Value]) -> Option<Result<Value, String>> {
    let first = args.first().unwrap_or(&Value::Undefined);
    match method {
        Method::ToFixed => {
            let digits = to_integer(first);
            if !(0.0..=100.0).contains(&digits) {
                return Some(Err("toFixed takes 0 to 100 digits".into()));
            }
            Some(Ok(Value::text(to_fixed(number, digits as usize))))
        }
        Method::ToString => {
            let radix = if first.is_undefined() { 10.0 } else { to_integer(first) };
            if !(2.0..=36.0).contains(&radix) {
                return Some(Err("toString takes a radix from 2 to 36".into()));
            }
            Some(Ok(Value::text(if radix == 10.0 { number_text(number) } else { in_radix(number, radix) })))
        }
        _ => None,
    }
}

/// JavaScript's `toFixed`: of two equally near ones the larger, sign aside.
fn to_fixed(number: f64, digits: usize) -> String {
    if !number.is_finite() || number.abs() >= 1e21 {
        return number_text(number);
    }
    let size = number.abs();
    let text = if fraction_bits(size) == Some(digits as i32 + 1) {
        // Exactly between two: write one more digit, which is a 5, take it off and add one to what is left.
        let mut exact = format!("{size:.*}", digits + 1).into_bytes();
        exact.pop();
        let dangling = exact.last() == Some(&b'.');
        if dangling {
            exact.pop();
        }
        add_one(&mut exact);
        String::from_utf8(exact).unwrap_or_default()
    } else {
        format!("{size:.digits$}")
    };
    if number < 0.0 { format!("-{text}") } else { text }
}

/// How many binary places after the point a number has; that many decimal places too. `None` for a whole number.
fn fraction_bits(size: f64) -> Option<i32> {
    let bits = size.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let mantissa = if exponent == 0 { bits & ((1 << 52) - 1) } else { (bits & ((1 << 52) - 1)) | (1 << 52) };
    if mantissa == 0 {
        return None;
    }
    let places = 1075 - exponent.max(1) - mantissa.trailing_zeros() as i32;
    (places > 0).then_some(places)
}

/// Adds one to the last digit of a decimal text.
fn add_one(text: &mut Vec<u8>) {
    for digit in text.iter_mut().rev() {
        match *digit {
            b'.' => {}
            b'9' => *digit = b'0',
            _ => {
                *digit += 1;
                return;
            }
        }
    }
    text.insert(0, b'1');
}

/// A whole number as text, as list positions print.
pub(crate) fn integer_text(number: usize) -> String {
    number.to_string()
}

/// A number in another radix, digit for digit as V8 prints it: as many places as tell it from its neighbours.
fn in_radix(value: f64, radix: f64) -> String {
    if !value.is_finite() {
        return number_text(value);
    }
    let size = value.abs();
    let digit_of = |digit: f64| char::from_digit(digit as u32, radix as u32).unwrap_or('0');
    let mut whole = size.floor();
    let mut fraction = size - whole;
    let mut delta = (0.5 * (next_up(size) - size)).max(f64::from_bits(1));
    let mut places: Vec<f64> = Vec::new();
    if fraction >= delta {
        loop {
            fraction *= radix;
            delta *= radix;
            let digit = fraction.floor();
            places.push(digit);
            fraction -= digit;
            if (fraction > 0.5 || (fraction == 0.5 && digit % 2.0 == 1.0)) && fraction + delta > 1.0 {
                // Round up, and carry.
                loop {
                    match places.pop() {
                        None => {
                            whole += 1.0;
                            break;
                        }
                        Some(digit) if digit + 1.0 < radix => {
                            places.push(digit + 1.0);
                            break;
                        }
                        Some(_) => {}
                    }
                }
                break;
            }
            if fraction < delta {
                break;
            }
        }
    }
    let mut digits: Vec<char> = Vec::new();
    // Digits that are finer than the number is known are zero.
    while whole / radix >= 9_007_199_254_740_992.0 {
        whole /= radix;
        digits.push('0');
    }
    loop {
        let remainder = whole % radix;
        digits.push(digit_of(remainder));
        whole = (whole - remainder) / radix;
        if whole <= 0.0 {
            break;
        }
    }
    let mut out = String::new();
    if value < 0.0 {
        out.push('-');
    }
    out.extend(digits.iter().rev());
    if !places.is_empty() {
        out.push('.');
        out.extend(places.iter().map(|digit| digit_of(*digit)));
    }
    out
}

/// The next larger number.
fn next_up(size: f64) -> f64 {
    f64::from_bits(size.to_bits() + 1)
}
