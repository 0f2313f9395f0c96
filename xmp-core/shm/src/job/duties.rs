//! The duties of an image control statement besides ordering loads and stores. Fast paths ask one word, and do nothing
//! more while it is 0.
//!
//! One duty is the launcher's wish: an image that prints much writes without a signal for each write, so the launcher has to read
//! what it has printed before other images may continue (`xmp-core/boot/src/launch/README.md`, "Output"). The launcher wishes it
//! before it takes the signals away. So an image that has written without a signal finds the word: its write has found, after the
//! launcher's, that there is no signal. The system call branches on what it has found, and processors perform loads after its return
//! after that: x86-64 keeps the order of loads, and the return from an exception synchronises the context on Armv8. The launcher's word
//! is stored with release order, before the kernel acquires the lock of the file whose signals it takes away
//! (`tests/litmus/signal.litmus`).

use crate::sync::{AtomicU32, Ordering};
use crate::wait::futex::Word;

/// Operations on other hosts, or accesses where races are looked for: never taken away.
const GENERAL: u32 = 1;
/// Lines of other images' private memory.
const LINES: u32 = 2;
/// The launcher has to read the image's output.
const OUTPUT: u32 = 4;

/// Each write of the image is noted.
const NOTED: u32 = 0;
/// The launcher wants to read before other images continue.
const WANTED: u32 = 1;
/// The image waits for that.
const WAITING: u32 = 2;

/// See the module. All-zero memory is one without duties.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Duties {
    word: AtomicU32,
    output: Word,
}

impl Duties {
    /// Those of a process that must not use the image: all statements take their slow paths.
    pub fn of_no_image() -> Duties {
        let duties = Duties::default();
        duties.add_general();
        duties
    }

    /// Whether there are none. Any thread may call this.
    #[inline(always)]
    pub fn are_none(&self) -> bool {
        // Relaxed: `SegmentOrder::get` and the module have the changes that a thread must not miss.
        self.word.load(Ordering::Relaxed) == 0
    }

    /// More than loads and stores is always to be ordered.
    pub fn add_general(&self) {
        self.word.fetch_or(GENERAL, Ordering::Relaxed);
    }

    /// The image keeps lines of other images' private memory from now on.
    pub fn add_lines(&self) {
        self.word.fetch_or(LINES, Ordering::Relaxed);
    }

    /// The lines are empty.
    pub fn remove_lines(&self) {
        if self.word.load(Ordering::Relaxed) & LINES != 0 {
            self.word.fetch_and(!LINES, Ordering::Relaxed);
        }
    }

    /// The launcher wants to read the image's output before other images continue.
    pub fn want_output(&self) {
        // Unless another stream of the image is to be read. The image may be waiting for that.
        let _ = self.output.compare_exchange(NOTED, WANTED, Ordering::Relaxed, Ordering::Relaxed);
        // Release: an image that finds this finds the other word, too.
        self.word.fetch_or(OUTPUT, Ordering::Release);
    }

    /// The launcher has read it.
    pub fn have_output(&self) {
        self.word.fetch_and(!OUTPUT, Ordering::Relaxed);
        // Release: with the acquire order of `give_output`, images that continue see that each write is noted again.
        if self.output.swap(NOTED, Ordering::Release) == WAITING {
            self.output.wake();
        }
    }

    /// Whether the image waits for that.
    pub fn is_output_awaited(&self) -> bool {
        self.output.load(Ordering::Acquire) == WAITING
    }

    /// Whether the launcher wants to read the image's output.
    #[inline(always)]
    pub fn is_output_wanted(&self) -> bool {
        // Relaxed: as in `are_none`.
        self.word.load(Ordering::Relaxed) & OUTPUT != 0
    }

    /// Returns when the launcher has read what the image has printed, if it wants to.
    #[inline]
    pub fn give_output(&self) {
        if self.is_output_wanted() {
            self.wait_for_reader();
        }
    }

    #[cold]
    fn wait_for_reader(&self) {
        // The word of duties may have been read before a change of the other one: it decides.
        while self.output.load(Ordering::Acquire) != NOTED {
            let order = (Ordering::AcqRel, Ordering::Acquire);
            let change = self.output.compare_exchange(WANTED, WAITING, order.0, order.1);
            if !matches!(change, Err(NOTED)) {
                self.output.wait(WAITING, None);
            }
        }
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    /// Two threads of an image may wait at the same time. All that was printed before is read before one continues.
    #[test]
    fn loom_images_continue_when_their_output_was_read() {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(2);
        builder.check(|| {
            let shared = Arc::new((Duties::default(), AtomicU32::new(0), AtomicU32::new(0)));
            shared.0.want_output();
            let waits = || {
                let shared = shared.clone();
                thread::spawn(move || {
                    let (duties, printed, read) = &*shared;
                    printed.fetch_add(1, Ordering::Relaxed);
                    // As `give_output`.
                    if duties.is_output_wanted() {
                        duties.wait_for_reader();
                        assert!(read.load(Ordering::Relaxed) > 0);
                    }
                })
            };
            let (one, another) = (waits(), waits());
            let (duties, printed, read) = &*shared;
            while !duties.is_output_awaited() {
                thread::yield_now();
            }
            read.store(printed.load(Ordering::Relaxed), Ordering::Relaxed);
            duties.have_output();
            one.join().unwrap();
            another.join().unwrap();
        });
    }
}
