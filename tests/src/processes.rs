//! Processes of this machine, as `/proc` shows them.

use std::fs;

/// Number of a process.
pub type Pid = libc::pid_t;

/// Whether this process may do everything.
pub fn is_root() -> bool {
    // SAFETY: no arguments.
    unsafe { libc::geteuid() == 0 }
}

/// All processes, as far as this user may know.
pub fn all() -> Vec<Pid> {
    let entries = fs::read_dir("/proc").expect("/proc is mounted");
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect()
}

/// All processes that were started with this environment variable. Zombies have no environment any more.
pub fn with_environment(name: &str, value: &str) -> Vec<Pid> {
    let wanted = format!("{name}={value}");
    all()
        .into_iter()
        .filter(|pid| {
            // A process that has ended meanwhile has none either.
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes())
        })
        .collect()
}

/// The parent of a process that lives.
///
/// # Panics
/// When the process has ended.
pub fn parent(process: Pid) -> Pid {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("it lives");
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
    parent.expect("a parent").trim().parse().expect("a number")
}

/// A line for each process: number, state, command.
pub fn describe(processes: &[Pid]) -> String {
    processes
        .iter()
        .map(|pid| {
            let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            let state =
                status.lines().find_map(|line| line.strip_prefix("State:")).unwrap_or(" gone");
            format!("  {pid}{state}: {}\n", String::from_utf8_lossy(&command).replace('\0', " "))
        })
        .collect()
}

/// Whether a process blocks, ignores or handles a signal, so that it does not die of it.
pub fn survives(process: Pid, signal: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let is_in = |field: &str| {
        let mask = status.lines().find_map(|line| line.strip_prefix(field));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
    };
    ["SigBlk:", "SigIgn:", "SigCgt:"].into_iter().any(is_in)
}

/// Sends a signal to a process, or to a group when the number is negative. A process that has ended gets none.
pub fn signal(process: Pid, signal: i32) {
    // SAFETY: kill touches no memory of ours.
    unsafe { libc::kill(process, signal) };
}

/// How many processors a line of `/proc/PID/status` lists: `Cpus_allowed_list: 0-3,8`.
///
/// # Panics
/// When it is another line.
pub fn processors(line: &str) -> usize {
    let list = line.split_whitespace().nth(1).unwrap_or_else(|| panic!("{line:?}"));
    list.split(',')
        .map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let number = |text: &str| text.parse::<usize>().unwrap_or_else(|_| panic!("{line:?}"));
            number(last) - number(first) + 1
        })
        .sum()
}
