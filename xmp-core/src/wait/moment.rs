//! A moment of looking in place of a yield, for an image that shares its core.

use crate::sync::spin_loop;
use std::cell::Cell;

/// Most occasions that are let pass after one in vain.
const MOST_PASSED: u32 = 16;

/// Where images share cores, a wait yields between two looks: who is waited for may be runnable on this very core. When
/// only one image is still missing, it mostly runs on another core, having taken its turn as the last one there. Then a
/// yield only takes a turn from the next exchange: without it the image that came last on its core goes on, and
/// no core switches more than it must (measured, barrier of 4 images on 2 cores: 2 switches in all in place of 3, 0.7 of the
/// time).
///
/// Nobody knows where the missing one runs, so this learns: each moment in vain doubles the number of occasions that are
/// let pass before the next one, each that was worth it halves it. If all images are on one core, because another program
/// keeps the others, a tenth of the time is lost (without learning: twice to three times the time of a barrier).
///
/// The next try must not be far: where images synchronise in pairs, those of a pair that run at the same time need no switch
/// at all as long as they meet, and two that have lost each other find together again by trying (8 images on 2 cores
/// in pairs, each bound: 3.6 us a barrier with at most 256 occasions let pass and 1 us of looking, 0.6 with 16 and 2 us).
#[derive(Debug, Default)]
pub struct Moment {
    /// Occasions to let pass.
    pass: Cell<u32>,
    /// What a moment in vain makes of that.
    passed: Cell<u32>,
}

impl Moment {
    /// Whether `ready()` becomes true within a moment; looks for it only if that seems worth it.
    pub(super) fn look(&self, ready: &mut impl FnMut() -> bool) -> bool {
        if self.pass.get() > 0 {
            self.pass.set(self.pass.get() - 1);
            return false;
        }
        let found = looks().any(|()| {
            spin_loop();
            ready()
        });
        self.learn(found);
        found
    }

    fn learn(&self, found: bool) {
        let passed = self.passed.get();
        match found {
            true => self.passed.set(passed / 2),
            false => {
                self.passed.set((passed * 2).clamp(1, MOST_PASSED));
                self.pass.set(self.passed.get());
            }
        }
    }
}

/// One item for each look within a moment: about as long as an image takes to be switched to and to do what is
/// between two exchanges.
#[cfg(not(loom))]
fn looks() -> impl Iterator<Item = ()> {
    use std::time::{Duration, Instant};
    const LENGTH: Duration = Duration::from_micros(2);
    /// Looks between two readings of the clock.
    const LOOKS: u32 = 16;
    let start = Instant::now();
    let mut count = 0u32;
    std::iter::from_fn(move || {
        count += 1;
        (!count.is_multiple_of(LOOKS) || start.elapsed() < LENGTH).then_some(())
    })
}

/// Loom tries all orders anyway.
#[cfg(loom)]
fn looks() -> impl Iterator<Item = ()> {
    std::iter::once(())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// How often of so many occasions somebody looked.
    fn looked(moment: &Moment, occasions: u32, found: bool) -> u32 {
        let looks = |_: &u32| {
            let mut looked = false;
            let result = moment.look(&mut || {
                looked = true;
                found
            });
            assert_eq!(result, looked && found);
            looked
        };
        (0..occasions).filter(looks).count() as u32
    }

    #[test]
    fn what_is_in_vain_is_tried_ever_less_and_comes_back() {
        let moment = Moment::default();
        assert_eq!(looked(&moment, 100, true), 100);
        // After 1, 2, 4, 8 occasions; from then on after 16.
        assert_eq!(looked(&moment, 37, false), 6);
        let tries = looked(&moment, 17 * 8, false);
        assert!((7..=9).contains(&tries), "{tries}");
        // Worth it again: from the next try on, always.
        assert!(looked(&moment, 17, true) >= 1);
        assert_eq!(looked(&moment, 100, true), 100);
    }

    #[test]
    fn a_moment_ends() {
        assert!(!Moment::default().look(&mut || false));
    }
}
