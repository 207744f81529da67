//! The scene as a directed graph without loops: who comes before whom.

use crate::quick::{QuickMap, QuickSet};
use crate::scene::{NodeId, Scene};

/// Nodes by their place in the scene, joined by the paths that lead onwards; those that lead back are left out.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    /// For each node, where its paths lead, in the scene's order, each once.
    pub next: Vec<Vec<usize>>,
    /// For each node, where paths come from, in the scene's order, each once.
    pub before: Vec<Vec<usize>>,
    /// All nodes, each after those that lead to it.
    pub order: Vec<usize>,
    /// For each node, the number of its connected part; paths that lead back connect, too.
    pub part: Vec<usize>,
}

impl Graph {
    pub fn of(scene: &Scene) -> Graph {
        let count = scene.nodes.len();
        let place: QuickMap<NodeId, usize> = scene.nodes.iter().enumerate().map(|(i, n)| (n.id, i)).collect();
        let mut links: Vec<(usize, usize)> = Vec::with_capacity(scene.links.len());
        for link in &scene.links {
            if let (Some(a), Some(b)) = (place.get(&link.from), place.get(&link.to))
                && a != b
            {
                links.push((*a, *b));
            }
        }
        let mut all = lists(count, &links);
        let mut entered = vec![false; count];
        links.iter().for_each(|(_, b)| set(&mut entered, *b, true));
        let order = reverse_postorder(&all, &entered);
        let mut rank = vec![0; count];
        order.iter().enumerate().for_each(|(r, n)| set(&mut rank, *n, r));
        let part = parts(count, &links);
        links.retain(|(a, b)| rank.get(*a) < rank.get(*b));
        all = lists(count, &links);
        let back: Vec<(usize, usize)> = links.iter().map(|(a, b)| (*b, *a)).collect();
        Graph { next: all, before: lists(count, &back), order, part }
    }

    pub fn next(&self, node: usize) -> &[usize] {
        self.next.get(node).map_or(&[], Vec::as_slice)
    }

    pub fn before(&self, node: usize) -> &[usize] {
        self.before.get(node).map_or(&[], Vec::as_slice)
    }
}

fn set<T>(list: &mut [T], i: usize, value: T) {
    if let Some(slot) = list.get_mut(i) {
        *slot = value;
    }
}

fn lists(count: usize, links: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(); count];
    for (a, b) in links {
        if let Some(list) = out.get_mut(*a) {
            list.push(*b);
        }
    }
    for list in &mut out {
        if list.len() < 2 {
            continue;
        }
        let mut seen = QuickSet::default();
        list.retain(|b| seen.insert(*b));
    }
    out
}

/// Depth first from the nodes that nothing enters, then from whatever is left (a ring), each in the scene's order; the first path
/// of a step comes first. Without recursion: a chain may be ten thousand steps long.
fn reverse_postorder(next: &[Vec<usize>], entered: &[bool]) -> Vec<usize> {
    let count = next.len();
    let roots = (0..count).filter(|i| entered.get(*i) == Some(&false));
    // Rings start where the scene names them first; they are found in a first walk that only marks.
    let starts: Vec<usize> = {
        let mut seen = vec![false; count];
        let mut starts = Vec::new();
        for i in roots.chain(0..count) {
            if seen.get(i) == Some(&false) {
                starts.push(i);
                let mut stack = vec![i];
                while let Some(n) = stack.pop() {
                    if seen.get(n) == Some(&false) {
                        set(&mut seen, n, true);
                        stack.extend(next.get(n).into_iter().flatten().copied());
                    }
                }
            }
        }
        starts
    };
    let mut seen = vec![false; count];
    let mut post = Vec::with_capacity(count);
    for start in starts.into_iter().rev() {
        let mut stack = vec![(start, false)];
        while let Some((n, done)) = stack.pop() {
            if done {
                post.push(n);
                continue;
            }
            if seen.get(n) != Some(&false) {
                continue;
            }
            set(&mut seen, n, true);
            stack.push((n, true));
            // The last pushed is walked first and so comes last in the reversed order: first paths are pushed first.
            stack.extend(next.get(n).into_iter().flatten().map(|m| (*m, false)));
        }
    }
    post.reverse();
    post
}

fn parts(count: usize, links: &[(usize, usize)]) -> Vec<usize> {
    let mut joined: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (a, b) in links {
        for (x, y) in [(*a, *b), (*b, *a)] {
            if let Some(list) = joined.get_mut(x) {
                list.push(y);
            }
        }
    }
    let mut part = vec![usize::MAX; count];
    let mut parts = 0;
    for i in 0..count {
        if part.get(i) != Some(&usize::MAX) {
            continue;
        }
        let mut stack = vec![i];
        while let Some(n) = stack.pop() {
            if part.get(n) == Some(&usize::MAX) {
                set(&mut part, n, parts);
                stack.extend(joined.get(n).into_iter().flatten().copied());
            }
        }
        parts += 1;
    }
    part
}
