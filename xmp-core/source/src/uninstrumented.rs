//! The sources and libraries of the program that were compiled without an option: by debugging information, which has the options.

use crate::dwarf::{self, Reader};
use crate::modules::{Modules, is_library};
use crate::without_debugging;
use addr2line::gimli;
use gimli::Dwarf;
use object::read::elf::{Dyn as _, FileHeader as _};
use object::{Endianness, elf};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::Read;
use std::path::Path;

/// Beginnings of names of libraries that come with compilers and the system, and access no variables of programs on their own.
const OF_SYSTEM: [&str; 12] = [
    "libm.",
    "libmvec",
    "libdl.",
    "librt.",
    "libutil.",
    "libquadmath",
    "libstdc++",
    "libgomp",
    "libomp.",
    "libiomp5",
    "libatomic",
    "libxmp",
];

/// The sources of the program, and the shared libraries that it was linked with and that have no debugging information, that were
/// compiled without this option.
#[cold]
pub fn compiled_without(option: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let lacks = |options: &str| !options.split(' ').any(|word| word == option);
    let Some(program) = object_file(Path::new("/proc/self/exe")) else { return found };
    sources(&program, lacks, &mut found);
    let needed = libraries(&program, elf::DT_NEEDED);
    let needed: BTreeSet<&str> = needed.iter().map(|name| last_component(name)).collect();
    let Ok(modules) = Modules::of_this_process() else { return found };
    for path in modules.paths().filter(|path| is_of_program(path)) {
        let Some(library) = object_file(path) else { continue };
        // A library without a name of its own is needed by that of its file, perhaps with a directory.
        let own = libraries(&library, elf::DT_SONAME);
        let file = path.file_name().map(OsStr::to_string_lossy);
        let names = own.iter().map(|name| last_component(name)).chain(file.as_deref());
        if let Some(name) = { names }.find(|name| needed.contains(name))
            && !sources(&library, lacks, &mut found)
        {
            found.insert(name.to_owned());
        }
    }
    found
}

/// The sources of the program that gcc has compiled with an option and without a plug-in whose path has this part.
#[cold]
pub fn compiled_without_plugin(option: &str, plugin: &str) -> BTreeSet<String> {
    let lacks = |options: &str| {
        let mut words = options.split(' ');
        let is_plugin = |word: &str| word.starts_with("-fplugin=") && word.contains(plugin);
        options.starts_with("GNU ")
            && words.clone().any(|word| word == option)
            && !words.any(is_plugin)
    };
    let mut found = BTreeSet::new();
    if let Some(program) = object_file(Path::new("/proc/self/exe")) {
        sources(&program, lacks, &mut found);
    }
    found
}

/// The functions of the program that debugging information does not have, unless there is none at all.
#[cold]
pub fn functions_unknown() -> BTreeSet<String> {
    let program = object_file(Path::new("/proc/self/exe"));
    program.map_or_else(BTreeSet::new, |program| without_debugging::functions(&program))
}

/// The content of a program or library. Of devices, pipes and other files, which may be without end, nothing is read.
fn object_file(path: &Path) -> Option<Vec<u8>> {
    // A pipe would make this process wait, and to open a device may do something.
    let len = fs::metadata(path).ok().filter(Metadata::is_file)?.len();
    let file = File::open(path).ok()?;
    let mut bytes = Vec::new();
    (&file).take(elf::ELFMAG.len() as u64).read_to_end(&mut bytes).ok()?;
    if bytes != elf::ELFMAG {
        return None;
    }
    // No more than it had: it may grow while it is read.
    file.take(len.saturating_sub(bytes.len() as u64)).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// A name without directories.
fn last_component(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, last)| last)
}

fn is_of_program(path: &Path) -> bool {
    path.file_name().is_some_and(|name| {
        let text = name.to_string_lossy();
        !is_library(name) && !OF_SYSTEM.iter().any(|system| text.starts_with(system))
    })
}

/// Names in the dynamic section of a file.
fn libraries(file: &[u8], tag: elf::DynamicTag) -> BTreeSet<String> {
    names(file, tag).unwrap_or_default()
}

fn names(file: &[u8], tag: elf::DynamicTag) -> Option<BTreeSet<String>> {
    let header = elf::FileHeader64::<Endianness>::parse(file).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, file).ok()?;
    let (entries, strings) = sections.dynamic(endian, file).ok()??;
    let strings = sections.strings(endian, file, strings).ok()?;
    let chosen = entries.iter().filter(|entry| entry.tag(endian) == tag);
    let text = chosen.filter_map(|entry| entry.string(endian, strings).ok());
    Some(text.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

/// Adds the sources of a file that `lacks` holds of, which gets the compiler and its options; whether it has debugging information.
fn sources(file: &[u8], lacks: impl Fn(&str) -> bool, found: &mut BTreeSet<String>) -> bool {
    let Ok(file) = object::File::parse(file) else { return false };
    let units = dwarf::in_file(&file, |dwarf| units(dwarf, &lacks)).unwrap_or_default();
    let has_any = !units.is_empty();
    found.extend(units.into_iter().flatten());
    has_any
}

/// For each compilation unit with code its name, if `lacks` holds of it.
fn units(dwarf: &Dwarf<Reader<'_>>, lacks: impl Fn(&str) -> bool) -> Option<Vec<Option<String>>> {
    let mut units = Vec::new();
    let mut headers = dwarf.units();
    while let Some(header) = headers.next().ok()? {
        let Ok(unit) = dwarf.unit(header) else { continue };
        let mut entries = unit.entries();
        let Some(root) = entries.next_dfs().ok()? else { continue };
        let has_code = [gimli::DW_AT_low_pc, gimli::DW_AT_ranges]
            .iter()
            .any(|&name| root.attr(name).is_some());
        let text = |name| {
            let value = root.attr_value(name)?;
            Some(dwarf.attr_string(&unit, value).ok()?.to_string_lossy().into_owned())
        };
        let (producer, name) = (text(gimli::DW_AT_producer), text(gimli::DW_AT_name));
        if has_code && let (Some(producer), Some(name)) = (producer, name) {
            units.push(lacks(&producer).then(|| last_component(&name).to_owned()));
        }
    }
    Some(units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_programs_and_libraries_are_read() {
        let program = object_file(Path::new("/proc/self/exe")).expect("this program");
        assert_eq!(program.len() as u64, fs::metadata("/proc/self/exe").unwrap().len());
        // The first one has no end.
        for path in ["/dev/zero", "/dev/null", "/proc/self/maps", "/", "/nonexistent"] {
            assert_eq!(object_file(Path::new(path)), None, "{path}");
        }
    }

    #[test]
    fn libraries_of_compilers_are_not_of_the_program() {
        for name in ["libgomp.so.1", "libomp.so.5", "libiomp5.so", "libm.so.6"] {
            assert!(!is_of_program(&Path::new("/usr/lib").join(name)), "{name}");
        }
        for name in ["libompi.so", "libmine.so.1", "a.out"] {
            assert!(is_of_program(&Path::new("/usr/lib").join(name)), "{name}");
        }
    }
}
