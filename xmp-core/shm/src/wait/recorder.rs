//! The record of a wait, which the surviving images and the launcher read.

use super::need::Describe;
use super::probe::Probe;
use std::time::Duration;

/// Time between two looks at other images, at first and at most.
pub const PAUSES: [Duration; 2] = [Duration::from_micros(50), Duration::from_millis(1)];

/// Records that this image waits: by number as soon as it sleeps, for the surviving images once any image has ended, and
/// in answer to a probe (`../failure/README.md`, "Waits that no image can end" and "Deadlocks").
pub trait Recorder {
    /// Numbers the wait if it has no number yet: the image sleeps.
    fn sleeps(&self);

    /// Whether the image has answered this probe.
    fn has_answered(&self, probe: Probe) -> bool;

    /// Records the wait. From its second call in a wait on, the image has evaluated its condition and its watch since
    /// the last call. It also advances the operations in the background; if one of them advances, the record ends.
    fn look(&self);

    /// Answers `probe`. Since it has read the probe, the image has evaluated its condition and its watch, and has found
    /// nothing to do. `wait` describes what the wait needs, and its variable; `None` if nothing is known.
    fn answer(&self, probe: Probe, wait: Option<&dyn Describe>);

    /// Background work has been done: looks are counted anew. It is the same wait.
    fn advanced(&self);

    /// Ends the record: the wait is over, or the image has done something that may end the wait of another image.
    fn release(&self);
}

xmp_map::debug_by_name!(Recorder);

/// The looks of one wait that are recorded, once an image has ended.
#[derive(Default)]
pub(super) struct RecordedLooks {
    /// The last sleep between two looks.
    pause: Option<Duration>,
    has_begun: bool,
}

impl RecordedLooks {
    /// Whether a look was recorded: each later one must include the ends of other images.
    #[inline]
    pub fn have_begun(&self) -> bool {
        self.has_begun
    }

    /// Records a look before a sleep, whose longest duration it returns. Most waits are over after the first one, so that is not recorded.
    pub fn before_sleep(&mut self, recorder: &dyn Recorder) -> Duration {
        if let Some(pause) = &mut self.pause {
            recorder.look();
            self.has_begun = true;
            *pause = (2 * *pause).min(PAUSES[1]);
        }
        *self.pause.get_or_insert(PAUSES[0])
    }
}
