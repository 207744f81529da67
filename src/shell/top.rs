//! The top bar.

use leptos::{html, prelude::*};
use loopwright_lang::Profile;
use loopwright_model::EntityId;
use web_sys::{HtmlInputElement, KeyboardEvent};

use super::commands;
use crate::{
    canvas::{Canvas, canvas},
    dialogs::Dialogs,
    platform::{dom, files},
    session::{Leave, Saved, Session, Theme, acts, session},
    text,
    ui::{
        icon,
        menu::{Item, Menus},
        small_icon,
    },
};

/// Most versions listed in the menu.
const LISTED_VERSIONS: usize = 6;

/// The DOM id of the hidden field that opens files.
pub const FILE_FIELD: &str = "open-file";

/// The top bar.
pub fn bar() -> AnyView {
    let session = session();
    let menus = expect_context::<Menus>();
    let dialogs = expect_context::<Dialogs>();
    let canvas = canvas();
    view! {
        <header class="top">
            <button type="button" class="brand" aria-label=text::APP_MENU title=text::APP_MENU aria-haspopup="menu" on:click=move |event| menus.show_under(&event, text::APP_MENU, app_menu(canvas, dialogs))>
                <svg class="i i20" aria-hidden="true"><use href="#logo"></use></svg>
            </button>
            {title(session)}
            {saved(session)}
            <span class="sep"></span>
            {graphs(session)}
            <span class="sep"></span>
            {history(session)}
            <span class="grow"></span>
            {profile(session)}
            <span class="sep"></span>
            {run(session, menus)}
            <button type="button" class="btn share" aria-haspopup="menu" on:click=move |event| menus.show_under(&event, text::SHARE, share_menu(session))>{icon("share")}<span>{text::SHARE}</span></button>
            <input type="file" id=FILE_FIELD class="sr" tabindex="-1" aria-label=text::OPEN accept=".json,application/json" on:change=move |event| {
                let field: HtmlInputElement = event_target(&event);
                if let Some(file) = files::chosen(&field) {
                    session.open_file(file);
                }
            }/>
        </header>
    }
    .into_any()
}

/// The document's title; a click lets it be typed over.
fn title(session: Session) -> AnyView {
    let typing = RwSignal::new(false);
    let name = Memo::new(move |_| {
        session.doc.track_all();
        session.title()
    });
    let field = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        if let Some(element) = field.get() {
            dom::focus(&element);
            dom::select_all(&element);
        }
    });
    let finish = move |keep: bool| {
        if !typing.get_untracked() {
            return;
        }
        let typed = field.get_untracked().map(|element| element.value().trim().to_owned()).unwrap_or_default();
        typing.set(false);
        if keep && !typed.is_empty() && typed != name.get_untracked() {
            session.apply(acts::retitle(&typed));
        }
    };
    let key = move |event: KeyboardEvent| match event.key().as_str() {
        "Enter" => finish(true),
        "Escape" => finish(false),
        _ => {}
    };
    (move || {
        if typing.get() {
            view! { <input class="doc doc-input" type="text" aria-label=text::DOCUMENT_NAME node_ref=field value=name.get_untracked() on:keydown=key on:blur=move |_| finish(true)/> }.into_any()
        } else {
            view! { <h1 class="doc-h"><button type="button" class="doc ell" title=text::RENAME_DOCUMENT on:click=move |_| typing.set(true)>{move || name.get()}</button></h1> }.into_any()
        }
    })
    .into_any()
}

fn saved(session: Session) -> AnyView {
    let view = move || {
        if session.doc.read_only.get() {
            return view! { <span class="saved" title=text::READ_ONLY>{text::READ_ONLY_SHORT}</span> }.into_any();
        }
        let saved = session.files.saved.get();
        let words = text::saved(&saved);
        let problem = match saved {
            Saved::NoStorage => Some(("saved s-waiting", text::NO_STORAGE_LONG)),
            Saved::Full => Some(("saved s-failed", text::STORAGE_FULL_LONG)),
            _ => None,
        };
        if let Some((class, why)) = problem {
            return view! {
                <button type="button" class=class title=why on:click=move |_| session.download(Leave::Document)>
                    {small_icon("warn")}
                    {words}
                    <span class="sr">". "{text::SAVE_DOCUMENT}</span>
                </button>
            }
            .into_any();
        }
        let kept = matches!(saved, Saved::At(_) | Saved::Example);
        view! { <span class="saved">{kept.then(|| small_icon("success"))}{words}</span> }.into_any()
    };
    view.into_any()
}

/// The flows of the document as tabs, and the way into the one that is open.
fn graphs(session: Session) -> AnyView {
    let outer = Memo::new(move |_| {
        session.doc.track_all();
        session.doc.with(|document| document.graphs().map(|graph| graph.id()).collect::<Vec<EntityId>>())
    });
    let name = move |id: EntityId| {
        session.doc.track(id);
        session.graph_name(id)
    };
    let view = move || {
        let path = session.selection.breadcrumb.get();
        let depth = path.len();
        let tabs = outer.get().into_iter().filter(|id| depth <= 1 || path.first() == Some(id)).take(6).map(|id| {
            let here = depth == 1 && path.first() == Some(&id);
            let go = move |_| {
                if session.selection.breadcrumb.with_untracked(|path| path.first() == Some(&id)) {
                    session.selection.drill_to(0)
                } else {
                    session.open_graph(id)
                }
            };
            view! { <button type="button" class="crumb" aria-current=here.then_some("page") on:click=go>{move || name(id)}</button> }
        });
        let inner = path.iter().copied().enumerate().skip(1).map(|(at, id)| {
            let here = at + 1 == depth;
            view! { {small_icon("next")}<button type="button" class="crumb" aria-current=here.then_some("page") on:click=move |_| session.selection.drill_to(at)>{move || name(id)}</button> }
        });
        view! { {tabs.collect_view()} {inner.collect_view()} }
    };
    view! { <nav class="crumbs" aria-label=text::GRAPHS>{view}</nav> }.into_any()
}

fn history(session: Session) -> AnyView {
    let undo = move || text::undo(session.doc.undo_label().as_deref());
    let redo = move || text::redo(session.doc.redo_label().as_deref());
    view! {
        <button type="button" class="btn ghost icon" aria-label=undo title=undo disabled=move || session.doc.undo_label().is_none() on:click=move |_| session.undo()>{icon("undo")}</button>
        <button type="button" class="btn ghost icon" aria-label=redo title=redo disabled=move || session.doc.redo_label().is_none() on:click=move |_| session.redo()>{icon("redo")}</button>
    }
    .into_any()
}

fn profile(session: Session) -> AnyView {
    let buttons = [(Profile::Documented, text::AS_DOCUMENTED), (Profile::Mj5513, text::MJ)].map(|(profile, label)| {
        let choose = move |_| {
            if session.profile.get_untracked() != profile {
                session.profile.set(profile);
                session.run.run_soon();
            }
        };
        view! { <button type="button" aria-pressed=move || (session.profile.get() == profile).to_string() on:click=choose>{label}</button> }
    });
    view! { <div class="seg profile" role="group" aria-label=text::PROFILE title=text::PROFILE_HINT>{buttons}</div> }.into_any()
}

fn run(session: Session, menus: Menus) -> AnyView {
    let run = session.run;
    // One button that stays: a click must not fall between two of them while the run's progress comes in.
    let going = Memo::new(move |_| run.is_running());
    let off = Memo::new(move |_| !run.available());
    let act = move |_| if going.get_untracked() { run.cancel() } else { run.start() };
    let start = view! {
        <button type="button" class="btn primary run" title=move || if off.get() { text::WORKER_MISSING } else { text::RUN_HINT } disabled=move || off.get() on:click=act>
            {move || icon(if going.get() { "stop" } else { "play" })}<span>{move || if going.get() { text::STOP } else { text::RUN }}</span>
        </button>
    };
    view! {
        <span class="split">
            {start}
            <button type="button" class="btn primary" aria-label=text::RUN_OPTIONS title=text::RUN_OPTIONS aria-haspopup="menu" on:click=move |event| menus.show_under(&event, text::RUN_OPTIONS, scenario_menu(session))>{small_icon("down")}</button>
        </span>
    }
    .into_any()
}

fn scenario_menu(session: Session) -> Vec<Item> {
    let open = session.selection.breadcrumb.with_untracked(|path| path.first().copied());
    let scenarios: Vec<(EntityId, String)> = session.doc.with(|document| {
        open.and_then(|graph| document.graph(graph)).map_or_else(Vec::new, |graph| {
            document.scenarios_of(graph).map(|scenario| (scenario.id(), scenario.name().to_owned())).collect()
        })
    });
    let chosen = session.run.scenario.get_untracked();
    let choose = move |id: Option<EntityId>| {
        session.run.scenario.set(id);
        session.run.start();
    };
    let mut items = vec![Item::Caption(text::RUN_WITH.to_owned())];
    items.extend(scenarios.into_iter().map(|(id, name)| {
        Item::act("", if name.is_empty() { text::UNNAMED_SCENARIO.to_owned() } else { name }, "", move || choose(Some(id)))
            .checked(chosen == Some(id))
    }));
    items.push(Item::act("", text::NO_SCENARIO, "", move || choose(None)).checked(chosen.is_none()));
    items.push(Item::Line);
    items.push(Item::act("edit", text::EDIT_SCENARIO, "", move || session.layout.show_dock(crate::session::DockTab::Scenario)));
    items
}

fn share_menu(session: Session) -> Vec<Item> {
    let mut items = vec![
        Item::act("share", text::SAVE_DOCUMENT, "Ctrl+S", move || session.download(Leave::Document)),
        Item::Line,
        Item::act("copy", text::COPY_LINK, "", move || session.copy_link()),
        Item::act("copy", text::COPY_STEPS, "", move || session.copy_steps()),
        Item::act("share", text::DOWNLOAD_STEPS_TEXT, "", move || session.download(Leave::StepsText)),
        Item::act("share", text::DOWNLOAD_STEPS_OBJECT, "", move || session.download(Leave::StepsObject)),
    ];
    let imported = session.imported_formats();
    if !imported.is_empty() {
        items.push(Item::Line);
        items.extend(
            imported
                .into_iter()
                .map(|format| Item::act("share", text::download_as(format), "", move || session.download(Leave::AsImported(format)))),
        );
    }
    items
}

fn app_menu(canvas: Canvas, dialogs: Dialogs) -> Vec<Item> {
    let session = canvas.session;
    let dark = session.layout.theme.get_untracked() == Theme::Dark;
    let mut items = vec![
        Item::act("plus", text::NEW, "", move || session.new_document()),
        Item::act("list", text::OPEN, "Ctrl+O", commands::choose_file),
        Item::Line,
        Item::Caption(text::EXAMPLES.to_owned()),
    ];
    items.extend(crate::session::files::EXAMPLES.iter().map(|(name, title)| {
        Item::act("branch", *title, "", move || {
            leptos::task::spawn_local(async move {
                let _ = session.open_example(name).await;
            })
        })
    }));
    if let Some(title) = session.previous_title() {
        items.push(Item::Line);
        items.push(Item::act("back", text::open_previous(&title), "", move || session.open_previous()));
    }
    items.push(Item::Line);
    items.push(Item::act("bookmark", text::KEEP_VERSION, "", move || session.keep_version()));
    let versions = session.files.versions.get_untracked();
    if !versions.is_empty() {
        items.push(Item::Caption(text::VERSIONS.to_owned()));
    }
    items.extend(
        versions
            .into_iter()
            .take(LISTED_VERSIONS)
            .map(|version| Item::act("clock", text::version(&version.at, &version.name), "", move || session.restore_version(&version))),
    );
    items.push(Item::Line);
    items.push(Item::act("moon", if dark { text::LIGHT } else { text::DARK }, "", move || commands::toggle_theme(session)));
    items.push(Item::act("search", text::COMMANDS, "Ctrl+K", move || dialogs.show_commands(canvas)));
    items.push(Item::act("help", text::HELP, "?", move || dialogs.show_help()));
    items
}
