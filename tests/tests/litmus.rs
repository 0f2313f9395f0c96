//! Memory order on Arm processors. Each file of `litmus/` has the instructions of some threads, and says whether an outcome is possible.
//! herd7 computes that from the model of the architecture. The first word of the file's text is the outcome that is expected:
//! `never`, or `sometimes` for what shows that an instruction has to stay. `Functions=` names functions of
//! `litmus/src/lib.rs`, which compile to these instructions: to atomic instructions of Armv8.1 (LSE), or to
//! pairs of exclusive ones before that, which functions of the compiler's library choose at run time.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xmp_hosts::{Requirement, installed, skipped};
use xmp_tests::toolchain::{crate_dir, output_of, target_dir, workspace};

/// The target for which the functions are compiled.
const TARGET: &str = "aarch64-unknown-linux-gnu";

/// A litmus test.
struct Litmus {
    name: String,
    /// What its text begins with.
    expected: String,
    /// Thread and function.
    functions: Vec<(usize, String)>,
    /// The instructions of the threads that access memory, or order accesses.
    threads: Vec<Vec<String>>,
}

fn files() -> Vec<PathBuf> {
    let directory =
        fs::read_dir(crate_dir().join("litmus")).expect("the directory of litmus tests");
    let files = directory.map(|entry| entry.expect("a file").path());
    files.filter(|file| file.extension() == Some("litmus".as_ref())).collect()
}

impl Litmus {
    fn read(file: &Path) -> Litmus {
        let text = fs::read_to_string(file).expect("a litmus test");
        let mut lines = text.lines();
        let name =
            lines.next().and_then(|line| line.strip_prefix("AArch64 ")).expect("a name").to_owned();
        assert_eq!(Some(name.as_str()), file.file_stem().and_then(|stem| stem.to_str()));
        let described = lines.next().and_then(|line| line.strip_prefix('"')).expect("a text");
        let (expected, _) = described.split_once(": ").expect("an outcome before the text");
        let functions = text.lines().find_map(|line| line.strip_prefix("Functions=")).unwrap_or("");
        let functions = functions.split_whitespace().map(|word| {
            let (thread, function) = word.split_once(':').expect("P0:function");
            (thread[1..].parse().expect("a number"), function.to_owned())
        });
        let rows = text.lines().skip_while(|line| !line.starts_with(" P0")).skip(1);
        let rows = rows.take_while(|line| line.trim_end().ends_with(';'));
        let mut threads: Vec<Vec<String>> = Vec::new();
        for row in rows {
            for (thread, cell) in row.trim_end().trim_end_matches(';').split('|').enumerate() {
                if threads.len() <= thread {
                    threads.push(Vec::new());
                }
                threads[thread].extend(of_memory(&cell.to_lowercase()));
            }
        }
        Litmus { name, expected: expected.to_owned(), functions: functions.collect(), threads }
    }

    fn is_of_lse(&self) -> bool {
        self.name.ends_with("_lse")
    }
}

/// The mnemonic of an instruction that accesses memory other than the stack, or orders accesses; that of a barrier has its domain.
fn of_memory(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let mnemonic = words.next()?;
    match mnemonic {
        "dmb" | "dsb" => Some(format!("{mnemonic} {}", words.next()?)),
        "isb" => Some(mnemonic.into()),
        _ if !["ld", "st", "swp", "cas"].iter().any(|kind| mnemonic.starts_with(kind)) => None,
        _ if line.contains("[sp") || line.contains(":got") => None,
        // Of whatever width.
        _ => Some(
            mnemonic.trim_end_matches(['b', 'h']).replace("ldur", "ldr").replace("stur", "str"),
        ),
    }
}

/// The instructions after a call of a function of the compiler's library: `__aarch64_ldadd8_acq_rel`, for example.
fn outline(function: &str, lse: bool) -> Option<Vec<String>> {
    let (operation, order) = function.strip_prefix("__aarch64_")?.split_once('_')?;
    let operation = operation.trim_end_matches(|it: char| it.is_ascii_digit());
    let (acquires, releases) = match order {
        "relax" => (false, false),
        "acq" => (true, false),
        "rel" => (false, true),
        "acq_rel" => (true, true),
        _ => panic!("an unknown order: {function}"),
    };
    let with = |flag: bool, letter| if flag { letter } else { "" };
    if lse {
        return Some(vec![format!("{operation}{}{}", with(acquires, "a"), with(releases, "l"))]);
    }
    Some(vec![format!("ld{}xr", with(acquires, "a")), format!("st{}xr", with(releases, "l"))])
}

/// What the functions of that file compile to, with atomic instructions or without.
fn compiled(lse: bool) -> BTreeMap<String, Vec<String>> {
    let target = target_dir().join("litmus");
    let arguments = [
        "rustc",
        "--quiet",
        "--locked",
        "-p",
        "xmp-litmus",
        // Of all that is compiled, only what is looked at is optimised.
        "--profile",
        "models",
        "--target",
        TARGET,
    ];
    let emit = ["--", "--emit", "asm", "-C", "codegen-units=1", "-C", "opt-level=3"];
    let output = Command::new("cargo")
        .args(arguments)
        .args(emit)
        .env("CARGO_TARGET_DIR", &target)
        .current_dir(workspace())
        .output()
        .expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let built = target.join(TARGET).join("models/deps");
    let all =
        fs::read_dir(&built).expect("the assembly").map(|entry| entry.expect("a file").path());
    let newest = all
        .filter(|file| file.extension() == Some("s".as_ref()))
        .max_by_key(|file| file.metadata().and_then(|it| it.modified()).expect("a time"));
    let assembly = fs::read_to_string(newest.expect("an assembly file")).expect("a text");
    let mut functions = BTreeMap::new();
    let mut current = String::new();
    for line in assembly.lines() {
        if let Some(label) = line.strip_suffix(':').filter(|label| !label.starts_with(['.', '\t']))
        {
            current = label.to_owned();
            continue;
        }
        let code: &mut Vec<String> = functions.entry(current.clone()).or_default();
        let called = line.trim().strip_prefix("bl\t").or_else(|| line.trim().strip_prefix("b\t"));
        match called.and_then(|function| outline(function, lse)) {
            Some(instructions) => code.extend(instructions),
            None => code.extend(of_memory(line)),
        }
    }
    functions
}

#[test]
fn what_must_not_happen_is_impossible_on_arm_processors() {
    if !installed(&["herd7"]) {
        return;
    }
    let mut wrong = Vec::new();
    for file in files() {
        let litmus = Litmus::read(&file);
        let said = output_of("herd7", [&file]);
        let observed = said.lines().find_map(|line| line.strip_prefix("Observation "));
        let observed = observed.unwrap_or_else(|| panic!("{}: {said}", litmus.name));
        let found = observed.split_whitespace().nth(1).unwrap_or("").to_lowercase();
        if found != litmus.expected {
            wrong.push(format!(
                "{}: expected {}, and herd7 says: {observed}",
                litmus.name, litmus.expected
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_library_compiles_to_the_instructions_of_the_litmus_tests() {
    let targets =
        Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output();
    let library = targets.map(|it| String::from_utf8_lossy(&it.stdout).trim().to_owned());
    if !library.is_ok_and(|library| Path::new(&library).is_dir()) {
        let why = format!("rustup does not have the target {TARGET} (rustup target add {TARGET})");
        return skipped(Requirement::AArch64, why);
    }
    let code = [false, true].map(compiled);
    let mut compared = BTreeSet::new();
    for litmus in files().iter().map(|file| Litmus::read(file)) {
        for (thread, function) in &litmus.functions {
            let code = code[usize::from(litmus.is_of_lse())]
                .get(function)
                .unwrap_or_else(|| panic!("{}: no function {function}", litmus.name));
            let wanted = &litmus.threads[*thread];
            assert!(
                code.windows(wanted.len()).any(|found| found == wanted),
                "{}, P{thread}: {function} has {code:?}, the litmus test {wanted:?}",
                litmus.name
            );
            compared.insert(function.clone());
        }
    }
    let source = fs::read_to_string(crate_dir().join("litmus/src/lib.rs")).expect("the functions");
    let declared = |line: &str| {
        let rest = line.strip_prefix("pub unsafe fn ").or_else(|| line.strip_prefix("pub fn "))?;
        Some(rest.split_once('(')?.0.to_owned())
    };
    let all: BTreeSet<String> = source.lines().filter_map(declared).collect();
    assert_eq!(compared, all, "each function of the file is a thread of a litmus test");
}
