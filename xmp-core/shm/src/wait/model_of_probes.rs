//! Loom model of probes: images that continue are not taken for images that wait for one another.

use super::*;
use crate::sync::{AtomicU32, AtomicU64, Ordering, yield_now};
use loom::sync::Arc;
use std::cell::Cell;

/// What images share: a flag that the other image sets, and the answer to the last probe.
#[derive(Default)]
struct SharedImage {
    doorbell: Doorbell,
    flag: AtomicU32,
    /// The probe in the lower half, the number of the wait in the upper one.
    answer: AtomicU64,
}

#[derive(Default)]
struct Shared {
    status: Status,
    images: [SharedImage; 2],
}

/// The record of an image, without what its answers tell besides the wait.
#[derive(Debug)]
struct Own<'a> {
    answer: &'a AtomicU64,
    wait: Cell<u32>,
    answered: Cell<Probe>,
}

impl Recorder for Own<'_> {
    fn sleeps(&self) {
        if self.wait.get().is_multiple_of(2) {
            self.wait.set(self.wait.get() + 1);
        }
    }

    fn has_answered(&self, probe: Probe) -> bool {
        self.answered.get() == probe
    }

    fn look(&self) {}

    fn answer(&self, probe: Probe, _: Option<&dyn Describe>) {
        self.answered.set(probe);
        let answer = u64::from(self.wait.get()) << 32 | u64::from(probe.0);
        self.answer.store(answer, Ordering::Release);
    }

    fn advanced(&self) {}

    fn release(&self) {
        if !self.wait.get().is_multiple_of(2) {
            self.wait.set(self.wait.get() + 1);
        }
    }
}

impl Shared {
    fn set_flag_of(&self, image: usize) {
        self.images[image].flag.store(1, Ordering::Release);
        self.images[image].doorbell.ring();
    }

    fn wait_for_flag(&self, me: usize) {
        let image = &self.images[me];
        let own = Own { answer: &image.answer, wait: Cell::new(0), answered: Cell::default() };
        let budget = Waiting { spin_ns: 0, yields: 0, crowded: 1 };
        Waits::new(&image.doorbell, &self.status, budget, None)
            .recorded_by(&own)
            .until(|| Ok(()), || image.flag.load(Ordering::Acquire) == 1)
            .unwrap();
    }

    /// The waits of both images, if both have answered this probe.
    fn probe(&self, number: u32) -> Option<[u32; 2]> {
        self.status.probe.store(number, Ordering::Release);
        self.images.iter().for_each(|image| image.doorbell.ring());
        yield_now();
        let [one, other] = [0, 1].map(|at: usize| self.images[at].answer.load(Ordering::Acquire));
        let are_there = one as u32 == number && other as u32 == number;
        are_there.then_some([one, other].map(|answer| (answer >> 32) as u32))
    }
}

/// Image 2 sets the flag of image 1 and waits; image 1 sets that of image 2 when it has found its own. Both continue, so
/// no two probes find both of them in the same waits.
#[test]
fn loom_images_that_continue_do_not_answer_two_probes_in_the_same_waits() {
    let mut model = loom::model::Builder::new();
    // All orders of this many steps take hours. Each error that this model is for needs fewer switches.
    model.preemption_bound = Some(2);
    model.check(|| {
        let shared = Arc::new(Shared::default());
        let [one, other] = [shared.clone(), shared.clone()];
        let one = loom::thread::spawn(move || {
            one.wait_for_flag(0);
            one.set_flag_of(1);
        });
        let other = loom::thread::spawn(move || {
            other.set_flag_of(0);
            other.wait_for_flag(1);
        });
        if let Some(first) = shared.probe(2) {
            assert_ne!(shared.probe(4), Some(first));
        }
        one.join().unwrap();
        other.join().unwrap();
    });
}
