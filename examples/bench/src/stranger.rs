//! A stranger: a thread that keeps one core busy beside what is measured.

use std::io;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

/// Keeps a core busy until it is dropped.
pub struct Stranger {
    /// The core.
    pub core: usize,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Stranger {
    /// Begins, on the last core that this process may use.
    ///
    /// # Errors
    /// The cores of a thread cannot be read or set.
    pub fn start() -> io::Result<Self> {
        let core = last_core()?;
        let is_over = Arc::new(AtomicBool::new(false));
        let (sender, bound) = mpsc::channel();
        let ends = is_over.clone();
        let thread = thread::spawn(move || {
            let outcome = bind(core);
            let is_bound = outcome.is_ok();
            // The receiver waits for it.
            let _ = sender.send(outcome);
            // Relaxed: only that it becomes true matters, and the join orders the rest.
            while is_bound && !ends.load(Relaxed) {
                std::hint::spin_loop();
            }
        });
        let stranger = Self { core, is_over, thread: Some(thread) };
        bound.recv().map_err(io::Error::other)??;
        Ok(stranger)
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        self.is_over.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            // It does not panic.
            let _ = thread.join();
        }
    }
}

/// The last core that this thread may use.
fn last_core() -> io::Result<usize> {
    // SAFETY: a set of cores is an array of integers, for which zero is a value.
    let mut cores: libc::cpu_set_t = unsafe { mem::zeroed() };
    // SAFETY: the set has the size that is given, and the call writes no more.
    let status = unsafe { libc::sched_getaffinity(0, size_of_val(&cores), &raw mut cores) };
    if status != 0 {
        return Err(io::Error::last_os_error());
    }
    let all = 0..8 * size_of_val(&cores);
    // SAFETY: the set has this many cores.
    let last = all.rev().find(|&core| unsafe { libc::CPU_ISSET(core, &cores) });
    last.ok_or_else(|| io::Error::other("no core"))
}

/// Binds this thread to a core.
fn bind(core: usize) -> io::Result<()> {
    // SAFETY: a set of cores is an array of integers, for which zero is a value.
    let mut cores: libc::cpu_set_t = unsafe { mem::zeroed() };
    // SAFETY: the core is one of a set that the kernel gave, so it is within the set.
    unsafe { libc::CPU_SET(core, &mut cores) };
    // SAFETY: the set has the size that is given, and the call only reads it.
    match unsafe { libc::sched_setaffinity(0, size_of_val(&cores), &raw const cores) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stranger_has_the_last_core_and_this_thread_keeps_all() {
        let before = last_core().unwrap();
        let stranger = Stranger::start().unwrap();
        assert_eq!(stranger.core, before);
        assert!(!stranger.is_over.load(Relaxed));
        assert_eq!(last_core().unwrap(), before);
        let is_over = stranger.is_over.clone();
        drop(stranger);
        assert!(is_over.load(Relaxed));
        assert_eq!(Arc::strong_count(&is_over), 1, "the thread has ended");
    }

    #[test]
    fn a_thread_that_is_bound_has_one_core() {
        let bound = thread::spawn(|| {
            let core = last_core().unwrap();
            bind(core).unwrap();
            (core, thread::available_parallelism().unwrap().get(), last_core().unwrap())
        });
        let (core, cores, last) = bound.join().unwrap();
        assert_eq!((cores, last), (1, core));
    }
}
