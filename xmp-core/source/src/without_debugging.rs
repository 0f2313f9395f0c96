//! Functions of a program that debugging information does not have: those of objects that were compiled without it.

use crate::dwarf::{self, Reader};
use addr2line::gimli;
use gimli::Dwarf;
use object::{Object as _, ObjectSymbol as _, SymbolKind};
use std::collections::BTreeSet;
use std::ops::Range;

/// Functions that the C library adds to programs. Others of compilers and libraries begin with `_`, and ours with `xmp`.
const OF_SYSTEM: [&str; 3] = ["atexit", "at_quick_exit", "pthread_atfork"];

/// Functions of libraries that compilers add: of gfortran, of the C library, of gcc, of C++ and of OpenMP. Where a program has one of them,
/// its library is linked statically, and nothing tells the other functions of the library from those of the user.
const OF_STATIC_LIBRARIES: [&str; 5] = [
    "_gfortran_set_args",
    "__libc_start_main",
    "_Unwind_RaiseException",
    "__gxx_personality_v0",
    "GOMP_parallel",
];

/// The names of these functions; none of a program that has no debugging information at all, or has libraries of compilers.
pub fn functions(program: &[u8]) -> BTreeSet<String> {
    let Ok(file) = object::File::parse(program) else { return BTreeSet::new() };
    let is_of_library = |name: &str| OF_STATIC_LIBRARIES.contains(&name);
    let mut defined = file.symbols().filter(|symbol| symbol.is_definition());
    if defined.any(|symbol| symbol.name().is_ok_and(is_of_library)) {
        return BTreeSet::new();
    }
    let known = dwarf::in_file(&file, ranges).unwrap_or_default();
    if known.is_empty() {
        return BTreeSet::new();
    }
    let functions = file.symbols().filter(|symbol| {
        // Of size 0 are parts of the objects at the start and the end of each program.
        symbol.is_definition() && symbol.kind() == SymbolKind::Text && symbol.size() > 0
    });
    let unknown = functions.filter(|symbol| !has(&known, symbol.address()));
    unknown.filter_map(|symbol| name(symbol.name().ok()?)).collect()
}

/// The code that debugging information has, in the order of its addresses.
fn ranges(dwarf: &Dwarf<Reader<'_>>) -> Option<Vec<Range<u64>>> {
    let mut all = Vec::new();
    let mut headers = dwarf.units();
    while let Some(header) = headers.next().ok()? {
        let Ok(unit) = dwarf.unit(header) else { continue };
        let mut its = dwarf.unit_ranges(&unit).ok()?;
        while let Some(range) = its.next().ok()? {
            all.push(range.begin..range.end);
        }
    }
    all.sort_unstable_by_key(|range| (range.start, range.end));
    Some(all)
}

fn has(ranges: &[Range<u64>], address: u64) -> bool {
    let after = ranges.partition_point(|range| range.start <= address);
    ranges[..after].last().is_some_and(|range| address < range.end)
}

/// The name of a function in the words of its source; `None` of one that is not of the user.
fn name(symbol: &str) -> Option<String> {
    if let Some((module, procedure)) =
        symbol.strip_prefix("__").and_then(|it| it.split_once("_MOD_"))
    {
        return Some(format!("{module}::{procedure}"));
    }
    let is_of_others = symbol.starts_with('_') && !symbol.starts_with("_Z")
        || symbol.starts_with("xmp")
        || OF_SYSTEM.contains(&symbol);
    // gfortran adds the underscore.
    (!is_of_others).then(|| symbol.strip_suffix('_').unwrap_or(symbol).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_user_have_the_names_of_the_source() {
        for (symbol, expected) in [
            ("solve_", "solve"),
            ("solve", "solve"),
            ("__boxes_MOD_meet", "boxes::meet"),
            ("_ZN5boxes4meetEv", "_ZN5boxes4meetEv"),
        ] {
            assert_eq!(name(symbol).as_deref(), Some(expected));
        }
        for symbol in ["_start", "__wrap_main", "_gfortran_st_write", "xmprt_started", "atexit"] {
            assert_eq!(name(symbol), None, "{symbol}");
        }
    }

    #[test]
    fn an_address_is_in_the_last_range_that_begins_before_it() {
        let ranges = [10..20, 20..24, 40..50];
        let found = [9, 10, 19, 23, 24, 39, 40, 50].map(|address| has(&ranges, address));
        assert_eq!(found, [false, true, true, true, false, false, true, false]);
    }
}
