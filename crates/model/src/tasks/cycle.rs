//! Cycles among dependencies.

use super::Task;

/// The task met again by a depth-first walk in list order, dependencies in the order of `after`.
pub(super) fn find(tasks: &[Task]) -> Option<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        No,
        Open,
        Done,
    }
    let mut seen = vec![Seen::No; tasks.len()];
    for start in 0..tasks.len() {
        // Each open task, and how many of its dependencies were walked.
        let mut path: Vec<(usize, usize)> = Vec::new();
        if seen.get(start) == Some(&Seen::No) {
            path.push((start, 0));
        }
        while let Some((at, next)) = path.last_mut() {
            if let Some(mark) = seen.get_mut(*at) {
                *mark = Seen::Open;
            }
            let dependency = tasks.get(*at).and_then(|task| task.after.get(*next)).copied();
            *next += 1;
            match dependency.map(|dependency| (dependency, seen.get(dependency))) {
                Some((dependency, Some(Seen::Open))) => return Some(dependency),
                Some((dependency, Some(Seen::No))) => path.push((dependency, 0)),
                Some(_) => {}
                None => {
                    let (done, _) = path.pop()?;
                    if let Some(mark) = seen.get_mut(done) {
                        *mark = Seen::Done;
                    }
                }
            }
        }
    }
    None
}
