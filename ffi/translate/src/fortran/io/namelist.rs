//! The variables of namelist groups.

use crate::fortran::tokens::{after, split};
use crate::fortran::unit::Unit;

impl Unit<'_> {
    /// The variables of a group that a scope, or one around it, declares.
    pub(super) fn namelist(&self, group: &str, scope: usize) -> Option<Vec<String>> {
        let mut at = Some(scope);
        while let Some(number) = at {
            let scope = &self.scopes.all[number];
            let mut found = None;
            for item in &self.items[scope.first..scope.body] {
                let code = item.statement().map_or("", |statement| statement.code.as_str());
                let Some(rest) = after(code, &["namelist"]) else { continue };
                for (name, variables) in groups(rest) {
                    if name == group {
                        found.get_or_insert_with(Vec::new).extend(variables);
                    }
                }
            }
            if found.is_some() {
                return found;
            }
            at = scope.parent;
        }
        None
    }
}

/// The groups of a statement, each with its variables: `/g/ a, b /h/ c`.
fn groups(rest: &str) -> Vec<(String, Vec<String>)> {
    let mut parts = rest.split('/').skip(1);
    let mut groups = Vec::new();
    while let (Some(name), Some(list)) = (parts.next(), parts.next()) {
        let list = list.trim().trim_end_matches(',');
        let variables = split(list, 0..list.len(), b',');
        let variables = variables.into_iter().map(|span| list[span].to_owned()).collect();
        groups.push((name.trim().to_owned(), variables));
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_a_statement() {
        let text = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            groups("/g/ a, b, /h/ c"),
            [("g".to_owned(), text(&["a", "b"])), ("h".to_owned(), text(&["c"]))]
        );
    }
}
