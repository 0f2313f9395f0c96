//! Dummy arguments of the procedures around a statement, by DWARF.

use crate::dwarf::{self, Entry, Reader};
use addr2line::gimli;
use gimli::{AttributeValue, Dwarf, Unit, UnitOffset};
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
    has_dummy_coarray: bool,
}

/// Whether the procedure with the instruction at `address` of a file, or one around it, has a dummy coarray that is not
/// allocatable; `None` if debugging information does not tell. Such an argument may have another shape than the coarray
/// that it is associated with.
pub fn has_dummy_coarray(path: &Path, address: u64) -> Option<bool> {
    let bytes = fs::read(path).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    dwarf::in_file(&file, |dwarf| {
        let mut headers = dwarf.units();
        while let Some(header) = headers.next().ok()? {
            let Ok(unit) = dwarf.unit(header) else { continue };
            if covers(&mut dwarf.unit_ranges(&unit).ok()?, address)? {
                return in_unit(dwarf, &unit, address);
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

fn in_unit(dwarf: &Dwarf<Reader<'_>>, unit: &Unit<Reader<'_>>, address: u64) -> Option<bool> {
    let mut scopes = BTreeMap::<UnitOffset, Scope>::new();
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
                let origin = origin(entry)?;
                let new = Scope { around, origin, has_dummy_coarray: false };
                scopes.insert(entry.offset(), new);
                scope = Some(entry.offset());
                if covers(&mut dwarf.die_ranges(unit, entry).ok()?, address)? {
                    waiting.push(entry.offset());
                }
            }
            gimli::DW_TAG_formal_parameter if is_token(dwarf, unit, entry) => {
                scopes.get_mut(&around?)?.has_dummy_coarray = true;
            }
            _ => {}
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
        if scope.has_dummy_coarray {
            return Some(true);
        }
        waiting.extend(scope.around);
        waiting.extend(scope.origin);
    }
    Some(false)
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
fn is_token(dwarf: &Dwarf<Reader<'_>>, unit: &Unit<Reader<'_>>, entry: &Entry<'_>) -> bool {
    let name = entry.attr_value(gimli::DW_AT_name);
    let name = name.and_then(|name| dwarf.attr_string(unit, name).ok());
    name.is_some_and(|name| name.slice().starts_with(TOKEN.as_bytes()))
}
