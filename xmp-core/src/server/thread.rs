//! The thread in which a leader's server works while the application computes.

use super::port::Port;
use crate::error::{Error, Result};
use crate::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Looks without anything to do before the first nap, with a yield of the core between two.
const YIELDS: u32 = 16;
/// Naps without anything to do before they get longer.
const SHORT_NAPS: u32 = 64;
/// How many times longer.
const LONG_NAP: u32 = 8;

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
        let thread = process::thread::start("xmp-server", move || work(&port, nap, &stopped));
        let thread =
            thread.map_err(|error| Error::os("cannot start the communication server", error))?;
        Ok(Progress { stop, thread: Some(thread) })
    }

    /// Ends the thread, in the middle of nothing.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        // Relaxed: nothing comes with it; the join orders what the thread has done.
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
    let (mut idle, mut looks) = (0, port.looks());
    while !stop.load(Ordering::Relaxed) {
        let now = port.looks();
        if std::mem::replace(&mut looks, now) != now {
            // The application waits, and looks itself.
            std::thread::park_timeout(nap * LONG_NAP);
            continue;
        }
        match port.serve_if_idle() {
            Some(Ok(true)) => idle = 0,
            Some(Ok(false)) => idle += 1,
            // The application has its turn.
            None => {}
            // The job is ending.
            Some(Err(_)) => return,
        }
        match idle {
            0..YIELDS => std::thread::yield_now(),
            _ if idle < YIELDS + SHORT_NAPS => std::thread::park_timeout(nap),
            _ => std::thread::park_timeout(nap * LONG_NAP),
        }
    }
}

/// Has this thread wake up from naps when they end: Linux lets the timers of a thread be late by 50 us, which is as long as a
/// nap, if it is not told otherwise.
pub fn exact_naps() {
    const SLACK: Duration = Duration::from_micros(5);
    // SAFETY: changes this thread's timer slack, without pointers. If it is refused, naps last longer.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, SLACK.as_nanos() as libc::c_ulong) };
}
