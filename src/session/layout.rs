//! Docks, tabs and theme: how the screen is arranged. Nothing of it belongs to the document.

use leptos::prelude::*;

/// The tabs of the dock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DockTab {
    /// What is wrong.
    Problems,
    /// Starting payload and scripted calls.
    Scenario,
    /// Bars over virtual time.
    Timeline,
    /// The matrix.
    Iterations,
    /// The payload at the playhead.
    Payload,
    /// The log.
    Events,
}

impl DockTab {
    /// In the order they are shown.
    pub const ALL: [Self; 6] = [Self::Problems, Self::Scenario, Self::Timeline, Self::Iterations, Self::Payload, Self::Events];
}

/// The tabs of the inspector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InspectorTab {
    /// Fields of the step's kind.
    Configuration,
    /// The input mapping.
    Inputs,
    /// The output mapping.
    Outputs,
    /// What the scenario answers.
    Mock,
    /// The step as it is exported.
    Json,
}

/// Light or dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// How the screen is arranged.
#[derive(Clone, Copy)]
pub struct Layout {
    /// The tab of the dock.
    pub dock_tab: RwSignal<DockTab>,
    /// Whether the dock is open.
    pub dock_open: RwSignal<bool>,
    /// Height of the dock in px, tabs included.
    pub dock_height: RwSignal<f64>,
    /// The tab of the inspector.
    pub inspector_tab: RwSignal<InspectorTab>,
    /// Whether the inspector is shown (narrow screens close it).
    pub inspector_open: RwSignal<bool>,
    /// Whether palette and outline are shown, not the rail.
    pub palette_open: RwSignal<bool>,
    /// A field the inspector shall put the cursor in: column and place inside it. The inspector takes it (sets `None`).
    pub focus_field: RwSignal<Option<(String, Vec<String>)>>,
    /// The theme shown.
    pub theme: RwSignal<Theme>,
    /// Width of the window in px.
    pub width: RwSignal<f64>,
}

impl Layout {
    pub(super) fn new() -> Self {
        Self {
            dock_tab: RwSignal::new(DockTab::Problems),
            dock_open: RwSignal::new(false),
            dock_height: RwSignal::new(216.0),
            inspector_tab: RwSignal::new(InspectorTab::Configuration),
            inspector_open: RwSignal::new(true),
            palette_open: RwSignal::new(true),
            focus_field: RwSignal::new(None),
            theme: RwSignal::new(Theme::Light),
            width: RwSignal::new(1440.0),
        }
    }

    /// Opens the dock at a tab.
    pub fn show_dock(self, tab: DockTab) {
        self.dock_tab.set(tab);
        self.dock_open.set(true);
    }

    /// Opens the inspector at a tab, with the cursor in a field where one is named.
    pub fn show_field(self, tab: InspectorTab, field: Option<(String, Vec<String>)>) {
        self.inspector_tab.set(tab);
        self.inspector_open.set(true);
        self.focus_field.set(field);
    }
}
