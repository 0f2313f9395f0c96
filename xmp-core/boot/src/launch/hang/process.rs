//! The data of the system about the process of an image (`/proc`).

use std::io::Read;
use std::{fs, io};

/// The state of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Activity {
    /// It computes.
    Runs,
    /// It sleeps, in the system or in a library.
    Sleeps,
    /// A signal or a debugger has stopped it.
    Stopped,
}

impl Activity {
    /// `None` when there is no such process, or the system does not tell. It reads the file that the system makes fastest.
    pub(super) fn of(pid: u32) -> Option<Activity> {
        let stat = read(&format!("/proc/{pid}/stat"))?;
        // `pid (name) state ...`, where the name may contain any character.
        let after_name = stat.rsplit_once(") ")?.1;
        after_name.bytes().next().map(Activity::from_letter)
    }

    fn from_letter(state: u8) -> Activity {
        match state {
            b'R' => Activity::Runs,
            b'T' | b't' => Activity::Stopped,
            _ => Activity::Sleeps,
        }
    }
}

/// The state of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) activity: Activity,
    /// Whether a debugger controls it, which may change anything.
    pub(super) is_traced: bool,
    /// The number of its threads besides its first one and the library's.
    pub(super) threads: u32,
    /// Whether it has a handler for a signal that timers, files or children send: the handler may act in its place.
    pub(super) has_timers: bool,
}

impl Process {
    /// `None` when there is no such process, or the system does not tell.
    pub(super) fn of(pid: u32) -> Option<Process> {
        let status = read(&format!("/proc/{pid}/status"))?;
        let state = field(&status, "State")?;
        let tasks = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
        let mut threads = Vec::new();
        for task in tasks {
            let task = task.ok()?.file_name().to_str()?.to_owned();
            match fs::read_to_string(format!("/proc/{pid}/task/{task}/comm")) {
                Ok(name) => threads.push((task == pid.to_string(), is_of_library(&name))),
                // A thread that has ended since it was listed.
                Err(error) if has_ended(&error) => {}
                Err(_) => return None,
            }
        }
        if !threads.iter().any(|&(is_first, _)| is_first) {
            return None;
        }
        Some(Process {
            activity: Activity::from_letter(*state.as_bytes().first()?),
            has_timers: (libc::SIGRTMIN()..=libc::SIGRTMAX())
                .chain([libc::SIGALRM, libc::SIGIO, libc::SIGCHLD])
                .any(|signal| is_in(&status, "SigCgt", signal)),
            is_traced: field(&status, "TracerPid") != Some("0"),
            // A new thread has the name of the thread that started it, so the first one must not have a name of the
            // library's threads.
            threads: threads
                .into_iter()
                .filter(|(is_first, of_library)| is_first == of_library)
                .count() as u32,
        })
    }
}

/// Bytes of a file of `/proc` that are read at a time. They have no size, so that the standard library begins with 32 bytes.
const BLOCK_BYTES: usize = 1 << 13;

/// The text of a file of `/proc`, in few system calls.
pub(crate) fn read(path: &str) -> Option<String> {
    let mut text = Vec::with_capacity(BLOCK_BYTES);
    fs::File::open(path).ok()?.read_to_end(&mut text).ok()?;
    // Names of processes and files may have any bytes.
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// Whether a file of `/proc` could not be read because its thread has ended: before it was opened, or since.
fn has_ended(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(libc::ESRCH)
}

/// The number of threads of this process besides its first one and the library's.
pub(crate) fn own_threads() -> u32 {
    Process::of(std::process::id()).map_or(0, |process| process.threads)
}

/// Whether a process has a handler for a signal, or ignores it, so that it does not die of it.
pub(crate) fn expects(pid: u32, signal: libc::c_int) -> bool {
    let Some(status) = read(&format!("/proc/{pid}/status")) else { return false };
    ["SigCgt", "SigIgn"].iter().any(|name| is_in(&status, name, signal))
}

/// Whether a signal is in the mask of this name.
fn is_in(status: &str, name: &str, signal: libc::c_int) -> bool {
    let mask = field(status, name).and_then(|mask| u64::from_str_radix(mask, 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 != 0)
}

/// The value of a field of `/proc/PID/status`.
fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = status.lines();
    lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':').map(str::trim))
}

/// Whether a thread has a name that the library gives its own threads.
fn is_of_library(name: &str) -> bool {
    name.starts_with("xmp-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn fields_of_status_are_found() {
        let status =
            "Name:\tsleep\nState:\tS (sleeping)\nTracerPid:\t0\nSigCgt:\t0000000000000200\n";
        assert_eq!(field(status, "State"), Some("S (sleeping)"));
        assert_eq!(field(status, "TracerPid"), Some("0"));
        assert_eq!(field(status, "Tracer"), None);
    }

    #[test]
    fn a_process_of_one_thread_and_a_process_of_several_are_told_apart() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let found = Process::of(child.id()).unwrap();
        assert!(found.threads == 0 && !found.is_traced && !found.has_timers);
        assert!(matches!(Activity::of(child.id()), Some(Activity::Sleeps | Activity::Runs)));
        drop(child.stdin.take());
        child.wait().unwrap();
        assert_eq!(Process::of(child.id()), None);
        assert_eq!(Activity::of(child.id()), None);
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || receiver.recv());
        assert!(Process::of(std::process::id()).unwrap().threads > 0);
        drop(sender);
        let _ = thread.join().unwrap();
    }

    /// A test failed because another test's thread had ended between the list of threads and its name.
    #[test]
    fn threads_that_end_meanwhile_hide_no_process() {
        let ends = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !ends.load(std::sync::atomic::Ordering::Relaxed) {
                    std::thread::spawn(|| {}).join().unwrap();
                }
            });
            let has_threads = |_| Process::of(std::process::id()).is_some_and(|it| it.threads > 0);
            let always = (0..2000).all(has_threads);
            ends.store(true, std::sync::atomic::Ordering::Relaxed);
            assert!(always);
        });
    }

    #[test]
    fn a_handler_of_a_signal_is_noticed() {
        let mut shell = Command::new("sh");
        let script = "trap : USR1; trap : ALRM; echo ready; read line";
        shell.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = shell.spawn().unwrap();
        let mut ready = [0; 6];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut ready).unwrap();
        assert!(expects(child.id(), libc::SIGUSR1));
        assert!(!expects(child.id(), libc::SIGUSR2));
        assert!(Process::of(child.id()).unwrap().has_timers);
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
