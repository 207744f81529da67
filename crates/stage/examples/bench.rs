//! How long the stage's work takes. `cargo run --release -p loopwright-stage --example bench`
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::time::Instant;

use loopwright_stage::*;

/// Rows of fifty steps; each step leads on, every tenth also to the row below, every twenty-fifth back.
fn scene(count: u32) -> Scene {
    let shape = |i| if i % 7 == 3 { NodeShape::Container } else { NodeShape::Card };
    let nodes = (0..count).map(|i| {
        let (x, y) = (f64::from(i % 50) * 352.0, f64::from(i / 50) * 240.0);
        SceneNode::new(NodeId(i), shape(i), x, y + 112.0 - shape(i).port_y())
    });
    let mut links = Vec::new();
    let mut join = |from: u32, to: u32| {
        if to < count {
            links.push(SceneLink { id: LinkId(links.len() as u32), from: NodeId(from), to: NodeId(to) });
        }
    };
    for i in 0..count {
        if i % 50 != 49 {
            join(i, i + 1);
        }
        if i % 10 == 0 {
            join(i, i + 51);
        }
        if i % 25 == 24 {
            join(i, i - 5);
        }
    }
    Scene { nodes: nodes.collect(), links }
}

fn time<T>(what: &str, times: u32, mut work: impl FnMut() -> T) {
    work();
    let start = Instant::now();
    for _ in 0..times {
        std::hint::black_box(work());
    }
    println!("{what:<58} {:>9.3} ms", start.elapsed().as_secs_f64() * 1000.0 / f64::from(times));
}

fn main() {
    let big = scene(10_000);
    time("index 10,000 steps and lay their paths", 5, || Stage::new(big.clone()));
    let mut stage = Stage::new(big);
    let view = Viewport::centred(pt(8000.0, 20_000.0), 1400.0, 900.0, 1.0);
    println!("{} paths; {} steps to draw at 100 %", stage.scene().links.len(), stage.visible(&view, 1400.0, 900.0).nodes.len());
    time("what to draw at 100 %", 1000, || stage.visible(&view, 1400.0, 900.0));
    let far = Viewport::centred(pt(8000.0, 20_000.0), 1400.0, 900.0, 0.35);
    time("what to draw at 35 %", 1000, || stage.visible(&far, 1400.0, 900.0));
    time("what is under the pointer", 1000, || stage.hit(pt(8100.0, 20_010.0), 1.0, PointerKind::Mouse, None));
    let node = stage.scene().nodes[4273].clone();
    time("move one step and lay what it touches", 200, || stage.put(node.clone()));
    time("the markup of 100 paths", 100, || (4200..4300).map(|i| stage.route(LinkId(i)).unwrap().d().len()).sum::<usize>());

    for count in [1u32, 200, 10_000] {
        let selection: BTreeSet<Pick> = (4200 - 4200.min(count / 2)..).take(count as usize).map(|i| Pick::Node(NodeId(i))).collect();
        let at = stage.node(NodeId(4200)).unwrap().rect().centre();
        let viewport = Viewport::centred(at, 1400.0, 900.0, 1.0);
        let seen = View { stage: &stage, viewport, width: 1400.0, height: 900.0, selection: &selection, read_only: false };
        let mut gesture = Gesture::default();
        let (middle, mods) = (pt(700.0, 450.0), Mods::default());
        let down = Input::Down {
            pointer: 1,
            kind: PointerKind::Mouse,
            button: Button::Primary,
            mods,
            at: middle,
            time: 0.0,
            target: Some(Target::Node(NodeId(4200))),
        };
        gesture.handle(&down, &seen);
        let mut x = 0.0;
        time(&format!("one pointer move while dragging {count} steps"), 50, || {
            x += 1.0;
            gesture.handle(&Input::Move { pointer: 1, mods, at: middle + pt(x, 20.0), time: x }, &seen)
        });
        let ids: Vec<NodeId> = selection.iter().filter_map(|p| if let Pick::Node(n) = p { Some(*n) } else { None }).collect();
        time(&format!("the paths of {count} dragged steps"), 20, || stage.routes_moved(&ids, pt(33.0, 20.0)));
    }

    let heap = |count| {
        let mut scene = scene(count);
        scene.nodes.iter_mut().for_each(|n| (n.x, n.y) = (3.0, 5.0));
        scene
    };
    for count in [200, 2000, 10_000] {
        let messy = heap(count);
        time(&format!("tidy up {count} steps in a heap"), 3, || tidy(&messy));
        let mut neat = messy.clone();
        for moved in tidy(&messy) {
            (neat.nodes[moved.id.0 as usize].x, neat.nodes[moved.id.0 as usize].y) = (moved.at.x, moved.at.y);
        }
        time(&format!("tidy up {count} tidy steps"), 3, || tidy(&neat));
    }
    let place = Stage::new(scene(2000));
    time("a place after a step among 2,000", 50, || place_after(&place, &[NodeId(700)], NodeShape::Card, pt(0.0, 0.0)));
    time("flow order of 10,000 steps", 10, || flow_order(stage.scene()));
    time("arrow key among 10,000 steps", 50, || nearest(stage.scene(), NodeId(4200), Direction::Right));
}
