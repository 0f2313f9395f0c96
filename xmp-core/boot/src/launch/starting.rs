//! Starts the images of a job one after the other. Signals, the ends of images and the clock are looked at between two of
//! them: where there are many images, this takes long.

use super::children::Orphans;
use super::request::Refusal;
use super::signals::Signals;
use super::spawn::Spawner;
use super::wake::Wake;
use super::watch::{Image, Watch};
use crate::region::MemoryKills;
use std::time::{Duration, Instant};

/// After this many images the launcher counts the processes that the system had killed before for lack of memory. To do so takes half as
/// long as to start an image, and the first ones cannot have used the memory by then.
const UNCOUNTED: usize = 4;

/// The interval at which the launcher reports the number of images that it has started.
const PROGRESS: Duration = Duration::from_secs(5);

impl Watch<'_> {
    /// Starts the images, until the job ends.
    pub(super) fn start_images(
        &mut self,
        spawner: &Spawner<'_>,
        signals: &Signals,
        wake: &Wake,
        orphans: &Orphans,
    ) -> Result<(), Refusal> {
        let images = self.job.images();
        let mut reported = Instant::now();
        for rank in self.job.ranks() {
            let process = spawner.spawn(rank)?;
            self.images.push(Image { process, end: None, casualty: false, joined: true });
            if self.images.len() == UNCOUNTED.min(images) {
                self.memory_kills = MemoryKills::now();
            }
            if self.wait(signals, wake, Duration::ZERO) {
                self.look(signals, wake, orphans);
            }
            if let Some((signal, _)) = self.request
                && !self.terminating
                && self.images.len() < images
            {
                // Images that do not exist yet cannot handle it.
                self.end_job(128 + signal);
            }
            if self.terminating {
                return Ok(());
            }
            if reported.elapsed() >= PROGRESS && !self.launch.quiet {
                reported = Instant::now();
                let started = self.images.len();
                self.console.report(format_args!("{started} of {images} images are started"));
            }
        }
        Ok(())
    }
}
