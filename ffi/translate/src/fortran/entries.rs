//! `entry` statements: other ways into a procedure, with arguments of their own.

use super::items::Item;
use super::scopes::Scopes;
use super::tokens::{after, assignment, closing, name_at, split};

/// An `entry` statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The statement.
    pub item: usize,
    /// Its name.
    pub name: String,
    /// The dummy arguments.
    pub arguments: Vec<String>,
    /// The variable that has the result, if the procedure is a function.
    pub result: String,
}

/// The `entry` statements of a procedure.
pub fn entries(items: &[Item], scopes: &Scopes, home: usize) -> Vec<Entry> {
    let scope = &scopes.all[home];
    let own = (scope.body..scope.end).filter(|item| scopes.of_item[*item] == Some(home));
    let found =
        own.filter_map(|item| Some(Entry { item, ..entry(&items[item].statement()?.code)? }));
    found.collect()
}

/// The contents of a statement, if it is an `entry`.
fn entry(code: &str) -> Option<Entry> {
    let rest = after(code, &["entry"]).filter(|_| assignment(code).is_none())?;
    let name = name_at(rest);
    if name.is_empty() {
        return None;
    }
    let open = rest.len() - rest[name.len()..].trim_start().len();
    let close = rest[open..].starts_with('(').then(|| closing(rest, open)).flatten();
    let arguments = close.map(|close| split(rest, open + 1..close, b',')).unwrap_or_default();
    let arguments = arguments.into_iter().map(|span| rest[span].trim().to_owned());
    let arguments = arguments.filter(|argument| !argument.is_empty()).collect();
    let result = close.and_then(|close| after(rest[close + 1..].trim_start(), &["result"]));
    let result = result.map_or(name, |result| name_at(result.trim_start_matches(['(', ' '])));
    let (name, result) = (name.to_owned(), result.to_owned());
    Some(Entry { item: 0, name, arguments, result })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_and_what_looks_like_one() {
        let of = |code: &str| {
            entry(code).map(|of| format!("{} {} {}", of.name, of.arguments.join(","), of.result))
        };
        assert_eq!(of("entry start(a, n )"), Some("start a,n start".into()));
        assert_eq!(of("entry start"), Some("start  start".into()));
        assert_eq!(of("entry sum(a) result ( s )"), Some("sum a s".into()));
        assert_eq!(of("entry(3) = 4"), None);
        assert_eq!(of("entry = x"), None);
        assert_eq!(of("entrys(a)"), None);
    }
}
