//! Mangled names of Rust: which functions of Rust belong to the program, and which to this library and what it depends on. A program
//! in Rust contains the library.

/// The crates of this library that programs contain, and of Rust itself.
const LIBRARY_CRATES: [&str; 18] = [
    "xmp_boot",
    "xmp_coarray",
    "xmp_collectives",
    "xmp_core",
    "xmp_ffi",
    "xmp_map",
    "xmp_mpi",
    "xmp_net",
    "xmp_plugin",
    "xmp_races_library",
    "xmp_shm",
    "xmp_source",
    "xmp_teams",
    "xmp_trace",
    "xmprt",
    "std",
    "core",
    "alloc",
];

/// Crates that the library calls where it waits, and those whose functions take functions of it, for where no path tells.
const DEPENDENCY_CRATES: [&str; 8] =
    ["bytemuck", "libc", "linux_raw_sys", "once_cell", "rustix", "slab", "smallvec", "tracing"];

/// Folders of sources that the program depends on: of the registry, of repositories, of the tool chain, and as packages name them.
const DEPENDENCIES: [&str; 7] = [
    "/registry/src/",
    "/git/checkouts/",
    "/vendor/",
    "/rustc/",
    "/lib/rustlib/",
    "/usr/src/xmprt/",
    "/usr/src/cargo/",
];

/// Whether a procedure with this mangled name, in this source file, is one of Rust, and not one of the program.
pub fn is_library(procedure: Option<&str>, file: Option<&str>) -> bool {
    let (is_rust, of_crate) =
        procedure.map_or((false, None), |name| (is_mangled(name), crate_of(name)));
    // Functions around those of the program have names of their own, as `__rust_try`.
    let is_rust = is_rust || procedure.is_some_and(|name| name.starts_with("__rust"));
    let is_source = file.is_some_and(|file| file.ends_with(".rs"));
    if !is_rust && !is_source {
        return false;
    }
    // The compiler may have shortened a path to a part of itself (`--remap-path-prefix`), which does not tell whose source it is.
    let whole_path = file.filter(|file| file.starts_with('/'));
    let is_in_folder = file.is_some_and(|file| DEPENDENCIES.iter().any(|it| file.contains(it)));
    let is_dependency = is_in_folder
        || whole_path.is_none() && of_crate.is_none_or(|of| DEPENDENCY_CRATES.contains(&of));
    is_dependency || of_crate.is_none_or(|of| LIBRARY_CRATES.contains(&of))
}

/// Whether a function of Rust has a name without its crate, as debugging information of lines only has it. The linker's name has one.
pub fn lacks_crate(procedure: Option<&str>, file: Option<&str>) -> bool {
    let is_source = file.is_some_and(|file| file.ends_with(".rs"));
    is_source && procedure.is_some_and(|name| !is_mangled(name))
}

/// The path of a function of Rust by its mangled name in the form of C++, without closures: `heat::exchange`. `None` for other names.
pub fn path(name: &str) -> Option<String> {
    let mut rest = without_hash(name)?;
    let mut segments = Vec::new();
    while let Some((segment, after)) = identifier(rest) {
        if !segment.starts_with("_$") {
            segments.push(segment);
        }
        rest = after;
    }
    (!segments.is_empty()).then(|| segments.join("::"))
}

/// The function's own name in a mangled name of Rust: `co_sum_for` of `_RNvNtCs1234_5xmprt10collective10co_sum_for` and of
/// `_ZN5xmprt10collective10co_sum_for17h0123456789abcdefE`; other names as they are.
pub fn last_segment(name: &str) -> &str {
    let Some(name) = without_hash(name).or(name.starts_with("_R").then_some(name)) else {
        return name;
    };
    // The last identifier is the rest of the name, after its length.
    let starts = name.char_indices().filter(|(_, letter)| letter.is_ascii_digit());
    let mut identifiers = starts.filter_map(|(at, _)| {
        let (identifier, after) = identifier(&name[at..])?;
        after.is_empty().then_some(identifier)
    });
    identifiers.next().unwrap_or(name)
}

/// What shows the lines of a program of which this procedure is.
pub fn remedy(procedure: Option<&str>) -> &'static str {
    if procedure.is_some_and(is_mangled) {
        "with debug = true in its profile, Cargo has lines"
    } else {
        "compile with -g to see the line"
    }
}

/// The crate of a function; of a method of a trait in the form of C++, the crate of the type. `None` if it is not known, and for types
/// that are parameters.
fn crate_of(name: &str) -> Option<&str> {
    if let Some(rest) = without_hash(name) {
        let (first, _) = identifier(rest)?;
        let Some(of_type) = first.strip_prefix("_$LT$") else { return Some(first) };
        return of_type.split_once("..").map(|(of, _)| of).filter(|of| is_identifier(of));
    }
    // `C`, a disambiguator, and the name with its length.
    let root = name.strip_prefix("_R")?.split_once("Cs")?.1;
    let (_, named) = root.split_once('_')?;
    identifier(named).map(|(name, _)| name.trim_start_matches('_'))
}

fn is_identifier(text: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// The identifier that a text begins with, after its length; and the rest.
fn identifier(text: &str) -> Option<(&str, &str)> {
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let length: usize = text[..text.len() - rest.len()].parse().ok()?;
    rest.split_at_checked(length)
}

/// Whether this is a mangled name of Rust, of either form: that of C++ with a hash, or v0.
fn is_mangled(name: &str) -> bool {
    name.starts_with("_R") || without_hash(name).is_some()
}

/// A mangled name of Rust in the form of C++, without its beginning and its last part: `17h`, 16 digits of a hash, `E`, and a number where
/// the optimiser has made a function of a part of another one.
fn without_hash(name: &str) -> Option<&str> {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let (rest, hash) = name.strip_prefix("_ZN")?.strip_suffix('E')?.rsplit_once("17h")?;
    let is_hash = hash.len() == 16 && hash.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hash.then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_segment_of_a_mangled_name_is_the_function() {
        for (name, expected) in [
            ("_RNvNtNtCsaBc_5xmprt3gnu10collective10co_sum_for", "co_sum_for"),
            ("_RNvCsaBc_5xmprt4wait", "wait"),
            ("_ZN5xmprt3gnu10collective10co_sum_for17h0123456789abcdefE", "co_sum_for"),
            ("_ZN7xmp_shm9coll_area10barrier_of17h0123456789abcdefE.486", "barrier_of"),
            ("_ZN3foo3barE", "_ZN3foo3barE"),
            ("_gfortran_caf_sync_all", "_gfortran_caf_sync_all"),
        ] {
            assert_eq!(last_segment(name), expected);
        }
    }

    #[test]
    fn functions_of_the_program_are_those_of_other_crates() {
        let (main, user) =
            (Some("_ZN4heat4main17h0123456789abcdefE"), Some("/home/me/heat/src/main.rs"));
        assert!(!is_library(main, user));
        assert!(!is_library(Some("_RNCNvCs1a2B_4heat4main0B3_"), user));
        assert!(!is_library(
            Some("_ZN52_$LT$heat..Field$u20$as$u20$core..ops..Drop$GT$4drop17h0123456789abcdefE"),
            user
        ));
        assert!(is_library(
            Some("_RNvNtCsaBc_11xmp_coarray5typed4wait"),
            Some("/x/coarray/src/typed/mod.rs")
        ));
        assert!(is_library(
            Some("_ZN33_$LT$T$u20$as$u20$heat..Shape$GT$3one17h0123456789abcdefE"),
            user
        ));
        assert!(is_library(
            Some("_ZN6rustix5futex4wait17h0123456789abcdefE"),
            Some("/u/.cargo/registry/src/i/rustix-1.0.0/src/lib.rs")
        ));
        assert!(!is_library(main, None));
        for shortened in ["src/main.rs", "./src/main.rs", "heat/src/main.rs"] {
            assert!(!is_library(main, Some(shortened)), "{shortened}");
        }
        for (crate_and_function, shortened) in [
            ("_ZN6rustix5futex4wait17h0123456789abcdefE", "rustix-1.0.0/src/lib.rs"),
            ("_ZN11xmp_coarray5typed4wait17h0123456789abcdefE", "src/typed/mod.rs"),
            (
                "_ZN4core3ops8function6FnOnce9call_once17h0123456789abcdefE",
                "library/core/src/ops/function.rs",
            ),
        ] {
            assert!(is_library(Some(crate_and_function), Some(shortened)), "{shortened}");
        }
        assert!(is_library(Some("_ZN6rustix5futex4wait17h0123456789abcdefE"), None));
        assert!(is_library(Some("__rust_try"), None));
        assert!(is_library(Some("xmprt_put"), Some("ffi/src/c/transfer.rs")));
        for other in ["exchange_", "_ZN3foo3barE"] {
            assert!(
                !is_library(Some(other), Some("/x/heat.f90")) && !is_library(Some(other), None)
            );
        }
    }

    #[test]
    fn a_path_leaves_out_closures() {
        let closure = "_ZN4heat5solve28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE";
        assert_eq!(path(closure).as_deref(), Some("heat::solve"));
        assert_eq!(path("exchange_"), None);
    }
}
