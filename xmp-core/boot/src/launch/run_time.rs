//! The time that a process has run on a processor.

use rustix::process::Pid;
use std::mem::MaybeUninit;
use std::time::{Duration, Instant};

/// The end of a system call takes a process less than this.
const END_OF_CALL: Duration = Duration::from_micros(50);
/// A process that has not run for this time, although it does not sleep, is not waited for.
const STARVED: Duration = Duration::from_secs(1);

/// The time that a process has run at some moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunTime {
    process: Pid,
    /// `None` where the system does not tell.
    time: Option<Duration>,
}

impl RunTime {
    /// Until now.
    pub(super) fn now(process: Pid) -> RunTime {
        RunTime { process, time: run_time(process) }
    }

    /// Whether the process has left a system call that it may have executed then, at `since`, provided that it does not sleep in
    /// it: it has run since then, or sleeps.
    pub(super) fn has_gone_on(&self, since: Instant) -> bool {
        let now = run_time(self.process);
        let has_run = match (self.time, now) {
            (Some(before), Some(now)) => now.saturating_sub(before) >= END_OF_CALL,
            _ => true,
        };
        has_run || is_asleep(self.process) || since.elapsed() >= STARVED
    }
}

fn run_time(process: Pid) -> Option<Duration> {
    // SAFETY: plain system calls that write into the two variables, which are read where they have succeeded.
    unsafe {
        let mut clock = MaybeUninit::uninit();
        if libc::clock_getcpuclockid(process.as_raw_pid(), clock.as_mut_ptr()) != 0 {
            return None;
        }
        let mut time = MaybeUninit::<libc::timespec>::uninit();
        if libc::clock_gettime(clock.assume_init(), time.as_mut_ptr()) != 0 {
            return None;
        }
        let time = time.assume_init();
        Some(Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
    }
}

/// Whether the first thread of a process sleeps.
fn is_asleep(process: Pid) -> bool {
    let stat = std::fs::read(format!("/proc/{}/stat", process.as_raw_pid())).unwrap_or_default();
    // Behind the name of the program, which may contain anything.
    let state = stat.iter().rposition(|&byte| byte == b')').and_then(|at| stat.get(at + 2));
    state.is_some_and(|&state| state == b'S')
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::getpid;
    use std::hint::black_box;
    use std::process::Command;

    #[test]
    fn a_process_goes_on_when_it_runs_or_sleeps() {
        let (since, before) = (Instant::now(), RunTime::now(getpid()));
        assert!(before.time.is_some());
        while run_time(getpid()).unwrap() < before.time.unwrap() + END_OF_CALL {
            black_box(0);
        }
        assert!(before.has_gone_on(since));
        let mut sleeper = Command::new("sleep").arg("60").spawn().unwrap();
        let process = Pid::from_child(&sleeper);
        while !is_asleep(process) {}
        assert!(RunTime::now(process).has_gone_on(Instant::now()));
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
    }
}
