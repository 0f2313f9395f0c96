//! Two barriers: a central counter, and dissemination.

use super::image::Image;
use std::sync::atomic::Ordering::{AcqRel, Relaxed};

impl Image {
    /// The better one: dissemination with a core for each process, else the counter.
    pub fn barrier(&mut self) {
        if self.policy.core_each() {
            self.dissemination_barrier();
        } else {
            self.central_barrier();
        }
    }

    /// Everyone counts itself; the last one releases the others.
    pub fn central_barrier(&mut self) {
        let control = self.region.control();
        let before = control.completed.load();
        // AcqRel: the last to arrive has seen all the others' writes, and its `set` passes them on.
        let arrived = control.arrived.0.fetch_add(1, AcqRel) + 1;
        if arrived as usize == self.count {
            // No process arrives again before `set` below, which orders this store.
            control.arrived.0.store(0, Relaxed);
            control.completed.set(before.wrapping_add(1));
        } else {
            self.policy.wait(&control.completed, before.wrapping_add(1));
        }
    }

    /// In round r everyone signals the process 2^r further and waits for the one 2^r behind. The
    /// signals count barriers, so a fast neighbour's next signal is no confusion.
    pub fn dissemination_barrier(&mut self) {
        let control = self.region.control();
        self.rounds_passed = self.rounds_passed.wrapping_add(1);
        let mut distance = 1;
        let mut round = 0;
        while distance < self.count {
            let next = (self.me + distance) % self.count;
            control.mailboxes[next].rounds[round].set(self.rounds_passed);
            self.policy.wait(&control.mailboxes[self.me].rounds[round], self.rounds_passed);
            distance *= 2;
            round += 1;
        }
    }
}
