//! The other work of a waiting image: operations in the background, between looks and between naps.

use std::time::Duration;

/// Operations that a waiting image advances in the background (`README.md`, "Background progress").
pub trait Background {
    /// Does what can be done without waiting. Returns whether anything was done.
    ///
    /// `spun` is `Some(looks)` while the wait spins or has just begun: it has looked `looks` times before and will look
    /// again at once, many times a microsecond, or after one yield. Most waits end after a few such looks, so work that
    /// takes longer than a look need not be done each time. `None`: the image is about to sleep.
    fn advance(&self, spun: Option<u32>) -> bool;

    /// The time that the image may sleep before `advance` must be called again; a wait that lasts may sleep longer. `None`:
    /// the doorbell rings for all background work.
    fn nap(&self) -> Option<Duration> {
        None
    }
}

xmp_map::debug_by_name!(Background);

/// The naps of one wait: as short as the background work needs at first, longer once the wait has lasted for
/// milliseconds.
pub(super) struct Naps {
    nap: Option<Duration>,
    count: u32,
}

impl Naps {
    /// Number of short naps.
    const SHORT_NAPS: u32 = 64;
    /// Factor between short and long naps.
    const LONGER: u32 = 8;

    pub fn new(nap: Option<Duration>) -> Naps {
        Naps { nap, count: 0 }
    }

    /// The longest sleep of the next nap; `None`: until the doorbell rings.
    pub fn next(&mut self) -> Option<Duration> {
        self.count = self.count.saturating_add(1);
        if self.count > Naps::SHORT_NAPS {
            self.nap.map(|nap| nap * Naps::LONGER)
        } else {
            self.nap
        }
    }
}
