//! `common` with distributed arrays. The part of an array is a pointer there, which the first unit that starts associates. A block with
//! distributed arrays has another name, so that no other file takes the pointer for the array.

use super::declarations::{CommonBlock, common_blocks, specification};
use super::declare::Role;
use super::items::Item;
use super::make::part_bounds;
use super::objects::{ArrayObject, Objects};
use super::scopes::Scopes;
use super::source::Statement;
use super::tokens::after;
use super::unit::Unit;
use super::writer::Code;
use crate::diagnostics::Diagnostic;
use std::collections::HashMap;

/// Whether an array is in a common block.
fn is_common(array: &ArrayObject) -> bool {
    array.variable.as_ref().is_some_and(|variable| variable.is_common)
}

/// The name of a block with distributed arrays.
fn name_of(block: &str) -> String {
    format!("/xmptcommon_{block}/")
}

/// The replacement of an array in the block where it is an argument.
fn place_of(array: &str) -> String {
    format!("xmptplace_{array}")
}

/// For each block with distributed arrays in a unit of the file: which of its variables they are.
pub fn distributed(
    items: &[Item],
    scopes: &Scopes,
    objects: &Objects,
    wrong: &mut Vec<Diagnostic>,
) -> HashMap<String, Vec<bool>> {
    let mut found: HashMap<String, Vec<bool>> = HashMap::new();
    let mut all = Vec::new();
    for (home, scope) in scopes.all.iter().enumerate() {
        let mut of_scope: Vec<(String, Vec<bool>, std::ops::Range<usize>)> = Vec::new();
        for (_, statement) in specification(items, scope) {
            for CommonBlock { name, entities, .. } in common_blocks(statement) {
                let flags = entities.iter().map(|entity| {
                    let name = &statement.code[entity.name.clone()];
                    objects
                        .arrays
                        .iter()
                        .any(|of| of.home == home && of.name == name && is_common(of))
                });
                match of_scope.iter_mut().find(|(known, ..)| *known == name) {
                    Some((_, known, _)) => known.extend(flags),
                    None => of_scope.push((name, flags.collect(), statement.whole())),
                }
            }
        }
        all.extend(of_scope);
    }
    for (name, flags, _) in all.iter().filter(|(_, flags, _)| flags.contains(&true)) {
        found.entry(name.clone()).or_insert_with(|| flags.clone());
    }
    for (name, flags, place) in all {
        if found.get(&name).is_some_and(|known| *known != flags) {
            let title =
                format!("`/{name}/` has distributed arrays in another unit, and others here");
            wrong.push(
                Diagnostic::new(place, title)
                    .help("declare and align the same arrays in each unit"),
            );
        }
    }
    found
}

impl Unit<'_> {
    /// The replacement of a `common` statement, or of a `save` statement that names blocks; none without distributed
    /// arrays.
    pub fn common(
        &self,
        home: usize,
        statement: &Statement,
        role: impl Fn(&ArrayObject) -> Role,
    ) -> Option<Vec<Code>> {
        if let Some(list) = after(&statement.code, &["save"]).filter(|list| list.contains('/')) {
            let mut list = list.to_owned();
            for block in self.common.keys() {
                let name = list.split('/').find(|part| part.trim() == block && !block.is_empty());
                if let Some(name) = name.map(|name| format!("/{name}/")) {
                    list = list.replace(&name, &name_of(block));
                }
            }
            return Some(vec![format!("save {list}").into()]);
        }
        let blocks = common_blocks(statement);
        if !blocks.iter().any(|block| self.common.contains_key(&block.name)) {
            return None;
        }
        let (mut code, mut list): (Vec<Code>, String) = Default::default();
        for CommonBlock { name, entities } in blocks {
            let is_distributed = self.common.contains_key(&name);
            list += &if is_distributed { name_of(&name) } else { format!("/{name}/") };
            let mut names = Vec::new();
            for entity in entities {
                let (start, end) = (entity.name.start, entity.tail.end.max(entity.name.end));
                let entity_name = &statement.code[entity.name.clone()];
                let array = self.objects.arrays.iter();
                let mut array = array.filter(|of| of.home == home && of.name == entity_name);
                let Some(array) = array.next() else {
                    names.push(statement.text[start..end].to_owned());
                    continue;
                };
                let deferred = vec![":"; array.dims.len()].join(", ");
                if role(array) == Role::Part {
                    let place = place_of(entity_name);
                    code.push(format!("integer, pointer :: {place}({deferred})").into());
                    if entity.dims.is_some() {
                        code.push(
                            format!("dimension :: {entity_name}({})", part_bounds(array)).into(),
                        );
                    }
                    names.push(place);
                } else {
                    if entity.dims.is_some() {
                        code.push(format!("pointer :: {entity_name}({deferred})").into());
                    }
                    code.push(format!("contiguous :: {entity_name}").into());
                    names.push(entity_name.to_owned());
                }
            }
            list += &format!(" {} ", names.join(", "));
        }
        code.push(format!("common {}", list.trim()).into());
        Some(code)
    }
}
