//! `xmprun --generate DIR`: the manual page of `xmprun` and its completions for bash, zsh and fish, from the definition
//! of its command line and the table of settings. The files in the directory have the places that they have in `share`
//! of an installation.

use crate::options::{EXIT_STATUS, Options, QUESTIONS, USAGE, accepted};
use clap::CommandFactory;
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, italic, roman};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use xmp_core::settings::TABLE;
use xmp_core::{Error, Result};

const NAME: &str = "xmprun";

/// Writes all files below a directory, which is made if necessary.
///
/// # Errors
/// When the system refuses.
pub fn write(directory: &Path) -> Result<()> {
    write_all(directory)
        .map_err(|error| Error::os(format!("cannot write below {}", directory.display()), error))
}

fn write_all(directory: &Path) -> io::Result<()> {
    write_file(directory, "man/man1/xmprun.1", &manual_page()?)?;
    for (shell, file) in [
        (Shell::Bash, "bash-completion/completions/xmprun"),
        (Shell::Zsh, "zsh/site-functions/_xmprun"),
        (Shell::Fish, "fish/vendor_completions.d/xmprun.fish"),
    ] {
        let mut script = Vec::new();
        generate(shell, &mut Options::command(), NAME, &mut script);
        write_file(directory, file, &script)?;
    }
    Ok(())
}

fn write_file(directory: &Path, file: &str, bytes: &[u8]) -> io::Result<()> {
    let path = directory.join(file);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, bytes)
}

/// The page in roff.
fn manual_page() -> io::Result<Vec<u8>> {
    let man = Man::new(Options::command());
    let mut page = Vec::new();
    // Without a date, so that each build makes the same page; `Man` would leave the empty argument out.
    let version = env!("CARGO_PKG_VERSION");
    writeln!(page, ".TH XMPRUN 1 \"\" \"XMP-RT {version}\" \"User Commands\"")?;
    man.render_name_section(&mut page)?;
    synopsis(&mut page)?;
    man.render_description_section(&mut page)?;
    more_description(&mut page)?;
    man.render_options_section(&mut page)?;
    other_launchers(&mut page)?;
    signals_and_exit_status(&mut page)?;
    environment(&mut page)?;
    examples(&mut page)?;
    see_also(&mut page)?;
    Ok(page)
}

fn synopsis(page: &mut impl Write) -> io::Result<()> {
    let mut section = Roff::new();
    section.control("SH", ["SYNOPSIS"]);
    for line in USAGE.lines() {
        section.text([roman(line.trim())]).control("br", []);
    }
    section.to_writer(page)
}

fn more_description(page: &mut impl Write) -> io::Result<()> {
    let mut section = Roff::new();
    for text in [
        "All images run the same program with the same arguments and the environment of xmprun. Standard input goes to \
         image 1; it is empty for the others. Signals to xmprun are passed on to the images.",
        "No MPI is needed. On several machines start the same program with the mpirun of Open MPI or MPICH.",
    ] {
        section.control("PP", []).text([roman(text)]);
    }
    section.to_writer(page)
}

fn other_launchers(page: &mut impl Write) -> io::Result<()> {
    let mut section = Roff::new();
    section
        .control("SH", ["OPTIONS OF OTHER LAUNCHERS"])
        .text([roman("Accepted for users of mpirun and cafrun, with one dash or two:")])
        .control("PP", [])
        .control("nf", []);
    for line in accepted().lines() {
        section.text([roman(line)]);
    }
    section.control("fi", []).control("PP", []).text([roman(
        "Options of other launchers that mean nothing here are refused with what replaces them.",
    )]);
    section.to_writer(page)
}

fn signals_and_exit_status(page: &mut impl Write) -> io::Result<()> {
    let mut section = Roff::new();
    section.control("SH", ["SIGNALS AND DEADLOCKS"]).text([roman(QUESTIONS)]);
    section.control("SH", ["EXIT STATUS"]).text([roman(EXIT_STATUS)]);
    section.to_writer(page)
}

/// The table of settings.
fn environment(page: &mut impl Write) -> io::Result<()> {
    let mut section = Roff::new();
    section.control("SH", ["ENVIRONMENT"]).text([roman(
        "The runtime needs none of these settings. A value that a setting cannot have is an error.",
    )]);
    for setting in TABLE {
        section
            .control("TP", [])
            .text([bold(setting.name)])
            .text([roman(format!("{} [default: {}]", setting.meaning, setting.default))]);
    }
    section.to_writer(page)
}

fn examples(page: &mut impl Write) -> io::Result<()> {
    let mut section = Roff::new();
    section.control("SH", ["EXAMPLES"]);
    for (command, meaning) in [
        ("xmprun -n 4 ./heat 1000", "Runs ./heat with the argument 1000 as 4 images."),
        ("xmprun -n 4 --prefix-output ./heat", "Shows which image has written each line."),
        (
            "xmprun --info",
            "Lists what the runtime sees of the machine, the MPI plug-ins and all settings.",
        ),
        ("xmprun -n 2 valgrind -q ./heat", "Runs each image under valgrind."),
    ] {
        section.control("TP", []).text([bold(command)]).text([roman(meaning)]);
    }
    section.to_writer(page)
}

fn see_also(page: &mut impl Write) -> io::Result<()> {
    let mut section = Roff::new();
    section.control("SH", ["SEE ALSO"]).text([
        italic("xmpfc"),
        roman("(1), "),
        italic("xmpcc"),
        roman("(1)"),
    ]);
    section.to_writer(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn written() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        write_all(directory.path()).unwrap();
        directory
    }

    #[test]
    fn the_page_names_every_option_and_setting() {
        let directory = written();
        let page = fs::read_to_string(directory.path().join("man/man1/xmprun.1")).unwrap();
        let page = page.replace("\\-", "-");
        for section in [
            "NAME",
            "SYNOPSIS",
            "OPTIONS",
            "-np, -c, -ntasks N",
            "EXIT STATUS",
            "ENVIRONMENT",
            "EXAMPLES",
        ] {
            assert!(page.contains(section), "{section}");
        }
        let command = Options::command();
        let shown = command.get_arguments().filter(|option| !option.is_hide_set());
        for option in shown.filter_map(|option| option.get_long()) {
            assert!(page.contains(&format!("--{option}")), "{option}");
        }
        for setting in TABLE {
            assert!(page.contains(setting.name), "{}", setting.name);
        }
    }

    #[test]
    fn bash_completes_options() {
        let directory = written();
        let script = directory.path().join("bash-completion/completions/xmprun");
        let commands = "source \"$1\"; COMP_WORDS=(xmprun --prefix); COMP_CWORD=1; \
                        _xmprun xmprun --prefix xmprun; echo \"${COMPREPLY[@]}\"";
        let output = Command::new("bash").args(["-c", commands, "bash"]).arg(&script).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "--prefix-output");
    }
}
