//! The gesture machine: what a person does, and what comes of it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeSet;

use loopwright_stage::*;
use proptest::prelude::*;

/// A stage of 900 × 600 with two connected cards, a loop, a lone card and a note, and the machine over it.
struct Desk {
    stage: Stage,
    gesture: Gesture,
    viewport: Viewport,
    selection: BTreeSet<Pick>,
    read_only: bool,
    kind: PointerKind,
    mods: Mods,
    time: f64,
}

const PLAIN: Mods = Mods { shift: false, ctrl: false, alt: false, meta: false };
const CTRL: Mods = Mods { ctrl: true, ..PLAIN };
const SHIFT: Mods = Mods { shift: true, ..PLAIN };

fn desk() -> Desk {
    let node = |id, kind, x, y| SceneNode::new(NodeId(id), kind, x, y);
    let scene = Scene {
        nodes: vec![
            node(1, NodeShape::Card, 16.0, 152.0),
            node(2, NodeShape::Container, 304.0, 72.0),
            node(3, NodeShape::Card, 304.0, 400.0),
            node(4, NodeShape::Note, 16.0, 400.0),
        ],
        links: vec![SceneLink { id: LinkId(1), from: NodeId(1), to: NodeId(2) }],
    };
    Desk {
        stage: Stage::new(scene),
        gesture: Gesture::default(),
        viewport: Viewport::default(),
        selection: BTreeSet::new(),
        read_only: false,
        kind: PointerKind::Mouse,
        mods: PLAIN,
        time: 0.0,
    }
}

impl Desk {
    fn send(&mut self, input: Input) -> Vec<Intent> {
        let view = View {
            stage: &self.stage,
            viewport: self.viewport,
            width: 900.0,
            height: 600.0,
            selection: &self.selection,
            read_only: self.read_only,
        };
        let intents = self.gesture.handle(&input, &view);
        for intent in &intents {
            match intent {
                Intent::Pan { dx, dy } => self.viewport = self.viewport.panned(*dx, *dy),
                Intent::ZoomAt { at, factor } => self.viewport = self.viewport.zoomed_by(*at, *factor),
                _ => {}
            }
        }
        intents
    }

    fn press(&mut self, button: Button, x: f64, y: f64) -> Vec<Intent> {
        self.time += 1000.0;
        let (kind, mods, time) = (self.kind, self.mods, self.time);
        self.send(Input::Down { pointer: 1, kind, button, mods, at: pt(x, y), time, target: None })
    }

    fn down(&mut self, x: f64, y: f64) -> Vec<Intent> {
        self.press(Button::Primary, x, y)
    }

    fn to(&mut self, x: f64, y: f64) -> Vec<Intent> {
        self.time += 16.0;
        self.send(Input::Move { pointer: 1, mods: self.mods, at: pt(x, y), time: self.time })
    }

    fn up(&mut self, x: f64, y: f64) -> Vec<Intent> {
        self.time += 16.0;
        self.send(Input::Up { pointer: 1, mods: self.mods, at: pt(x, y), time: self.time })
    }

    fn tick(&mut self, ms: f64) -> Vec<Intent> {
        self.time += ms;
        self.send(Input::Tick { time: self.time })
    }

    /// Press, move in two steps, let go: what the last step and the release said.
    fn drag(&mut self, from: (f64, f64), to: (f64, f64)) -> Vec<Intent> {
        let mut out = self.down(from.0, from.1);
        out.extend(self.to((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0));
        out.extend(self.to(to.0, to.1));
        out.extend(self.up(to.0, to.1));
        assert!(self.gesture.is_idle());
        out
    }

    fn click(&mut self, x: f64, y: f64) -> Vec<Intent> {
        let mut out = self.down(x, y);
        out.extend(self.up(x, y));
        out
    }

    fn select(&mut self, ids: &[u32]) {
        self.selection = ids.iter().map(|i| Pick::Node(NodeId(*i))).collect();
    }
}

fn node(id: u32) -> Pick {
    Pick::Node(NodeId(id))
}

#[test]
fn a_click_selects_and_says_what_was_clicked() {
    let mut d = desk();
    let at = pt(100.0, 170.0);
    let target = Target::Node(NodeId(1));
    assert_eq!(d.click(100.0, 170.0), [Intent::SelectOnly(node(1)), Intent::Click { target, mods: PLAIN, at }]);
    d.mods = SHIFT;
    assert_eq!(d.click(100.0, 170.0)[0], Intent::Toggle(node(1)));
    d.mods = PLAIN;
    assert_eq!(d.click(700.0, 500.0)[0], Intent::SelectNone);
    assert_eq!(d.click(400.0, 180.0)[0], Intent::SelectOnly(node(2)), "a body selects its loop");
    assert_eq!(d.click(284.0, 184.0)[0], Intent::SelectOnly(Pick::Link(LinkId(1))));
}

#[test]
fn two_quick_clicks_are_a_double_click_and_a_third_is_a_click_again() {
    let mut d = desk();
    d.click(100.0, 170.0);
    d.time -= 900.0;
    assert!(matches!(d.click(102.0, 171.0)[1], Intent::DoubleClick { target: Target::Node(NodeId(1)), .. }));
    d.time -= 900.0;
    assert!(matches!(d.click(102.0, 171.0)[1], Intent::Click { .. }));
    d.click(100.0, 170.0);
    assert!(matches!(d.click(100.0, 170.0)[1], Intent::Click { .. }), "too slow");
}

#[test]
fn a_drag_starts_after_four_pixels_for_a_mouse_and_eight_for_a_finger() {
    for (kind, short, far) in [(PointerKind::Mouse, 3.0, 5.0), (PointerKind::Pen, 3.0, 5.0), (PointerKind::Touch, 7.0, 9.0)] {
        let mut d = desk();
        d.kind = kind;
        d.select(&[1]);
        d.down(100.0, 170.0);
        assert_eq!(d.to(100.0 + short, 170.0), [], "{kind:?}");
        assert!(matches!(d.to(100.0 + far, 170.0)[..], [Intent::DragPreview { .. }]), "{kind:?}");
    }
}

#[test]
fn a_step_moves_by_whole_snaps_and_is_one_commit() {
    let mut d = desk();
    let out = d.drag((100.0, 170.0), (137.0, 300.0));
    let Some(Intent::DragCommit { ids, dx, dy, onto }) = out.last() else { panic!("{out:?}") };
    assert_eq!((ids.as_slice(), *dx, *dy, *onto), (&[NodeId(1)][..], 32.0, 128.0, None));
    assert_eq!(out.iter().filter(|i| matches!(i, Intent::DragCommit { .. })).count(), 1);
}

#[test]
fn a_selected_step_takes_the_selection_with_it_in_the_scene_s_order() {
    let mut d = desk();
    d.select(&[3, 1]);
    let out = d.drag((400.0, 430.0), (400.0, 530.0));
    assert!(matches!(out.last(), Some(Intent::DragCommit { ids, .. }) if *ids == [NodeId(1), NodeId(3)]), "{out:?}");
    let out = d.drag((400.0, 90.0), (400.0, 10.0));
    assert!(matches!(out.last(), Some(Intent::DragCommit { ids, .. }) if *ids == [NodeId(2)]), "not part of the selection: alone");
}

#[test]
fn a_drag_that_comes_back_leaves_nothing() {
    let mut d = desk();
    d.down(100.0, 170.0);
    d.to(200.0, 300.0);
    d.to(101.0, 171.0);
    assert_eq!(d.up(101.0, 171.0), [Intent::Cancel]);
}

#[test]
fn a_step_settles_in_its_neighbour_s_row_and_ctrl_lets_it_be() {
    let mut d = desk();
    // Card 3's ports are at 432; carried to within six pixels of the row at 184.
    d.down(400.0, 432.0);
    let out = d.to(752.0, 188.0);
    let Some(Intent::DragPreview { dy, guides, .. }) = out.last() else { panic!("{out:?}") };
    assert_eq!(*dy, 184.0 - 432.0);
    assert!(guides.lines.iter().any(|l| l.from.y == 184.0 && l.to.y == 184.0), "{guides:?}");
    d.mods = CTRL;
    let out = d.to(752.0, 189.0);
    assert!(
        matches!(out.last(), Some(Intent::DragPreview { dx: 352.0, dy: -243.0, guides, .. }) if *guides == Guides::default()),
        "{out:?}"
    );
}

#[test]
fn a_lone_step_dropped_on_a_path_goes_into_it() {
    let mut d = desk();
    let out = d.drag((400.0, 432.0), (280.0, 184.0));
    assert!(matches!(out.last(), Some(Intent::DragCommit { onto: Some(LinkId(1)), .. })), "{out:?}");
    let out = d.drag((100.0, 170.0), (280.0, 184.0));
    assert!(matches!(out.last(), Some(Intent::DragCommit { onto: None, .. })), "a connected one only moves: {out:?}");
}

#[test]
fn empty_canvas_selects_by_box_and_middle_right_and_space_pan() {
    let mut d = desk();
    let out = d.drag((10.0, 380.0), (320.0, 470.0));
    assert_eq!(out.last(), Some(&Intent::BoxCommit { ids: vec![NodeId(3), NodeId(4)], add: false }));
    d.mods = SHIFT;
    assert!(matches!(d.drag((10.0, 380.0), (20.0, 410.0)).last(), Some(Intent::BoxCommit { add: true, .. })));
    d.mods = PLAIN;
    for button in [Button::Middle, Button::Secondary] {
        let mut d = desk();
        d.press(button, 100.0, 170.0);
        assert_eq!(d.to(130.0, 180.0), [Intent::Pan { dx: 30.0, dy: 10.0 }], "{button:?}");
        assert_eq!(d.up(130.0, 180.0), []);
    }
    d.send(Input::SpaceDown);
    assert_eq!(d.gesture.cursor(), Cursor::Grab);
    d.down(100.0, 170.0);
    assert_eq!(d.to(110.0, 170.0), [Intent::Pan { dx: 10.0, dy: 0.0 }]);
    assert_eq!(d.gesture.cursor(), Cursor::Grabbing);
    d.up(110.0, 170.0);
    d.send(Input::SpaceUp);
    assert_eq!(d.gesture.cursor(), Cursor::Default);
}

#[test]
fn a_right_click_opens_the_menu_and_selects_what_it_is_for() {
    let mut d = desk();
    let menu = |x, y, target| Intent::Menu { target, at: pt(x, y) };
    d.press(Button::Secondary, 100.0, 170.0);
    assert_eq!(d.up(100.0, 170.0), [Intent::SelectOnly(node(1)), menu(100.0, 170.0, Target::Node(NodeId(1)))]);
    d.select(&[1, 3]);
    d.press(Button::Secondary, 100.0, 170.0);
    assert_eq!(d.up(100.0, 170.0), [menu(100.0, 170.0, Target::Node(NodeId(1)))], "the selection stays");
    d.press(Button::Secondary, 700.0, 500.0);
    assert_eq!(d.up(700.0, 500.0), [menu(700.0, 500.0, Target::Empty)]);
}

#[test]
fn a_finger_pans_two_pinch_and_a_long_press_opens_the_menu() {
    let mut d = desk();
    d.kind = PointerKind::Touch;
    d.down(100.0, 170.0);
    assert_eq!(d.to(120.0, 170.0), [Intent::Pan { dx: 20.0, dy: 0.0 }], "not selected, so it pans from there, too");
    let second =
        |at, time| Input::Down { pointer: 2, kind: PointerKind::Touch, button: Button::Primary, mods: PLAIN, at, time, target: None };
    d.send(second(pt(220.0, 170.0), d.time));
    let out = d.send(Input::Move { pointer: 2, mods: PLAIN, at: pt(320.0, 170.0), time: d.time });
    assert_eq!(out, [Intent::Pan { dx: 50.0, dy: 0.0 }, Intent::ZoomAt { at: pt(220.0, 170.0), factor: 2.0 }]);
    assert_eq!(d.up(120.0, 170.0), []);
    assert!(!d.gesture.is_idle(), "the other finger is still down and pans");
    let out = d.send(Input::Move { pointer: 2, mods: PLAIN, at: pt(330.0, 170.0), time: d.time });
    assert_eq!(out, [Intent::Pan { dx: 10.0, dy: 0.0 }]);
    d.send(Input::Up { pointer: 2, mods: PLAIN, at: pt(330.0, 170.0), time: d.time });
    assert!(d.gesture.is_idle());

    let mut d = desk();
    d.kind = PointerKind::Touch;
    d.down(100.0, 170.0);
    assert!(d.gesture.wants_ticks());
    assert_eq!(d.tick(499.0), []);
    assert!(matches!(d.tick(2.0)[..], [Intent::SelectOnly(_), Intent::Menu { .. }]));
    assert_eq!(d.to(150.0, 170.0), []);
    assert_eq!(d.up(150.0, 170.0), []);
    assert!(d.gesture.is_idle());
}

#[test]
fn a_second_finger_takes_back_what_the_first_was_dragging() {
    let mut d = desk();
    d.kind = PointerKind::Touch;
    d.select(&[1]);
    d.down(100.0, 170.0);
    d.to(160.0, 170.0);
    let out = d.send(Input::Down {
        pointer: 2,
        kind: PointerKind::Touch,
        button: Button::Primary,
        mods: PLAIN,
        at: pt(300.0, 170.0),
        time: d.time,
        target: None,
    });
    assert_eq!(out, [Intent::Cancel]);
}

#[test]
fn a_connector_snaps_to_the_nearest_input_within_48_pixels() {
    let mut d = desk();
    let from = Port { node: NodeId(2), side: Side::Out };
    d.down(608.0, 184.0);
    assert_eq!(d.to(500.0, 350.0), [Intent::ConnectPreview { from, to: pt(500.0, 350.0), target: None }]);
    assert_eq!(d.to(270.0, 440.0), [Intent::ConnectPreview { from, to: pt(304.0, 432.0), target: Some(NodeId(3)) }]);
    assert_eq!(d.up(270.0, 440.0), [Intent::ConnectCommit { from: NodeId(2), to: NodeId(3) }]);

    d.down(608.0, 184.0);
    d.to(450.0, 432.0);
    assert_eq!(d.up(450.0, 432.0), [Intent::ConnectCommit { from: NodeId(2), to: NodeId(3) }], "anywhere on the card will do");

    d.down(608.0, 184.0);
    d.to(750.0, 300.0);
    assert_eq!(d.up(750.0, 300.0), [Intent::ConnectToEmpty { from, at: pt(750.0, 300.0) }]);

    d.down(608.0, 184.0);
    d.to(500.0, 100.0);
    assert_eq!(d.up(500.0, 100.0), [Intent::Cancel], "back on its own card");

    d.down(608.0, 184.0);
    d.to(300.0, 190.0);
    assert_eq!(d.up(300.0, 190.0), [Intent::ConnectCommit { from: NodeId(2), to: NodeId(2) }], "to itself only by its port");

    d.down(304.0, 432.0);
    d.to(262.0, 184.0);
    assert_eq!(d.up(262.0, 184.0), [Intent::ConnectCommit { from: NodeId(1), to: NodeId(3) }], "drawn backwards from an input");
}

#[test]
fn the_end_of_a_selected_path_can_be_hung_elsewhere() {
    let mut d = desk();
    d.selection = BTreeSet::from([Pick::Link(LinkId(1))]);
    let out = d.drag((300.0, 184.0), (300.0, 430.0));
    assert_eq!(out.last(), Some(&Intent::ReconnectCommit { link: LinkId(1), end: End::To, node: NodeId(3) }));
    let out = d.drag((300.0, 184.0), (330.0, 200.0));
    assert_eq!(out.last(), Some(&Intent::Cancel), "back where it hangs");
}

#[test]
fn an_item_of_the_palette_lands_on_the_grid_in_a_path_or_in_a_body() {
    let drop = |x: f64, y: f64| {
        let mut d = desk();
        let palette = Input::Palette {
            pointer: 1,
            kind: PointerKind::Mouse,
            shape: NodeShape::Card,
            into_body: true,
            at: pt(-100.0, 200.0),
            time: 0.0,
        };
        assert_eq!(d.send(palette), []);
        let out = d.to(-60.0, 200.0);
        assert!(matches!(out[..], [Intent::DropPreview { target: DropTarget::Nowhere, .. }]));
        assert_eq!(d.gesture.cursor(), Cursor::NoDrop);
        d.to(x, y);
        d.up(x, y).pop().unwrap()
    };
    assert_eq!(drop(-20.0, 200.0), Intent::Cancel);
    assert_eq!(drop(280.0, 184.0), Intent::DropCommit { target: DropTarget::OnLink(LinkId(1), pt(160.0, 160.0)) });
    assert_eq!(drop(400.0, 190.0), Intent::DropCommit { target: DropTarget::IntoBody(NodeId(2)) });
    let Intent::DropCommit { target: DropTarget::At(at) } = drop(744.0, 436.0) else { panic!() };
    assert_eq!(at, pt(624.0, 400.0), "in the row of card 3");
    let Intent::DropCommit { target: DropTarget::At(at) } = drop(150.0, 200.0) else { panic!() };
    assert!(!desk().stage.is_taken(&rect(at.x, at.y, 240.0, 64.0), &|_| false), "never over another card: {at:?}");

    let mut d = desk();
    d.send(Input::Palette {
        pointer: 1,
        kind: PointerKind::Mouse,
        shape: NodeShape::Card,
        into_body: true,
        at: pt(-100.0, 200.0),
        time: 0.0,
    });
    assert_eq!(d.up(-99.0, 200.0), [Intent::PaletteClick]);
}

#[test]
fn a_note_is_resized_by_its_corner_and_never_too_small() {
    let mut d = desk();
    let out = d.drag((220.0, 460.0), (263.0, 502.0));
    assert_eq!(out.last(), Some(&Intent::ResizeCommit { id: NodeId(4), w: 248.0, h: 104.0 }));
    let out = d.drag((220.0, 460.0), (20.0, 410.0));
    assert_eq!(out.last(), Some(&Intent::ResizeCommit { id: NodeId(4), w: 96.0, h: 40.0 }));
}

#[test]
fn esc_puts_everything_back() {
    let mut d = desk();
    d.down(100.0, 170.0);
    d.to(200.0, 300.0);
    assert_eq!(d.send(Input::Escape), [Intent::Cancel]);
    assert_eq!(d.to(250.0, 300.0), []);
    assert_eq!(d.up(250.0, 300.0), []);
    d.press(Button::Middle, 100.0, 170.0);
    d.to(130.0, 180.0);
    assert_eq!(d.send(Input::Escape), [Intent::Pan { dx: -30.0, dy: -10.0 }]);
    assert_eq!(d.viewport, Viewport::default());
    assert_eq!(d.send(Input::Escape), [], "idle: it is the caller's");
}

#[test]
fn near_the_edge_the_canvas_pans_by_itself_after_a_moment() {
    let mut d = desk();
    d.down(100.0, 170.0);
    d.to(895.0, 300.0);
    assert_eq!(d.tick(100.0), []);
    d.tick(60.0);
    let out = d.tick(16.0);
    let [Intent::Pan { dx, dy: 0.0 }, Intent::DragPreview { dx: moved, .. }] = out[..] else { panic!("{out:?}") };
    assert!(dx < 0.0 && dx > -20.0, "{dx}");
    assert!(moved > 790.0, "the step stays under the pointer: {moved}");
    assert_eq!(d.to(600.0, 300.0).len(), 1);
    assert_eq!(d.tick(500.0), []);
    let back = d.send(Input::Escape);
    assert!(matches!(back[..], [Intent::Pan { .. }, Intent::Cancel]));
    assert!(d.viewport.x.abs() < 1e-9);
}

#[test]
fn the_wheel_scrolls_and_with_ctrl_zooms_at_the_pointer() {
    let mut d = desk();
    let wheel = |dx, dy, mods, mac_pinch| Input::Wheel { at: pt(300.0, 200.0), dx, dy, unit: WheelUnit::Pixel, mods, mac_pinch };
    assert_eq!(d.send(wheel(5.0, 30.0, PLAIN, false)), [Intent::Pan { dx: -5.0, dy: -30.0 }]);
    assert_eq!(d.send(wheel(0.0, 30.0, SHIFT, false)), [Intent::Pan { dx: -30.0, dy: -0.0 }]);
    let check = |dy: f64, pinch: bool, octaves: f64| {
        let out = desk().send(wheel(0.0, dy, CTRL, pinch));
        let [Intent::ZoomAt { factor, .. }] = out[..] else { panic!("{out:?}") };
        assert!((factor.log2() - octaves).abs() < 1e-9, "{dy} {pinch}: {factor}");
    };
    check(50.0, false, -0.1);
    check(-5.0, true, 0.1);
    check(-400.0, false, 0.25);
    check(900.0, true, -0.25);
}

#[test]
fn a_read_only_stage_pans_selects_and_changes_nothing() {
    let mut d = desk();
    d.read_only = true;
    for from in [(100.0, 170.0), (608.0, 184.0), (220.0, 460.0), (700.0, 500.0)] {
        let out = d.drag(from, (from.0 + 60.0, from.1 + 60.0));
        assert!(out.iter().all(|i| matches!(i, Intent::Pan { .. })), "{out:?}");
    }
    d.viewport = Viewport::default();
    assert_eq!(d.click(100.0, 170.0)[0], Intent::SelectOnly(node(1)));
}

fn is_commit(intent: &Intent) -> bool {
    matches!(
        intent,
        Intent::DragCommit { .. }
            | Intent::ConnectCommit { .. }
            | Intent::ConnectToEmpty { .. }
            | Intent::ReconnectCommit { .. }
            | Intent::ResizeCommit { .. }
            | Intent::DropCommit { .. }
            | Intent::BoxCommit { .. }
            | Intent::PaletteClick
    )
}

fn is_preview(intent: &Intent) -> bool {
    matches!(
        intent,
        Intent::DragPreview { .. }
            | Intent::ConnectPreview { .. }
            | Intent::ReconnectPreview { .. }
            | Intent::ResizePreview { .. }
            | Intent::DropPreview { .. }
            | Intent::BoxPreview { .. }
    )
}

fn input() -> impl Strategy<Value = Input> {
    let mods = (any::<bool>(), any::<bool>()).prop_map(|(shift, ctrl)| Mods { shift, ctrl, ..PLAIN });
    // Mostly points on the stage and often on something, sometimes nonsense.
    let spots = prop::sample::select(vec![
        pt(100.0, 170.0),
        pt(256.0, 184.0),
        pt(304.0, 184.0),
        pt(400.0, 180.0),
        pt(608.0, 184.0),
        pt(400.0, 432.0),
        pt(220.0, 460.0),
        pt(280.0, 184.0),
        pt(895.0, 10.0),
        pt(f64::NAN, f64::INFINITY),
        pt(-1e300, 1e300),
    ]);
    let at = prop_oneof![3 => spots, 2 => (-50f64..950.0, -50f64..650.0).prop_map(|(x, y)| pt(x, y))].boxed();
    let kind = prop::sample::select(vec![PointerKind::Mouse, PointerKind::Touch, PointerKind::Pen]);
    let button = prop::sample::select(vec![Button::Primary, Button::Primary, Button::Primary, Button::Middle, Button::Secondary]);
    let time = prop_oneof![9 => 0f64..3000.0, 1 => Just(f64::NAN)].boxed();
    let shape = prop::sample::select(vec![NodeShape::Card, NodeShape::Container, NodeShape::Note]);
    prop_oneof![
        3 => (0..3i32, kind.clone(), button, mods.clone(), at.clone(), time.clone())
            .prop_map(|(pointer, kind, button, mods, at, time)| Input::Down { pointer, kind, button, mods, at, time, target: None }),
        6 => (0..3i32, mods.clone(), at.clone(), time.clone()).prop_map(|(pointer, mods, at, time)| Input::Move { pointer, mods, at, time }),
        2 => (0..3i32, mods.clone(), at.clone(), time.clone()).prop_map(|(pointer, mods, at, time)| Input::Up { pointer, mods, at, time }),
        1 => (0..3i32).prop_map(|pointer| Input::Cancel { pointer }),
        1 => (0..3i32, kind, shape, any::<bool>(), at.clone(), time.clone())
            .prop_map(|(pointer, kind, shape, into_body, at, time)| Input::Palette { pointer, kind, shape, into_body, at, time }),
        1 => (at, any::<f64>(), any::<f64>(), mods, any::<bool>())
            .prop_map(|(at, dx, dy, mods, mac_pinch)| Input::Wheel { at, dx, dy, unit: WheelUnit::Line, mods, mac_pinch }),
        1 => prop::sample::select(vec![Input::Escape, Input::SpaceDown, Input::SpaceUp]),
        2 => time.prop_map(|time| Input::Tick { time }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_happens_previews_end_and_the_machine_comes_to_rest(
        inputs in prop::collection::vec(input(), 0..60),
        picks in prop::collection::btree_set(prop::sample::select(vec![node(1), node(3), node(4), Pick::Link(LinkId(1))]), 0..3),
        read_only in prop::bool::weighted(0.1),
    ) {
        let mut d = desk();
        d.selection = picks;
        d.read_only = read_only;
        let mut previewing = false;
        for input in inputs.into_iter().chain((0..3).map(|pointer| Input::Cancel { pointer })) {
            let ends = matches!(input, Input::Up { .. });
            let gives_up = matches!(input, Input::Escape | Input::Cancel { .. });
            for intent in d.send(input) {
                prop_assert!(!is_commit(&intent) || ends, "{:?} without a release", intent);
                prop_assert!(!(gives_up && is_preview(&intent)));
                prop_assert!(!read_only || !is_commit(&intent), "{:?} on a read-only stage", intent);
                if is_commit(&intent) || intent == Intent::Cancel {
                    previewing = false;
                } else if is_preview(&intent) {
                    previewing = true;
                }
                if let Intent::DragCommit { dx, dy, onto, .. } = intent {
                    prop_assert!(dx != 0.0 || dy != 0.0 || onto.is_some());
                }
            }
            prop_assert!(d.viewport.x.is_finite() && d.viewport.y.is_finite() && d.viewport.zoom > 0.0, "{:?}", d.viewport);
            prop_assert!(!previewing || !d.gesture.is_idle(), "a preview is left on the screen");
        }
        prop_assert!(d.gesture.is_idle());
        prop_assert!(!d.gesture.wants_ticks());
    }
}
