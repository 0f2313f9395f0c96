//! Sockets between images that are threads of one process, for tests.

use super::agree::{Exchange, Refusal};
use super::connect::connect;
use super::fabric::SocketFabric;
use crate::error::{Error, Result};
use crate::server::{Fabric, Peers, Route};
use crate::settings::Limits;
use std::sync::{Arc, Barrier, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Longer than any connection takes, and than any is silent.
const PATIENCE: Duration = Duration::from_secs(60);

/// An exchange of bytes between threads.
#[derive(Debug)]
pub(super) struct Meeting {
    barrier: Barrier,
    bytes: Mutex<Vec<Vec<u8>>>,
}

/// One thread's part of it.
#[derive(Debug)]
pub(super) struct Member {
    pub meeting: Arc<Meeting>,
    pub rank: usize,
}

impl Meeting {
    pub fn new(threads: usize) -> Arc<Meeting> {
        let bytes = Mutex::new(vec![Vec::new(); threads]);
        Arc::new(Meeting { barrier: Barrier::new(threads), bytes })
    }
}

impl Exchange for Member {
    fn allgather(&self, mine: &[u8]) -> Result<Vec<u8>> {
        let all = || self.meeting.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        all()[self.rank] = mine.to_vec();
        self.meeting.barrier.wait();
        let gathered = all().concat();
        // No thread writes before all have read.
        self.meeting.barrier.wait();
        Ok(gathered)
    }

    fn host_name(&self) -> String {
        format!("host-{}", self.rank)
    }
}

/// Fabrics with sockets above those of `images`, by rank.
///
/// # Errors
/// When the connections cannot be made.
pub fn fabrics(
    images: Vec<(Peers, Box<dyn Fabric>)>,
    limits: &Limits,
) -> Result<Vec<Box<dyn Fabric>>> {
    let meeting = Meeting::new(images.len());
    thread::scope(|scope| {
        let make = |(rank, (peers, mpi)): (usize, (Peers, Box<dyn Fabric>))| {
            let member = Member { meeting: meeting.clone(), rank };
            scope.spawn(move || -> Result<Box<dyn Fabric>> {
                let at_home = !Route::new(limits, &peers).is_direct();
                let streams = connect(&member, &peers, at_home, PATIENCE, PATIENCE, None).map_err(
                    |refusal| match refusal {
                        Refusal::Reason(why) => Error::Invalid(why),
                        Refusal::Exchange(error) => error,
                    },
                )?;
                Ok(Box::new(SocketFabric::new(mpi, &peers, streams, !at_home)?))
            })
        };
        let threads: Vec<_> = images.into_iter().enumerate().map(make).collect();
        threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
    })
}
