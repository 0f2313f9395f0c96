//! The cores of one image, for its waits and for those of its transport.

use super::cores::Cores;
use crate::job::Job;
use crate::rank::Rank;
use crate::wait::{CoreUse, SharedCores};
use std::sync::Arc;

/// What an image knows of the cores that it shares with others.
#[derive(Debug)]
pub struct CoresOfImage {
    job: Arc<Job>,
    rank: Rank,
    cores: Cores,
}

impl CoresOfImage {
    /// The image `rank` knows nothing yet. Publishes the core on which it runs.
    pub fn new(job: Arc<Job>, rank: Rank) -> CoresOfImage {
        let cores = Cores::default();
        cores.publish(&job, rank);
        CoresOfImage { job, rank, cores }
    }
}

impl SharedCores for CoresOfImage {
    fn begin_wait(&self, asks: bool) -> CoreUse {
        self.cores.begin_wait(&self.job, self.rank, asks)
    }

    fn meets(&self) {
        self.cores.meets();
    }
}
