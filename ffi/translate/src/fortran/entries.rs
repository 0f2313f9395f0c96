//! `entry` statements: other ways into a procedure, with arguments of their own.

use super::items::Item;
use super::scopes::Scopes;
use super::tokens::{assignment, behind, closing, name_at, split};

/// An `entry` statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The statement.
    pub item: usize,
    /// Its name.
    pub name: String,
    /// The dummy arguments.
    pub arguments: Vec<String>,
}

/// The `entry` statements of a procedure.
pub fn entries(items: &[Item], scopes: &Scopes, home: usize) -> Vec<Entry> {
    let scope = &scopes.all[home];
    let own = (scope.body..scope.end).filter(|item| scopes.of_item[*item] == Some(home));
    let found = own.filter_map(|item| {
        let (name, arguments) = entry(&items[item].statement()?.code)?;
        Some(Entry { item, name, arguments })
    });
    found.collect()
}

/// The name and the arguments of a statement, if it is an `entry`.
fn entry(code: &str) -> Option<(String, Vec<String>)> {
    let rest = behind(code, &["entry"]).filter(|_| assignment(code).is_none())?;
    let name = name_at(rest);
    if name.is_empty() {
        return None;
    }
    let open = rest.len() - rest[name.len()..].trim_start().len();
    let arguments = match rest[open..].starts_with('(').then(|| closing(rest, open)).flatten() {
        Some(close) => split(rest, open + 1..close, b','),
        None => Vec::new(),
    };
    let arguments = arguments.into_iter().map(|span| rest[span].trim().to_owned());
    Some((name.to_owned(), arguments.filter(|argument| !argument.is_empty()).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_and_what_looks_like_one() {
        let of = |code: &str| entry(code).map(|(name, arguments)| (name, arguments.join(" ")));
        assert_eq!(of("entry start(a, n )"), Some(("start".into(), "a n".into())));
        assert_eq!(of("entry start"), Some(("start".into(), String::new())));
        assert_eq!(of("entry(3) = 4"), None);
        assert_eq!(of("entry = x"), None);
        assert_eq!(of("entrys(a)"), None);
    }
}
