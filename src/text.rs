//! Every string a person reads in the app. Sections by area; append to yours.

use loopwright_executor::protocol::{RunState, State, Summary};
use loopwright_model::{StepKind, format::Format};

use crate::session::{DockTab, Saved, files::Report};

// ── session ──
pub const READ_ONLY: &str = "This file was written by a newer version, so it can be looked at but not changed.";
pub fn undone(label: &str) -> String {
    format!("Undone: {label}")
}
pub fn redone(label: &str) -> String {
    format!("Done again: {label}")
}
pub const WORKER_RESTARTED: &str = "The simulator stopped answering and was started again.";
pub const WORKER_MISSING: &str = "The simulator could not be started, so flows can be edited but not run. Reloading the page may help.";
pub const RUN_STOPPED_HARD: &str = "The run did not stop by itself, so the simulator was started again.";

/// What the live region says when a run has ended.
pub fn run_ended(summary: &Summary) -> String {
    let took = duration(summary.end_us.unwrap_or(summary.now_us));
    match summary.state {
        RunState::Failed => format!("Run failed after {took}: {}", summary.error.as_deref().unwrap_or("no reason given")),
        RunState::Cancelled => format!("Run stopped after {took}"),
        RunState::Limit => format!("Run stopped by a limit after {took}"),
        _ if summary.failures > 0 => {
            format!("Run completed in {took} of virtual time, {} failed", counted(summary.failures as usize, "part", "parts"))
        }
        _ => format!("Run completed in {took} of virtual time"),
    }
}

/// `1 step`, `3 steps`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A span of virtual time: `0.2 s`, `4.9 s`, `2 min 05 s`.
pub fn duration(us: u64) -> String {
    match us {
        0 => "0 s".to_owned(),
        1..100_000 => format!("{} ms", us.div_ceil(1000)),
        100_000..100_000_000 => format!("{:.1} s", us as f64 / 1e6),
        _ => {
            let seconds = us / 1_000_000;
            if seconds < 3600 {
                format!("{} min {:02} s", seconds / 60, seconds % 60)
            } else {
                format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60)
            }
        }
    }
}

// ── acts (labels of undo steps, in the imperative) ──
pub const ADD_NOTE: &str = "Add note";
pub const PUT_ON_PATH: &str = "Put step into path";
pub const TIDY_UP: &str = "Tidy up";
pub const RESIZE_NOTE: &str = "Resize note";
pub const ENABLE: &str = "Enable";
pub const DISABLE: &str = "Disable";
pub const MAKE_START: &str = "Make it the start";
pub const MAIN_FLOW: &str = "Main";
pub const UNTITLED: &str = "Untitled flow";
pub const DUPLICATE: &str = "Duplicate";
pub fn add_step(name: &str) -> String {
    format!("Add {name}")
}
pub fn rename_to(name: &str) -> String {
    format!("Rename to {name}")
}

// ── words ──
pub fn kind_name(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Action => "Action",
        StepKind::SubAgent => "Sub-Agent",
        StepKind::Prompt => "Prompt",
        StepKind::ForEach => "ForEach",
        StepKind::While => "While",
        StepKind::Refine => "Refine",
        StepKind::Unknown => "Step",
    }
}

// ── files ──
pub const FILE_UNREADABLE: &str = "The file could not be read.";
pub const DOWNLOAD_REFUSED: &str = "The browser did not let the file be saved.";
pub const STEPS_COPIED: &str = "Step JSON copied";
pub const CLIPBOARD_REFUSED: &str = "The browser did not let us use the clipboard. Download the step JSON instead.";
pub fn no_example(name: &str) -> String {
    format!("There is no example called “{name}”.")
}
pub fn opened(name: &str) -> String {
    format!("Opened {name}")
}
pub fn downloaded(name: &str) -> String {
    format!("Saved {name} to your downloads")
}
pub fn too_large(bytes: u64) -> String {
    format!(
        "The file is {} MiB; the largest that opens is {} MiB. A scenario's payload can hold a generator instead of a large list: {{ \"$repeat\": 10000, \"item\": … }}.",
        bytes.div_ceil(1 << 20),
        loopwright_lang::limits::FILE_BYTES >> 20
    )
}
pub fn paste_too_large(bytes: usize) -> String {
    format!(
        "The text is {} MiB; at most {} MiB can be pasted. Open it as a file instead; a payload can hold a generator, too: {{ \"$repeat\": 10000, \"item\": … }}.",
        bytes.div_ceil(1 << 20),
        loopwright_lang::limits::PASTE_BYTES >> 20
    )
}
pub fn generated(count: usize) -> String {
    format!("{count} steps")
}

// ── canvas ──
pub const CANVAS: &str = "Canvas";
pub const CANVAS_MENU: &str = "Step menu";
pub const STEP: &str = "step";
pub const LOOP: &str = "loop";
pub const NOTE: &str = "note";
pub const NAME: &str = "Name";
pub const AGENT: &str = "agent";
pub const PROMPT: &str = "prompt";
pub const RESULT: &str = "result";
pub const PRIORITY: &str = "Priority";
pub const NO_BODY: &str = "Drop an action here";
pub const NO_COLLECTION: &str = "no list chosen yet";
pub const NO_CONDITION: &str = "no condition yet";
pub const NO_TYPE: &str = "no step type; kept as it is";
pub const NO_LOOP_IN_BODY: &str =
    "A loop's body is an action, a sub-agent or a prompt. For a loop in a loop, put the inner one into a sub-agent.";
pub const STARTS_HERE: &str = "The flow starts here";
pub const EMPTY_NOTE: &str = "Empty note";
pub const EDIT_NOTE: &str = "Edit note";
pub const EMPTY_STAGE: &str = "Drag a step here from the palette, or press N.";
pub const DROP_ON_PATH: &str = "Insert here";
pub const DROP_IN_BODY: &str = "Put into the loop";
pub const ALREADY_TIDY: &str = "Already tidy";
pub const CONNECT_ENDED: &str = "Not connected";
pub const MINIMAP: &str = "Minimap: click to look there";
pub const ZOOM: &str = "Zoom";
pub const ZOOM_IN: &str = "Zoom in";
pub const ZOOM_OUT: &str = "Zoom out";
pub const ACTUAL_SIZE: &str = "Zoom to 100 %";
pub const FIT: &str = "Fit the flow";
pub const FIT_SELECTION: &str = "Fit the selection";
pub const OPEN_AGENT: &str = "Open the sub-agent's flow";
pub const ADD_AFTER: &str = "Add a step after";
pub const ADD_STEP: &str = "Add a step";
pub const ADD_ON_PATH: &str = "Insert a step";
pub const EDIT_PATH: &str = "Edit condition";
pub const CONNECT_FROM_HERE: &str = "Connect from here";
pub const RENAME: &str = "Rename";
pub const DELETE: &str = "Delete";
pub const DELETE_RECONNECT: &str = "Delete and reconnect";
pub const TOGGLE_ACTIVE: &str = "Enable or disable";

pub fn body_of(kind: StepKind) -> &'static str {
    match kind {
        StepKind::SubAgent => "runs a sub-agent",
        StepKind::Prompt => "asks a prompt",
        _ => "no inputs",
    }
}
pub fn kept_type(name: &str) -> String {
    format!("{name}: kept, not simulated")
}
pub fn nothing_called(kind: StepKind) -> &'static str {
    match kind {
        StepKind::SubAgent => "no agent chosen yet",
        StepKind::Prompt => "no prompt chosen yet",
        _ => "no action chosen yet",
    }
}
pub fn exit_for_each(item: &str, most: Option<f64>, together: Option<f64>) -> String {
    let mut words = format!("each {item} once");
    if let Some(together) = together {
        words.push_str(&format!(", {} at a time", number(together)));
    }
    if let Some(most) = most {
        words.push_str(&format!(" · at most {}", number(most)));
    }
    words
}
pub fn exit_while(most: Option<f64>) -> String {
    most.map_or_else(|| "until condition false".to_owned(), |most| format!("until condition false · at most {}", number(most)))
}
/// A zoom: `100 %`, far away `0.5 %`.
pub fn percent(zoom: f64) -> String {
    if zoom < 0.02 { format!("{:.1} %", zoom * 100.0) } else { format!("{:.0} %", zoom * 100.0) }
}
/// A number as a person writes it.
pub fn number(value: f64) -> String {
    format!("{value}")
}
pub fn state(state: State) -> &'static str {
    match state {
        State::Pending => "not run",
        State::Running => "running",
        State::Succeeded => "succeeded",
        State::Failed => "failed",
        State::Cancelled => "stopped",
        State::Skipped => "skipped",
    }
}
/// `TITLE, KIND, STATE`.
pub fn card_name(title: &str, kind: &str, of: State, active: bool) -> String {
    format!("{title}, {kind}, {}", if active { state(of) } else { "disabled" })
}
pub fn problem_count(count: usize) -> String {
    counted(count, "problem", "problems")
}
pub fn connect_from(title: &str) -> String {
    format!("Connect from {title}")
}
pub fn connect_to(title: &str) -> String {
    format!("Connect to {title}")
}
pub fn connecting(title: &str) -> String {
    format!("Connecting from {title}: choose a step and press Enter, or Escape to stop")
}
pub fn connected(from: &str, to: &str) -> String {
    format!("Connected {from} to {to}")
}
pub fn loop_count(done: u64, of: Option<u64>) -> String {
    of.map_or_else(|| done.to_string(), |of| format!("{done} / {of}"))
}
pub fn iterations_of(title: &str) -> String {
    format!("Iterations of {title}")
}
pub fn cell_name(first: u64, count: u64, of: State) -> String {
    if count > 1 {
        format!("Iterations {} to {}, {}", first + 1, first + count, state(of))
    } else {
        format!("Iteration {}, {}", first + 1, state(of))
    }
}
pub fn path_name(from: &str, to: &str, condition: &str) -> String {
    if condition.is_empty() { format!("Path from {from} to {to}") } else { format!("Path from {from} to {to} when {condition}") }
}
pub fn note_name(words: &str) -> String {
    format!("Note: {}", if words.is_empty() { EMPTY_NOTE } else { words })
}
pub fn selected(count: usize) -> String {
    format!("{count} selected")
}
pub fn copied(count: usize) -> String {
    format!("Copied {}", counted(count, "thing", "things"))
}
pub fn done(label: &str) -> String {
    format!("Done: {label}")
}
/// `Run 14:01 · 4.9 s virtual · 1 edit since`.
pub fn run_chip(at: &str, summary: &Summary, edits: u32) -> String {
    let took = duration(summary.end_us.unwrap_or(summary.now_us));
    let mut words = match summary.state {
        RunState::Running => format!("Running · {took} virtual"),
        _ => format!("Run {at} · {took} virtual"),
    };
    if summary.failures > 0 {
        words.push_str(&format!(" · {} failed", summary.failures));
    }
    if edits > 0 {
        words.push_str(&format!(" · {} since", counted(edits as usize, "edit", "edits")));
    }
    words
}

// ── palette ──
pub const PALETTE: &str = "Palette";
pub const OUTLINE: &str = "Outline";
pub const LEFT_PANEL: &str = "Palette and outline";
pub const STEPS: &str = "Steps";
pub const ACTIONS: &str = "Actions";
pub const AGENTS: &str = "Agents";
pub const PROMPTS: &str = "Prompts";
pub const SEARCH_STEPS: &str = "Search steps";
pub const NOTHING_FOUND: &str = "Nothing fits";
pub const COLLAPSE: &str = "Collapse the palette";
pub const OPEN_PALETTE: &str = "Open the palette";
pub const PALETTE_HINT: &str = "Drag onto the canvas, or click to add after the selected step";
pub fn more(count: usize) -> String {
    format!("{count} more")
}

// ── shell ──
pub const APP_MENU: &str = "Menu";
pub const SHARE: &str = "Share";
pub const OPEN: &str = "Open a file …";
pub const NEW: &str = "New flow";
pub const EXAMPLES: &str = "Examples";
pub const KEEP_VERSION: &str = "Keep this version";
pub const VERSIONS: &str = "Go back to a version";
pub const VERSION_NOT_KEPT: &str = "The version could not be stored: there is no room. Save the document as a file instead.";
pub const VERSION_UNREADABLE: &str = "This version can no longer be read. The document stays as it is.";
pub const OTHER_TAB: &str = "This document is open in another tab, too, and was just changed there. Reload this one to see it; what is changed here would take its place.";
pub fn version(at: &str, name: &str) -> String {
    format!("{at} · {name}")
}
pub fn version_kept(at: &str) -> String {
    format!("Kept as the version of {at}. The menu leads back to it.")
}
pub fn version_restored(at: &str) -> String {
    format!("This is the version of {at}. What was here before is kept as a version, too.")
}
pub fn before_restoring(title: &str) -> String {
    format!("{title}, before going back")
}
pub const LIGHT: &str = "Light theme";
pub const DARK: &str = "Dark theme";
pub const SWITCH_THEME: &str = "Switch between light and dark";
pub const COMMANDS: &str = "Commands";
pub const COMMANDS_HINT: &str = "What do you want to do?";
pub const HELP: &str = "Help";
pub const DOCUMENT_NAME: &str = "Document name";
pub const RENAME_DOCUMENT: &str = "Rename the document";
pub const READ_ONLY_SHORT: &str = "Read-only";
pub const NO_STORAGE_LONG: &str =
    "This browser keeps nothing for this page (a private window?). Save the document as a file before you leave.";
pub const STORAGE_FULL_LONG: &str = "The browser's storage is full. Save the document as a file before you leave.";
pub const GRAPHS: &str = "Graphs";
pub const AS_DOCUMENTED: &str = "As documented";
pub const MJ: &str = "MemberJunction 5.51.3";
pub const PROFILE: &str = "Profile";
pub const PROFILE_HINT: &str = "Whose rules the flow is checked and run by";
pub const RUN: &str = "Run";
pub const STOP: &str = "Stop";
pub const RUN_HINT: &str = "Run the flow (Ctrl+Enter)";
pub const RUN_OPTIONS: &str = "Run options";
pub const RUN_WITH: &str = "Run with";
pub fn waits(time: &str) -> String {
    format!("waits {time}")
}
pub fn for_each(list: &str) -> String {
    format!("each of {list}")
}
pub fn rounds_at_most(rounds: f64) -> String {
    if rounds == 1.0 { "at most 1 round".to_owned() } else { format!("at most {} rounds", number(rounds)) }
}
pub fn decided_by(names: &str) -> String {
    if names.is_empty() { "someone decides".to_owned() } else { format!("decided by {names}") }
}
pub const NO_PREVIOUS: &str = "The document before is not kept any more.";
pub fn open_previous(title: &str) -> String {
    format!("Back to “{title}”")
}
pub const COPY_LINK: &str = "Copy link to this document";
pub const SHARED_DOCUMENT: &str = "Shared document";
pub const LINK_TOO_LONG: &str = "This document is too large for a link. Save it as a file and share that.";
/// After a link was copied: browsers take long addresses, chats and mails often do not.
pub fn link_copied(length: usize) -> String {
    if length > 8_000 {
        format!("Link copied ({} characters). Some chats and mails cut off links as long as this; a file is safer there.", length)
    } else {
        "Link copied. Whoever opens it gets a copy of this document.".to_owned()
    }
}
pub fn link_unreadable(too_large: bool) -> String {
    if too_large {
        "The document in this link is too large to open. Ask for it as a file.".to_owned()
    } else {
        "The document in this link cannot be read: part of the link is missing or changed. Ask for the link again, or for the file."
            .to_owned()
    }
}
pub const UNNAMED_SCENARIO: &str = "Unnamed scenario";
pub const NO_SCENARIO: &str = "Sample answers, empty payload";
pub const EDIT_SCENARIO: &str = "Edit scenarios";
pub const SAVE_DOCUMENT: &str = "Save document";
pub const COPY_STEPS: &str = "Copy step JSON";
pub const DOWNLOAD_STEPS_TEXT: &str = "Download step JSON (text form)";
pub const DOWNLOAD_STEPS_OBJECT: &str = "Download step JSON (object form)";
pub const INSPECTOR: &str = "Inspector";
pub const CLOSE_INSPECTOR: &str = "Close the inspector";
pub const DROP_FILE: &str = "Drop the file to open it";
pub const DOCK: &str = "Dock";
pub const DOCK_HEIGHT: &str = "Height of the dock";
pub const TALLER: &str = "Taller or lower";
pub const CLOSE_DOCK: &str = "Close the dock";
pub const OPEN_DOCK: &str = "Open the dock";
pub const CLOSE: &str = "Close";
pub const CLOSE_MESSAGE: &str = "Close this message";
pub const SHOW_ME: &str = "Show me";
pub const START: &str = "Start";
pub const HIDE_ALL: &str = "Hide all three";
pub const CALLOUT_1: &str = "Every iteration is here";
pub const CALLOUT_1_TEXT: &str = "One cell an iteration. Click one, and all values become its own.";
pub const CALLOUT_2: &str = "Change something";
pub const CALLOUT_2_TEXT: &str = "Edit a mapping and see its real value in the chosen iteration at once.";
pub const CALLOUT_3: &str = "Go back in time";
pub const CALLOUT_3_TEXT: &str = "Drag the playhead: the canvas follows. Nothing is run again.";
pub fn page_title(title: &str) -> String {
    format!("{title} · Loopwright")
}
pub fn undo(label: Option<&str>) -> String {
    label.map_or_else(|| "Undo".to_owned(), |label| format!("Undo: {label}"))
}
pub fn redo(label: Option<&str>) -> String {
    label.map_or_else(|| "Redo".to_owned(), |label| format!("Redo: {label}"))
}
pub fn saved(saved: &Saved) -> String {
    match saved {
        Saved::Example => "Example".to_owned(),
        Saved::Fresh => "New".to_owned(),
        Saved::Saving => "Saving …".to_owned(),
        Saved::At(time) => format!("Saved {time}"),
        Saved::NoStorage => "Not saved".to_owned(),
        Saved::Full => "Storage full".to_owned(),
    }
}
pub fn tab(tab: DockTab) -> &'static str {
    match tab {
        DockTab::Problems => "Problems",
        DockTab::Scenario => "Scenario",
        DockTab::Timeline => "Timeline",
        DockTab::Iterations => "Iterations",
        DockTab::Payload => "Payload",
        DockTab::Events => "Events",
    }
}
pub fn show_tab(of: DockTab) -> String {
    format!("Show {}", tab(of))
}
pub fn go_to(name: &str) -> String {
    format!("Go to {name}")
}
pub fn open_example(title: &str) -> String {
    format!("Open example: {title}")
}
pub fn download_as(format: Format) -> String {
    match format {
        Format::MjSync => "Download as metadata (mj-sync)".to_owned(),
        Format::AgentSpec => "Download as agent spec".to_owned(),
        Format::Plan => "Download as plan".to_owned(),
        Format::Tasks => "Download as task graph".to_owned(),
        Format::Steps => DOWNLOAD_STEPS_TEXT.to_owned(),
        Format::Document => SAVE_DOCUMENT.to_owned(),
    }
}
/// `1,204` becomes `1.2k`: a number for a badge.
pub fn short_count(count: usize) -> String {
    match count {
        0..=999 => count.to_string(),
        1_000..=999_999 => format!("{:.1}k", count as f64 / 1e3),
        _ => format!("{:.1}M", count as f64 / 1e6),
    }
}

// ── dialogs ──
pub const HELP_LEAD: &str = "Everything can be done by keyboard. Single keys work while no field has the cursor.";
pub const SINGLE_KEYS: &str = "Single keys";
pub fn report_title(found: &Report) -> String {
    if found.opened { format!("Opened {}", found.name) } else { format!("{} was not opened", found.name) }
}
pub fn report_lead(found: &Report) -> String {
    match (found.opened, found.notices.len()) {
        (true, count) => {
            format!("{} to know. Nothing of the file is lost: it is kept as it was written.", counted(count, "thing", "things"))
        }
        (false, _) => "Nothing was changed. What is on screen is still there.".to_owned(),
    }
}
/// The keys, by what they are for.
pub const KEYS: [(&str, &[(&str, &str)]); 4] = [
    (
        "Select and walk",
        &[
            ("Arrows", "to the nearest step"),
            ("Page Down", "next step in the flow"),
            ("Page Up", "step before in the flow"),
            ("Alt+Arrows", "move by 16, with Shift by 1"),
            ("Enter", "open"),
            ("Esc", "one level up"),
            ("Ctrl+A", "select all"),
        ],
    ),
    (
        "Edit",
        &[
            ("N", "add a step after"),
            ("C", "connect"),
            ("R", "replace"),
            ("D", "enable or disable"),
            ("F2", "rename"),
            ("Ctrl+D", "duplicate"),
            ("Delete", "delete"),
            ("Ctrl+Delete", "delete and reconnect"),
            ("Ctrl+Z", "undo"),
            ("Ctrl+Y", "redo"),
            ("Shift+Alt+T", "tidy up"),
        ],
    ),
    (
        "View",
        &[
            ("1", "fit the flow"),
            ("Shift+2", "fit the selection"),
            ("0", "100 %"),
            ("+ -", "zoom"),
            ("Ctrl+F", "search"),
            ("Ctrl+K", "commands"),
            ("?", "this help"),
        ],
    ),
    ("Run and files", &[("Ctrl+Enter", "run"), ("Shift+F5", "stop"), ("Ctrl+S", "save as a file"), ("Ctrl+O", "open a file")]),
];

// ── inspector, problems, run ──
pub mod inspector;
pub mod problems;
pub mod run;
