//! Toasts, and the live region that says what happened to those who do not see it.

use leptos::prelude::*;

/// How a toast looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Something was done.
    Success,
    /// Something could not be done.
    Failed,
    /// Something worth knowing.
    Info,
}

/// A message that goes away by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toast {
    /// Counted up.
    pub id: u64,
    /// How it looks.
    pub tone: Tone,
    /// What it says.
    pub message: String,
}

/// Toasts and the live region.
#[derive(Clone, Copy)]
pub struct Notify {
    /// The toasts on screen, oldest first.
    pub toasts: RwSignal<Vec<Toast>>,
    /// What the live region says; the number makes the same text said again.
    pub spoken: RwSignal<(u64, String)>,
    next: StoredValue<u64>,
}

impl Notify {
    pub(super) fn new() -> Self {
        Self { toasts: RwSignal::new(Vec::new()), spoken: RwSignal::new((0, String::new())), next: StoredValue::new(0) }
    }

    /// Shows a toast, and says it.
    pub fn toast(self, tone: Tone, message: impl Into<String>) {
        let message = message.into();
        let id = self
            .next
            .try_update_value(|next| {
                *next += 1;
                *next
            })
            .unwrap_or_default();
        self.say(message.clone());
        self.toasts.update(|toasts| {
            toasts.retain(|toast| toast.message != message);
            toasts.push(Toast { id, tone, message });
            if toasts.len() > 4 {
                toasts.remove(0);
            }
        });
        // An error stays longer: it has to be read.
        let seconds = if tone == Tone::Failed { 12 } else { 5 };
        set_timeout(move || self.close(id), std::time::Duration::from_secs(seconds));
    }

    /// Takes a toast away.
    pub fn close(self, id: u64) {
        self.toasts.update(|toasts| toasts.retain(|toast| toast.id != id));
    }

    /// Says something in the live region only.
    pub fn say(self, message: impl Into<String>) {
        let message = message.into();
        self.spoken.update(|spoken| *spoken = (spoken.0 + 1, message));
    }
}
