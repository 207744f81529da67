//! Durations and moments as plans write them.

/// 2024-01-01T00:00:00Z in microseconds since 1970: when a scenario starts that does not say when.
pub const EPOCH_2024: i64 = 1_704_067_200_000_000;

/// The parts of a duration, still exact.
pub(super) struct Parts<'t> {
    /// Days, hours and minutes as seconds, and whole seconds; saturating.
    pub(super) seconds: u64,
    /// The digits of the fraction of a second.
    pub(super) fraction: &'t str,
    /// The seconds as written, with their fraction.
    written: &'t str,
    /// What the seconds without the written ones come to.
    before: u64,
}

/// Why a text is no duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoDuration {
    /// It is empty.
    Empty,
    /// It is not of the form `P[nD][T[nH][nM][n(.n)S]]`.
    Form,
    /// It has no components.
    Nothing,
}

/// Takes `P1DT2H3M4.5S` apart. No weeks, months, signs or small letters.
pub(super) fn parts(text: &str) -> Result<Parts<'_>, NoDuration> {
    if text.is_empty() {
        return Err(NoDuration::Empty);
    }
    let mut rest = text.strip_prefix('P').ok_or(NoDuration::Form)?;
    let mut before = 0_u64;
    let mut any = false;
    let mut take = |rest: &mut &str, unit: char, factor: u64| {
        let end = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, after) = rest.split_at(end);
        let Some(after) = after.strip_prefix(unit).filter(|_| end > 0) else { return false };
        before = before.saturating_add(digits.parse::<u64>().unwrap_or(u64::MAX).saturating_mul(factor));
        *rest = after;
        true
    };
    any |= take(&mut rest, 'D', 86_400);
    let mut parts = Parts { seconds: 0, fraction: "", written: "0", before: 0 };
    if let Some(time) = rest.strip_prefix('T') {
        rest = time;
        let mut timed = take(&mut rest, 'H', 3_600);
        timed |= take(&mut rest, 'M', 60);
        if let Some(seconds) = rest.strip_suffix('S') {
            let (whole, fraction) = seconds.split_once('.').map_or((seconds, None), |(whole, fraction)| (whole, Some(fraction)));
            let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            if !digits(whole) || fraction.is_some_and(|fraction| !digits(fraction)) {
                return Err(NoDuration::Form);
            }
            parts.written = seconds;
            parts.fraction = fraction.unwrap_or_default();
            parts.seconds = whole.parse().unwrap_or(u64::MAX);
            rest = "";
            timed = true;
        }
        if !timed {
            return Err(if rest.is_empty() { NoDuration::Nothing } else { NoDuration::Form });
        }
        any = true;
    }
    if !rest.is_empty() {
        return Err(NoDuration::Form);
    }
    if !any {
        return Err(NoDuration::Nothing);
    }
    parts.before = before;
    parts.seconds = parts.seconds.saturating_add(before);
    Ok(parts)
}

impl Parts<'_> {
    /// Rounded to the microsecond, halves to even; saturating.
    fn micros(&self) -> u64 {
        let written: f64 = self.written.parse().unwrap_or(f64::INFINITY);
        if written > 1e12 {
            return u64::MAX;
        }
        let whole = libm::trunc(written);
        let left = (written - whole) * 1e6;
        let base = self.before.saturating_add(whole as u64).saturating_mul(1_000_000);
        base.saturating_add(round_half_even(left))
    }

    /// In milliseconds, if it comes to whole ones.
    pub(super) fn millis(&self) -> Option<u64> {
        let (kept, rest) = self.fraction.split_at(self.fraction.len().min(3));
        if rest.bytes().any(|byte| byte != b'0') {
            return None;
        }
        let fraction = format!("{kept:0<3}").parse::<u64>().unwrap_or(0);
        Some(self.seconds.saturating_mul(1_000).saturating_add(fraction))
    }
}

/// Rounds to the nearest whole number, halves to the even one.
pub(super) fn round_half_even(value: f64) -> u64 {
    libm::rint(value) as u64
}

/// A wait's duration in microseconds: above 0, at most 24 hours. `Err` says what is wrong.
pub fn parse_duration(text: &str) -> Result<u64, String> {
    let micros = parts(text).map_err(|why| no_duration("duration", text, why))?.micros();
    if micros == 0 {
        return Err(format!("`duration` is {text}, which is no time at all; a wait must be longer than zero."));
    }
    if micros > super::MAX_WAIT {
        return Err(format!("`duration` is {text}; a wait may take at most 24 hours (PT24H)."));
    }
    Ok(micros)
}

pub(super) fn no_duration(field: &str, text: &str, why: NoDuration) -> String {
    const FORMS: &str = "a duration like \"PT30S\", \"PT5M\", \"PT1H30M\" or \"P1DT2H\"";
    match why {
        NoDuration::Empty => format!("`{field}` is empty; expected {FORMS}."),
        NoDuration::Nothing => format!("`{field}` is \"{text}\", which names no days, hours, minutes or seconds; expected {FORMS}."),
        NoDuration::Form => format!("`{field}` is \"{text}\"; expected {FORMS} (capital letters, no weeks, months or signs)."),
    }
}

/// A moment in microseconds since 1970 in UTC. `Err` says what is wrong.
pub fn parse_until(text: &str) -> Result<i64, String> {
    let no_form = || {
        format!(
            "`until` is \"{text}\"; expected a date and time with an offset, like \"2026-04-25T17:30:00Z\" or \"2026-04-25T10:30:00-07:00\"."
        )
    };
    let chars: Vec<char> = text.chars().collect();
    let (days, at) = date(&chars).ok_or_else(no_form)?;
    let (utc, clock) = match chars.get(at + 1..).ok_or_else(no_form)? {
        [clock @ .., 'Z'] => (true, clock),
        clock => (false, clock),
    };
    let sign = clock.iter().position(|char| matches!(char, '+' | '-'));
    let (time, offset) = match sign {
        Some(sign) => (clock.get(..sign).unwrap_or_default(), clock.get(sign..)),
        None => (clock, None),
    };
    let time = clock_micros(time, true).ok_or_else(no_form)?;
    let offset = match (utc, offset) {
        (true, None) => 0,
        (false, Some([sign, rest @ ..])) => {
            let micros = clock_micros(rest, false).ok_or_else(no_form)?;
            if *sign == '-' { -micros } else { micros }
        }
        (false, None) => {
            return Err(format!("`until` is \"{text}\", which has no offset; end it with `Z` for UTC, or with one like `+02:00`."));
        }
        _ => return Err(no_form()),
    };
    Ok(days * 86_400_000_000 + time - offset)
}

/// `HH`, `HH:MM`, `HH:MM:SS` or the same without colons; seconds with a fraction where that may be.
fn clock_micros(chars: &[char], fraction: bool) -> Option<i64> {
    let hours = number(chars.get(..2)?)?;
    let mut rest = chars.get(2..)?;
    let colons = rest.first() == Some(&':');
    let mut parts = [0_i64; 2];
    let mut count = 0;
    for part in &mut parts {
        if rest.is_empty() || matches!(rest.first(), Some('.' | ',')) {
            break;
        }
        if colons {
            rest = rest.strip_prefix(&[':'])?;
        }
        *part = number(rest.get(..2)?)?;
        rest = rest.get(2..)?;
        count += 1;
    }
    let [minutes, seconds] = parts;
    let mut micros = 0;
    if let [mark, digits @ ..] = rest {
        if !fraction || count != 2 || !matches!(mark, '.' | ',') || digits.is_empty() || !digits.iter().all(char::is_ascii_digit) {
            return None;
        }
        for place in 0..6 {
            micros = micros * 10 + digits.get(place).and_then(|digit| digit.to_digit(10)).map_or(0, i64::from);
        }
    }
    (hours < 24 && minutes < 60 && seconds < 60).then_some(((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + micros)
}

/// The days since 1970 of the date that a text begins with, and where it ends.
fn date(chars: &[char]) -> Option<(i64, usize)> {
    let year = number(chars.get(..4)?)?;
    let digit_at = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let dashed = chars.get(4) == Some(&'-');
    let mut at = if dashed { 5 } else { 4 };
    if year == 0 {
        return None;
    }
    if chars.get(at) == Some(&'W') {
        let week = number(chars.get(at + 1..at + 3)?)?;
        at += 3;
        // A day may follow, and the separator may be a hyphen or a digit: the source system decides by what comes after.
        let mut day = 1;
        if dashed {
            if chars.get(at) == Some(&'-') && digit_at(at + 1) && !digit_at(at + 2) {
                day = number(chars.get(at + 1..at + 2)?)?;
                at += 2;
            }
        } else {
            let end = (at..chars.len()).find(|place| !digit_at(*place)).unwrap_or(chars.len());
            if end == 8 || (end > 8 && end % 2 == 1) {
                day = number(chars.get(at..at + 1)?)?;
                at += 1;
            }
        }
        return week_days(year, week, day).map(|days| (days, at));
    }
    let month = number(chars.get(at..at + 2)?)?;
    at += 2;
    if dashed {
        (chars.get(at) == Some(&'-')).then_some(())?;
        at += 1;
    }
    let day = number(chars.get(at..at + 2)?)?;
    let last = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => return None,
    };
    (1..=last).contains(&day).then(|| (days_of(year, month, day), at + 2))
}

/// The days since 1970 of a day of an ISO week.
fn week_days(year: i64, week: i64, day: i64) -> Option<i64> {
    // Monday is 0. The week that holds the fourth of January is the first.
    let weekday = |days: i64| (days + 3).rem_euclid(7);
    let fourth = days_of(year, 1, 4);
    let monday = fourth - weekday(fourth);
    let first = weekday(days_of(year, 1, 1));
    let weeks = if first == 3 || (first == 2 && is_leap(year)) { 53 } else { 52 };
    ((1..=weeks).contains(&week) && (1..=7).contains(&day)).then(|| monday + (week - 1) * 7 + day - 1)
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days since 1970-01-01 in the Gregorian calendar.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn number(chars: &[char]) -> Option<i64> {
    chars.iter().try_fold(0, |sum, char| char.to_digit(10).map(|digit| sum * 10 + i64::from(digit)))
}

/// A moment as results show it: `YYYY-MM-DDTHH:MM:SS+00:00`, with six digits of a second where they are not zero.
pub fn format_moment(micros: i64) -> String {
    let days = micros.div_euclid(86_400_000_000);
    let of_day = micros.rem_euclid(86_400_000_000);
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let seconds = of_day / 1_000_000;
    let (hour, minute, second, left) = (seconds / 3_600, seconds / 60 % 60, seconds % 60, of_day % 1_000_000);
    let fraction = if left == 0 { String::new() } else { format!(".{left:06}") };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}+00:00")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_duration_is_days_hours_minutes_and_seconds_in_that_order() {
        let cases = [
            ("PT1S", Some(1_000_000)),
            ("PT0.000001S", Some(1)),
            ("PT0.0000015S", Some(2)),
            ("PT0.0000004S", None),
            ("P1D", Some(86_400_000_000)),
            ("P0DT1H", Some(3_600_000_000)),
            ("P1DT0.000001S", None),
            ("PT001M", Some(60_000_000)),
            ("PT1H2M3.5S", Some(3_723_500_000)),
            ("PT86400.000000S", Some(86_400_000_000)),
            ("PT99999999999999999999999999S", None),
            ("P", None),
            ("PT", None),
            ("P1DT", None),
            ("PT1M1H", None),
            ("PT1.S", None),
            ("PT.5S", None),
            ("P1W", None),
            ("pt1s", None),
            ("PT1S\n", None),
            ("+PT1S", None),
            ("PT\u{661}S", None),
        ];
        for (text, micros) in cases {
            assert_eq!(parse_duration(text).ok(), micros, "{text}");
        }
    }

    #[test]
    fn a_moment_has_a_date_a_time_and_an_offset() {
        let at = |seconds: i64| Some(EPOCH_2024 + seconds * 1_000_000);
        let cases = [
            ("2024-01-01T00:00:00Z", at(0)),
            ("2024-01-01 12:00+00:00", at(43_200)),
            ("20240101T12Z", at(43_200)),
            ("2024-01-01x120000,25+0130", Some(EPOCH_2024 + 37_800_250_000)),
            ("2024-01-01T00:00:00.1234567Z", Some(EPOCH_2024 + 123_456)),
            ("2024-W01-1T00:00Z", at(0)),
            ("2024-W01T00:00Z", at(0)),
            ("2024W011T00:00Z", at(0)),
            ("2024W01T00:00Z", at(0)),
            ("2020-W53-7T00:00Z", at(-94_435_200)),
            ("2021-W53-1T00:00Z", None),
            ("2024-01-01T00:00:00-00:00:30", at(30)),
            ("2024-01-01T24:00Z", None),
            ("2024-01-01T12:00:60Z", None),
            ("2024-01-01T12:0Z", None),
            ("2024-01-01T12:0000Z", None),
            ("2024-01-01TZ", None),
            ("2024-01-01Z", None),
            ("2023-02-29T00:00Z", None),
            ("2024-13-01T00:00Z", None),
            ("0000-01-01T00:00Z", None),
            ("2024-01-01T12:00", None),
            ("2024-01-01T12:00z", None),
            ("2024-01-01T12:00+00:00Z", None),
            ("2024-01-01T12:00Z ", None),
            ("", None),
        ];
        for (text, micros) in cases {
            assert_eq!(parse_until(text).ok(), micros, "{text}");
        }
    }

    #[test]
    fn a_moment_is_shown_in_utc() {
        assert_eq!(format_moment(EPOCH_2024), "2024-01-01T00:00:00+00:00");
        assert_eq!(format_moment(EPOCH_2024 + 59 * 86_400_000_000 + 1), "2024-02-29T00:00:00.000001+00:00");
        assert_eq!(format_moment(-1), "1969-12-31T23:59:59.999999+00:00");
        for days in (-200_000..200_000).step_by(997) {
            let text = format_moment(days * 86_400_000_000);
            assert_eq!(parse_until(&text).unwrap(), days * 86_400_000_000, "{text}");
        }
    }
}
