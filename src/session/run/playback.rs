//! Playing a run back: the playhead moves by itself, forwards or backwards. Nothing is run again.

use leptos::prelude::*;

use super::RunClient;
use crate::platform::time;

/// Which way the playhead moves by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Playing {
    /// It stands.
    #[default]
    No,
    /// Towards the end.
    On,
    /// Towards the beginning.
    Back,
}

impl RunClient {
    /// Where the run ends, or how far it has come, in µs.
    fn end_us(self) -> u64 {
        self.summary.with_untracked(|summary| summary.as_ref().map_or(0, |summary| summary.end_us.unwrap_or(summary.now_us)))
    }

    /// Plays on, or pauses. From the end it plays from the beginning again.
    pub fn play_or_pause(self) {
        self.play_towards(if self.playing.get_untracked() == Playing::No { Playing::On } else { Playing::No });
    }

    /// Plays one way, or stops. From where that way ends it starts at the other end.
    pub fn play_towards(self, way: Playing) {
        if self.run.get_untracked().is_none() || self.playing.get_untracked() == way {
            return;
        }
        self.playing.set(way);
        let (end, now) = (self.end_us(), self.playhead_us.get_untracked());
        match way {
            Playing::No => return,
            Playing::On if now.is_none_or(|now| now >= end) => self.playhead_us.set(Some(0)),
            Playing::Back if now == Some(0) => self.playhead_us.set(Some(end)),
            _ => {}
        }
        let ticket = self
            .play_ticket
            .try_update_value(|ticket| {
                *ticket += 1;
                *ticket
            })
            .unwrap_or_default();
        self.next_frame(ticket, time::now());
    }

    /// Moves the playhead by the time that passed, at each frame the browser draws.
    fn next_frame(self, ticket: u64, before: f64) {
        request_animation_frame(move || {
            let way = self.playing.get_untracked();
            if way == Playing::No || self.play_ticket.get_value() != ticket {
                return;
            }
            let (clock, end) = (time::now(), self.end_us());
            let passed = ((clock - before).max(0.0) * 1_000.0 * self.speed.get_untracked()) as u64;
            let now = self.playhead_us.get_untracked().unwrap_or(end);
            let next = if way == Playing::On { (now + passed).min(end) } else { now.saturating_sub(passed) };
            self.playhead_us.set(Some(next));
            if next == if way == Playing::On { end } else { 0 } {
                self.playing.set(Playing::No);
            } else {
                self.next_frame(ticket, clock);
            }
        });
    }
}
