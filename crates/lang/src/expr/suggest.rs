//! "Did you mean": the nearest of some names.

/// The candidate nearest to `word`, if one is near enough to be meant: a different case, or few slips for its length.
/// Of equally near ones the first.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = word.chars().take(64).collect();
    let allowed = match wanted.len() {
        0..=4 => 1,
        5..=7 => 2,
        _ => 3,
    };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.into_iter().filter(|candidate| *candidate != word) {
        let distance = if candidate.eq_ignore_ascii_case(word) { 0 } else { distance(&wanted, candidate, allowed) };
        // A short word must keep something of itself.
        let near = distance <= allowed && (distance == 0 || distance < wanted.len());
        if near && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Edit distance with swapped neighbours as one slip; a difference of case is half of none: it costs nothing but keeps order.
fn distance(wanted: &[char], candidate: &str, most: usize) -> usize {
    let other: Vec<char> = candidate.chars().take(68).collect();
    if wanted.len().abs_diff(other.len()) > most {
        return most + 1;
    }
    let same = |a: char, b: char| a == b || a.eq_ignore_ascii_case(&b);
    let width = other.len() + 1;
    let mut before: Vec<usize> = vec![0; width];
    let mut row: Vec<usize> = (0..width).collect();
    for (i, a) in wanted.iter().enumerate() {
        let mut next = vec![i + 1; width];
        for (j, b) in other.iter().enumerate() {
            let at = |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX / 2);
            let mut cost = (at(&row, j) + usize::from(!same(*a, *b))).min(at(&row, j + 1) + 1).min(at(&next, j) + 1);
            let swapped =
                i > 0 && j > 0 && wanted.get(i - 1).is_some_and(|p| same(*p, *b)) && other.get(j - 1).is_some_and(|p| same(*a, *p));
            if swapped {
                cost = cost.min(at(&before, j - 1) + 1);
            }
            if let Some(place) = next.get_mut(j + 1) {
                *place = cost;
            }
        }
        before = row;
        row = next;
    }
    row.last().copied().unwrap_or(most + 1)
}
