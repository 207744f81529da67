//! How names are ordered and found.

use std::cmp::Ordering;

/// The order of names (language.md, "Names that are ordered compare by"): punctuation before digits before letters; letters
/// without case and accents; lower before upper; code points.
pub fn compare(a: &str, b: &str) -> Ordering {
    let classes = a.chars().flat_map(class_key).cmp(b.chars().flat_map(class_key));
    classes.then_with(|| a.chars().map(char::is_uppercase).cmp(b.chars().map(char::is_uppercase))).then_with(|| a.cmp(b))
}

/// What a character counts as: its class, and its letter without case and accent.
fn class_key(ch: char) -> Option<(u8, char)> {
    // A combining accent belongs to the letter before it and counts for nothing here.
    if ('\u{300}'..='\u{36f}').contains(&ch) {
        return None;
    }
    let base = without_accent(ch);
    let class = if base.is_alphabetic() {
        2
    } else if base.is_numeric() {
        1
    } else {
        0
    };
    Some((class, base.to_lowercase().next().unwrap_or(base)))
}

/// The letter below the accents of Latin-1 and Latin Extended-A.
fn without_accent(ch: char) -> char {
    const TABLE: [(&str, char); 46] = [
        ("àáâãäåāăą", 'a'),
        ("ÀÁÂÃÄÅĀĂĄ", 'A'),
        ("çćĉċč", 'c'),
        ("ÇĆĈĊČ", 'C'),
        ("ďđ", 'd'),
        ("ĎĐ", 'D'),
        ("èéêëēĕėęě", 'e'),
        ("ÈÉÊËĒĔĖĘĚ", 'E'),
        ("ĝğġģ", 'g'),
        ("ĜĞĠĢ", 'G'),
        ("ĥħ", 'h'),
        ("ĤĦ", 'H'),
        ("ìíîïĩīĭįı", 'i'),
        ("ÌÍÎÏĨĪĬĮİ", 'I'),
        ("ĵ", 'j'),
        ("Ĵ", 'J'),
        ("ķ", 'k'),
        ("Ķ", 'K'),
        ("ĺļľŀł", 'l'),
        ("ĹĻĽĿŁ", 'L'),
        ("ñńņňŉ", 'n'),
        ("ÑŃŅŇ", 'N'),
        ("òóôõöøōŏő", 'o'),
        ("ÒÓÔÕÖØŌŎŐ", 'O'),
        ("ŕŗř", 'r'),
        ("ŔŖŘ", 'R'),
        ("śŝşš", 's'),
        ("ŚŜŞŠ", 'S'),
        ("ţťŧ", 't'),
        ("ŢŤŦ", 'T'),
        ("ùúûüũūŭůűų", 'u'),
        ("ÙÚÛÜŨŪŬŮŰŲ", 'U'),
        ("ŵ", 'w'),
        ("Ŵ", 'W'),
        ("ýÿŷ", 'y'),
        ("ÝŸŶ", 'Y'),
        ("źżž", 'z'),
        ("ŹŻŽ", 'Z'),
        ("æ", 'a'),
        ("Æ", 'A'),
        ("œ", 'o'),
        ("Œ", 'O'),
        ("ß", 's'),
        ("ẞ", 'S'),
        ("þ", 't'),
        ("Þ", 'T'),
    ];
    if ch.is_ascii() {
        return ch;
    }
    TABLE.iter().find(|(from, _)| from.contains(ch)).map_or(ch, |(_, base)| *base)
}

/// What looking for a name gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Match {
    /// The one at this place.
    One(usize),
    /// None fits.
    None,
    /// Several fit; their places.
    Several(Vec<usize>),
}

/// Finds a name (loop-agents.md, ruling 31): exact, then equal ignoring case, then a unique part ignoring case.
pub fn find<'a>(wanted: &str, names: impl Iterator<Item = &'a str> + Clone) -> Match {
    if let Some(at) = names.clone().position(|name| name == wanted) {
        return Match::One(at);
    }
    let lower = wanted.to_lowercase();
    if lower.is_empty() {
        return Match::None;
    }
    let places =
        |fits: &dyn Fn(&str) -> bool| names.clone().enumerate().filter(|(_, name)| fits(name)).map(|(at, _)| at).collect::<Vec<_>>();
    let mut found = places(&|name| name.to_lowercase() == lower);
    if found.is_empty() {
        found = places(&|name| name.to_lowercase().contains(&lower));
    }
    match found.as_slice() {
        [] => Match::None,
        [one] => Match::One(*one),
        _ => Match::Several(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_by_class_then_letter_then_case() {
        let mut names = ["Zeta", "b", "B", "alpha 2", "10", "_x", "Émile", "Eve", "zoe", "Alpha"];
        names.sort_by(|a, b| compare(a, b));
        assert_eq!(names, ["_x", "10", "Alpha", "alpha 2", "b", "B", "Émile", "Eve", "Zeta", "zoe"]);
    }

    #[test]
    fn an_exact_name_wins_over_parts_and_two_spellings_are_ambiguous() {
        let names = ["Send Email", "Send Email Fast", "read mail", "READ MAIL"];
        let look = |wanted| find(wanted, names.iter().copied());
        assert_eq!(look("Send Email"), Match::One(0));
        assert_eq!(look("fast"), Match::One(1));
        assert_eq!(look("Read Mail"), Match::Several(vec![2, 3]));
        assert_eq!(look("nothing"), Match::None);
    }
}
