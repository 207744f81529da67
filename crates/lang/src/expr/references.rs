//! What an expression reads.

use super::ast::{Expr, Kind, Link, LinkKind};

/// Each read as its names, up to the first computed or numeric part: `payload.a[0].b` is `["payload", "a"]`. Parameters of arrow
/// functions are left out; doubles are not.
pub fn references(expr: &Expr) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    walk(expr, &mut found);
    found
}

/// Whether it reads anything.
pub(crate) fn refers(expr: &Expr) -> bool {
    !references(expr).is_empty()
}

fn walk(expr: &Expr, found: &mut Vec<Vec<String>>) {
    match &expr.kind {
        Kind::Name(_, name) => found.push(vec![name.to_string()]),
        Kind::Chain(base, links) => {
            if let Kind::Name(_, name) = &base.kind {
                found.push(std::iter::once(name.to_string()).chain(members(links)).collect());
            } else {
                walk(base, found);
            }
            for link in links {
                match &link.kind {
                    LinkKind::Call(_, args) => args.iter().for_each(|arg| walk(arg, found)),
                    LinkKind::Index(index) => walk(index, found),
                    _ => {}
                }
            }
        }
        Kind::Call(_, items) | Kind::Logic(_, items) | Kind::List(items) => items.iter().for_each(|item| walk(item, found)),
        Kind::Unary(_, operand) | Kind::Group(operand) | Kind::Arrow(_, operand) => walk(operand, found),
        Kind::Binary(first, rest) => {
            walk(first, found);
            rest.iter().for_each(|(_, operand)| walk(operand, found));
        }
        Kind::Conditional(parts) => [&parts.0, &parts.1, &parts.2].into_iter().for_each(|part| walk(part, found)),
        Kind::Object(members) => members.iter().for_each(|(_, value)| walk(value, found)),
        Kind::Literal(_) | Kind::Constant(..) | Kind::Local(..) | Kind::Missing => {}
    }
}

/// The names a chain begins with.
fn members(links: &[Link]) -> impl Iterator<Item = String> {
    links.iter().map_while(|link| match &link.kind {
        LinkKind::Member(key) => Some(key.to_string()),
        _ => None,
    })
}
