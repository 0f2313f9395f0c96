//! Options of other launchers: of the `mpirun` of Open MPI and MPICH, and of OpenCoarrays' `cafrun`. Options with an
//! equivalent are translated to those of `xmprun` before the command line is parsed. All others are refused, with the
//! remedy.

use clap::Command;
use std::ffi::{OsStr, OsString};
use std::fmt::Write;

/// An option of another launcher.
struct Foreign {
    /// Its names, without dashes. One or two dashes in front are equivalent, but names of one letter have one.
    names: &'static [&'static str],
    /// Its values, for the help.
    values: &'static [&'static str],
    meaning: Meaning,
}

/// Its treatment.
enum Meaning {
    /// Equivalent to this option of `xmprun`, with the same values.
    Same(&'static str),
    /// The requested behaviour is always active; the text names it.
    Always(&'static str),
    /// Some of its values have an equivalent: the options of `xmprun`, or `None`. The texts name the accepted values,
    /// and the remedy for the others.
    Values {
        translate: fn(&[&str]) -> Option<Vec<String>>,
        accepted: &'static str,
        instead: &'static str,
    },
    /// It is refused; the text names the replacement.
    Refused(&'static str),
}

use Meaning::{Always, Refused, Same, Values};

const SEVERAL_MACHINES: &str = "xmprun starts images on other hosts by srun or ssh: --hosts and --hostfile name them, XMP_SSH \
     another command than ssh, XMP_NET_INTERFACE the network";
const NUMBER: &str =
    "give the number of all images with -n N, and of those on a host with --hosts HOST:N";
const ENVIRONMENT: &str = "images inherit the environment of xmprun; use `env -i VAR=VALUE... xmprun ...` for another one";
const MCA: &str = "it is a parameter of Open MPI. `xmprun --info` lists the settings of XMP-RT";
const ORDER: &str = "images are numbered in the order of the cores that they are bound to (--bind)";
const ONE_PROGRAM: &str =
    "all images execute one program; it can do different things by this_image()";
const OUTPUT_FILES: &str =
    "redirect the output of each image: xmprun -n N sh -c 'exec PROGRAM >FILE.$$'";

/// The table of options: a row has names, the values in brackets if there are any, and the treatment.
macro_rules! options {
    ($($($name:literal)|+ $([$($value:literal),+])? => $meaning:expr;)+) => {
        &[$(Foreign { names: &[$($name),+], values: &[$($($value),+)?], meaning: $meaning }),+]
    };
}

/// All known options.
const TABLE: &[Foreign] = options! {
    "np" | "c" | "ntasks" ["N"] => Same("--images");
    "oversubscribe" => Always("there may be more images than cores");
    "allow-run-as-root" => Always("any user may run programs");
    "genvall" | "envall" => Always("images inherit the environment");
    "disable-auto-cleanup" | "enable-recovery" => Always("images that ask with stat= go on when another fails");
    "report-state-on-timeout" => Always("a timeout shows what all images do");
    "info" => Same("--info");
    "genv" | "env" ["VAR", "VALUE"] => Values {
        translate: |values| Some(vec!["-x".into(), values.join("=")]),
        accepted: "-x VAR=VALUE",
        instead: "give VAR and VALUE",
    };
    "wd" ["DIR"] => Same("--wdir");
    "wdir" ["DIR"] => Same("--wdir");
    "timeout" ["SECONDS"] => Same("--timeout");
    "tag-output" | "l" | "label" | "prepend-rank" => Same("--prefix-output");
    "stdin" ["IMAGE"] => Values {
        translate: |values| (values == ["0"]).then(Vec::new),
        accepted: "0: no effect, image 1 has the standard input",
        instead: "image 1 has the standard input; without one: xmprun ... </dev/null; for all: image 1 reads, and CO_BROADCAST",
    };
    "output" ["WHAT"] => Values {
        translate: |values| (values == ["tag"]).then(|| vec!["--prefix-output".into()]),
        accepted: "tag: --prefix-output",
        instead: "of these only `tag` is known here, as --prefix-output",
    };
    "bind-to-core" => Values {
        translate: |_| Some(vec!["--bind".into(), "core".into()]),
        accepted: "--bind core",
        instead: "",
    };
    "bind-to-socket" => Refused("--bind numa binds each image to the cores of a NUMA node");
    "bind-to" ["WHAT"] => Values {
        translate: bind_to,
        accepted: "none, core, numa, l3cache: --bind",
        instead: "images are bound with --bind auto, core, l3, numa or none",
    };
    "map-by" ["WHAT"] => Values {
        translate: map_by,
        accepted: "slot, node, with or without :OVERSUBSCRIBE: no effect on one machine",
        instead: "images are placed by what they are bound to: --bind core, l3 or numa",
    };
    "rank-by" ["WHAT"] => Refused(ORDER);
    "rankmap" ["MAP"] => Refused(ORDER);
    "bycore" | "bynode" | "byslot" | "order-nodes" | "cf" | "cartofile" => Refused(ORDER);
    "cpus-per-proc" | "cpus-per-rank" | "cpus-per-task" ["N"] =>
        Refused("threads of images are theirs: -x OMP_NUM_THREADS=N; --bind l3 or numa gives each image several cores");
    "gpus-per-proc" ["N"] => Refused("an image chooses its GPU by this_image()");
    "memory-alloc-kinds" ["KINDS"] => Refused("coarrays are in memory of the host; a GPU gets them by copies");
    "membind" ["WHAT"] => Refused("memory lies where an image first writes it; `numactl -m NODES xmprun ...` for another place");
    "help" => Same("--help");
    "version" => Same("--version");
    "v" | "verbose" => Refused("-V prints the version; XMP_LOG=debug in the environment shows what the launcher does");
    "H" | "host" | "hosts" ["HOSTS"] => Same("--hosts");
    "hostfile" | "machinefile" | "machine" | "f" | "default-hostfile" ["FILE"] => Same("--hostfile");
    "add-host" | "add-hostfile" ["HOSTS"] => Refused("--hosts and --hostfile name all hosts");
    "rf" | "rankfile" | "launcher" | "launcher-exec" | "bootstrap" | "iface" | "rmk" | "prefix" | "launch-agent" | "nameserver" |
    "localhost" | "usize" | "ompi-server" | "hnp" | "preload-files" | "max-vm-size" | "dvm-hostfile" |
    "keepalive" | "singleton" ["X"] =>
        Refused(SEVERAL_MACHINES);
    "nolocal" | "noprefix" | "novm" | "dvm" | "do-not-resolve" | "fwd-mpirun-port" | "skip-launch-node" | "use-regexp" |
    "disable-hostname-propagation" | "enable-x" | "disable-x" | "pmi-port" | "debug-daemons" | "debug-daemons-file" | "debug-devel" |
    "d" | "leave-session-attached" | "preload-binary" | "set-cwd-to-session-dir" | "enable-instant-on-support" |
    "set-sid" | "no-ready-msg" =>
        Refused(SEVERAL_MACHINES);
    "N" | "npernode" | "ppn" | "perhost" | "npersocket" | "ppr" | "ntasks-per-node" ["N"] => Refused(NUMBER);
    "pernode" | "nooversubscribe" | "use-hwthread-cpus" => Refused(NUMBER);
    "genvlist" | "envlist" ["VARS"] => Refused(ENVIRONMENT);
    "genvnone" | "envnone" => Refused(ENVIRONMENT);
    "mca" | "gmca" | "prtemca" | "pmixmca" | "gpmixmca" ["NAME", "VALUE"] => Refused(MCA);
    "am" | "tune" ["FILE"] => Refused(MCA);
    "output-filename" | "outfile-pattern" | "errfile-pattern" ["FILE"] => Refused(OUTPUT_FILES);
    "merge-stderr-to-stdout" => Refused("let the shell do it: xmprun ... 2>&1");
    "timestamp-output" => Refused("let `ts` write the times: xmprun --prefix-output ... 2>&1 | ts");
    "xterm" ["IMAGES"] => Refused("--prefix-output names the image of each line; --debug gdb --debug-images 1 has gdb's prompt for one image");
    "xml" | "xml-file" => Refused("the messages of xmprun are text");
    "debugger" | "debug" | "tv" => Refused("--debug gdb, valgrind or rr runs the images under a debugger");
    "get-stack-traces" => Refused("a timeout shows what all images do; `xmprun --stacks PID` prints the stacks of a running job");
    "prepend-pattern" ["PATTERN"] => Refused("--prefix-output puts the number of the image before each line");
    "configfile" | "app" ["FILE"] => Refused(ONE_PROGRAM);
    "index-argv-by-rank" => Refused(ONE_PROGRAM);
    "path" ["DIRS"] => Refused("set it in the environment: PATH=DIRS xmprun ...");
    "personality" | "demux" | "topolib" | "profile" ["X"] => Refused("it chooses parts of the other launcher, which XMP-RT does not have");
    "mpi" ["KIND"] => Refused("xmprun starts images without MPI; under srun the same program uses MPI");
    "continuous" | "disable-recovery" | "max-restarts" =>
        Refused("the job ends when an image fails unless the program asks with stat=; no image is started again");
    "runtime-options" ["WHAT"] =>
        Refused("the job ends when an image fails unless the program asks with stat=; --help lists what xmprun can do");
    "spawn-timeout" ["SECONDS"] => Refused("--timeout SECONDS limits the time of the whole job, its start included");
    "forward-signals" ["SIGNALS"] => Refused("images get SIGUSR2, SIGTSTP and SIGCONT of xmprun; SIGUSR1 and SIGQUIT show what they do");
    "stop-on-exec" | "stop-in-init" | "stop-in-app" =>
        Refused("--debug gdb --debug-images 1 has the prompt of gdb before image 1 begins");
    "tmpdir" ["DIR"] => Refused("xmprun leaves no files in a directory for sessions; a recording is where TMPDIR says");
    "pset" ["NAME"] => Refused("FORM TEAM makes groups of images");
    "do-not-launch" => Refused("--info shows the job that would be run, and runs nothing");
    "report-pid" | "report-uri" | "report-events" | "output-proctable" | "show-progress" =>
        Refused("XMP_LOG=debug shows the start, the process and the end of each image");
    "report-child-jobs-separately" | "print-all-exitcodes" =>
        Refused("xmprun names each image that ends with an error; its own status is that of the program");
    "display-devel-allocation" | "display-devel-map" | "display-diffable-map" | "display" | "report-bindings" | "display-map" | "display-allocation" | "display-topo" =>
        Refused("--info shows the machine and the job; XMP_LOG=debug shows the process of each image");
    "cpu-list" | "cpu-set" ["CPUS"] => Refused("images run on the processors that xmprun may use: taskset -c CPUS xmprun ...");
    "s" | "show" | "w" | "wraps" => Refused("xmprun starts the images itself: there is no other launcher behind it");
    "reenable-auto-cleanup" =>
        Refused("the job ends when an image fails unless the program asks with stat=; XMP_FAILURE_GRACE says after how long");
};

fn bind_to(values: &[&str]) -> Option<Vec<String>> {
    let ours = match values {
        ["none"] => "none",
        ["core"] => "core",
        ["numa"] => "numa",
        ["l3cache"] => "l3",
        _ => return None,
    };
    Some(vec!["--bind".into(), ours.into()])
}

fn map_by(values: &[&str]) -> Option<Vec<String>> {
    let [value] = values else { return None };
    let value = value.to_lowercase();
    let (place, modifier) = value.split_once(':').unwrap_or((&value, ""));
    let accepted =
        matches!(place, "" | "slot" | "node") && matches!(modifier, "" | "oversubscribe");
    accepted.then(Vec::new)
}

/// The command line with options of other launchers translated, up to the program; the rest belongs to the program.
///
/// # Errors
/// A message for the first option that is refused.
pub fn translate(
    arguments: impl IntoIterator<Item = OsString>,
    mut ours: Command,
) -> Result<Vec<OsString>, String> {
    ours.build();
    let mut arguments = arguments.into_iter();
    let mut translated: Vec<OsString> = arguments.next().into_iter().collect();
    while let Some(argument) = arguments.next() {
        let argument = with_one_dash(argument);
        let text = argument.to_str().unwrap_or_default().to_string();
        if text == "--" {
            translated.push(argument);
            break;
        }
        if !text.starts_with('-') || text == "-" {
            translated.push(argument);
            translated.extend(arguments);
            return refuse_second_program(&translated).map(|()| translated);
        }
        if let Some(takes_value) = own(&ours, &text) {
            translated.push(argument);
            translated.extend(takes_value.then(|| arguments.next()).flatten());
        } else if let Some((option, attached)) = foreign(&text) {
            let attached = attached.map(OsString::from);
            let values: Vec<OsString> =
                attached.into_iter().chain(&mut arguments).take(option.values.len()).collect();
            translated.append(&mut option.translate(&text, values)?);
        } else if own(&ours, &format!("-{text}")).is_some() {
            return Err(format!("{text}: write -{text}, with two dashes"));
        } else {
            translated.push(argument);
        }
    }
    translated.extend(arguments);
    Ok(translated)
}

/// Refuses the colon by which other launchers begin a second program: here it would be an argument of the first one.
fn refuse_second_program(arguments: &[OsString]) -> Result<(), String> {
    let colon = arguments.iter().position(|argument| argument == ":");
    let Some(program) =
        colon.and_then(|colon| arguments.get(colon + 1..)).filter(|it| !it.is_empty())
    else {
        return Ok(());
    };
    let program = program.join(OsStr::new(" "));
    Err(format!(
        "`: {}` is a second program for other launchers: {ONE_PROGRAM}. To pass : to the program write \
         xmprun [OPTIONS] -- PROGRAM ...",
        program.display()
    ))
}

/// The argument; `--n` of Open MPI as `-n`.
fn with_one_dash(argument: OsString) -> OsString {
    match argument.to_str() {
        Some(text) if text.split('=').next() == Some("--n") => OsString::from(&text[1..]),
        _ => argument,
    }
}

/// Whether an argument is an option of ours, and if so, whether its value is the next argument.
fn own(ours: &Command, text: &str) -> Option<bool> {
    let (name, attached) = match text.split_once('=') {
        Some((name, _)) => (name, true),
        None => (text, false),
    };
    let option = ours.get_arguments().find(|option| {
        let short = option.get_short().is_some_and(|short| name == format!("-{short}"));
        short || option.get_long().is_some_and(|long| name == format!("--{long}"))
    })?;
    let takes_next = option.get_action().takes_values() && !option.is_require_equals_set();
    Some(takes_next && !attached)
}

/// The option of another launcher that an argument is, and the value after `=`.
fn foreign(text: &str) -> Option<(&'static Foreign, Option<&str>)> {
    let (name, attached) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    let long = name.strip_prefix("--");
    let name = long.or_else(|| name.strip_prefix('-'))?;
    let has_name =
        |option: &&Foreign| option.names.contains(&name) && (long.is_none() || name.len() > 1);
    Some((TABLE.iter().find(has_name)?, attached))
}

impl Foreign {
    /// The options of `xmprun` that replace it.
    fn translate(&self, text: &str, values: Vec<OsString>) -> Result<Vec<OsString>, String> {
        let name = text.split('=').next().unwrap_or(text);
        if let Refused(instead) = self.meaning {
            return Err(format!("{name} is an option of other launchers: {instead}"));
        }
        if values.len() < self.values.len() {
            return Err(format!("{name} needs a value: {name} {}", self.values.join(" ")));
        }
        match self.meaning {
            Same(option) => Ok(std::iter::once(OsString::from(option)).chain(values).collect()),
            Always(_) => Ok(Vec::new()),
            Values { translate, instead, .. } => {
                let texts: Option<Vec<&str>> = values.iter().map(|value| value.to_str()).collect();
                let ours = texts.and_then(|texts| translate(&texts));
                let given = values.join(OsStr::new(" "));
                let refused = || format!("{name} {}: {instead}", given.display());
                Ok(ours.ok_or_else(refused)?.into_iter().map(OsString::from).collect())
            }
            Refused(_) => unreachable!("returned above"),
        }
    }
}

/// The accepted options of other launchers, a line for each, for the help.
pub fn accepted() -> String {
    let mut text = String::new();
    for Foreign { names, values, meaning } in TABLE {
        let meaning = match meaning {
            // An option of `xmprun` with one dash.
            Same(option) if names.iter().all(|name| option[2..] == **name) => continue,
            Same(option) => (*option).to_string(),
            Always(why) => format!("no effect: {why}"),
            Values { accepted, .. } => (*accepted).to_string(),
            Refused(_) => continue,
        };
        let dashed = names.iter().map(|name| format!("-{name}")).collect::<Vec<_>>().join(", ");
        let option = format!("{dashed} {}", values.join(" "));
        // Writing to a String does not fail.
        let _ = writeln!(text, "  {:<32} {meaning}", option.trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use clap::{CommandFactory, Parser};

    fn translated(arguments: &[&str]) -> Result<Vec<OsString>, String> {
        let arguments = std::iter::once("xmprun").chain(arguments.iter().copied());
        translate(arguments.map(OsString::from), Options::command())
    }

    /// Checks that `arguments` are translated to `ours`.
    fn becomes(arguments: &[&str], ours: &[&str]) {
        let translated = translated(arguments).unwrap();
        assert_eq!(translated[1..], *ours, "{arguments:?}");
        Options::try_parse_from(translated).unwrap();
    }

    #[test]
    fn options_with_the_same_meaning_become_ours() {
        for np in ["-np", "--np", "-c"] {
            becomes(&[np, "4", "./a.out"], &["--images", "4", "./a.out"]);
        }
        becomes(&["--np=4", "a"], &["--images", "4", "a"]);
        becomes(&["--n", "4", "a"], &["-n", "4", "a"]);
        becomes(&["--n=4", "a"], &["-n=4", "a"]);
        becomes(&["--oversubscribe", "-n", "2", "a"], &["-n", "2", "a"]);
        becomes(&["--allow-run-as-root", "-genvall", "a"], &["a"]);
        becomes(&["-genv", "A", "b c", "a"], &["-x", "A=b c", "a"]);
        becomes(&["-wd", "/tmp", "-l", "a"], &["--wdir", "/tmp", "--prefix-output", "a"]);
        becomes(
            &["--tag-output", "-timeout", "3", "a"],
            &["--prefix-output", "--timeout", "3", "a"],
        );
        becomes(&["--bind-to", "core", "a"], &["--bind", "core", "a"]);
        becomes(&["-bind-to-core", "--stdin", "0", "a"], &["--bind", "core", "a"]);
        becomes(&["-bind-to", "none", "--map-by", ":OVERSUBSCRIBE", "a"], &["--bind", "none", "a"]);
    }

    #[test]
    fn what_follows_the_program_is_its_own() {
        becomes(&["-H", "a,b:2", "-np", "3", "a"], &["--hosts", "a,b:2", "--images", "3", "a"]);
        becomes(&["-machinefile", "f", "a"], &["--hostfile", "f", "a"]);
        becomes(
            &["-np", "2", "a", "-np", "3", "--hostfile", "x"],
            &["--images", "2", "a", "-np", "3", "--hostfile", "x"],
        );
        becomes(&["--", "-np", "3"], &["--", "-np", "3"]);
        // A value that needs `=` is never the next argument.
        becomes(&["--report", "sh", "-c", "x"], &["--report", "sh", "-c", "x"]);
        // Values of our own options are not taken for programs or options.
        becomes(&["--wdir", "np", "-np", "3", "a"], &["--wdir", "np", "--images", "3", "a"]);
        becomes(&["-x", "A=1", "-np", "3", "a"], &["-x", "A=1", "--images", "3", "a"]);
    }

    #[test]
    fn a_second_program_is_refused_with_what_replaces_it() {
        let text = translated(&["-n", "1", "./a", ":", "-n", "2", "./b"]).unwrap_err();
        assert!(
            text.starts_with("`: -n 2 ./b` is a second program") && text.contains("this_image()")
        );
        assert!(translated(&["./a", ":", "./b"]).is_err());
        for arguments in [&["--", "a", ":", "b"][..], &["sh", "-c", ":"], &["a", "b:c", ": x"]] {
            becomes(arguments, arguments);
        }
    }

    #[test]
    fn other_options_are_refused_with_what_replaces_them() {
        for (arguments, words) in [
            (&["--add-host", "a", "a"][..], ["--add-host", "--hosts"]),
            (&["--mca", "btl", "tcp", "a"], ["--mca", "xmprun --info"]),
            (&["-ppn", "2", "a"], ["-ppn", "-n N"]),
            (&["--bind-to", "socket", "a"], ["--bind-to socket", "--bind auto"]),
            (&["--map-by", "core", "a"], ["--map-by core", "--bind core"]),
            (&["-v", "-n", "2", "a"], ["-v", "-V"]),
            (&["-genvnone", "a"], ["-genvnone", "env -i"]),
            (&["--stdin", "none", "a"], ["--stdin none", "</dev/null"]),
            (&["--xterm", "1", "a"], ["--xterm", "--debug gdb"]),
            (&["--merge-stderr-to-stdout", "a"], ["--merge-stderr-to-stdout", "2>&1"]),
            (&["--timestamp-output", "a"], ["--timestamp-output", "| ts"]),
            (&["-np"], ["-np", "needs a value"]),
            (&["-genv", "A"], ["-genv", "VAR VALUE"]),
        ] {
            let text = translated(arguments).unwrap_err();
            assert!(words.iter().all(|word| text.contains(word)), "{text}");
        }
    }

    #[test]
    fn no_name_is_ours_or_given_twice() {
        let mut command = Options::command();
        command.build();
        let mut seen = Vec::new();
        for name in TABLE.iter().flat_map(|option| option.names) {
            assert!(!seen.contains(name), "{name}");
            seen.push(*name);
            let text = format!("-{name}");
            assert_eq!(own(&command, &text), None, "{text}");
            assert!(foreign(&text).is_some(), "{text}");
        }
    }

    #[test]
    fn unknown_options_are_left_to_the_parser() {
        let arguments = translated(&["--frobnicate", "-n4", "a"]).unwrap();
        assert_eq!(arguments[1..], ["--frobnicate", "-n4", "a"]);
    }
}
