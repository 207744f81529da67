//! Budgets of attempts and tokens.

use loopwright_lang::Text;
use loopwright_model::tasks::StartOptions;

use super::Tokens;

/// The code of the budget that refuses another attempt.
pub(super) fn refuses(options: &StartOptions, attempts: u64, tokens: &Tokens) -> Option<Text> {
    if options.attempts.is_some_and(|most| attempts >= most) {
        return Some("limit".into());
    }
    spent(options, tokens)
}

/// The code of the token budget that is spent.
pub(super) fn spent(options: &StartOptions, tokens: &Tokens) -> Option<Text> {
    let limited = options.usage.iter().any(Option::is_some);
    if options.usage.iter().zip(tokens.counts).any(|(most, used)| most.is_some_and(|most| used >= most as f64)) {
        return Some("limit".into());
    }
    // What cannot be counted could be anything; only a budget of attempts still holds it.
    (limited && tokens.incomplete && options.attempts.is_none()).then(|| "usage-unavailable".into())
}
