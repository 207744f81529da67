//! The course of paths.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use loopwright_stage::*;
use proptest::prelude::*;

fn card(id: u32, x: f64, y: f64) -> SceneNode {
    SceneNode::new(NodeId(id), NodeShape::Card, x, y)
}

fn container(id: u32, x: f64, y: f64) -> SceneNode {
    SceneNode::new(NodeId(id), NodeShape::Container, x, y)
}

fn link(id: u32, from: u32, to: u32) -> SceneLink {
    SceneLink { id: LinkId(id), from: NodeId(from), to: NodeId(to) }
}

/// The picture of the editor: a choice after a loop, whose other path leads down and back.
fn onboarding() -> Scene {
    Scene {
        nodes: vec![
            card(1, 16.0, 152.0),
            container(2, 304.0, 72.0),
            card(3, 656.0, 152.0),
            card(4, 304.0, 408.0),
            container(5, 592.0, 328.0),
        ],
        links: vec![link(1, 1, 2), link(2, 2, 3), link(3, 2, 4), link(4, 4, 5)],
    }
}

fn d(stage: &Stage, id: u32) -> String {
    stage.route(LinkId(id)).unwrap().d()
}

#[test]
fn the_editor_picture_is_drawn_as_designed() {
    let stage = Stage::new(onboarding());
    assert_eq!(d(&stage, 1), "M256 184 L304 184");
    assert_eq!(
        d(&stage, 3),
        "M608 184 L620 184 Q632 184 632 196 L632 276 Q632 288 620 288 L292 288 Q280 288 280 300 L280 428 Q280 440 292 440 L304 440"
    );
    let back = stage.route(LinkId(3)).unwrap();
    assert_eq!(back.label, pt(456.0, 288.0));
    assert_eq!(back.arrow(), "M298 440l-8 -4.5 v9 z");
    assert_eq!(stage.route(LinkId(2)).unwrap().label, pt(632.0, 166.0), "above a short straight line");
}

#[test]
fn a_path_to_itself_goes_round_its_node() {
    let stage = Stage::new(Scene { nodes: vec![card(1, 0.0, 0.0)], links: vec![link(1, 1, 1)] });
    let route = stage.route(LinkId(1)).unwrap();
    assert_eq!(route.points.len(), 6);
    assert!(route.distance(pt(120.0, 32.0)) > 40.0, "the line keeps off the card: {route:?}");
}

#[test]
fn a_path_over_a_step_in_between_goes_around_it() {
    let nodes = vec![card(1, 0.0, 0.0), card(2, 288.0, 0.0), card(3, 576.0, 0.0)];
    let stage = Stage::new(Scene { nodes, links: vec![link(1, 1, 3)] });
    let route = stage.route(LinkId(1)).unwrap();
    for w in route.points.windows(2) {
        assert!(!Rect::from_corners(w[0], w[1]).inflated(2.0).overlaps(&rect(288.0, 0.0, 240.0, 64.0)), "{route:?}");
    }
}

#[test]
fn paths_out_of_one_port_turn_apart_and_do_not_cross() {
    let nodes = vec![card(1, 0.0, 0.0), card(2, 400.0, 0.0), card(3, 400.0, 112.0), card(4, 400.0, 224.0), card(5, 400.0, -112.0)];
    let stage = Stage::new(Scene { nodes, links: vec![link(1, 1, 2), link(2, 1, 3), link(3, 1, 4), link(4, 1, 5)] });
    let turn = |id| stage.route(LinkId(id)).unwrap().points[1].x;
    assert_eq!(stage.route(LinkId(1)).unwrap().points.len(), 2);
    assert!(turn(3) + 7.0 < turn(2), "the farther one turns first: {} {}", turn(3), turn(2));
    assert_eq!(turn(4), turn(3), "those that go up and those that go down may share a column");
}

#[test]
fn two_paths_between_the_same_steps_can_be_told_apart() {
    let nodes = vec![card(1, 0.0, 0.0), card(2, 288.0, 0.0), card(3, 0.0, 200.0)];
    let stage = Stage::new(Scene { nodes, links: vec![link(1, 1, 2), link(2, 1, 2), link(3, 2, 3), link(4, 2, 3)] });
    assert_ne!(d(&stage, 1), d(&stage, 2));
    assert_ne!(d(&stage, 3), d(&stage, 4));
}

#[test]
fn a_path_is_hit_within_ten_pixels() {
    let stage = Stage::new(onboarding());
    let check = |x: f64, y: f64, zoom: f64, expected: Target| {
        assert_eq!(stage.hit(pt(x, y), zoom, PointerKind::Mouse, None), expected, "at {x} {y}, zoom {zoom}");
    };
    check(280.0, 360.0, 1.0, Target::Link(LinkId(3)));
    check(271.0, 360.0, 1.0, Target::Link(LinkId(3)));
    check(269.0, 360.0, 1.0, Target::Empty);
    check(262.0, 360.0, 0.5, Target::Link(LinkId(3)));
    check(280.0, 184.0, 1.0, Target::Link(LinkId(1)));
}

#[test]
fn hits_find_ports_bodies_frames_and_corners() {
    let mut scene = onboarding();
    scene.nodes.push(SceneNode::new(NodeId(9), NodeShape::Note, 16.0, 408.0));
    let stage = Stage::new(scene);
    let check = |x: f64, y: f64, kind: PointerKind, expected: Target| {
        assert_eq!(stage.hit(pt(x, y), 1.0, kind, Some(LinkId(4))), expected, "at {x} {y}");
    };
    let port = |node, side| Target::Port(Port { node: NodeId(node), side });
    check(256.0, 184.0, PointerKind::Mouse, port(1, Side::Out));
    check(267.0, 184.0, PointerKind::Mouse, port(1, Side::Out));
    check(269.0, 184.0, PointerKind::Mouse, Target::Link(LinkId(1)));
    check(277.0, 184.0, PointerKind::Touch, port(1, Side::Out));
    check(100.0, 180.0, PointerKind::Mouse, Target::Node(NodeId(1)));
    check(400.0, 180.0, PointerKind::Mouse, Target::Body(NodeId(2)));
    check(400.0, 90.0, PointerKind::Mouse, Target::Node(NodeId(2)));
    check(100.0, 420.0, PointerKind::Mouse, Target::Node(NodeId(9)));
    check(220.0, 468.0, PointerKind::Mouse, Target::Resize(NodeId(9)));
    check(590.0, 440.0, PointerKind::Mouse, Target::LinkEnd(LinkId(4), End::To));
    check(546.0, 440.0, PointerKind::Mouse, Target::LinkEnd(LinkId(4), End::From));
    check(100.0, 20.0, PointerKind::Mouse, Target::Empty);
}

fn scenes() -> impl Strategy<Value = Scene> {
    let node = (-60i32..60, -40i32..40, 0u8..8);
    (prop::collection::vec(node, 1..14), prop::collection::vec((0usize..14, 0usize..14), 0..24)).prop_map(|(nodes, links)| {
        let shape = |k| match k {
            0 => NodeShape::Note,
            1 | 2 => NodeShape::Container,
            _ => NodeShape::Card,
        };
        let nodes: Vec<SceneNode> = nodes
            .iter()
            .enumerate()
            .map(|(i, (x, y, k))| SceneNode::new(NodeId(i as u32), shape(*k), f64::from(*x) * 16.0, f64::from(*y) * 16.0))
            .collect();
        let count = nodes.len();
        let links = links.iter().enumerate().map(|(i, (a, b))| link(i as u32, (a % count) as u32, (b % count) as u32)).collect();
        Scene { nodes, links }
    })
}

proptest! {
    #[test]
    fn every_course_is_orthogonal_and_runs_from_port_to_port(scene in scenes()) {
        let stage = Stage::new(scene);
        for l in &stage.scene().links {
            let (from, to) = (stage.node(l.from).unwrap().port_out(), stage.node(l.to).unwrap().port_in());
            let route = stage.route(l.id).unwrap();
            prop_assert_eq!(route.points.first(), Some(&from));
            prop_assert_eq!(route.points.last(), Some(&to));
            for w in route.points.windows(2) {
                prop_assert!((w[0].x - w[1].x).abs() < 1e-6 || (w[0].y - w[1].y).abs() < 1e-6, "{:?}", route);
                prop_assert!(route.bounds.contains(w[0]) && route.bounds.contains(w[1]));
            }
            prop_assert!(route.points[1].x >= from.x + 19.9 || route.points.len() == 2, "leaves to the right: {:?}", route);
            let before = route.points[route.points.len() - 2];
            prop_assert!(before.x <= to.x - 19.9 || route.points.len() == 2, "enters from the left: {:?}", route);
            prop_assert!(route.bounds.contains(route.label));
            prop_assert!(!route.d().contains("NaN") && !route.d().contains("inf"));
        }
    }

    #[test]
    fn moving_a_node_gives_what_building_anew_gives(scene in scenes(), moves in prop::collection::vec((0usize..14, -900f64..900.0, -600f64..600.0), 1..5)) {
        let mut stage = Stage::new(scene);
        for (i, x, y) in moves {
            let mut node = stage.scene().nodes[i % stage.scene().nodes.len()].clone();
            (node.x, node.y) = (x, y);
            let before: Vec<Route> = stage.scene().links.iter().map(|l| stage.route(l.id).unwrap().clone()).collect();
            let changed = stage.put(node);
            let fresh = Stage::new(stage.scene().clone());
            for (l, before) in stage.scene().links.iter().zip(before) {
                prop_assert_eq!(stage.route(l.id), fresh.route(l.id));
                prop_assert_eq!(changed.contains(&l.id), stage.route(l.id) != Some(&before), "the list of changed paths");
            }
            let all = rect(-5000.0, -5000.0, 10000.0, 10000.0);
            prop_assert_eq!(stage.within(&all), fresh.within(&all));
        }
    }

    #[test]
    fn numbers_from_a_broken_file_break_nothing(values in prop::collection::vec(prop::num::f64::ANY, 8)) {
        let mut a = card(1, 0.0, 0.0);
        let mut b = container(2, 0.0, 0.0);
        (a.x, a.y, a.w, a.h) = (values[0], values[1], values[2], values[3]);
        (b.x, b.y, b.w, b.port_y) = (values[4], values[5], values[6], values[7]);
        let stage = Stage::new(Scene { nodes: vec![a, b], links: vec![link(1, 1, 2), link(2, 2, 1), link(3, 2, 2), link(4, 1, 77)] });
        for id in [1, 2, 3] {
            let d = d(&stage, id);
            prop_assert!(!d.contains("NaN") && !d.contains("inf"), "{}", d);
        }
        prop_assert!(stage.route(LinkId(4)).is_none());
        stage.visible(&Viewport::default(), 1000.0, 800.0);
        stage.hit(pt(values[0], values[1]), 1.0, PointerKind::Mouse, None);
    }

    #[test]
    fn paths_of_dragged_steps_end_where_they_will(scene in scenes(), picks in prop::collection::btree_set(0u32..14, 1..4), dx in -300f64..300.0, dy in -300f64..300.0) {
        let stage = Stage::new(scene);
        let ids: Vec<NodeId> = picks.into_iter().map(NodeId).filter(|id| stage.node(*id).is_some()).collect();
        for (id, route) in stage.routes_moved(&ids, pt(dx, dy)) {
            let l = stage.link(id).unwrap();
            let off = |n: NodeId| if ids.contains(&n) { pt(dx, dy) } else { pt(0.0, 0.0) };
            let from = stage.node(l.from).unwrap().port_out() + off(l.from);
            let to = stage.node(l.to).unwrap().port_in() + off(l.to);
            prop_assert!(route.points[0].distance(from) < 1e-6 && route.points[route.points.len() - 1].distance(to) < 1e-6);
        }
    }
}
