//! Tidy-up, places for new steps, walking.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use loopwright_stage::*;
use proptest::prelude::*;

fn card(id: u32, x: f64, y: f64) -> SceneNode {
    SceneNode::new(NodeId(id), NodeShape::Card, x, y)
}

fn container(id: u32, x: f64, y: f64) -> SceneNode {
    SceneNode::new(NodeId(id), NodeShape::Container, x, y)
}

fn note(id: u32, x: f64, y: f64) -> SceneNode {
    SceneNode::new(NodeId(id), NodeShape::Note, x, y)
}

fn links(pairs: &[(u32, u32)]) -> Vec<SceneLink> {
    pairs.iter().enumerate().map(|(i, (a, b))| SceneLink { id: LinkId(i as u32), from: NodeId(*a), to: NodeId(*b) }).collect()
}

fn tidied(mut scene: Scene) -> Scene {
    for moved in tidy(&scene) {
        let node = scene.nodes.iter_mut().find(|n| n.id == moved.id).unwrap();
        (node.x, node.y) = (moved.at.x, moved.at.y);
    }
    scene
}

fn at(scene: &Scene, id: u32) -> (f64, f64) {
    let node = scene.nodes.iter().find(|n| n.id == NodeId(id)).unwrap();
    (node.x, node.y)
}

/// The picture of the editor, with its note.
fn onboarding() -> Scene {
    Scene {
        nodes: vec![
            card(1, 16.0, 152.0),
            container(2, 304.0, 72.0),
            card(3, 656.0, 152.0),
            card(4, 304.0, 408.0),
            container(5, 592.0, 328.0),
            note(6, 16.0, 408.0),
        ],
        links: links(&[(1, 2), (2, 3), (2, 4), (4, 5)]),
    }
}

#[test]
fn the_editor_picture_is_tidy() {
    assert_eq!(tidy(&onboarding()), []);
}

#[test]
fn a_heap_becomes_a_row_with_the_branch_below() {
    let mut scene = onboarding();
    for node in &mut scene.nodes {
        (node.x, node.y) = (16.0, 152.0);
    }
    let scene = tidied(scene);
    assert_eq!(at(&scene, 1), (16.0, 152.0), "the first step stays");
    assert_eq!(at(&scene, 2), (304.0, 72.0), "a loop's ports are in line with the card's");
    assert_eq!(at(&scene, 3), (656.0, 152.0));
    assert_eq!(at(&scene, 4).0, 656.0);
    assert!(at(&scene, 4).1 >= 152.0 + 64.0 + 48.0);
    let line = |id| scene.nodes.iter().find(|n| n.id == NodeId(id)).unwrap().line();
    assert_eq!(line(4), line(5), "the branch is straight, too");
}

#[test]
fn a_path_that_leads_back_does_not_turn_the_flow_round() {
    let scene = tidied(Scene {
        nodes: vec![card(1, 0.0, 0.0), card(2, 0.0, 0.0), card(3, 0.0, 0.0)],
        links: links(&[(1, 2), (2, 3), (3, 1), (2, 2)]),
    });
    assert_eq!([at(&scene, 1), at(&scene, 2), at(&scene, 3)], [(0.0, 0.0), (288.0, 0.0), (576.0, 0.0)]);
}

#[test]
fn branches_that_meet_again_leave_the_main_line_straight() {
    let scene =
        tidied(Scene { nodes: (1..=5).map(|i| card(i, 0.0, 0.0)).collect(), links: links(&[(1, 2), (1, 3), (2, 4), (3, 4), (4, 5)]) });
    assert_eq!([1, 2, 4, 5].map(|i| at(&scene, i).1), [0.0; 4]);
    assert_eq!(at(&scene, 3), (288.0, 112.0));
}

#[test]
fn a_person_s_order_of_branches_is_kept() {
    let scene =
        tidied(Scene { nodes: vec![card(1, 0.0, 3.0), card(2, 40.0, 300.0), card(3, 50.0, -120.0)], links: links(&[(1, 2), (1, 3)]) });
    assert!(at(&scene, 3).1 < at(&scene, 2).1);
}

#[test]
fn only_the_untidy_part_moves() {
    let mut scene = onboarding();
    scene.nodes.extend([card(11, 20.0, 1000.0), card(12, 30.0, 1010.0)]);
    scene.links.push(SceneLink { id: LinkId(50), from: NodeId(11), to: NodeId(12) });
    let moves = tidy(&scene);
    assert!(!moves.is_empty() && moves.iter().all(|m| m.id == NodeId(11) || m.id == NodeId(12)), "{moves:?}");
}

#[test]
fn an_untidy_part_goes_below_what_it_would_cover() {
    let mut scene = onboarding();
    scene.nodes.extend([card(11, 300.0, 100.0), card(12, 301.0, 100.0)]);
    scene.links.push(SceneLink { id: LinkId(50), from: NodeId(11), to: NodeId(12) });
    let scene = tidied(scene);
    assert!(at(&scene, 11).1 > 504.0);
    assert_eq!(at(&scene, 2), (304.0, 72.0));
}

#[test]
fn a_part_with_a_fixed_step_is_left_alone() {
    let mut scene = Scene { nodes: vec![card(1, 3.0, 3.0), card(2, 5.0, 5.0)], links: links(&[(1, 2)]) };
    scene.nodes[1].fixed = true;
    assert_eq!(tidy(&scene), []);
}

#[test]
fn a_new_step_goes_where_tidy_up_would_put_it() {
    let check = |selected: &[u32], shape, expected: (f64, f64)| {
        let stage = Stage::new(onboarding());
        let ids: Vec<NodeId> = selected.iter().map(|i| NodeId(*i)).collect();
        let p = place_after(&stage, &ids, shape, pt(0.0, 0.0));
        assert_eq!((p.x, p.y), expected, "{selected:?} {shape:?}");
    };
    check(&[3], NodeShape::Card, (944.0, 152.0));
    check(&[3], NodeShape::Container, (944.0, 72.0));
    check(&[2], NodeShape::Card, (656.0, 264.0 + 288.0));
    check(&[], NodeShape::Card, (944.0, 152.0));
    let empty = Stage::new(Scene::default());
    assert_eq!(place_after(&empty, &[], NodeShape::Card, pt(103.0, 50.0)), pt(96.0, 48.0));
}

#[test]
fn arrows_walk_to_the_neighbour_one_would_expect() {
    let scene = onboarding();
    let check = |from, direction, expected: Option<u32>| {
        assert_eq!(nearest(&scene, NodeId(from), direction), expected.map(NodeId), "{from} {direction:?}");
    };
    check(1, Direction::Right, Some(2));
    check(2, Direction::Right, Some(3));
    check(3, Direction::Right, None);
    check(3, Direction::Left, Some(2));
    check(2, Direction::Down, Some(4));
    check(4, Direction::Right, Some(5));
    check(5, Direction::Up, Some(3));
    check(1, Direction::Down, Some(6));
    check(1, Direction::Up, None);
    check(77, Direction::Up, None);
}

#[test]
fn flow_order_follows_the_paths_and_ends_with_notes() {
    let ids = |scene: &Scene| flow_order(scene).into_iter().map(|n| n.0).collect::<Vec<_>>();
    assert_eq!(ids(&onboarding()), [1, 2, 3, 4, 5, 6]);
    let ring = Scene { nodes: vec![card(3, 0.0, 0.0), card(1, 0.0, 0.0), card(2, 0.0, 0.0)], links: links(&[(1, 2), (2, 3), (3, 1)]) };
    assert_eq!(ids(&ring), [3, 1, 2], "a ring starts where the document does");
}

fn scenes() -> impl Strategy<Value = Scene> {
    let node = (-400f64..900.0, -300f64..700.0, 0u8..10, any::<bool>());
    (prop::collection::vec(node, 0..24), prop::collection::vec((0usize..24, 0usize..24), 0..30)).prop_map(|(nodes, pairs)| {
        let nodes: Vec<SceneNode> = nodes
            .iter()
            .enumerate()
            .map(|(i, (x, y, kind, grid))| {
                let snap = |v: f64| if *grid { (v / 16.0).round() * 16.0 } else { v };
                let kind = match kind {
                    0 => NodeShape::Note,
                    1 | 2 => NodeShape::Container,
                    _ => NodeShape::Card,
                };
                SceneNode::new(NodeId(i as u32), kind, snap(*x), snap(*y))
            })
            .collect();
        let count = nodes.len().max(1);
        let pairs: Vec<(u32, u32)> = pairs.iter().map(|(a, b)| ((a % count) as u32, (b % count) as u32)).collect();
        let ported = |i: u32| nodes.get(i as usize).is_some_and(SceneNode::has_ports);
        let pairs: Vec<(u32, u32)> = pairs.into_iter().filter(|(a, b)| ported(*a) && ported(*b)).collect();
        Scene { links: links(&pairs), nodes }
    })
}

proptest! {
    #[test]
    fn nothing_overlaps_and_what_is_tidy_stays(scene in scenes()) {
        let once = tidied(scene.clone());
        for (i, a) in once.nodes.iter().enumerate() {
            for b in &once.nodes[i + 1..] {
                prop_assert!(!a.rect().overlaps(&b.rect()), "{:?} and {:?}", a, b);
            }
        }
        prop_assert_eq!(tidy(&once), vec![], "a second time");
        prop_assert_eq!(tidied(scene), once, "the same again");
    }

    #[test]
    fn steps_stand_to_the_right_of_or_below_those_that_lead_to_them(scene in scenes()) {
        let scene = tidied(scene);
        let order = flow_order(&scene);
        let rank = |id: NodeId| order.iter().position(|o| *o == id);
        let node = |id: NodeId| scene.nodes.iter().find(|n| n.id == id).unwrap();
        for l in scene.links.iter().filter(|l| rank(l.from) < rank(l.to)) {
            let (a, b) = (node(l.from).rect(), node(l.to).rect());
            prop_assert!(b.x >= a.right() + 40.0 || b.y >= a.bottom(), "{:?}", l);
        }
    }

    #[test]
    fn flow_order_names_every_node_once(scene in scenes()) {
        let mut order = flow_order(&scene);
        order.sort();
        prop_assert_eq!(order, scene.nodes.iter().map(|n| n.id).collect::<Vec<_>>());
    }

    #[test]
    fn a_new_step_covers_nothing(scene in scenes(), pick in 0u32..24, x in -500f64..900.0, y in -500f64..900.0) {
        let stage = Stage::new(scene);
        for shape in [NodeShape::Card, NodeShape::Container, NodeShape::Note] {
            let size = shape.size();
            for p in [place_after(&stage, &[NodeId(pick)], shape, pt(x, y)), free_place(&stage, &rect(x, y, size.x, size.y), &|_| false)] {
                let place = rect(p.x, p.y, size.x, size.y);
                prop_assert!(stage.scene().nodes.iter().all(|n| !n.rect().overlaps(&place)), "{:?} at {:?}", shape, p);
            }
        }
    }

    #[test]
    fn an_arrow_leads_to_what_lies_that_way(scene in scenes()) {
        for n in &scene.nodes {
            if let Some(found) = nearest(&scene, n.id, Direction::Right) {
                let found = scene.nodes.iter().find(|m| m.id == found).unwrap();
                prop_assert!(found.rect().centre().x > n.rect().centre().x);
            }
        }
    }
}
