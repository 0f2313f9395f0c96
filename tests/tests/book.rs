//! The user's book (`docs/book`): every command that it shows is executed and its output compared, every program in it
//! is compiled and run, every message that it explains is produced.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xmp_hosts::{Requirement, skipped};
use xmp_tests::book::{Chapter, Scratch, chapters, line_matches, source_dir};
use xmp_tests::toolchain::{output_of, toolchain, workspace};

/// A test for each chapter, which executes its sessions in order.
macro_rules! chapter_tests {
    ($($function:ident: $name:literal,)*) => {
        $(
            #[test]
            fn $function() {
                let scratch = Scratch::new();
                for session in Chapter::read($name).sessions() {
                    session.run(&scratch);
                }
            }
        )*

        /// The chapters that have a test.
        const TESTED: &[&str] = &[$($name),*];
    };
}

chapter_tests! {
    introduction: "introduction",
    installation: "installation",
    tutorial_hello: "tutorial/hello",
    tutorial_heat: "tutorial/heat",
    tutorial_monte_carlo: "tutorial/monte-carlo",
    tutorial_teams: "tutorial/teams",
    tutorial_events: "tutorial/events",
    tutorial_components: "tutorial/components",
    from_mpi: "course/from-mpi",
    two_dimensions: "course/plate",
    bug_hunt: "course/bug-hunt",
    tuning: "course/tuning",
    images_with_threads: "course/hybrid",
    input_and_output: "course/io",
    reproducible_sums: "course/sums",
    waiting_and_failing: "course/waiting",
    exercises: "course/exercises",
    cheat_sheet: "cheat-sheet",
    commands: "commands",
    build_systems: "build-systems",
    settings: "settings",
    checks: "checks",
    debugging: "debugging",
    performance: "performance",
    clusters: "clusters",
    arm_machines: "arm",
    programs_that_use_mpi: "mpi",
    threads: "threads",
    c_programs: "c",
    rust_programs: "rust",
    python_programs: "python",
    xcalablemp: "xcalablemp",
    prif_programs: "prif",
    migration: "migration",
    troubleshooting: "troubleshooting",
    questions: "faq",
}

#[test]
fn every_chapter_of_the_summary_is_tested() {
    assert_eq!(chapters(), TESTED);
}

/// Chapters contain their programs, because GitHub includes no files. With `XMP_BOOK=write` they get them.
#[test]
fn programs_in_chapters_are_the_files_that_are_run() {
    let is_writing = std::env::var_os("XMP_BOOK").is_some_and(|value| value == "write");
    for chapter in chapters().iter().map(|name| Chapter::read(name)) {
        if is_writing {
            chapter.update();
        } else {
            let name = chapter.name();
            assert!(
                chapter.with_programs() == chapter.text(),
                "{name}.md: a program differs from its file, or a file from the text: change the file, and run\n\
                 XMP_BOOK=write cargo test -p xmp-tests --test book programs_in_chapters"
            );
        }
    }
}

/// Files that build systems find by their names: no command names them.
const BUILD_FILES: [&str; 3] = ["CMakeLists.txt", "Makefile", "meson.build"];

#[test]
fn every_program_is_shown_and_run_by_a_chapter() {
    let name = |file: &Path| file.file_name().expect("a name").to_string_lossy().into_owned();
    let mut used = BTreeSet::new();
    for chapter in chapters().iter().map(|name| Chapter::read(name)) {
        let sessions = chapter.sessions();
        let commands: Vec<&str> = sessions
            .iter()
            .flat_map(|session| session.steps())
            .map(|step| &*step.command)
            .collect();
        for file in chapter.included() {
            assert!(file.exists(), "{}.md shows {}", chapter.name(), file.display());
            let its_name = name(&file);
            if BUILD_FILES.contains(&&*its_name) {
                continue;
            }
            // Programs in Rust are targets of Cargo, which are called by their names.
            let called = its_name.strip_suffix(".rs").unwrap_or(&its_name);
            let runs = commands
                .iter()
                .any(|command| command.split_whitespace().any(|word| word == called));
            assert!(runs, "{}.md shows {its_name} and does not run it", chapter.name());
            used.insert(its_name);
        }
    }
    for entry in fs::read_dir(source_dir().join("programs")).expect("programs are there") {
        let file = entry.expect("an entry of the directory").path();
        let its_name = name(&file);
        assert!(used.contains(&its_name), "no chapter shows programs/{its_name}");
    }
}

/// Blocks of commands that are no sessions have a row in `untested-commands.md`, whose tests exist.
#[test]
fn commands_without_a_test_are_listed() {
    let list = fs::read_to_string(workspace().join("tests/untested-commands.md")).expect("a list");
    let rows: Vec<&str> = list.lines().filter(|line| line.contains("| `")).collect();
    let mut shown = Vec::new();
    for chapter in chapters().iter().map(|name| Chapter::read(name)) {
        for block in chapter.blocks().iter().filter(|block| block.language == "sh") {
            let is_command = |line: &&String| !line.trim().is_empty() && !line.starts_with('#');
            let first = block.lines.iter().find(is_command).expect("a command");
            shown.push(format!("| {} | `{}` |", chapter.name(), first.trim()));
        }
    }
    assert!(!shown.is_empty());
    for command in &shown {
        assert!(rows.iter().any(|row| row.starts_with(command)), "no row for {command}");
    }
    for row in rows {
        assert!(shown.iter().any(|command| row.starts_with(command)), "no such command: {row}");
        let files = row.split('`').filter(|word| word.starts_with("tests/"));
        for file in files {
            assert!(workspace().join("tests").join(file).is_file(), "{row}: {file}");
        }
    }
}

#[test]
fn messages_are_shown_in_sessions_only() {
    for chapter in chapters().iter().map(|name| Chapter::read(name)) {
        for block in chapter.blocks().iter().filter(|block| block.language != "console") {
            let message = block.lines.iter().find(|line| {
                ["xmp: ", "xmprun: ", "ERROR STOP "].iter().any(|start| line.starts_with(start))
            });
            assert_eq!(message, None, "{}.md:{}: no test produces it", chapter.name(), block.line);
        }
    }
}

#[test]
fn every_message_of_troubleshooting_is_produced_in_its_section() {
    let chapter = Chapter::read("troubleshooting");
    let mut sections = chapter.text().split("\n### ").skip(1).peekable();
    assert!(sections.peek().is_some(), "the chapter has a section for each message");
    let mut explained = BTreeSet::new();
    for section in sections {
        let (heading, rest) = section.split_once('\n').expect("a section has text");
        let message = heading.trim_matches('`');
        assert!(explained.insert(message), "two sections explain: {message}");
        let sessions = Chapter::from_text("troubleshooting", rest).sessions();
        let produced = sessions.iter().flat_map(|session| session.steps()).any(|step| {
            step.output.iter().any(|line| line_matches(&format!("...{message}..."), line))
        });
        assert!(produced, "no command of its section writes: {message}");
    }
}

/// The settings that `xmprun --info` lists, with their defaults.
fn listed_settings() -> Vec<(String, String)> {
    let info = output_of(toolchain().xmprun(), ["--info"]);
    let (_, settings) = info.split_once("\nSettings").expect("--info lists settings");
    settings
        .lines()
        .filter_map(|line| line.trim_end().strip_suffix(']')?.trim().split_once("  [default: "))
        .map(|(name, default)| {
            // One that is set here shows its value.
            let name = name.split_once('=').map_or(name, |(name, _)| name);
            (name.to_string(), default.to_string())
        })
        .collect()
}

/// The long options that a text names, without what follows an equals sign.
fn long_options(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words.filter(|word| word.starts_with("--") && word.len() > 2).collect()
}

#[test]
fn the_options_are_those_that_xmprun_has() {
    let chapter = Chapter::read("commands");
    let rows = chapter.text().split("\n## ").find(|section| section.starts_with("xmprun\n"));
    let rows = rows.into_iter().flat_map(str::lines).filter(|line| line.starts_with("| `"));
    let shown: BTreeSet<&str> =
        rows.filter_map(|row| row.split(" | ").next()).flat_map(long_options).collect();
    let help = output_of(toolchain().xmprun(), ["--help"]);
    let (_, options) = help.split_once("\nOptions:").expect("--help lists options");
    let options = options.split_once("\nThe exit status").expect("--help tells the status").0;
    let options = options.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    assert_eq!(shown, options.flat_map(long_options).collect());
}

#[test]
fn the_settings_are_those_that_xmprun_lists() {
    let text = Chapter::read("settings").text().to_string();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `XMP")?.split_once("` | "));
    let shown: Vec<(String, String)> = rows
        .filter_map(|(name, rest)| {
            Some((format!("XMP{name}"), rest.split_once(" |")?.0.to_string()))
        })
        .collect();
    assert!(!shown.is_empty());
    let (listed, shown) = (BTreeSet::from_iter(listed_settings()), BTreeSet::from_iter(shown));
    let different: Vec<_> = listed.symmetric_difference(&shown).collect();
    assert!(different.is_empty(), "on one side only: {different:?}");
}

/// The README contains its first program as a whole; the others are programs of the book.
#[test]
fn the_readme_shows_what_its_programs_print() {
    let text = fs::read_to_string(workspace().join("README.md")).expect("README.md is there");
    let readme = Chapter::from_text("README", &text);
    let blocks = readme.blocks();
    let program = blocks.iter().find(|block| block.language == "fortran").expect("a program");
    let scratch = Scratch::new();
    scratch.add("ring.f90", &program.lines.join("\n"));
    let sessions = readme.sessions();
    assert_eq!(sessions.len(), 3);
    sessions.iter().for_each(|session| session.run(&scratch));
}

#[test]
fn the_book_builds() {
    let Some(mdbook) = mdbook() else {
        skipped(Requirement::Mdbook, "mdbook is not installed (cargo install mdbook)");
        return;
    };
    let built = tempfile::tempdir().expect("temporary directories are possible");
    let book = source_dir().with_file_name("");
    let output = Command::new(mdbook)
        .args(["build", "--dest-dir"])
        .args([built.path(), &book])
        .output()
        .expect("mdbook can be run");
    let message = String::from_utf8_lossy(&output.stderr);
    let complains =
        ["[ERROR]", "[WARN]", "ERROR ", "WARN "].iter().any(|word| message.contains(word));
    assert!(output.status.success() && !complains, "{}:\n{message}", output.status);
    for chapter in chapters() {
        let page = built.path().join(&chapter).with_extension("html");
        let text = fs::read_to_string(&page).unwrap_or_default();
        assert!(!text.is_empty(), "{} was not made", page.display());
        assert!(!text.contains("{{#"), "{}: something was not included", page.display());
    }
}

/// The program mdbook: on the search path, or where `cargo install` puts it.
fn mdbook() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let places = std::env::split_paths(&path).chain(home.map(|home| home.join("bin")));
    places.map(|place| place.join("mdbook")).find(|file| file.is_file())
}
