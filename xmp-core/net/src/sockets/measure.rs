//! The time of a short message by sockets and by MPI: two hosts exchange some.

use super::fabric::SocketFabric;
use crate::error::Result;
use crate::rank::Rank;
use crate::server::{Fabric, Op, Tag};
use std::time::{Duration, Instant};

/// Round trips of a round, by each way. Few, because only a whole round ends a measurement.
const TRIPS: u32 = 4;
/// Rounds of a measurement, the first of which may make connections of MPI.
const ROUNDS: u32 = 28;
/// A round that begins later is the last: on a busy machine there are fewer.
const LONGEST: Duration = Duration::from_millis(20);
/// Bytes of a message: about those of a barrier between two hosts.
const BYTES: usize = 120;
/// Tests between two yields of the core, which the other host may share.
const TESTS: u32 = 16;

/// The times of a round trip.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    pub mpi: Duration,
    pub sockets: Duration,
}

impl Times {
    /// Whether a round trip by sockets takes at most a quarter longer (`README.md`, "The choice").
    pub fn favour_sockets(self) -> bool {
        self.sockets * 4 <= self.mpi * 5
    }
}

/// Measures with `partner`, which calls this at the same time; one of both is the `first`. The times of the other
/// one mean nothing.
///
/// # Errors
/// When a fabric fails.
pub(super) fn measure(fabric: &mut SocketFabric, partner: Rank, first: bool) -> Result<Times> {
    let start = Instant::now();
    let mut best = Times { mpi: Duration::MAX, sockets: Duration::MAX };
    let mut more = true;
    let mut round = 0;
    while more {
        round += 1;
        more = round < ROUNDS && start.elapsed() < LONGEST;
        let mpi = trips(fabric.mpi(), partner, first, &mut more)?;
        let sockets = trips(fabric, partner, first, &mut more)?;
        best = Times { mpi: best.mpi.min(mpi), sockets: best.sockets.min(sockets) };
    }
    Ok(best)
}

/// Exchanges messages; returns the time of one round trip. The first tells the other whether there are `more` rounds.
fn trips(fabric: &mut dyn Fabric, partner: Rank, first: bool, more: &mut bool) -> Result<Duration> {
    let start = Instant::now();
    let (mut sent, mut received) = ([0u8; BYTES], [0u8; BYTES]);
    for _ in 0..TRIPS {
        // SAFETY: the memory is not touched before the operation is over.
        let receive = unsafe { fabric.receive_any(Tag::REQUEST, &mut received)? };
        if !first {
            finish(fabric, receive)?;
            *more = received[0] != 0;
        }
        sent[0] = (*more).into();
        // SAFETY: the memory is not touched before the operation is over.
        let send = unsafe { fabric.send(partner, Tag::REQUEST, &sent)? };
        finish(fabric, send)?;
        if first {
            finish(fabric, receive)?;
        }
    }
    Ok(start.elapsed() / TRIPS)
}

fn finish(fabric: &mut dyn Fabric, op: Op) -> Result<()> {
    let mut tests = 0;
    while fabric.test(op)?.is_none() {
        tests += 1;
        if tests % TESTS == 0 {
            std::thread::yield_now();
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_are_used_where_both_ways_take_about_as_long() {
        let favoured = |sockets, mpi| {
            let [sockets, mpi] = [sockets, mpi].map(Duration::from_nanos);
            Times { mpi, sockets }.favour_sockets()
        };
        assert!(favoured(7_000, 8_600) && favoured(9_600, 9_500) && favoured(10_000, 8_000));
        // An adapter of its own.
        assert!(!favoured(20_000, 3_000) && !favoured(10_000, 7_900));
    }
}
