//! `Math`: exact where the hardware is, otherwise by `libm` on every host, so that a run repeats everywhere.

use super::Function;
use crate::Value;
use crate::expr::coerce::to_number;

/// Calls a function of `Math`; `None` if it is none.
pub(crate) fn call_math(function: Function, args: &[Value]) -> Option<f64> {
    let number = |index: usize| args.get(index).map_or(f64::NAN, to_number);
    let x = number(0);
    Some(match function {
        Function::Abs => x.abs(),
        Function::Ceil => x.ceil(),
        Function::Floor => x.floor(),
        Function::Trunc => x.trunc(),
        Function::Sqrt => x.sqrt(),
        Function::Round => round(x),
        Function::Sign if x.is_nan() || x == 0.0 => x,
        Function::Sign => 1f64.copysign(x),
        Function::Fround => f64::from(x as f32),
        Function::Clz32 => f64::from(to_uint32(x).leading_zeros()),
        Function::Imul => f64::from((to_uint32(x).wrapping_mul(to_uint32(number(1)))) as i32),
        Function::Max => args.iter().map(to_number).fold(f64::NEG_INFINITY, larger),
        Function::Min => -args.iter().map(|arg| -to_number(arg)).fold(f64::NEG_INFINITY, larger),
        Function::Hypot => hypot(args),
        Function::Pow => power(x, number(1)),
        Function::Atan2 => libm::atan2(x, number(1)),
        Function::Acos => libm::acos(x),
        Function::Acosh => libm::acosh(x),
        Function::Asin => libm::asin(x),
        Function::Asinh => libm::asinh(x),
        Function::Atan => libm::atan(x),
        Function::Atanh => libm::atanh(x),
        Function::Cbrt => libm::cbrt(x),
        Function::Cos => libm::cos(x),
        Function::Cosh => libm::cosh(x),
        Function::Exp => libm::exp(x),
        Function::Expm1 => libm::expm1(x),
        Function::Log => libm::log(x),
        Function::Log10 => libm::log10(x),
        Function::Log1p => libm::log1p(x),
        Function::Log2 => libm::log2(x),
        Function::Sin => libm::sin(x),
        Function::Sinh => libm::sinh(x),
        Function::Tan => libm::tan(x),
        Function::Tanh => libm::tanh(x),
        _ => return None,
    })
}

/// The larger of two; NaN if either is; 0 is larger than -0.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if a == 0.0 && b == 0.0 {
        if a.is_sign_negative() { b } else { a }
    } else if a > b {
        a
    } else {
        b
    }
}

/// Halves go up; the sign of zero is kept.
fn round(x: f64) -> f64 {
    let floor = x.floor();
    if x - floor >= 0.5 { (floor + 1.0).copysign(x) } else { floor }
}

fn hypot(args: &[Value]) -> f64 {
    let numbers: Vec<f64> = args.iter().map(to_number).collect();
    if numbers.iter().any(|x| x.is_infinite()) {
        return f64::INFINITY;
    }
    if numbers.iter().any(|x| x.is_nan()) {
        return f64::NAN;
    }
    let largest = numbers.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    // Scaled by the largest, with compensated sums, as V8 does it.
    let (mut sum, mut compensation) = (0.0, 0.0);
    for x in numbers {
        let n = x.abs() / largest;
        let summand = n * n - compensation;
        let preliminary = sum + summand;
        compensation = (preliminary - sum) - summand;
        sum = preliminary;
    }
    sum.sqrt() * largest
}

/// JavaScript's power differs from C's: a NaN exponent always gives NaN, and so does ±1 to an infinite one.
fn power(base: f64, exponent: f64) -> f64 {
    if exponent.is_nan() || (base.abs() == 1.0 && exponent.is_infinite()) { f64::NAN } else { libm::pow(base, exponent) }
}

/// JavaScript's conversion to 32 bits.
fn to_uint32(x: f64) -> u32 {
    if !x.is_finite() {
        return 0;
    }
    let modulus = 4_294_967_296.0;
    let rest = x.trunc() % modulus;
    (if rest < 0.0 { rest + modulus } else { rest }) as u32
}
