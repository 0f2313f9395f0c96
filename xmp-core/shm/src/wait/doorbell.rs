//! The doorbell: where an image sleeps. The protocol and its proof are in `README.md`.

use super::futex;
use crate::sync::{AtomicU32, Ordering, fence};
use std::time::Duration;

/// The one place where an image parks. Zeroed memory is a valid doorbell.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Doorbell {
    /// Counts rings; the futex word.
    bell: futex::Word,
    /// Threads of the image that sleep, counted from just before they do until they are awake again.
    parked: AtomicU32,
    /// The number of the image's wait: odd from its first sleep to its end. Only the image writes it.
    wait: AtomicU32,
    /// Where images share cores, the core on which the image ran lately, from 1; 0: not known. Only the image writes it.
    core: AtomicU32,
}

impl Doorbell {
    /// Waiter: sleeps until the next [`Doorbell::ring`], unless `stay_awake` returns true; it is called after the
    /// intention to sleep became visible. `gate` is incremented while the waiter sleeps. Sleeps no longer than `nap`,
    /// if there is one. `around` executes the sleep. May return without a ring.
    pub fn park(
        &self,
        gate: Option<&AtomicU32>,
        nap: Option<Duration>,
        stay_awake: impl FnOnce() -> bool,
        around: impl FnOnce(&mut dyn FnMut()),
    ) {
        // Acquire: pairs with the release increment in `ring_now`. A ring that is not slept through so brings what was
        // written before it.
        let ticket = self.bell.load(Ordering::Acquire);
        self.parked.fetch_add(1, Ordering::Relaxed);
        if let Some(gate) = gate {
            gate.fetch_add(1, Ordering::Relaxed);
        }
        // SeqCst fence: orders the stores above before the loads in `stay_awake`. The notifier's fence orders its store
        // before its load of `parked` or of the gate. One of the two sides sees the other's store.
        fence(Ordering::SeqCst);
        if !stay_awake() {
            around(&mut || self.bell.wait(ticket, nap));
        }
        if let Some(gate) = gate {
            gate.fetch_sub(1, Ordering::Relaxed);
        }
        self.parked.fetch_sub(1, Ordering::Relaxed);
    }

    /// The number of the wait in which the image has slept; even when it does not wait. A hint for the launcher when to
    /// probe.
    pub fn wait_number(&self) -> u32 {
        self.wait.load(Ordering::Relaxed)
    }

    /// Publishes the number of a wait.
    #[inline]
    pub fn set_wait_number(&self, number: u32) {
        // Relaxed: a hint, which orders nothing.
        self.wait.store(number, Ordering::Relaxed);
    }

    /// Whether a thread of the image sleeps or is about to. A hint.
    pub fn is_parked(&self) -> bool {
        self.parked.load(Ordering::Relaxed) != 0
    }

    /// The core on which the image ran lately, from 1; 0: not known. A hint.
    #[inline]
    pub fn core(&self) -> u32 {
        self.core.load(Ordering::Relaxed)
    }

    /// Publishes the core.
    pub fn set_core(&self, core: u32) {
        // Relaxed: a hint, which orders nothing.
        self.core.store(core, Ordering::Relaxed);
    }

    /// Notifier: wakes the image if it sleeps or is about to. Called after the write that the image waits for.
    #[inline]
    pub fn ring(&self) {
        fence(Ordering::SeqCst);
        self.ring_if_parked();
    }

    /// Notifier: [`Doorbell::ring`] without its SeqCst fence, which the notifier has executed already, once for many
    /// doorbells.
    #[inline]
    pub fn ring_if_parked(&self) {
        if self.parked.load(Ordering::Relaxed) != 0 {
            self.ring_now();
        }
    }

    #[cold]
    fn ring_now(&self) {
        // Release: pairs with the acquire load of the ticket.
        self.bell.fetch_add(1, Ordering::Release);
        self.bell.wake();
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use crate::sync::AtomicU32;
    use loom::sync::Arc;

    /// A flag set before a ring is never slept through.
    #[test]
    fn loom_ring_is_not_lost() {
        loom::model(|| {
            let shared = Arc::new((Doorbell::default(), AtomicU32::new(0)));
            let notifier = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    shared.1.store(1, Ordering::Release);
                    shared.0.ring();
                })
            };
            while shared.1.load(Ordering::Acquire) == 0 {
                shared.0.park(
                    None,
                    None,
                    || shared.1.load(Ordering::Acquire) == 1,
                    |sleep| sleep(),
                );
            }
            notifier.join().unwrap();
        });
    }

    /// With a gate the notifier reads the gate only; still no ring is lost.
    #[test]
    fn loom_gate_is_not_lost() {
        loom::model(|| {
            let shared = Arc::new((Doorbell::default(), AtomicU32::new(0), AtomicU32::new(0)));
            let notifier = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    shared.1.store(1, Ordering::Release);
                    fence(Ordering::SeqCst);
                    if shared.2.load(Ordering::Relaxed) != 0 {
                        shared.0.ring_if_parked();
                    }
                })
            };
            while shared.1.load(Ordering::Acquire) == 0 {
                shared.0.park(
                    Some(&shared.2),
                    None,
                    || shared.1.load(Ordering::Acquire) == 1,
                    |sleep| sleep(),
                );
            }
            notifier.join().unwrap();
        });
    }
}
