//! The commands that start proxies on hosts, and the reasons why a proxy has not started.

use super::frame::Setup;
use std::ffi::OsStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::ptr;

/// The line before the frames of a proxy: shells may write greetings before it.
pub(super) const MARKER: &str = "xmprun-proxy";
/// The hidden option of `xmprun` that makes it a proxy, and its values: it speaks by its standard input and output, or connects to
/// the launcher.
pub const OPTION: &str = "--proxy";
pub(super) const PIPES: &str = "pipes";
pub(super) const CONNECTS: &str = "connects";

/// Signals that proxies, and the commands that start them, ignore. Images are started with their defaults.
pub(super) const IGNORED: [libc::c_int; 7] = [
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGQUIT,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGTSTP,
];

/// The seconds for which `ssh` tries to reach a host.
const CONNECTING: u32 = 20;

/// Questions without an answer after which `ssh` takes a host for lost.
const QUESTIONS: u32 = 5;

/// The beginning of a program, in small letters: some shells read one that the system does not execute as a script, and name its words.
const ELF: &str = "\u{7f}elf";

/// The command that starts a proxy on a host. Neither it nor the environment has a secret.
pub(super) fn command(setup: &Setup, host: &str) -> Command {
    let Setup { reach, program, .. } = setup;
    let (first, others) = reach.split_first().expect("a command that reaches hosts");
    let mut command = Command::new(first);
    command.args(others);
    let name = Path::new(first).file_name().and_then(OsStr::to_str).unwrap_or_default();
    match name {
        // They take a program and its arguments.
        "blaunch" | "qrsh" => {
            command.arg(host).arg(program).args([OPTION, PIPES]);
        }
        _ => {
            if name == "ssh" {
                command.args(["-T", "-x", "-o", "BatchMode=yes", "-o"]);
                command.arg(format!("ConnectTimeout={CONNECTING}"));
                // It ends when the other host has not answered this number of questions, at these intervals in seconds.
                let interval = (setup.silence / (QUESTIONS + 1)).max(1);
                command.args(["-o".into(), format!("ServerAliveInterval={interval}")]);
                command.args(["-o".into(), format!("ServerAliveCountMax={QUESTIONS}")]);
            }
            command.arg(host).arg(format!("exec {} {OPTION} {PIPES}", quoted(program)));
        }
    }
    apart(command)
}

/// The command that starts a proxy on this host.
pub(super) fn here(program: &OsStr) -> Command {
    let mut command = Command::new(program);
    command.args([OPTION, PIPES]);
    apart(command)
}

/// Variables by which `srun` takes over options that the job has for its tasks. Proxies, and the images that they start, may use all that
/// the job has on their hosts, and what is written to `srun` reaches each proxy as it is.
const OPTIONS_FOR_TASKS: [&str; 18] = [
    "SLURM_CPUS_PER_TASK",
    "SRUN_CPUS_PER_TASK",
    "SLURM_CPUS_PER_GPU",
    "SLURM_GPUS_PER_TASK",
    "SLURM_TRES_PER_TASK",
    "SLURM_NTASKS_PER_CORE",
    "SLURM_NTASKS_PER_GPU",
    "SLURM_NTASKS_PER_SOCKET",
    "SLURM_THREADS_PER_CORE",
    "SLURM_HINT",
    "SLURM_EXACT",
    "SLURM_EXCLUSIVE",
    "SLURM_DISTRIBUTION",
    "SLURM_DIST_PLANESIZE",
    "SLURM_LABELIO",
    "SLURM_STDINMODE",
    "SLURM_STDOUTMODE",
    "SLURM_STDERRMODE",
];

/// The `srun` that starts a proxy on each of these hosts.
pub(super) fn srun(hosts: &[String], program: &OsStr) -> Command {
    let mut command = Command::new("srun");
    let count = hosts.len();
    OPTIONS_FOR_TASKS.iter().for_each(|name| _ = command.env_remove(name));
    command
        .args([
            "--overlap",
            "--mpi=none",
            "--cpu-bind=none",
            "--kill-on-bad-exit=0",
            "--export=ALL",
        ])
        .args([
            format!("--nodes={count}"),
            format!("--ntasks={count}"),
            "--ntasks-per-node=1".into(),
        ])
        .args([format!("--nodelist={}", hosts.join(",")), "--chdir=/".into()])
        .arg(program)
        .args([OPTION, CONNECTS]);
    apart(command)
}

/// Keys of the terminal are for the launcher alone, and so are signals for all processes of a job, which schedulers
/// send: the launcher handles them, and these commands end after the images.
fn apart(mut command: Command) -> Command {
    command.process_group(0);
    let prepare = || {
        for signal in IGNORED {
            // SAFETY: sets no handler.
            unsafe { libc::signal(signal, libc::SIG_IGN) };
        }
        unblock_signals()
    };
    // SAFETY: the closure makes system calls only.
    unsafe { command.pre_exec(prepare) };
    command
}

/// Has this new process receive all signals. Async-signal-safe.
pub(super) fn unblock_signals() -> io::Result<()> {
    let mut none = MaybeUninit::uninit();
    // SAFETY: the first call fills the set; no old one is asked for.
    let failed = unsafe {
        libc::sigemptyset(none.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut()) != 0
    };
    if failed { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// A word for a shell.
fn quoted(word: &OsStr) -> String {
    format!("'{}'", word.to_string_lossy().replace('\'', r"'\''"))
}

/// A host by its number and its name.
type NumberedHost = (u32, String);

/// The part of a tree that each child of a process has which starts proxies on these hosts: its host, and those below it.
pub(super) fn branches(
    hosts: &[NumberedHost],
    fan_out: u32,
) -> Vec<(NumberedHost, Vec<NumberedHost>)> {
    let children = hosts.len().min(fan_out.max(1) as usize);
    let mut rest = hosts;
    let branch = |child: usize| {
        let (branch, others) = rest.split_at(rest.len().div_ceil(children - child));
        rest = others;
        (branch[0].clone(), branch[1..].to_vec())
    };
    (0..children).map(branch).collect()
}

/// The reason why a proxy has not started: the output of the command that reaches its host, and its end.
pub(super) fn explain(
    setup: &Setup,
    host: &str,
    said: &[String],
    status: Option<ExitStatus>,
) -> String {
    // With the options of XMP_SSH: `ssh -p 2222`.
    let by = if setup.reach.is_empty() { "xmprun".into() } else { setup.reach.join(" ") };
    let program = setup.program.to_string_lossy();
    let all = said.join("\n").to_lowercase();
    let has = |texts: &[&str]| texts.iter().any(|text| all.contains(text));
    let code = status.and_then(|status| status.code());
    let reason = if has(&["host key verification failed"]) {
        format!("its key is not known here: run `{by} {host} true` once and accept the key")
    } else if code != Some(126) && has(&["permission denied", "too many authentication failures"]) {
        format!(
            "it refuses the key: `{by} {host} true` must work without a password ({})",
            copies_key(&setup.reach, host)
        )
    } else if has(&["could not resolve", "not known", "unknown host", "no such host"]) {
        "there is no host of this name: check the name in the list of hosts".to_owned()
    } else if has(&["refused", "timed out", "no route", "unreachable", "connection closed"]) {
        format!(
            "it cannot be reached: is it up, does its ssh server run, and does `{by} {host} true` work?"
        )
    } else if has(&["exec format error", ELF]) {
        format!(
            "it cannot execute {program}: it has another kind of processor, and needs its own installation"
        )
    } else if code == Some(127) || has(&["no such file", "not found"]) {
        format!(
            "there is no {program} there: install XMP-RT there in the same place, or share the file system that it is in"
        )
    } else if has(&[OPTION]) {
        format!("{program} is of another version there: install the same version on all hosts")
    } else {
        let end = match status {
            Some(status) => match (status.code(), status.signal()) {
                (Some(code), _) => format!("has ended with exit status {code}"),
                (None, Some(signal)) => format!("was ended by signal {signal}"),
                (None, None) => "has ended".to_owned(),
            },
            None => "has closed its output".to_owned(),
        };
        format!("{by} {end} before xmprun there has answered: does `{by} {host} true` work?")
    };
    match said.iter().rfind(|line| !line.trim().is_empty()) {
        Some(line) => format!("{reason} ({})", line.trim()),
        None => reason,
    }
}

/// The command by which a user gives a host his key: with the options by which `ssh` reaches it.
fn copies_key(reach: &[String], host: &str) -> String {
    match reach {
        [ssh, options @ ..] if ssh.rsplit('/').next() == Some("ssh") => {
            let options: String = options.iter().map(|option| format!("{option} ")).collect();
            format!("ssh-keygen, then ssh-copy-id {options}{host}")
        }
        // It may be a script around ssh.
        _ => format!("where it calls ssh: ssh-keygen, then ssh-copy-id {host}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &Command) -> Vec<String> {
        let words = [command.get_program()].into_iter().chain(command.get_args());
        words.map(|word| word.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn commands_have_a_host_and_the_path_of_xmprun() {
        let of = |reach: &[&str], program: &str| {
            let reach = reach.iter().map(|&word| word.to_owned()).collect();
            words(&command(
                &Setup { reach, program: program.into(), silence: 90, ..Setup::default() },
                "a",
            ))
        };
        let ssh = of(&["ssh", "-p", "22"], "/x y/xmprun");
        assert_eq!(ssh[..5], ["ssh", "-p", "22", "-T", "-x"]);
        for word in [
            "BatchMode=yes",
            "ConnectTimeout=20",
            "ServerAliveInterval=15",
            "ServerAliveCountMax=5",
        ] {
            assert!(ssh.iter().any(|its| its == word), "{ssh:?}");
        }
        assert_eq!(ssh[ssh.len() - 2..], ["a", "exec '/x y/xmprun' --proxy pipes"]);
        let lsf = of(&["blaunch"], "/x");
        assert_eq!(lsf, ["blaunch", "a", "/x", "--proxy", "pipes"]);
        let other = of(&["./rsh"], "/it's");
        assert_eq!(other, ["./rsh", "a", r"exec '/it'\''s' --proxy pipes"]);
        let srun = words(&srun(&["a".into(), "b".into()], "/x".as_ref()));
        for word in ["--overlap", "--mpi=none", "--nodes=2", "--ntasks=2", "--nodelist=a,b"] {
            assert!(srun.iter().any(|its| its == word), "{srun:?}");
        }
    }

    #[test]
    fn a_tree_has_each_host_once() {
        fn count(hosts: &[(u32, String)], fan_out: u32) -> (Vec<u32>, u32) {
            let (mut found, mut depth) = (Vec::new(), 0);
            for ((host, _), below) in branches(hosts, fan_out) {
                found.push(host);
                let (others, its) = count(&below, fan_out);
                found.extend(others);
                depth = depth.max(its + 1);
            }
            (found, depth)
        }
        for (hosts, fan_out, expected) in
            [(5, 32, 1), (5, 2, 2), (7, 2, 3), (40, 32, 2), (3, 1, 3), (0, 2, 0)]
        {
            let list: Vec<(u32, String)> =
                (0..hosts).map(|host| (host, host.to_string())).collect();
            let (mut found, depth) = count(&list, fan_out);
            found.sort();
            assert_eq!(found, (0..hosts).collect::<Vec<_>>());
            assert_eq!(depth, expected, "{hosts} {fan_out}");
        }
    }

    #[test]
    fn the_remedy_has_the_options_of_the_command() {
        let reach = ["/usr/bin/ssh", "-p", "22722"].map(String::from).to_vec();
        let setup = Setup { reach, program: "/p/xmprun".into(), ..Setup::default() };
        let exited = Some(ExitStatus::from_raw(255 << 8));
        let said = "hpc@a: Permission denied (publickey).".to_owned();
        let text = explain(&setup, "a", &[said], exited);
        for words in ["`/usr/bin/ssh -p 22722 a true` must work", "ssh-copy-id -p 22722 a)"] {
            assert!(text.contains(words), "{text}");
        }
        let text = explain(&setup, "a", &["Connection refused".into()], exited);
        assert!(text.contains("`/usr/bin/ssh -p 22722 a true`"), "{text}");
    }

    #[test]
    fn what_ssh_says_becomes_a_remedy() {
        let setup =
            Setup { reach: vec!["ssh".into()], program: "/p/xmprun".into(), ..Setup::default() };
        let exited = |code: i32| Some(ExitStatus::from_raw(code << 8));
        for (line, code, word) in [
            ("hpc@a: Permission denied (publickey,password).", 255, "ssh-copy-id a"),
            ("Host key verification failed.", 255, "accept the key"),
            ("ssh: Could not resolve hostname a: Name or service not known", 255, "check the name"),
            ("ssh: connect to host a port 22: Connection refused", 255, "cannot be reached"),
            ("ssh: connect to host a port 22: No route to host", 255, "cannot be reached"),
            ("bash: line 1: /p/xmprun: No such file or directory", 127, "no /p/xmprun there"),
            ("/p/xmprun: cannot execute binary file: Exec format error", 126, "kind of processor"),
            ("/p/xmprun: 1: \u{7f}ELF\u{2}\u{1}: not found", 127, "kind of processor"),
            ("error: unexpected argument '--proxy' found", 2, "another version"),
            ("what?", 9, "exit status 9"),
        ] {
            let text = explain(&setup, "a", &[line.to_owned(), String::new()], exited(code));
            assert!(text.contains(word) && text.ends_with(&format!("({line})")), "{text}");
        }
        let text = explain(&setup, "a", &[], Some(ExitStatus::from_raw(9)));
        assert!(text.contains("ended by signal 9"), "{text}");
    }
}
