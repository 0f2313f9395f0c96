//! Running `xmprun` on shell scripts.

use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// How long what must happen may take: far longer than it does, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(600);

/// No clock of the runtime decides a test: a script that a signal ends, or that takes note of a failure, has all the
/// time that it needs on a busy machine.
const NO_CLOCK: [(&str, &str); 2] =
    [("XMP_FAILURE_GRACE", "1000000"), ("XMP_KILL_GRACE", "600000")];

/// `xmprun` with these arguments, no settings but [`NO_CLOCK`] in its environment, nothing on standard input.
pub fn xmprun(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xmprun"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("XMP_") {
            command.env_remove(name);
        }
    }
    command.envs(NO_CLOCK);
    // Signals that the test's parent ignores (`nohup`) have their default effect. SAFETY: only system calls are made.
    unsafe { command.pre_exec(default_signals) };
    command.args(args).stdin(Stdio::null());
    command
}

fn default_signals() -> io::Result<()> {
    for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGTSTP] {
        // SAFETY: no handler is installed.
        if unsafe { libc::signal(signal, libc::SIG_DFL) } == libc::SIG_ERR {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Runs a shell script as `images` images to its end. In the script, `$IMAGE` is the number of the image.
pub fn run_script(images: u32, script: &str) -> Output {
    script_command(images, script).output().unwrap()
}

/// The command that does so.
pub fn script_command(images: u32, script: &str) -> Command {
    let script = format!("IMAGE=$((${{XMP_JOB#*:}} + 1)); {script}");
    // No process of a script is an image, which is not worth a warning here.
    xmprun(&["-q", "-n", &images.to_string(), "sh", "-c", &script])
}

/// The exit status, which must not be a signal.
pub fn status(output: &Output) -> i32 {
    output.status.code().unwrap_or_else(|| panic!("{output:?}"))
}

/// Standard output as lines, sorted: images write in any order.
pub fn sorted_lines(output: &Output) -> Vec<String> {
    let mut lines: Vec<String> = text(&output.stdout).lines().map(String::from).collect();
    lines.sort();
    lines
}

/// Bytes that must be text.
pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A launcher that runs in the background; killed when dropped.
pub struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<BufReader<ChildStdout>>,
}

impl Running {
    /// Starts it and waits until it has written this many lines, which are returned.
    pub fn start(mut command: Command, lines: usize) -> (Running, Vec<String>) {
        let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = streams.spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let lines = stdout.by_ref().lines().take(lines).map(Result::unwrap).collect();
        let stdin = child.stdin.take();
        (Running { child, stdin, stdout: Some(stdout) }, lines)
    }

    /// Number of the launcher's process.
    pub fn pid(&self) -> String {
        self.child.id().to_string()
    }

    /// Ends its standard input, which is that of image 1.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Whether it runs.
    pub fn runs(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Sends the launcher a signal.
    pub fn signal(&self, number: i32) {
        // SAFETY: plain system call on a child that has not been waited for.
        assert_eq!(unsafe { libc::kill(self.child.id() as i32, number) }, 0);
    }

    /// Reads its output no longer.
    pub fn close_output(&mut self) {
        self.stdout = None;
    }

    /// Waits for its end; its exit status (`None`: killed) and the rest of its output.
    pub fn finish(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        if let Some(stdout) = &mut self.stdout {
            stdout.read_to_string(&mut rest).unwrap();
        }
        let mut status = None;
        let ended = soon(|| {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        assert!(ended, "the launcher did not end");
        (status.and_then(|status| status.code()), rest)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Nothing to do when it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether `happened` becomes true.
pub fn soon(mut happened: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if happened() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    happened()
}

/// Whether a process is gone, or dead and only not yet waited for.
pub fn is_gone(pid: &str) -> bool {
    matches!(state(pid), None | Some('Z'))
}

/// Whether a process is stopped.
pub fn is_stopped(pid: &str) -> bool {
    state(pid) == Some('T')
}

/// The letter for the state of a process; none for a process that is gone.
fn state(pid: &str) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Behind the name, which may contain anything.
    stat.rsplit_once(')')?.1.trim_start().chars().next()
}
