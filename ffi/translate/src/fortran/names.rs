//! The meaning of the names of a scope: the modules that it uses, the scopes around it, and the variables that it
//! declares.

use super::declarations;
use super::items::Item;
use super::objects::VisibleHome;
use super::renames::renamed_in;
use super::scopes::{Scope, Scopes};
use super::tokens::used_module;
use std::collections::HashSet;

/// For each scope, the homes that it sees: itself, objects that it renames, modules that it uses, then the homes of the
/// scope around it. `module` finds the home of a module's name.
pub fn visible(
    items: &[Item],
    scopes: &Scopes,
    module: impl Fn(&str) -> Vec<usize>,
) -> Vec<Vec<VisibleHome>> {
    let mut all: Vec<Vec<VisibleHome>> = Vec::new();
    for (number, scope) in scopes.all.iter().enumerate() {
        let mut homes = vec![VisibleHome { home: number, is_around: true }];
        homes.push(VisibleHome { home: renamed_in(number), is_around: false });
        for name in used(items, scope) {
            for home in module(&name) {
                homes.push(VisibleHome { home, is_around: false });
                // The modules that a module of this file uses are seen through it.
                let through = all.get(home).into_iter().flatten().skip(1);
                homes.extend(through.map(|seen| VisibleHome { is_around: false, ..*seen }));
            }
        }
        if let Some(parent) = scope.parent {
            homes.extend(all[parent].iter());
        }
        all.push(homes);
    }
    all
}

/// For each scope, the variables that it declares: its arguments, and names to which its specification part gives a
/// type or dimensions.
pub fn declared(items: &[Item], scopes: &Scopes) -> Vec<HashSet<String>> {
    let of = |scope: &Scope| {
        let mut names: HashSet<String> = HashSet::new();
        if let Some(head) = &scope.head
            && let Some(statement) = items[scope.first].statement()
        {
            let lists = head.arguments.iter().chain(&head.result);
            let parts = lists.flat_map(|list| statement.code[list.clone()].split(','));
            names.extend(parts.map(|name| name.trim().to_owned()));
        }
        for (_, statement) in declarations::specification(items, scope) {
            let declaration = declarations::declaration(statement);
            let entities = declaration.into_iter().flat_map(|declaration| declaration.entities);
            names.extend(entities.map(|entity| statement.code[entity.name].to_owned()));
        }
        names
    };
    scopes.all.iter().map(of).collect()
}

/// The names of the modules that a scope uses.
pub fn used<'a>(items: &'a [Item], scope: &'a Scope) -> impl Iterator<Item = String> + 'a {
    // A submodule sees the names of its module and of the submodule around it.
    let first = items[scope.first].statement().map_or("", |statement| statement.code.as_str());
    let rest = first.strip_prefix("submodule").unwrap_or_default().trim_start();
    let of = rest.strip_prefix('(').and_then(|rest| Some(rest.split_once(')')?.0));
    let (module, parent) = of.map_or((None, None), |of| match of.split_once(':') {
        Some((module, parent)) => (Some(module.trim()), Some(submodule(parent.trim()))),
        None => (Some(of.trim()), None),
    });
    let ancestors = module.map(str::to_owned).into_iter().chain(parent);
    let used = scope.uses.iter().filter_map(|item| {
        let (module, _) = used_module(&items[*item].statement()?.code)?;
        Some(module.to_owned())
    });
    ancestors.chain(used)
}

/// The key of a submodule among names of modules, one of which may be the same.
pub fn submodule(name: &str) -> String {
    format!(":{name}")
}
