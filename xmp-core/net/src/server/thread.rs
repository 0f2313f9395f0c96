//! The thread in which a leader's server works while the application computes.

use super::port::Port;
use crate::error::{Error, Result};
use crate::wait::Pause;
use crate::{service_thread, short_slices};
use rustix::thread::set_current_timer_slack;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Looks without anything to do before the first nap, with a yield of the core between two.
const YIELDS: u32 = 16;
/// A yield that takes longer has met an image that computes; waiting images return their core sooner.
const PROGRESS: Duration = Duration::from_millis(1);
/// Looks at each end of a short nap where other hosts may use a window: MPI takes some KiB of a long transfer at each,
/// and only MPI knows whether there is one.
const LOOKS_FOR_WINDOWS: u32 = 16;
/// Naps without anything to do before they get longer.
const SHORT_NAPS: u32 = 64;
/// How many times longer.
const LONG_NAP: u32 = 8;
/// Number of these longer naps before they get longer still: a tenth of a second.
const LONG_NAPS: u32 = 256;
/// How many times longer than the first. (1.6 ms: a request that comes then waits a little, and each look costs the
/// computing images some microseconds.)
const LONGEST_NAP: u32 = 32;
/// Polls of the application in the time of a short nap that say that it does nothing else: one in ten microseconds.
const DENSE: u32 = 5;

/// A server's own thread. It ends when this is dropped.
#[derive(Debug)]
pub struct Progress {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Starts the thread of a leader's port.
    ///
    /// # Errors
    /// When the system has no thread for it.
    pub fn start(port: Arc<Port>, nap: Duration) -> Result<Progress> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = service_thread::start("xmp-server", move || work(&port, nap, &stopped));
        let thread = thread
            .map_err(|error| Error::no_process("cannot start the communication server", error))?;
        Ok(Progress { stop, thread: Some(thread) })
    }

    /// Ends the thread between two steps of its work.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        // Relaxed: the flag orders nothing; the join orders what the thread has done.
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A panic of the thread was written to standard error.
            let _ = thread.join();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

fn work(port: &Port, nap: Duration, stop: &AtomicBool) {
    exact_naps();
    // Otherwise an image that computes on its core makes every request wait for the end of a slice.
    short_slices::request(&[libc::SCHED_OTHER], false);
    let (mut idle, mut looks, mut beside) = (0u32, port.looks(), LONG_NAP);
    let (most, again) =
        if port.has_window() { (LONG_NAP, LOOKS_FOR_WINDOWS) } else { (LONGEST_NAP, 1) };
    // A long transfer needs many looks, and each yield to an image that computes loses a time slice of some milliseconds. So after
    // one it only naps for a while: a thread that naps is woken before the end of a slice.
    let mut pause = Pause::NONE;
    while !stop.load(Ordering::Relaxed) {
        let now = port.looks();
        let polls = now.wrapping_sub(std::mem::replace(&mut looks, now));
        let looked = if polls == 0 {
            look(port, if nap_after(idle) == 1 { again } else { 1 })
        } else {
            None
        };
        match looked {
            Some(Ok(true)) => {
                let only_naps = !pause.is_none() && pause.lasts(Instant::now());
                idle = if only_naps { YIELDS } else { 0 };
            }
            Some(Ok(false)) => idle = idle.saturating_add(1),
            // The application uses the fabric: it polls while it waits, or transfers much and serves at its next look.
            None => {
                beside = nap_beside(beside, polls);
                std::thread::park_timeout(nap * beside);
                continue;
            }
            // The job is ending.
            Some(Err(_)) => return,
        }
        beside = LONG_NAP;
        match nap_after(idle).min(most) {
            0 => {
                let began = Instant::now();
                std::thread::yield_now();
                let now = Instant::now();
                if now - began > PROGRESS {
                    pause.meets(true, now);
                    idle = YIELDS;
                }
            }
            times => std::thread::park_timeout(nap * times),
        }
    }
}

/// Calls [`Port::serve_if_idle`] `times` times, until there is something to do.
fn look(port: &Port, times: u32) -> Option<Result<bool>> {
    let mut looks = (0..times).map(|_| port.serve_if_idle());
    looks.find(|served| !matches!(served, Some(Ok(false)))).unwrap_or(Some(Ok(false)))
}

/// How many naps long the server sleeps after `idle` looks without anything to do; 0: it yields.
fn nap_after(idle: u32) -> u32 {
    const SHORT: u32 = YIELDS + SHORT_NAPS;
    const LONG: u32 = SHORT + LONG_NAPS;
    match idle {
        0..YIELDS => 0,
        YIELDS..SHORT => 1,
        SHORT..LONG => LONG_NAP,
        LONG.. => LONGEST_NAP,
    }
}

/// How many naps long the server sleeps beside an application that has polled `polls` times in its last sleep of `last` naps.
/// An application that exchanges one message after another loses some ten microseconds each time the server wakes up.
fn nap_beside(last: u32, polls: u32) -> u32 {
    if polls / DENSE >= last { (2 * last).min(LONGEST_NAP) } else { LONG_NAP }
}

/// Has this thread wake up from naps when they end: by default Linux lets the timers of a thread be late by 50 us, as
/// long as a nap.
pub fn exact_naps() {
    const SLACK: Duration = Duration::from_micros(5);
    // If it is refused, naps last longer.
    let _ = set_current_timer_slack(NonZeroU64::new(SLACK.as_nanos() as u64));
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn naps_get_longer_but_stay_short() {
        let naps: Vec<u32> = (0..1000).chain([u32::MAX]).map(nap_after).collect();
        assert!(naps.is_sorted());
        assert_eq!((naps[0], naps[YIELDS as usize]), (0, 1));
        // A request may wait for a hundredth of a second.
        let longest = crate::server::Limits::default().nap * nap_after(u32::MAX);
        assert!(longest < Duration::from_millis(5), "{longest:?}");
    }

    #[test]
    fn naps_get_longer_beside_an_application_that_only_communicates() {
        let dense = |last| nap_beside(last, DENSE * last);
        assert_eq!(dense(LONG_NAP), 2 * LONG_NAP);
        assert_eq!(dense(LONGEST_NAP), LONGEST_NAP);
        // It has computed meanwhile.
        assert_eq!(nap_beside(LONGEST_NAP, DENSE * LONGEST_NAP - 1), LONG_NAP);
        assert_eq!(nap_beside(LONG_NAP, 1), LONG_NAP);
    }
}
