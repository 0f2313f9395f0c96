//! Waiting budgets: the lengths of a wait's phases, from what is known before the job starts.

use super::core_use::CoreUse;
use crate::settings::Settings;
use std::time::Duration;

/// Spinning of an image that has a core of its own: answers of another core come within this time.
const SPIN: Duration = Duration::from_micros(8);

/// Spinning of an image that has a core for itself while others sleep. Those may wake up at any time and need the core.
const SPIN_BESIDE_SLEEPERS: Duration = Duration::from_micros(1);

/// Yields of an image that has a core of its own, about 200 us: longer than it takes to wake a sleeping image. With
/// less, a delay persists: a sleeping image answers so late that its partner sleeps by then and answers late in its
/// turn, and every exchange from then on costs two wake-ups (measured: 30 us instead of 0.13). If another program wants
/// the core, a yield gives it away.
const YIELDS: u32 = 500;

/// Yields of an image that shares its core: each lets another image run, and after this many all of them have run
/// (measured best for 4 to 16 images on 2 cores).
const YIELDS_CROWDED: u32 = 16;

/// How many times as many yields an image that shares its core makes where it must poll: no doorbell wakes it, and a
/// nap takes longer than any answer, which crosses two processes and a network in 10 to 100 us. Each yield lets other
/// images run.
const ASKING: u32 = 12;

/// The budget of images that share cores.
const CROWDED: Waiting = Waiting { spin_ns: 0, yields: YIELDS_CROWDED, crowded: 1 };

/// Waiting budgets; see `wait/README.md`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Nanoseconds of spinning before the first yield; 0 when images share cores.
    pub spin_ns: u32,
    /// Yields before parking.
    pub yields: u32,
    /// 1 if this job has more images than cores to run on.
    pub crowded: u32,
}

impl Waiting {
    /// The budget of a wait that asks another host, and ends by no ring.
    pub(super) fn asking(self) -> Waiting {
        let times = if self.crowded != 0 { ASKING } else { 1 };
        Waiting { yields: self.yields.saturating_mul(times), ..self }
    }

    /// The budget of a wait that begins now, and whether the image times its yields in it: an image with a core of its own does,
    /// because a yield that takes long has met another program there. `core`: what an image that shares cores knows of its core.
    pub(super) fn begin(self, core: Option<CoreUse>) -> (Waiting, bool) {
        match core {
            None => (self, self.crowded == 0),
            Some(CoreUse::Own) => (self.with_a_core(), true),
            Some(CoreUse::Shared { timed }) => (self, timed),
            Some(CoreUse::Taken) => (Waiting { yields: 0, ..self }, false),
        }
    }

    /// The budget of a wait of an image that shares cores, but has one for itself while others sleep: nearly that of an image with a core
    /// of its own, for the same reasons. Unless settings have chosen the budget.
    fn with_a_core(self) -> Waiting {
        if self != CROWDED {
            return self;
        }
        let spin_ns = SPIN_BESIDE_SLEEPERS.as_nanos() as u32;
        Waiting { spin_ns, yields: YIELDS, crowded: 0 }
    }

    /// The budgets of `images` images on `cores` cores.
    pub fn budget(images: u32, cores: usize, settings: &Settings) -> Waiting {
        let crowded = images as usize > cores;
        let (spin, yields) =
            if crowded { (Duration::ZERO, YIELDS_CROWDED) } else { (SPIN, YIELDS) };
        let spin = settings.spin.unwrap_or(spin);
        Waiting {
            // Settings refuse more than a second.
            spin_ns: u32::try_from(spin.as_nanos()).unwrap_or(u32::MAX),
            yields: settings.yields.unwrap_or(yields),
            crowded: crowded.into(),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn settings(name: &'static str, value: &'static str) -> Settings {
        Settings::from_pairs(&[(name, value)]).unwrap()
    }

    #[test]
    fn images_spin_only_with_a_core_each() {
        let default = settings("", "");
        let budget = |images, cores| Waiting::budget(images, cores, &default);
        assert_eq!(budget(2, 2), Waiting { spin_ns: 8000, yields: 500, crowded: 0 });
        assert_eq!(budget(3, 2), Waiting { spin_ns: 0, yields: 16, crowded: 1 });
    }

    #[test]
    fn an_image_beside_sleeping_ones_waits_as_with_a_core_of_its_own_unless_settings_say_otherwise()
    {
        let beside = |name, value| Waiting::budget(3, 2, &settings(name, value)).with_a_core();
        assert_eq!(beside("", ""), Waiting { spin_ns: 1000, yields: 500, crowded: 0 });
        assert_eq!(beside("XMP_YIELDS", "3"), Waiting { spin_ns: 0, yields: 3, crowded: 1 });
        assert_eq!(beside("XMP_SPIN", "2"), Waiting { spin_ns: 2000, yields: 16, crowded: 1 });
    }

    #[test]
    fn an_image_with_a_core_of_its_own_times_its_yields() {
        let default = settings("", "");
        let (free, crowded) = (Waiting::budget(2, 2, &default), Waiting::budget(3, 2, &default));
        assert_eq!((free.begin(None), crowded.begin(None)), ((free, true), (crowded, false)));
        // Settings have chosen the budget, and the image still has the core for itself.
        let chosen = Waiting::budget(3, 2, &settings("XMP_YIELDS", "3"));
        assert_eq!(chosen.begin(Some(CoreUse::Own)), (chosen, true));
        for timed in [false, true] {
            assert_eq!(crowded.begin(Some(CoreUse::Shared { timed })), (crowded, timed));
        }
        assert_eq!(crowded.begin(Some(CoreUse::Taken)).0.yields, 0);
    }

    #[test]
    fn settings_override_the_budgets() {
        assert_eq!(Waiting::budget(4, 2, &settings("XMP_SPIN", "2.5")).spin_ns, 2500);
        assert_eq!(Waiting::budget(1, 2, &settings("XMP_SPIN", "0")).spin_ns, 0);
        assert_eq!(Waiting::budget(1, 2, &settings("XMP_YIELDS", "3")).yields, 3);
    }
}
