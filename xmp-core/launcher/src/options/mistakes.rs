//! Command lines whose words mean something else than their writer thinks: a value that becomes the program, a program
//! that becomes a value, an option after the program.

use clap::error::ErrorKind;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Options whose value is the next argument, with the text to write instead of the program.
const WITH_VALUE: [(&str, &str); 3] =
    [("--check", "--check=1"), ("--trace", "--trace trace.json"), ("--tool", "--tool LIBRARY")];

/// Options that users write after the program by mistake, and that hardly any program has itself.
const OFTEN_BEHIND: [&str; 10] = [
    "--report",
    "--trace",
    "--check",
    "--watch",
    "--baseline",
    "--images",
    "--hosts",
    "--hostfile",
    "--virtual-hosts",
    "--prefix-output",
];

/// The message for a refused command line whose program is at the place of the value of an option.
pub fn program_as_value(arguments: &[OsString], refusal: ErrorKind) -> Option<String> {
    let pairs = arguments.windows(2);
    let pair = match refusal {
        // It was the last word.
        ErrorKind::MissingRequiredArgument => pairs.last()?,
        ErrorKind::ValueValidation => pairs.into_iter().find(|pair| pair[0] == "--check")?,
        _ => return None,
    };
    let [option, program] = pair else { return None };
    let (name, instead) = WITH_VALUE.iter().find(|(name, _)| option == *name)?;
    let is_program = Path::new(program).is_file();
    let program = program.display();
    is_program.then(|| {
        format!(
            "{name} {program}: {program} is the value of {name} here: write {instead} {program}"
        )
    })
}

/// The options of `xmprun` that the program gets, and a number of images that is not the launcher's.
pub fn option_of_program(command: &[OsString]) -> Option<String> {
    let arguments = command.get(1..)?;
    let named = |argument: &OsString| {
        let text = argument.to_str()?;
        let name = text.split('=').next().unwrap_or(text);
        OFTEN_BEHIND.contains(&name).then(|| text.to_owned())
    };
    let number = |pair: &[OsString]| {
        let [option, number] = pair else { return None };
        let is_number = number.to_str().is_some_and(|text| text.parse::<u32>().is_ok());
        let is_option = ["-n", "-np"].iter().any(|name| option == name);
        (is_number && is_option).then(|| format!("{} {}", option.display(), number.display()))
    };
    let found = arguments.iter().find_map(named);
    found.or_else(|| arguments.windows(2).find_map(number))
}

/// The message about `--report FILE.html` and `--watch SECONDS`, which would make the value the program.
pub fn value_as_program(
    command: &[OsString],
    is_report_without_file: bool,
    is_watching: bool,
) -> Option<String> {
    let value = command.first()?;
    let is_page = Path::new(value).extension() == Some(OsStr::new("html"));
    let is_number = value.to_str().is_some_and(|text| text.parse::<f64>().is_ok());
    let option = match () {
        () if is_page && is_report_without_file => "--report",
        () if is_number && is_watching => "--watch",
        () => return None,
    };
    Some(format!("{option} {0}: write {option}={0}, without a blank", value.display()))
}

/// The warning that the program gets this option, which may be meant for `xmprun`.
pub fn warning(option: &str) -> String {
    format!(
        "warning: {option} follows the program, which gets it: options of xmprun are written before the program. \
         `xmprun [OPTIONS] -- PROGRAM {option}` turns this warning off"
    )
}

#[cfg(test)]
mod tests {
    use crate::options::{NoJob, Options};
    use std::ffi::OsString;

    fn parse(arguments: &[&str]) -> Result<Options, NoJob> {
        let all = ["xmprun"].iter().chain(arguments).map(OsString::from);
        Options::parse_all(all)
    }

    fn refusal(arguments: &[&str]) -> String {
        match parse(arguments) {
            Err(NoJob::Refused(text)) => text,
            Err(NoJob::Parsed(error)) => error.to_string(),
            Ok(options) => panic!("{options:?}"),
        }
    }

    #[test]
    fn a_value_behind_a_blank_is_not_taken_for_the_program() {
        for (arguments, text) in [
            (
                ["--report", "r.html", "./a"],
                "--report r.html: write --report=r.html, without a blank",
            ),
            (["--watch", "1", "./a"], "--watch 1: write --watch=1, without a blank"),
        ] {
            assert_eq!(refusal(&arguments), text);
        }
        assert_eq!(
            refusal(&["--watch", "0.5", "-n", "2", "./a"]),
            "--watch 0.5: write --watch=0.5, without a blank"
        );
        assert!(parse(&["--report", "./a", "r.html"]).is_ok());
        assert!(parse(&["--report=r.html", "./a.html"]).is_ok());
        assert!(parse(&["--watch", "./a", "1"]).is_ok());
    }

    #[test]
    fn a_program_in_the_place_of_a_value_is_named_with_what_to_write() {
        let me = std::env::current_exe().unwrap();
        let me = me.to_str().unwrap();
        for (option, instead) in [("--check", "--check=1"), ("--trace", "--trace trace.json")] {
            let text = refusal(&["-n", "2", option, me]);
            assert!(text.starts_with(&format!("{option} {me}: ")), "{text}");
            assert!(text.ends_with(&format!(": write {instead} {me}")), "{text}");
        }
        assert!(parse(&["--check", "1", me]).is_ok());
    }

    #[test]
    fn an_option_behind_the_program_is_a_warning_unless_it_is_marked_as_the_programs() {
        let warning = |arguments: &[&str]| parse(arguments).unwrap().warning();
        for (arguments, option) in [
            (&["./a", "--report"][..], "--report"),
            (&["./a", "x", "--check=1"], "--check=1"),
            (&["./a", "-n", "4"], "-n 4"),
        ] {
            let text = warning(arguments).expect("a warning");
            assert!(text.starts_with(&format!("warning: {option} follows the program")), "{text}");
        }
        for arguments in [
            &["--", "./a", "--report"][..],
            &["-q", "./a", "--report"],
            &["-n", "2", "./a", "-n", "4"],
            &["./a", "-n", "many"],
            &["sh", "-c", "a --report"],
        ] {
            assert_eq!(warning(arguments), None, "{arguments:?}");
        }
    }

    #[test]
    fn what_was_typed_is_named() {
        for (arguments, words) in [
            (["-n", "-3", "./a"], "'-3' for '--images"),
            (["--check=race", "-q", "./a"], "'race' for '--check"),
            (["-check=1", "-q", "./a"], "-check=1: write --check=1, with two dashes"),
        ] {
            let text = refusal(&arguments);
            assert!(text.contains(words), "{text}");
        }
        assert!(refusal(&["--check=race", "./a"]).contains("0, 1, races or 1,races is needed"));
    }
}
