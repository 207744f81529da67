//! Questions to the worker whose answers are shown: asked again when what they depend on changes, and only the answer to
//! the last one counts.

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};
use loopwright_executor::protocol::{Ask, Frame, FrameId, Reply, RunState};
use loopwright_model::EntityId;

use crate::session::Session;

/// The answer to a question that follows signals; the one before stays until the next has come. No question, no answer.
pub fn asked<T: Send + Sync + 'static>(
    session: Session,
    question: impl Fn() -> Option<Ask> + 'static,
    read: fn(Reply) -> Option<T>,
) -> RwSignal<Option<Arc<T>>> {
    asked_or(session, question, read, |_| {})
}

/// The same; `troubled` gets what is wrong with the question (then the answer before stays), and nothing when nothing is.
pub fn asked_or<T: Send + Sync + 'static>(
    session: Session,
    question: impl Fn() -> Option<Ask> + 'static,
    read: fn(Reply) -> Option<T>,
    troubled: impl Fn(Option<String>) + Copy + 'static,
) -> RwSignal<Option<Arc<T>>> {
    let answer = RwSignal::new(None::<Arc<T>>);
    let last = StoredValue::new(0_u64);
    let before = StoredValue::new(None::<(Ask, (u64, u32))>);
    let progress = Memo::new(move |_| {
        session.run.summary.with(|summary| match summary {
            Some(summary) if summary.state == RunState::Running => u64::BITS - summary.events.leading_zeros(),
            _ => 0,
        })
    });
    Effect::new(move |_| {
        // A run that has ended says more than while it ran; one that runs is asked again whenever its log has doubled.
        let ended = (session.run.ended.get(), progress.get());
        let ask = question();
        if before.with_value(|before| before.as_ref().map(|(ask, ended)| (ask, *ended)) == ask.as_ref().map(|ask| (ask, ended)))
            && ask.is_some()
        {
            return;
        }
        before.set_value(ask.clone().map(|ask| (ask, ended)));
        let number = last
            .try_update_value(|last| {
                *last += 1;
                *last
            })
            .unwrap_or_default();
        let Some(ask) = ask else {
            answer.set(None);
            return;
        };
        spawn_local(async move {
            loop {
                let found = session.run.ask(ask.clone()).await;
                if last.try_get_value() != Some(number) {
                    return;
                }
                match found {
                    Ok(reply) => {
                        // What is looked through in slices is asked for again until all was looked at.
                        let more = matches!(&reply, Reply::Matrix(matrix) if matrix.left > 0);
                        answer.set(read(reply).map(Arc::new));
                        troubled(None);
                        if !more {
                            return;
                        }
                    }
                    Err(trouble) if trouble.code == "filter_unclear" => return troubled(Some(trouble.message)),
                    // Someone else's question of the same kind came between: this one still stands.
                    Err(trouble) if trouble.code == "superseded" => {}
                    Err(_) => return answer.set(None),
                }
            }
        });
    });
    answer
}

/// Everything about a part of the run that follows signals.
pub fn frame(session: Session, frame: impl Fn() -> Option<FrameId> + 'static) -> RwSignal<Option<Arc<Frame>>> {
    asked(
        session,
        move || Some(Ask::Frame { run: session.run.run.get()?, frame: frame()? }),
        |reply| if let Reply::Frame(frame) = reply { Some(*frame) } else { None },
    )
}

/// Everything about the selected iteration.
pub fn selected(session: Session) -> RwSignal<Option<Arc<Frame>>> {
    frame(session, move || session.run.iteration.get())
}

/// The frame of a step's last visit, as of the playhead (watched).
pub fn last_visit(session: Session, step: EntityId) -> Option<FrameId> {
    session.run.steps.with(|steps| steps.steps.iter().find(|status| status.step == step).and_then(|status| status.frame))
}
