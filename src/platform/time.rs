//! Clocks and waiting.

use std::time::Duration;

/// Waits.
pub async fn sleep(milliseconds: u32) {
    gloo_timers::future::sleep(Duration::from_millis(u64::from(milliseconds))).await;
}

/// Milliseconds of a clock that never goes back (the one of `Event.timeStamp`).
pub fn now() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |performance| performance.now())
}

/// Leaves a mark in the browser's own record of times, for the developer tools and the benches.
pub fn mark(name: &str) {
    if let Some(performance) = web_sys::window().and_then(|window| window.performance()) {
        // A record that is full takes no more marks.
        let _ = performance.mark(name);
    }
}

/// The day and the time, `2026-12-01 14:02`.
pub fn day_and_clock() -> String {
    let date = js_sys::Date::new_0();
    format!("{}-{:02}-{:02} {}", date.get_full_year(), date.get_month() + 1, date.get_date(), clock())
}

/// The time of day, `14:02`.
pub fn clock() -> String {
    let date = js_sys::Date::new_0();
    format!("{:02}:{:02}", date.get_hours(), date.get_minutes())
}
