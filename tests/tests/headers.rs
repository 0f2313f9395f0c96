//! The headers of C and C++: they compile without warnings, declare what the library exports, have its version, and are the
//! source of its manual pages.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xmp_hosts::installed;
use xmp_tests::toolchain::{output_of, toolchain, workspace};

/// The headers whose functions have manual pages.
const DOCUMENTED: [&str; 2] = ["xmprt.h", "xmprt_global.h"];

/// Compiles a source, without a program as result, with all warnings as errors.
fn compiles(compiler: PathBuf, source: &str, options: &[&str]) {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("all.c");
    fs::write(&file, source).expect("a source");
    let mut command = Command::new(compiler);
    command.args(["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-fsyntax-only"]);
    let output = command.args(options).arg(&file).output().expect("the wrapper runs");
    assert!(output.status.success(), "{options:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_headers_are_c_and_cpp_without_warnings() {
    let source = "#include <xmprt_global.h>\n#include <xmprt_tool.h>\n\
                  int main(void) { return xmprt_this_image(XMPRT_CURRENT) - 1; }\n";
    for language in
        [["-std=c99", "-xc"], ["-std=c11", "-xc"], ["-std=c2x", "-xc"], ["-std=c++11", "-xc++"]]
    {
        compiles(toolchain().xmpcc(), source, &language);
    }
    let classes =
        "#include <xmprt.hpp>\nint main() { return xmprt::team::current().image() - 1; }\n";
    for standard in ["-std=c++17", "-std=c++20"] {
        compiles(toolchain().xmpcxx(), classes, &[standard, "-xc++"]);
    }
    for (name, _) in classes_of_cpp() {
        let alone = format!("#include <{name}>\n");
        compiles(toolchain().xmpcxx(), &alone, &["-std=c++17", "-xc++"]);
    }
}

#[test]
fn the_types_of_long_and_size_t_are_as_wide_as_the_compiler_has_them() {
    let narrow = if cfg!(target_arch = "x86_64") { "-m32" } else { "-mabi=ilp32" };
    let include = format!("-I{}", toolchain().prefix().join("include/xmprt").display());
    for (option, bits) in [("-O0", 64), (narrow, 32)] {
        let source = format!(
            "#include <xmprt.h>\n\
             _Static_assert(XMPRT_LONG == XMPRT_INT{bits} && XMPRT_ULONG == XMPRT_UINT{bits}, \"long\");\n\
             _Static_assert(XMPRT_SIZE == XMPRT_UINT{bits} && XMPRT_TYPE(1L) == XMPRT_INT{bits}, \"size\");\n\
             _Static_assert(XMPRT_LONG_LONG == XMPRT_INT64, \"long long\");\n"
        );
        compiles("gcc".into(), &source, &["-std=c11", "-ffreestanding", &include, option]);
    }
}

/// The headers of C++ in the installation, and their texts.
fn classes_of_cpp() -> Vec<(String, String)> {
    let directory = toolchain().prefix().join("include/xmprt");
    let files = fs::read_dir(directory).expect("the headers").map(|entry| entry.expect("a file"));
    let names = files.map(|entry| entry.file_name().into_string().expect("a name"));
    let headers = names.filter(|name| name.ends_with(".hpp")).map(|name| {
        let path = toolchain().prefix().join("include/xmprt").join(&name);
        (name, fs::read_to_string(path).expect("a header"))
    });
    let headers: Vec<_> = headers.collect();
    assert!(headers.len() > 5, "{headers:?}");
    headers
}

/// The functions of `xmprt.h` that programs in C++ call as they are.
const WITHOUT_CLASS: [&str; 17] = [
    // Parts of different lengths, in memory that the program keeps until they are complete.
    "xmprt_begin_co_allgatherv",
    "xmprt_begin_co_alltoallv",
    "xmprt_begin_co_gatherv",
    "xmprt_begin_co_scatterv",
    // The library and the job as a whole.
    "xmprt_fail_image",
    "xmprt_on_error",
    "xmprt_status_text",
    "xmprt_stop",
    "xmprt_thread_level",
    "xmprt_under_mpi",
    "xmprt_version",
    "xmprt_version_text",
    // Memory and teams by other names than those that classes have.
    "xmprt_is_shared",
    "xmprt_mpi_comm_fortran",
    "xmprt_sibling_get",
    "xmprt_sibling_images",
    "xmprt_sibling_put",
];

#[test]
fn the_classes_of_cpp_have_a_form_of_each_function_that_is_not_called_as_it_is() {
    let text: String = classes_of_cpp().into_iter().map(|(_, text)| text).collect();
    // `XMPRT_FETCH` writes the names of some atomic operations from their beginnings.
    let has = |name: &str| {
        let words = [("(", name), (")", name.trim_end_matches("32").trim_end_matches("64"))];
        words.iter().any(|(end, word)| text.contains(&format!("{word}{end}")))
    };
    let (_, functions) = functions().into_iter().next().expect("xmprt.h");
    for name in functions.iter().map(String::as_str) {
        let listed = WITHOUT_CLASS.contains(&name);
        assert!(listed || has(name), "{name}");
    }
    let unknown: Vec<_> = WITHOUT_CLASS.iter().filter(|name| !functions.contains(**name)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn a_team_is_refused_where_a_request_is_needed_and_a_number_where_a_team_is() {
    let refused = |statement: &str| {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("wrong.c");
        let source = format!(
            "#include <xmprt.h>\nint main(void) {{ xmprt_team team = {{0}}; {statement}; return (int)team.id; }}\n"
        );
        fs::write(&file, source).expect("a source");
        let output = Command::new(toolchain().xmpcc())
            .arg("-fsyntax-only")
            .arg(&file)
            .output()
            .expect("xmpcc runs");
        !output.status.success()
    };
    assert!(!refused("xmprt_sync(team)"));
    assert!(refused("xmprt_sync(0)"));
    assert!(refused("xmprt_request none = XMPRT_NO_REQUEST; xmprt_sync(none)"));
    assert!(refused("team = XMPRT_NO_REQUEST"));
}

/// The names of the functions that a header of the installation declares, as the compiler sees them.
fn declared(header: &str) -> BTreeSet<String> {
    let path = toolchain().prefix().join("include/xmprt").join(header);
    let text = output_of(toolchain().xmpcc(), [Path::new("-E"), Path::new("-P"), &path]);
    let text = text.replace("__attribute__((__noreturn__))", "");
    // A prototype: a name before a parenthesis, which no assignment and no other word precedes that makes it a call.
    let mut names = BTreeSet::new();
    for statement in text.split([';', '{', '}']) {
        let statement = statement.trim();
        let is_prototype = statement.ends_with(')') && !statement.starts_with("return");
        let head = statement.split('(').next().unwrap_or_default().trim_end();
        let name = head.rsplit([' ', '*']).next().unwrap_or_default();
        if is_prototype && name.starts_with("xmprt_") && head != name {
            names.insert(name.to_owned());
        }
    }
    names
}

/// Functions that are in the header itself.
const INLINE: [&str; 6] =
    ["xmprt_object_of", "xmprt_by", "xmprt_from", "xmprt_at", "xmprt_whole", "xmprt_own"];

/// The functions of the library that each header declares itself, without those that it includes.
fn functions() -> Vec<(&'static str, BTreeSet<String>)> {
    let (mut seen, mut all) = (BTreeSet::from(INLINE.map(str::to_owned)), Vec::new());
    for header in DOCUMENTED {
        let own: BTreeSet<String> = declared(header).difference(&seen).cloned().collect();
        assert!(own.len() > 30, "{header}: {own:?}");
        seen.extend(own.iter().cloned());
        all.push((header, own));
    }
    all
}

#[test]
fn the_library_exports_what_the_headers_declare() {
    let library = toolchain().prefix().join("lib/libxmprt.so");
    let symbols = output_of("nm", [Path::new("-D"), Path::new("--defined-only"), &library]);
    let exported: BTreeSet<String> = symbols
        .lines()
        .filter_map(|line| line.split_whitespace().last().map(str::to_owned))
        .collect();
    for (header, own) in functions() {
        let missing: Vec<_> = own.difference(&exported).collect();
        assert!(missing.is_empty(), "{header} declares, and libxmprt.so lacks: {missing:?}");
    }
}

#[test]
fn the_header_has_the_version_of_the_workspace() {
    let header = fs::read_to_string(workspace().join("ffi/include/xmprt.h")).expect("the header");
    let number = |name: &str| {
        let line = format!("#define XMPRT_VERSION_{name} ");
        let value = header.lines().find_map(|text| text.strip_prefix(&line));
        value.unwrap_or_else(|| panic!("no {line}")).trim().to_owned()
    };
    let version = ["MAJOR", "MINOR", "PATCH"].map(number).join(".");
    let manifest = fs::read_to_string(workspace().join("Cargo.toml")).expect("the manifest");
    assert!(manifest.contains(&format!("\nversion = \"{version}\"\n")), "{version}");
}

#[test]
fn each_function_of_the_headers_has_a_manual_page() {
    let pages = toolchain().prefix().join("share/man");
    let page = |name: &str| pages.join("man3").join(format!("{name}.3"));
    for (header, own) in functions() {
        let overview = header.strip_suffix(".h").expect("a header");
        let overview = fs::read_to_string(page(overview)).expect("a page about the header");
        for name in own {
            assert!(overview.contains(&format!(".BR {name} (3)")), "{header}: {name} has no page");
            let text = fs::read_to_string(page(&name)).unwrap_or_else(|_| panic!("no {name}.3"));
            let text = match text.strip_prefix(".so ") {
                Some(other) => fs::read_to_string(pages.join(other.trim_end())).expect(&name),
                None => text,
            };
            let prototype =
                [' ', '*'].iter().any(|before| text.contains(&format!("{before}{name}(")));
            assert!(prototype, "{name}.3 lacks the prototype");
            for section in ["NAME", "SYNOPSIS", "DESCRIPTION"] {
                assert!(text.contains(&format!("\n.SH {section}\n")), "{name}.3: {section}");
            }
        }
    }
}

#[test]
fn the_manual_pages_are_roff_without_warnings() {
    if !installed(&["groff"]) {
        return;
    }
    let pages = toolchain().prefix().join("share/man/man3");
    for page in fs::read_dir(pages).expect("the pages") {
        let page = page.expect("a page").path();
        if fs::read_to_string(&page).expect("a page").starts_with(".so ") {
            continue;
        }
        let command = ["-ww", "-man", "-Tutf8", "-z"];
        let output = Command::new("groff").args(command).arg(&page).output().expect("groff runs");
        let warnings = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && warnings.is_empty(), "{}: {warnings}", page.display());
    }
}
