//! `--watch`: the table of all images again and again, with the processor time and the memory of each row.

use super::hang::{Load, read_process_file};
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

/// Lets a terminal write from its first line on, and clears it.
const CLEAR: &str = "\x1b[H\x1b[2J";

/// The table that is written again and again.
#[derive(Debug)]
pub(super) struct Live {
    every: Duration,
    /// When the next table is due.
    next: Instant,
    /// The time when processor times were read last, and the processor time of each image, in ticks of the system.
    before: (Instant, Vec<u64>),
    is_terminal: bool,
}

impl Live {
    pub(super) fn new(every: Duration, started: Instant) -> Live {
        let is_terminal = io::stderr().is_terminal();
        Live { every, next: started + every, before: (started, Vec::new()), is_terminal }
    }

    pub(super) fn next(&self) -> Instant {
        self.next
    }

    /// Sets when the next table is due: a table that takes long, as with hundreds of images on a busy machine, takes none of
    /// the time until then.
    pub(super) fn has_shown(&mut self) {
        self.next = Instant::now() + self.every;
    }

    /// The text before a table.
    pub(super) fn before_table(&self) -> &'static str {
        if self.is_terminal { CLEAR } else { "" }
    }

    /// The resources that the images use, from their processes; none for ended images.
    pub(super) fn loads(&mut self, processes: &[Option<u32>], now: Instant) -> Vec<Option<Load>> {
        let used: Vec<Option<u64>> =
            processes.iter().map(|process| process.and_then(processor_ticks)).collect();
        let (then, before) = &self.before;
        let ticks = now.duration_since(*then).as_secs_f64() * number_of_system(libc::_SC_CLK_TCK);
        let load = |(number, used): (usize, &Option<u64>)| {
            let since = before.get(number).copied().unwrap_or(0);
            let used = (*used)?.saturating_sub(since) as f64;
            let resident = processes[number].and_then(resident_bytes)?;
            Some(Load { processor: 100.0 * used / ticks.max(1.0), resident })
        };
        let loads = used.iter().enumerate().map(load).collect();
        self.before = (now, used.iter().map(|used| used.unwrap_or(0)).collect());
        loads
    }
}

/// A number that the system has, such as its ticks in a second.
fn number_of_system(name: libc::c_int) -> f64 {
    // SAFETY: the call only reads.
    unsafe { libc::sysconf(name) }.max(1) as f64
}

/// The processor time that a process has used.
fn processor_ticks(process: u32) -> Option<u64> {
    let stat = read_process_file(&format!("/proc/{process}/stat"))?;
    ticks_in(&stat)
}

/// User and system time in the text of `/proc/PID/stat`.
fn ticks_in(stat: &str) -> Option<u64> {
    // `pid (name) state ...`, where the name may contain any character; the times are the 14th and 15th field.
    let fields = stat.rsplit_once(") ")?.1;
    let mut times = fields.split(' ').skip(11).map(|field| field.parse::<u64>().ok());
    Some(times.next()?? + times.next()??)
}

/// The memory that a process has in use.
fn resident_bytes(process: u32) -> Option<u64> {
    let pages = read_process_file(&format!("/proc/{process}/statm"))?;
    let pages: u64 = pages.split(' ').nth(1)?.parse().ok()?;
    Some(pages * number_of_system(libc::_SC_PAGESIZE) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_read_behind_a_name_with_blanks() {
        let stat = "7 (a) b) R 1 7 7 0 -1 4194304 91 0 0 0 30 12 0 0 20 0 1 0 9 1 2";
        assert_eq!(ticks_in(stat), Some(42));
        assert_eq!(ticks_in("7 (a) Z"), None);
    }

    #[test]
    fn this_process_uses_memory() {
        assert!(resident_bytes(std::process::id()).is_some_and(|bytes| bytes > 1 << 16));
        assert!(processor_ticks(std::process::id()).is_some());
    }

    #[test]
    fn an_image_that_has_ended_has_no_load() {
        let mut live = Live::new(Duration::from_secs(1), Instant::now());
        let loads = live.loads(&[Some(std::process::id()), None], Instant::now());
        assert!(loads[0].is_some() && loads[1].is_none());
    }
}
