//! What the figures were measured on.

use std::fmt::Write;
use std::fs;

/// Cores that this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Processor, cores, kernel and load average, in one line.
pub fn describe() -> String {
    let mut text = format!("{}, {} cores usable", processor(), cores());
    if let Ok(release) = fs::read_to_string("/proc/sys/kernel/osrelease") {
        let _ = write!(text, ", Linux {}", release.trim());
    }
    if let Some(load) = load_average() {
        let _ = write!(text, ", load average {load} at the start");
    }
    text
}

fn processor() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    info.lines()
        .find_map(|line| line.strip_prefix("model name")?.split(':').nth(1))
        .map_or_else(|| std::env::consts::ARCH.to_owned(), |name| name.trim().to_owned())
}

/// Runnable threads on average over the last minute. Above 0 at the start, others used the cores.
pub fn load_average() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}
