//! What happened in one part of the run: why it ran, its parameters, its result, what it changed.

use std::sync::Arc;

use leptos::prelude::*;
use loopwright_executor::protocol::{
    Ask, Condition, ConditionPart, Exit, Frame, FrameId, FrameKind, PayloadChange, Read, Reason, Reply, State,
};
use loopwright_lang::{Value, json};
use loopwright_model::{Document, EntityId};
use loopwright_panels::{
    show,
    syntax::{self, Mode},
};

use super::asked::asked as ask_for;
use crate::{
    inspector::{
        parts::{prose, syntax_class, value_text},
        preview::value,
    },
    session::Session,
    text::run as text,
    ui::{icon, small_icon},
};

/// Lines of a value in a payload change.
const LINES: usize = 12;

/// The glyph and the class of a state.
pub fn state_marks(state: State) -> (&'static str, &'static str) {
    match state {
        State::Succeeded => ("success", "s-success"),
        State::Failed => ("failed", "s-failed"),
        State::Running => ("running", "s-running"),
        State::Pending | State::Cancelled => ("waiting", "s-waiting"),
        State::Skipped => ("skipped", "s-skipped"),
    }
}

/// The name of a step.
pub fn step_name(document: &Document, id: EntityId) -> String {
    document.step(id).map(|step| step.name().to_owned()).unwrap_or_default()
}

/// The side panel.
pub fn details(session: Session, frame: Signal<Option<Arc<Frame>>>) -> AnyView {
    let exit = ask_for(
        session,
        move || {
            let frame = frame.get()?;
            let of = match frame.kind {
                FrameKind::Loop | FrameKind::Step => frame.frame,
                // The last iteration is where one looks for why there was no other.
                FrameKind::Iteration if frame.neighbours.1.is_none() => frame.of_loop?,
                _ => return None,
            };
            Some(Ask::Exit { run: session.run.run.get()?, frame: of })
        },
        |reply| if let Reply::Exit(exit) = reply { Some(*exit) } else { None },
    );
    let body = move || match frame.get() {
        None => view! { <p class="empty">{text::SELECT_BAR}</p> }.into_any(),
        Some(frame) => one(session, &frame, exit),
    };
    view! { <section class="detail" aria-label=text::DETAILS tabindex="0">{body}</section> }.into_any()
}

fn one(session: Session, frame: &Arc<Frame>, exit: RwSignal<Option<Arc<Exit>>>) -> AnyView {
    let (glyph, class) = state_marks(frame.state);
    let took = frame.end_us.map(|end| show::seconds(end.saturating_sub(frame.start_us)));
    let own = frame.step.map(|step| session.doc.with(|document| step_name(document, step))).unwrap_or_default();
    let (title, of) = match frame.index {
        Some(index) => (text::iteration(index), frame.of.map(|of| text::of_total(Some(of)))),
        None => (own.clone(), None),
    };
    let neighbour = move |target: Option<FrameId>, label: &'static str, glyph: &'static str| {
        view! {
            <button
                type="button"
                class="btn ghost sm icon"
                aria-label=label
                title=label
                disabled=target.is_none()
                on:click=move |_| {
                    if let Some(target) = target {
                        session.run.iteration.set(Some(target));
                    }
                }
            >
                {icon(glyph)}
            </button>
        }
    };
    let neighbours = (frame.kind == FrameKind::Iteration).then(|| {
        view! {
            {neighbour(frame.neighbours.0, text::PREVIOUS, "prev")}
            {neighbour(frame.neighbours.1, text::NEXT, "next")}
        }
    });
    let reason = session.doc.with(|document| frame.reason.as_ref().map(|reason| reason_words(document, reason)));
    let ended = move || exit.get().and_then(|exit| session.doc.with(|document| ended_words(document, &exit)));
    let ended = move || ended().map(|words| view! { <div class="why">{icon("exit")}<span>{prose(&words)}</span></div> });
    let called = frame.called.clone().filter(|called| !called.is_empty()).unwrap_or(own);
    view! {
        <div class="side-h">
            <b class="num ell" title=title.clone()>{title.clone()}</b>
            <span class="t3 label num">{of}</span>
            <span class=format!("chip {class}")>{small_icon(glyph)}{text::short_state(frame.state)}</span>
            <span class="grow"></span>
            {neighbours}
        </div>
        <div class="side-body">
            {reason.map(|words| view! { <div class="why">{icon("info")}<span>{prose(&words)}</span></div> })}
            {ended}
            {frame.error.clone().map(|error| view! { <div class="why is-bad">{icon("error")}<span><span class="sr">{text::ERROR}": "</span>{error}</span></div> })}
            {frame.item.as_ref().map(|(name, item)| view! {
                <div class="sech">{text::COLUMN_ITEM}</div>
                <table class="kv"><tbody><tr><th scope="row">{name.clone()}</th><td>{value_text(&value(item), 60)}</td></tr></tbody></table>
            })}
            <div class="sech">{text::PARAMETERS}<span class="end ell">{called}</span></div>
            {params(frame)}
            <div class="sech">{text::RESULT}<span class="end">{took}</span></div>
            {result(frame)}
            {attempts(session, frame)}
            {frame.condition.as_ref().map(condition)}
            {asked(session, frame)}
            {changes(session, frame)}
            {notices(frame)}
        </div>
    }
    .into_any()
}

fn none(words: &'static str) -> AnyView {
    view! { <p class="kv-none">{words}</p> }.into_any()
}

fn params(frame: &Frame) -> AnyView {
    if frame.params.is_empty() {
        return none(text::NO_PARAMETERS);
    }
    let rows = frame.params.iter().map(|param| {
        let problem = param.problems.first().map(|problem| {
            let class = crate::inspector::parts::severity_class(problem.severity);
            view! { <tr class="kv-note"><td colspan="2" class=class>{prose(&problem.message)}</td></tr> }
        });
        view! {
            <tr><th scope="row" title=param.written.clone()>{param.name.clone()}</th><td>{value_text(&value(&param.value), 60)}</td></tr>
            {problem}
        }
    });
    view! { <table class="kv"><tbody>{rows.collect_view()}</tbody></table> }.into_any()
}

fn result(frame: &Frame) -> AnyView {
    let Some(result) = frame.result.as_deref().map(value) else { return none(text::NO_RESULT) };
    match &result {
        Value::Object(object) if !object.is_empty() && object.len() <= 40 => {
            let rows = object
                .iter()
                .map(|(key, value)| view! { <tr><th scope="row">{key.as_str().to_owned()}</th><td>{value_text(value, 60)}</td></tr> });
            view! { <table class="kv"><tbody>{rows.collect_view()}</tbody></table> }.into_any()
        }
        other => view! { <div class="kv-one">{value_text(other, 120)}</div> }.into_any(),
    }
}

fn attempts(session: Session, frame: &Frame) -> AnyView {
    if frame.attempts.len() < 2 {
        return ().into_any();
    }
    let rows = frame.attempts.iter().map(|attempt| {
        let (glyph, class) = state_marks(attempt.state);
        let took = attempt.end_us.map(|end| show::seconds(end.saturating_sub(attempt.start_us)));
        let at = attempt.end_us.unwrap_or(attempt.start_us);
        view! {
            <tr>
                <th scope="row">
                    <button type="button" class="kv-jump num" on:click=move |_| session.run.playhead_us.set(Some(at))>{attempt.number}</button>
                </th>
                <td><span class=format!("st {class}")>{small_icon(glyph)}<span class="w">{attempt.error.clone().unwrap_or_else(|| text::short_state(attempt.state).into())}</span></span></td>
                <td class="r num t3">{took}</td>
            </tr>
        }
    });
    view! {
        <div class="sech">{text::ATTEMPTS}</div>
        <table class="kv"><tbody>{rows.collect_view()}</tbody></table>
    }
    .into_any()
}

/// A condition with the value of every operand.
fn condition(condition: &Condition) -> AnyView {
    let mut rows = Vec::new();
    flatten(&condition.tree, 0, &mut rows);
    let source = condition.text.clone();
    let held = condition.held;
    let rows = rows.into_iter().map(move |(depth, part)| {
        let text = source.get(part.span.range()).unwrap_or_default().to_owned();
        let leaf = part.children.is_empty() && depth > 0;
        let code = coloured(&text, Mode::Expression);
        let verdict = if leaf {
            match (&part.value, &part.error) {
                (_, Some(_)) => view! { <span class="vd s-waiting">{icon("noteval")}{text::NOT_EVALUABLE}</span> }.into_any(),
                (Some(found), None) => view! { <span class="opv">" = " {value_text(&value(found), 40)}</span> }.into_any(),
                (None, None) => view! { <span class="meta t3">{text::NOT_NEEDED}</span> }.into_any(),
            }
        } else {
            verdict(part, (depth == 0).then_some(held))
        };
        view! { <div class=format!("nd l{}", depth.min(4))><code class="ell" title=text.clone()>{code}</code>{verdict}</div> }
    });
    view! {
        <div class="sech">{text::CONDITION}</div>
        <div class="ct">{rows.collect_view()}</div>
    }
    .into_any()
}

fn flatten<'a>(part: &'a ConditionPart, depth: usize, out: &mut Vec<(usize, &'a ConditionPart)>) {
    out.push((depth, part));
    for child in &part.children {
        // A literal is its own value: nothing to say of it.
        let is_literal = child.children.is_empty()
            && child.value.as_deref().is_some_and(|value| value.len() as u32 == child.span.end - child.span.start && !value.contains('.'));
        if !is_literal {
            flatten(child, depth + 1, out);
        }
    }
}

fn verdict(part: &ConditionPart, held: Option<Option<bool>>) -> AnyView {
    let said = match held {
        Some(held) => held,
        None => match part.value.as_deref() {
            Some("true") => Some(true),
            Some("false") => Some(false),
            Some(other) => return view! { <span class="opv">{value_text(&value(other), 40)}</span> }.into_any(),
            None if part.error.is_none() => return view! { <span class="meta t3">{text::NOT_NEEDED}</span> }.into_any(),
            None => None,
        },
    };
    let (class, glyph, words) = match said {
        Some(true) => ("s-success", "success", text::HELD),
        Some(false) => ("s-failed", "failed", text::NOT_HELD),
        None => ("s-waiting", "noteval", text::NOT_EVALUABLE),
    };
    view! { <span class=format!("vd {class}") title=part.error.clone()>{icon(glyph)}{words}</span> }.into_any()
}

/// The last times a loop's condition was asked, with what each operand was. A line moves the playhead there.
fn asked(session: Session, frame: &Frame) -> AnyView {
    if frame.asked.is_empty() {
        return ().into_any();
    }
    let heads = frame.asked_of.iter().map(|name| {
        let short = name.rsplit(['.', '?']).next().unwrap_or(name).to_owned();
        view! { <th scope="col" title=name.clone()><code>{short}</code></th> }
    });
    let lines = frame.asked.iter().map(|asked| {
        let (class, glyph, words) = match asked.held {
            Some(true) => ("s-success", "success", text::GO_ON),
            Some(false) => ("s-failed", "failed", text::STOP),
            None => ("s-waiting", "noteval", text::NOT_EVALUABLE),
        };
        let cells = (0..frame.asked_of.len()).map(|at| match asked.values.get(at).cloned().flatten() {
            Some(found) => view! { <td>{value_text(&value(&found), 24)}</td> }.into_any(),
            None => view! { <td class="t3">"–"</td> }.into_any(),
        });
        let at = asked.at_us;
        view! {
            <tr>
                <th scope="row"><button type="button" class="kv-jump num" title=show::seconds(at) on:click=move |_| session.run.playhead_us.set(Some(at))>{asked.index + 1}</button></th>
                {cells.collect_view()}
                <td><span class=format!("vd {class}")>{icon(glyph)}{words}</span></td>
            </tr>
        }
    });
    view! {
        <div class="sech">{text::ASKED}</div>
        <div class="asked"><table>
            <thead><tr><th scope="col">{text::BEFORE}</th>{heads.collect_view()}<th scope="col">{text::VERDICT}</th></tr></thead>
            <tbody>{lines.collect_view()}</tbody>
        </table></div>
    }
    .into_any()
}

/// Why a loop ended, with the values that decided it and who wrote them; nothing while it goes on.
fn ended_words(document: &Document, exit: &Exit) -> Option<String> {
    exit.reason.as_ref()?;
    let mut deciders = Vec::new();
    if let Some(condition) = &exit.condition {
        deciding(&condition.tree, &condition.text, &mut deciders);
    }
    let decides = |read: &&Read| deciders.iter().any(|text| *text == read.path || Some(*text) == read.path.strip_prefix("payload."));
    let mut reads: Vec<&Read> = exit.reads.iter().filter(decides).collect();
    if reads.is_empty() {
        reads.extend(&exit.reads);
    }
    let writer = |read: &Read| match &read.by {
        None => text::FROM_START.to_owned(),
        Some(writer) => match (writer.path.last(), writer.step) {
            (Some(index), _) => text::written_by_iteration(*index),
            (None, Some(step)) => text::written_by(&format!("`{}`", step_name(document, step))),
            (None, None) => text::FROM_START.to_owned(),
        },
    };
    Some(text::ended(exit, &reads, &writer))
}

/// What a part of a condition said, where it could be evaluated.
fn held(part: &ConditionPart) -> Option<bool> {
    json::parse(part.value.as_deref()?).value().map(|value| loopwright_lang::expr::truthy(&value))
}

/// The texts of the parts that made a condition come out as it did: of `a && b` that is false the one that was false, and so on.
fn deciding<'a>(part: &ConditionPart, text: &'a str, out: &mut Vec<&'a str>) {
    if let [left, right] = part.children.as_slice() {
        let sign = text.get(left.span.range().end..right.span.range().start).unwrap_or_default();
        let stops_at = if sign.contains("&&") { Some(false) } else { sign.contains("||").then_some(true) };
        if let Some(one) = part.children.iter().find(|child| stops_at.is_some() && held(child) == stops_at) {
            return deciding(one, text, out);
        }
    }
    if part.children.is_empty() {
        out.extend(text.get(part.span.range()));
    }
    part.children.iter().for_each(|child| deciding(child, text, out));
}

fn coloured(text: &str, mode: Mode) -> impl IntoView + use<> {
    syntax::tokens(text, mode, &[])
        .into_iter()
        .map(|token| view! { <span class=syntax_class(token.class)>{text.get(token.span.range()).unwrap_or_default().to_owned()}</span> })
        .collect_view()
}

fn changes(session: Session, frame: &Frame) -> AnyView {
    let by =
        frame.changes.first().and_then(|change| change.by).map(|step| text::by(&session.doc.with(|document| step_name(document, step))));
    let body = if frame.changes.is_empty() { none(text::NO_CHANGE) } else { diff(&frame.changes) };
    view! {
        <div class="sech">{text::change_between(frame.index)}<span class="end ell">{by}</span></div>
        {body}
    }
    .into_any()
}

/// Changes of a payload as lines.
pub fn diff(changes: &[PayloadChange]) -> AnyView {
    let lines = changes.iter().map(|change| {
        let side = |text: &Option<String>, class: &'static str, sign: &'static str| {
            text.as_ref().map(|text| {
                let printed = json::print_pretty(&value(text));
                let mut lines: Vec<String> =
                    printed.lines().take(LINES).map(|line| format!("  {}", line.chars().take(200).collect::<String>())).collect();
                let more = printed.lines().count().saturating_sub(LINES);
                if more > 0 {
                    lines.push(format!("  {}", text::more_items(more)));
                }
                lines
                    .into_iter()
                    .map(|line| view! { <div class=class><span><span class="sr">{sign}</span>{line}</span></div> })
                    .collect_view()
            })
        };
        let path = if change.path.is_empty() { "payload".to_owned() } else { change.path.clone() };
        view! {
            <div class="ctx"><span>{path}":"</span></div>
            {side(&change.before, "del", "− ")}
            {side(&change.after, "add", "+ ")}
        }
    });
    view! { <div class="diff">{lines.collect_view()}</div> }.into_any()
}

fn notices(frame: &Frame) -> AnyView {
    if frame.notices.is_empty() {
        return ().into_any();
    }
    let rows = frame.notices.iter().map(|notice| {
        let class = crate::inspector::parts::severity_class(notice.severity);
        let glyph = crate::inspector::parts::severity_icon(notice.severity);
        view! { <div class=format!("side-note {class}")>{small_icon(glyph)}<span>{prose(&notice.message)}</span></div> }
    });
    view! {
        <div class="sech">{text::NOTICES}</div>
        {rows.collect_view()}
    }
    .into_any()
}

/// Why a part of the run began, in a sentence.
fn reason_words(document: &Document, reason: &Reason) -> String {
    match reason {
        Reason::Start => text::reason_start(),
        Reason::Path { path, from, conditional, recovery } => {
            let description = document.field(*path, "Description").and_then(Value::as_str).filter(|text| !text.is_empty());
            text::reason_path(&step_name(document, *from), *conditional, *recovery, description)
        }
        Reason::FirstItem => text::REASON_FIRST.into(),
        Reason::NextItem => text::REASON_NEXT.into(),
        Reason::AfterFailure { index } => text::reason_after_failure(*index),
        Reason::Batch { number, size } => text::reason_batch(*number, *size),
        Reason::ConditionHeld => text::REASON_HELD.into(),
        Reason::Retry { attempt, of, error } => text::reason_retry(*attempt, *of, error),
        Reason::Called => text::REASON_CALLED.into(),
        Reason::Turn { number } => text::reason_turn(*number),
    }
}
