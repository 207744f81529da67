//! Viewport, index, guides, minimap.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use loopwright_stage::*;
use proptest::prelude::*;

#[test]
fn plus_and_minus_walk_the_zoom_steps_from_anywhere() {
    let at = pt(100.0, 80.0);
    let check = |zoom: f64, nearer: f64, farther: f64| {
        let v = Viewport { zoom, ..Viewport::default() };
        assert_eq!((v.step_in(at).zoom, v.step_out(at).zoom), (nearer, farther), "from {zoom}");
    };
    check(1.0, 1.5, 0.75);
    check(0.9, 1.0, 0.75);
    check(4.0, 4.0, 2.0);
    check(0.1, 0.25, 0.1);
    check(0.02, 0.1, 0.02);
}

#[test]
fn fit_shows_everything_and_does_not_blow_up_a_small_flow() {
    let fits = |r: Rect| {
        let v = Viewport::fit(&r, 900.0, 600.0, 32.0, 1.0);
        let s = v.rect_to_screen(&r);
        assert!(s.x >= 31.9 && s.right() <= 868.1 && s.y >= 31.9 && s.bottom() <= 568.1, "{s:?}");
        v.zoom
    };
    assert_eq!(fits(rect(10.0, 10.0, 240.0, 64.0)), 1.0);
    assert!(fits(rect(-4000.0, 0.0, 60_000.0, 900.0)) < geometry::ZOOM_MIN);
    assert_eq!(fits(rect(0.0, 0.0, 0.0, 0.0)), 1.0);
}

#[test]
fn revealing_moves_no_more_than_needed() {
    let v = Viewport::default();
    let check = |r: Rect, x: f64, y: f64| {
        let moved = v.revealing(&r, 900.0, 600.0, 24.0);
        assert_eq!((moved.x, moved.y), (x, y), "{r:?}");
    };
    check(rect(100.0, 100.0, 240.0, 64.0), 0.0, 0.0);
    check(rect(800.0, 100.0, 240.0, 64.0), 900.0 - 24.0 - 1040.0, 0.0);
    check(rect(100.0, -100.0, 240.0, 64.0), 0.0, 124.0);
    check(rect(500.0, 0.0, 2000.0, 64.0), 24.0 - 500.0, 24.0);
}

#[test]
fn flying_begins_and_ends_where_it_should() {
    let (a, b) = (Viewport { x: 10.0, y: 20.0, zoom: 1.0 }, Viewport { x: -900.0, y: 3.0, zoom: 0.2 });
    for (t, end) in [(0.0, a), (1.0, b)] {
        let v = a.toward(&b, 900.0, 600.0, t);
        assert!((v.x - end.x).abs() < 1e-6 && (v.y - end.y).abs() < 1e-6 && (v.zoom - end.zoom).abs() < 1e-9, "{v:?}");
    }
}

#[test]
fn the_minimap_turns_back_and_forth_and_centres_what_is_clicked() {
    let view = rect(0.0, 0.0, 900.0, 600.0);
    let map = Minimap::new(Some(rect(-100.0, 50.0, 3000.0, 800.0)), &view, 176.0, 104.0, 6.0);
    let p = map.to_world(map.to_map(pt(123.0, 45.0)));
    assert!(p.distance(pt(123.0, 45.0)) < 1e-9);
    let r = map.rect(&rect(-100.0, 50.0, 3000.0, 800.0));
    assert!(r.x >= 5.9 && r.right() <= 170.1 && r.bottom() <= 98.1, "{r:?}");
    let looked = map.look_at(map.to_map(pt(500.0, 400.0)), &Viewport::default(), 900.0, 600.0);
    assert!(looked.to_screen(pt(500.0, 400.0)).distance(pt(450.0, 300.0)) < 1e-9);
}

fn cards(places: &[(f64, f64)]) -> Stage {
    let nodes = places.iter().enumerate().map(|(i, (x, y))| SceneNode::new(NodeId(i as u32), NodeShape::Card, *x, *y));
    Stage::new(Scene { nodes: nodes.collect(), links: Vec::new() })
}

#[test]
fn guides_hold_within_six_screen_pixels() {
    let stage = cards(&[(0.0, 0.0)]);
    let around = rect(-1000.0, -1000.0, 3000.0, 3000.0);
    let check = |x: f64, zoom: f64, expected: Option<f64>| {
        let found = snap(&stage, &rect(x, 300.0, 240.0, 64.0), Some(32.0), &around, zoom, &|_| false);
        assert_eq!(found.x, expected, "{x} at {zoom}");
    };
    check(6.0, 1.0, Some(0.0));
    check(-5.0, 1.0, Some(0.0));
    check(7.0, 1.0, None);
    check(7.0, 0.5, Some(0.0));
    check(4.0, 2.0, None);
}

#[test]
fn guides_show_equal_gaps() {
    let around = rect(-1000.0, -1000.0, 4000.0, 3000.0);
    // Two cards 56 apart, a third comes to the same distance.
    let stage = cards(&[(0.0, 0.0), (296.0, 0.0)]);
    let found = snap(&stage, &rect(595.0, 20.0, 240.0, 64.0), None, &around, 1.0, &|_| false);
    assert_eq!(found.x, Some(592.0));
    let spans: Vec<(f64, f64)> = found.guides.gaps.iter().map(|g| (g.from.x, g.to.x)).collect();
    assert_eq!(spans, [(240.0, 296.0), (536.0, 592.0)]);
    // Between two: the middle.
    let stage = cards(&[(0.0, 0.0), (600.0, 0.0)]);
    let found = snap(&stage, &rect(297.0, 20.0, 240.0, 64.0), None, &around, 1.0, &|_| false);
    assert_eq!(found.x, Some(300.0));
}

#[test]
fn a_drag_ends_on_the_grid_and_stays_in_an_odd_row() {
    let check = |start: f64, by: f64, expected: f64| assert_eq!(to_grid(start, by), expected, "{start} by {by}");
    check(152.0, 3.0, 0.0);
    check(152.0, 9.0, 16.0);
    check(160.0, -9.0, -16.0);
    check(3.0, 10.0, 13.0);
    check(3.0, 1.0, -3.0);
}

#[derive(Clone, Debug)]
enum Op {
    Put(u32, Rect),
    Remove(u32),
    Query(Rect),
}

fn op() -> impl Strategy<Value = Op> {
    let near = (-3000f64..3000.0, -3000f64..3000.0, 0f64..900.0, 0f64..900.0).prop_map(|(x, y, w, h)| rect(x, y, w, h));
    let wild = (prop::num::f64::ANY, -1e9f64..1e9, 0f64..1e8, 0f64..1e8).prop_map(|(x, y, w, h)| rect(geometry::sane(x), y, w, h));
    let any = prop_oneof![6 => near, 1 => wild].boxed();
    prop_oneof![
        4 => (0u32..30, any.clone()).prop_map(|(i, r)| Op::Put(i, r)),
        1 => (0u32..30).prop_map(Op::Remove),
        3 => any.prop_map(Op::Query),
    ]
}

proptest! {
    #[test]
    fn the_index_finds_what_a_search_through_everything_finds(ops in prop::collection::vec(op(), 0..80)) {
        let mut grid = GridIndex::default();
        let mut all = std::collections::BTreeMap::new();
        for op in ops {
            match op {
                Op::Put(i, r) => {
                    grid.insert(i, r);
                    all.insert(i, r);
                }
                Op::Remove(i) => {
                    grid.remove(i);
                    all.remove(&i);
                }
                Op::Query(q) => {
                    let expected: Vec<u32> = all.iter().filter(|(_, r)| r.touches(&q)).map(|(i, _)| *i).collect();
                    prop_assert_eq!(grid.query(&q), expected);
                    let overlap = all.iter().any(|(i, r)| r.overlaps(&q) && i % 2 == 0);
                    prop_assert_eq!(grid.any_overlap(&q, |i| i % 2 == 0), overlap);
                }
            }
            prop_assert_eq!(grid.len(), all.len());
        }
    }

    #[test]
    fn zooming_keeps_the_point_under_the_pointer(x in -900f64..900.0, y in -900f64..900.0, zoom in 0.05f64..4.0, px in 0f64..900.0, py in 0f64..600.0, factor in 0.1f64..10.0) {
        let v = Viewport { x, y, zoom };
        let z = v.zoomed_by(pt(px, py), factor);
        prop_assert!(z.zoom >= 0.05 && z.zoom <= 4.0);
        prop_assert!(z.to_screen(v.to_world(pt(px, py))).distance(pt(px, py)) < 1e-6);
    }

    #[test]
    fn a_wheel_event_zooms_a_quarter_octave_at_most(dy in prop::num::f64::ANY, pinch in any::<bool>()) {
        let f = geometry::wheel_zoom_factor(dy, WheelUnit::Page, pinch);
        prop_assert!((0.84..=1.19).contains(&f), "{}", f);
    }
}
