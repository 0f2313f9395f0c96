//! Adaptive spin: a short spin instead of a yield, for an image that shares its core.

use crate::sync::spin_loop;
use std::cell::Cell;

/// Most occasions that are skipped after a spin in vain.
const MAX_PASSED: u32 = 16;

/// Decides, from experience, when a short spin instead of a yield pays off.
///
/// Where images share cores, a wait yields between two looks, because the awaited image may be runnable on this very
/// core. When only one image is still missing, it mostly runs on another core, as the last one there to have its turn.
/// Then a yield only takes a turn from the next exchange. Without the yield the image that came last on its core goes
/// on, and no core switches more often than it must (measured, barrier of 4 images on 2 cores: 2 switches in all in
/// place of 3, 0.7 of the time).
///
/// An image does not know where the missing one runs, so this type learns. Each spin in vain doubles the number of
/// occasions that are skipped before the next one; each successful spin halves it. If all images are on one core,
/// because another program keeps the others, a tenth of the time is lost (without learning, a barrier takes two to
/// three times as long).
///
/// The next try must not be far away. Where images synchronise in pairs, the two of a pair that run at the same time
/// need no switch at all as long as both spin. Two that have lost each other find together again by trying (8 images on
/// 2 cores in pairs, each bound: 3.6 us a barrier with at most 256 occasions skipped and 1 us of spinning, 0.6 with 16
/// and 2 us).
#[derive(Debug, Default)]
pub struct AdaptiveSpin {
    /// Occasions still to skip.
    pass: Cell<u32>,
    /// Occasions that were skipped after the last spin in vain.
    passed: Cell<u32>,
}

impl AdaptiveSpin {
    /// Whether `ready()` becomes true during a short spin; spins only if that seems worth it.
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
        if found {
            self.passed.set(passed / 2)
        } else {
            self.passed.set((passed * 2).clamp(1, MAX_PASSED));
            self.pass.set(self.passed.get());
        }
    }
}

/// One item for each look of a spin. A spin lasts about as long as an image takes to be switched to and to reach the
/// next exchange.
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

    /// How many of `occasions` occasions were used for a spin.
    fn looked(spin: &AdaptiveSpin, occasions: u32, found: bool) -> u32 {
        let looks = |_: &u32| {
            let mut looked = false;
            let result = spin.look(&mut || {
                looked = true;
                found
            });
            assert_eq!(result, looked && found);
            looked
        };
        (0..occasions).filter(looks).count() as u32
    }

    #[test]
    fn spins_in_vain_become_rare_and_successful_ones_return() {
        let spin = AdaptiveSpin::default();
        assert_eq!(looked(&spin, 100, true), 100);
        // After 1, 2, 4, 8 occasions; from then on after 16.
        assert_eq!(looked(&spin, 37, false), 6);
        let tries = looked(&spin, 17 * 8, false);
        assert!((7..=9).contains(&tries), "{tries}");
        // Worth it again: from the next try on, always.
        assert!(looked(&spin, 17, true) >= 1);
        assert_eq!(looked(&spin, 100, true), 100);
    }

    #[test]
    fn a_spin_in_vain_ends() {
        assert!(!AdaptiveSpin::default().look(&mut || false));
    }
}
