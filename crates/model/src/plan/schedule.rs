//! How long attempts and the pauses between them may take.

use super::{Backoff, Execution, MAX_SCHEDULE_MS, duration::round_half_even};

/// The pause after a failed attempt (from 1), in microseconds: in floating point, kept to the microsecond.
pub fn delay_after(backoff: &Backoff, attempt: u32) -> u64 {
    let factor = libm::pow(backoff.multiplier, f64::from(attempt.saturating_sub(1)));
    let millis = (backoff.initial_ms as f64 * factor).min(backoff.max_ms as f64);
    let whole = libm::trunc(millis);
    (whole as u64).saturating_mul(1_000).saturating_add(round_half_even((millis - whole) * 1_000.0))
}

/// Whether all attempts and pauses may come to more than an hour.
pub(super) fn exceeds(execution: &Execution) -> bool {
    let timeout = execution.timeout.unwrap_or(0) / 1_000;
    let mut total = timeout.saturating_mul(u64::from(execution.attempts));
    if let Some(backoff) = &execution.backoff {
        for attempt in 1..execution.attempts {
            total = total.saturating_add(exact_delay_ms(backoff, attempt));
        }
    }
    total > MAX_SCHEDULE_MS
}

/// The same pause in milliseconds, rounded up, in exact decimal arithmetic.
fn exact_delay_ms(backoff: &Backoff, attempt: u32) -> u64 {
    let multiplier = backoff.multiplier.to_string();
    let (whole, fraction) = multiplier.split_once('.').unwrap_or((&multiplier, ""));
    let by: u64 = format!("{whole}{fraction}").parse().unwrap_or(u64::MAX);
    // Decimal digits, the lowest first.
    let mut digits: Vec<u8> = Vec::new();
    let mut left = backoff.initial_ms;
    while left > 0 {
        digits.push((left % 10) as u8);
        left /= 10;
    }
    for _ in 1..attempt {
        let mut carry = 0_u128;
        for digit in &mut digits {
            carry += u128::from(*digit) * u128::from(by);
            *digit = (carry % 10) as u8;
            carry /= 10;
        }
        while carry > 0 {
            digits.push((carry % 10) as u8);
            carry /= 10;
        }
    }
    let places = (fraction.len() * attempt.saturating_sub(1) as usize).min(digits.len());
    let (below, above) = digits.split_at(places);
    let rounded = u64::from(below.iter().any(|digit| *digit != 0));
    let value = above.iter().rev().fold(0_u64, |sum, digit| sum.saturating_mul(10).saturating_add(u64::from(*digit)));
    value.saturating_add(rounded).min(backoff.max_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_until_their_maximum() {
        let backoff = Backoff { initial_ms: 7, multiplier: 1.1, max_ms: 1_000 };
        assert_eq!([1, 2, 3].map(|attempt| delay_after(&backoff, attempt)), [7_000, 7_700, 8_470]);
        let capped = Backoff { initial_ms: 1_000, multiplier: 2.0, max_ms: 4_000 };
        assert_eq!([1, 2, 3, 4].map(|attempt| delay_after(&capped, attempt)), [1_000_000, 2_000_000, 4_000_000, 4_000_000]);
    }

    #[test]
    fn the_limit_of_an_hour_counts_each_pause_rounded_up() {
        let backoff = Backoff { initial_ms: 7, multiplier: 1.1, max_ms: 1_000 };
        assert_eq!([1, 2, 3].map(|attempt| exact_delay_ms(&backoff, attempt)), [7, 8, 9]);
        let long = Backoff { initial_ms: 900_000, multiplier: 10.0, max_ms: 900_000 };
        let execution = Execution { timeout: None, attempts: 5, backoff: Some(long), continues: false };
        assert!(!exceeds(&execution), "pauses alone come to an hour at most");
        assert!(exceeds(&Execution { timeout: Some(1_000_000), ..execution }));
    }
}
