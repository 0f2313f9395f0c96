//! Ending a run with everything that it started.
//!
//! MPI launchers put their ranks into process groups of their own, so killing the launcher's group
//! is not enough: the descendants are read from `/proc` and ended by id, each only while it is
//! still the same process (its start time tells).

use std::collections::HashMap;
use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a run may take to end by itself after SIGTERM; launchers clean up in this time.
const GRACE: Duration = Duration::from_secs(2);

/// A process, told apart from a later one with the same id.
#[derive(Clone, Copy, PartialEq)]
struct Process {
    pid: i32,
    parent: i32,
    /// Clock ticks after boot.
    started: u64,
}

/// Ends the process `root` and all its descendants: SIGTERM, a grace period, SIGKILL.
/// The caller still reaps `root`.
pub fn end(root: u32) {
    let root = root.cast_signed();
    let mut doomed = descendants(root);
    signal(root, libc::SIGTERM);
    let deadline = Instant::now() + GRACE;
    while Instant::now() < deadline && doomed.iter().any(is_running) {
        sleep(Duration::from_millis(20));
    }
    doomed.extend(descendants(root));
    for process in doomed.iter().filter(|process| is_running(process)) {
        signal(process.pid, libc::SIGKILL);
    }
}

/// `root` and its descendants as they are now.
fn descendants(root: i32) -> Vec<Process> {
    let mut children: HashMap<i32, Vec<Process>> = HashMap::new();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    for process in pids.filter_map(read) {
        children.entry(process.parent).or_default().push(process);
    }
    let mut found: Vec<Process> = read(root).into_iter().collect();
    let mut next = 0;
    while next < found.len() {
        found.extend(children.remove(&found[next].pid).into_iter().flatten());
        next += 1;
    }
    found
}

/// The process as `/proc/PID/stat` shows it; `None` if it is gone or a zombie.
fn read(pid: i32) -> Option<Process> {
    parse_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Fields 1, 4 and 22. Field 2, the name, may hold spaces and brackets, so count from its end.
fn parse_stat(stat: &str) -> Option<Process> {
    let pid = stat.split(' ').next()?.parse().ok()?;
    let fields: Vec<&str> = stat[stat.rfind(')')? + 2..].split(' ').collect();
    let parent = fields.get(1)?.parse().ok()?;
    let started = fields.get(19)?.parse().ok()?;
    (fields[0] != "Z").then_some(Process { pid, parent, started })
}

fn is_running(process: &Process) -> bool {
    read(process.pid).is_some_and(|now| now.started == process.started)
}

fn signal(pid: i32, signal: i32) {
    // SAFETY: kill reads no memory of ours; the ids come from our own process tree. A process that
    // ended in between makes it fail, which is what was wanted.
    unsafe { libc::kill(pid, signal) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// Ends a test that hangs; no machine is that slow.
    const PATIENCE: Duration = Duration::from_secs(600);

    #[test]
    fn a_name_with_brackets_and_spaces_is_read() {
        let tail = "S 7 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4242 0";
        let process = parse_stat(&format!("12 (a) b (c)) {tail}")).unwrap();
        assert_eq!((process.pid, process.parent, process.started), (12, 7, 4242));
    }

    #[test]
    fn grandchildren_end_with_the_run() {
        // A shell may become its last command; this one waits for both.
        let script = "sleep 1000 & sleep 1001 & wait";
        let mut child = Command::new("sh").args(["-c", script]).spawn().unwrap();
        let root = child.id().cast_signed();
        let deadline = Instant::now() + PATIENCE;
        while descendants(root).len() < 3 {
            assert!(Instant::now() < deadline, "the shell has started two");
            sleep(Duration::from_millis(5));
        }
        let tree = descendants(root);
        end(child.id());
        child.wait().unwrap();
        let deadline = Instant::now() + PATIENCE;
        while tree.iter().any(is_running) {
            assert!(Instant::now() < deadline, "a process survived");
            sleep(Duration::from_millis(5));
        }
    }
}
