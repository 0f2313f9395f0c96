//! The command line.

mod mistakes;
mod other_launchers;
mod value;
mod variable;

pub use other_launchers::accepted;
pub use variable::Variable;

use clap::error::{ContextKind, ErrorKind};
use clap::{CommandFactory, Parser, ValueEnum, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The forms of the command `xmprun`, a line each.
pub const USAGE: &str = "xmprun [OPTIONS] PROGRAM [ARGUMENTS]...
       xmprun [OPTIONS] --info";

/// The meaning of the exit status of `xmprun`.
pub const EXIT_STATUS: &str = "The exit status is that of the program: its STOP or ERROR STOP code, or 128 + the number of \
the signal that ended it; 124 after a timeout, 126 or 127 when the program cannot be started, 2 for a wrong \
command line or setting.";

/// The ways in which a user can request a report of the images.
pub const QUESTIONS: &str = "Ctrl-\\ or SIGUSR1 to xmprun shows what each image does, in which statement. Images that wait for \
one another for ever are named, and the job ends (XMP_DEADLOCK).";

/// Runs a program as N images on this machine, or on several hosts.
#[derive(Debug, Parser)]
#[command(
    name = "xmprun",
    version,
    override_usage = USAGE,
    after_help = format!(
        "{EXIT_STATUS} `xmprun --info` lists the settings (environment variables).\n\n{QUESTIONS}\n\n\
         Accepted for users of mpirun and cafrun (with one dash or two):\n{}",
        accepted()
    )
)]
pub struct Options {
    /// Number of images [default: XMP_NUM_IMAGES, or the number of cores]
    #[arg(short = 'n', long = "images", value_name = "N", allow_negative_numbers = true, value_parser = value::positive)]
    pub images: Option<u32>,

    /// What each image is bound to. All but auto and none are for a machine that runs nothing else: a
    /// bound image cannot get out of another program's way
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Binding::Auto)]
    pub bind: Binding,

    /// Hosts that the images are split over, to test what crosses hosts [default: XMP_VIRTUAL_HOSTS, or 1]
    #[arg(long, value_name = "H", value_parser = value::positive)]
    pub virtual_hosts: Option<u32>,

    /// Run images on these hosts, which share a file system: names with the number of images for each, such as
    /// a,b:4 [default: those of the allocation of Slurm, PBS, LSF or SGE; else this one]
    #[arg(long, value_name = "LIST", conflicts_with = "hostfile")]
    pub hosts: Option<String>,

    /// Run images on the hosts of this file: one in each line, with the number of images after it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub hostfile: Option<PathBuf>,

    /// Put the number of the image before each line of its output
    #[arg(long)]
    pub prefix_output: bool,

    /// Set an environment variable of the images. Without a value, VAR is passed on as it is, like all others
    #[arg(short = 'x', value_name = "VAR[=VALUE]", value_parser = Variable::parse)]
    pub environment: Vec<Variable>,

    /// Run the program in this directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub wdir: Option<PathBuf>,

    /// Do not warn
    #[arg(short, long)]
    pub quiet: bool,

    /// Show the machine, the job that would be run, MPI plug-ins and all settings; run nothing
    #[arg(long)]
    pub info: bool,

    /// End the job after this many seconds, with exit status 124 [default: XMP_TIMEOUT]
    #[arg(long, value_name = "SECONDS", value_parser = value::seconds)]
    pub timeout: Option<Duration>,

    /// Show every so many seconds what each image does, and its processor time and memory
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true, default_missing_value = "1", value_parser = value::seconds)]
    pub watch: Option<Duration>,
    /// Look for mistakes: 1 (images compare what they call), races, or 1,races [default: XMP_CHECK]
    #[arg(long, value_name = "LIST", value_parser = value::checks)]
    pub check: Option<String>,

    /// Run no program of yours; measure operations on this machine for 20 seconds, and print one table. Without -n
    /// it has 2 images
    #[arg(long, conflicts_with = "command")]
    pub bench: bool,

    /// Record all operations, and write their timeline into this file [default: XMP_TRACE]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub trace: Option<PathBuf>,

    /// At the end, report where the time went: operations by source line, waiting, traffic, memory.
    /// With a file: write it as a page for a browser
    #[arg(long, value_name = "FILE.html", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    pub report: Option<Option<PathBuf>>,

    /// Compare the report with the one in this page of an earlier run
    #[arg(long, value_name = "FILE.html", requires = "report", value_hint = ValueHint::FilePath)]
    pub baseline: Option<PathBuf>,

    /// Call the hooks of this shared library before and after each operation [default: XMP_TOOL]
    #[arg(long, value_name = "LIBRARY", value_hint = ValueHint::FilePath)]
    pub tool: Option<PathBuf>,

    /// Run nothing; make the timeline in this file (or the report) of what images have recorded under a
    /// launcher of MPI
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "command")]
    pub merge: Option<PathBuf>,

    /// Run the images under this debugger
    #[arg(long, value_enum, value_name = "TOOL")]
    pub debug: Option<Debugger>,

    /// Run only these images under the debugger, such as 2,3
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "debug", value_parser = value::positive)]
    pub debug_images: Vec<u32>,

    /// Print the stacks of all images of the job that the xmprun with this process id runs
    #[arg(long, value_name = "PID", conflicts_with = "command", value_parser = value::positive)]
    pub stacks: Option<u32>,

    /// Write the manual page and the completions of shells below this directory: for the installation
    #[arg(long, hide = true, value_name = "DIR", conflicts_with = "command")]
    pub generate: Option<PathBuf>,

    /// Start images for the xmprun that has started this one, which is on another host
    #[arg(long, hide = true, value_name = "WAY", conflicts_with = "command")]
    pub proxy: Option<String>,

    /// An argument of the program that has the form of an option of `xmprun`.
    #[arg(skip)]
    pub strays: Option<String>,

    /// The program and its arguments
    #[arg(
        value_name = "PROGRAM",
        trailing_var_arg = true,
        required_unless_present_any = ["info", "bench", "merge", "stacks", "generate", "proxy"],
        value_hint = ValueHint::CommandWithArguments
    )]
    pub command: Vec<OsString>,
}

impl Options {
    /// Parses a command line, of which options of other launchers may be part.
    ///
    /// # Errors
    /// The text to print where there is nothing to run.
    pub fn parse_all(arguments: impl IntoIterator<Item = OsString>) -> Result<Options, NoJob> {
        let arguments = other_launchers::translate(arguments, Options::command());
        let arguments = arguments.map_err(NoJob::Refused)?;
        let options = Options::try_parse_from(&arguments).map_err(|mut error| {
            if let Some(text) = mistakes::program_as_value(&arguments, error.kind()) {
                return NoJob::Refused(text);
            }
            // The parser advises to put the option after `--`, which makes it the program.
            if error.kind() == ErrorKind::UnknownArgument {
                error.remove(ContextKind::Suggested);
            }
            NoJob::Parsed(error)
        })?;
        let is_report_without_file = options.report == Some(None);
        let is_watching = options.watch.is_some();
        let refusal =
            mistakes::value_as_program(&options.command, is_report_without_file, is_watching);
        if let Some(text) = refusal {
            return Err(NoJob::Refused(text));
        }
        let is_marked =
            arguments.iter().rev().nth(options.command.len()).is_some_and(|it| it == "--");
        let strays = if is_marked { None } else { mistakes::option_of_program(&options.command) };
        Ok(Options { strays, ..options })
    }

    /// The warning that the program gets an option which may be meant for `xmprun`.
    pub fn warning(&self) -> Option<String> {
        let option = self.strays.as_ref().filter(|_| !self.quiet)?;
        // With a number of images of its own, the launcher needs no option from after the program.
        let is_needless = option.starts_with("-n") && self.images.is_some();
        (!is_needless).then(|| mistakes::warning(option))
    }
}

/// Why a command line asks for no job.
#[derive(Debug)]
pub enum NoJob {
    /// It is wrong; the message says why.
    Refused(String),
    /// It asks for the help or the version, or its form is wrong.
    Parsed(clap::Error),
}

/// The unit that an image can be bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Binding {
    /// One processor each if there are just as many as images, else nothing
    Auto,
    /// One core
    Core,
    /// The cores that share a last-level cache
    L3,
    /// The cores of a NUMA node
    Numa,
    /// Nothing: the system moves images as it sees fit
    None,
}

/// A program that images run under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Debugger {
    /// The stack of an image that crashes; image 1 alone at a terminal: gdb's prompt
    Gdb,
    /// Wrong accesses of memory
    Valgrind,
    /// All images in one recording, which `rr replay` executes again and again, also backwards
    Rr,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Options::command().debug_assert();
    }

    #[test]
    fn what_follows_the_program_is_its_own() {
        let options = Options::parse_from(["xmprun", "-n", "4", "./a.out", "-n", "8", "--info"]);
        assert_eq!(options.images, Some(4));
        assert!(!options.info);
        assert_eq!(options.command, ["./a.out", "-n", "8", "--info"]);
        let options = Options::parse_from(["xmprun", "--", "-odd", "x"]);
        assert_eq!(options.command, ["-odd", "x"]);
    }

    /// No message about a value has words of Rust: its ranges, or its reasons why a text is no number.
    #[test]
    fn wrong_values_are_refused_in_the_words_of_users() {
        let mut command = Options::command();
        command.build();
        for option in command.get_arguments().filter(|it| it.get_action().takes_values()) {
            let Some(long) = option.get_long() else { continue };
            for value in ["0", "-1", "abc", "", "99999999999999999999", "1.5.2"] {
                let arguments = ["xmprun", "--debug", "gdb", &format!("--{long}={value}"), "a"];
                let Err(error) = Options::try_parse_from(arguments) else { continue };
                let text = error.to_string();
                for word in ["..=", "invalid digit", "float literal", "empty string", "too large"] {
                    assert!(!text.contains(word), "--{long}={value}: {text}");
                }
            }
        }
    }

    #[test]
    fn an_unknown_option_gets_no_advice_to_make_it_the_program() {
        let arguments = ["xmprun", "--frobnicate", "a"].map(OsString::from);
        let Err(NoJob::Parsed(error)) = Options::parse_all(arguments) else { panic!() };
        let text = error.to_string();
        assert!(text.contains("--frobnicate") && !text.contains("tip:"), "{text}");
    }

    #[test]
    fn wrong_command_lines_are_refused() {
        for bad in [
            &["xmprun"][..],
            &["xmprun", "-n", "0", "a"],
            &["xmprun", "-n", "-1", "a"],
            &["xmprun", "-n", "x", "a"],
            &["xmprun", "--bind", "moon", "a"],
            &["xmprun", "--frobnicate", "a"],
        ] {
            let error = Options::try_parse_from(bad).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{error}");
        }
    }
}
