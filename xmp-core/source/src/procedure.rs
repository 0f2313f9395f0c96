//! The variables and dummy arguments of the procedures around a statement, by DWARF.

use crate::dwarf::{self, Entry, Reader};
use crate::variable::{Info, PlainType};
use addr2line::gimli;
use gimli::{AttributeValue, UnitOffset};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The name of the argument, before a number, by which gfortran passes the token of a dummy coarray that is not allocatable.
const TOKEN: &str = "caf_token.";

/// A procedure, an inlined call of one, or a block.
struct Scope {
    around: Option<UnitOffset>,
    /// The procedure that it is an instance of.
    origin: Option<UnitOffset>,
}

/// Whether the procedure with the instruction at `address` of a file, or one around it, has a dummy coarray that is not
/// allocatable; `None` if debugging information does not tell. Such an argument may have another shape than the coarray
/// that it is associated with.
pub fn has_dummy_coarray(path: &Path, address: u64) -> Option<bool> {
    in_unit_of(path, address, |info| {
        let is_dummy = |entry: &Entry<'_>| {
            (entry.tag() == gimli::DW_TAG_formal_parameter && is_token(info, entry)).then_some(())
        };
        Some(!visible(info, address, is_dummy)?.is_empty())
    })
}

/// The type of the variable with this name in lower case, as the instruction at `address` of a file sees it, if it has no allocatable
/// or pointer components. `None` if debugging information does not tell, or has several such variables that differ in it.
pub fn plain_type_of(path: &Path, address: u64, name: &str) -> Option<PlainType> {
    in_unit_of(path, address, |info| {
        let type_of = |entry: &Entry<'_>| {
            let is_variable =
                [gimli::DW_TAG_variable, gimli::DW_TAG_formal_parameter].contains(&entry.tag());
            (is_variable && info.name(entry)? == name).then(|| info.type_of(entry))?
        };
        let mut types =
            visible(info, address, type_of)?.into_iter().map(|found| info.plain_type(found));
        let first = types.next()?;
        types.all(|other| other == first).then_some(first)?
    })
}

/// Looks into the unit of a file that has the instruction at `address`.
fn in_unit_of<T>(
    path: &Path,
    address: u64,
    look: impl FnOnce(&Info<'_, '_>) -> Option<T>,
) -> Option<T> {
    let bytes = fs::read(path).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    dwarf::in_file(&file, |dwarf| {
        let mut headers = dwarf.units();
        while let Some(header) = headers.next().ok()? {
            let Ok(unit) = dwarf.unit(header) else { continue };
            if covers(&mut dwarf.unit_ranges(&unit).ok()?, address)? {
                return look(&Info { dwarf, unit: &unit });
            }
        }
        None
    })
}

fn covers(ranges: &mut gimli::RangeIter<Reader<'_>>, address: u64) -> Option<bool> {
    while let Some(range) = ranges.next().ok()? {
        if (range.begin..range.end).contains(&address) {
            return Some(true);
        }
    }
    Some(false)
}

/// What `mark` makes of the entries in the scopes around an instruction, and of those outside of all scopes: the variables of modules.
fn visible<T>(
    info: &Info<'_, '_>,
    address: u64,
    mark: impl Fn(&Entry<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let Info { dwarf, unit } = info;
    let mut scopes = BTreeMap::<UnitOffset, Scope>::new();
    let mut marked: Vec<(Option<UnitOffset>, T)> = Vec::new();
    let mut waiting = Vec::new();
    // The entries around the one that is looked at, and whether each is a scope.
    let mut path: Vec<(isize, Option<UnitOffset>)> = Vec::new();
    let mut entries = unit.entries();
    while let Some(entry) = entries.next_dfs().ok()? {
        let depth = entry.depth();
        path.retain(|(outer, _)| *outer < depth);
        let around = path.iter().rev().find_map(|(_, scope)| *scope);
        let mut scope = None;
        match entry.tag() {
            gimli::DW_TAG_subprogram
            | gimli::DW_TAG_inlined_subroutine
            | gimli::DW_TAG_lexical_block => {
                scopes.insert(entry.offset(), Scope { around, origin: origin(entry)? });
                scope = Some(entry.offset());
                if covers(&mut dwarf.die_ranges(unit, entry).ok()?, address)? {
                    waiting.push(entry.offset());
                }
            }
            _ => marked.extend(mark(entry).map(|mark| (around, mark))),
        }
        path.push((depth, scope));
    }
    // Without a procedure there the debugging information has gaps.
    if waiting.is_empty() {
        return None;
    }
    let mut known = BTreeSet::new();
    while let Some(offset) = waiting.pop() {
        if !known.insert(offset) {
            continue;
        }
        let scope = scopes.get(&offset)?;
        waiting.extend(scope.around);
        waiting.extend(scope.origin);
    }
    let is_visible = |scope: &Option<UnitOffset>| scope.is_none_or(|scope| known.contains(&scope));
    marked.retain(|(scope, _)| is_visible(scope));
    Some(marked.into_iter().map(|(_, mark)| mark).collect())
}

/// The entry that this one is an instance of, if there is one. `None` if that is in another unit.
fn origin(entry: &Entry<'_>) -> Option<Option<UnitOffset>> {
    match entry.attr_value(gimli::DW_AT_abstract_origin) {
        None => Some(None),
        Some(AttributeValue::UnitRef(offset)) => Some(Some(offset)),
        Some(_) => None,
    }
}

/// Whether an argument is the token of a dummy coarray.
fn is_token(info: &Info<'_, '_>, entry: &Entry<'_>) -> bool {
    info.name(entry).is_some_and(|name| name.starts_with(TOKEN))
}
