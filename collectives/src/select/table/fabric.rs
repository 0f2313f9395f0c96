//! The best algorithms between hosts that share no memory. The tables are written by hand: `./x tune` measures on one
//! machine, where a message takes a hundredth of the time.
//!
//! Measured with 2 hosts, network namespaces on 2 cores of AMD EPYC, Open MPI 4.1 and MPICH 4.0 over TCP, 2026-11-21. A
//! message takes 10 us there, as long as 16 KiB of data: below that size the rounds decide, above it the bytes.

use super::{Line, free};
use crate::select::*;

const MEASURED: &str = "2 namespaces on 2 cores of AMD EPYC, TCP, 2026-11-21";

/// Barrier.
pub const BARRIER: &[Line<LeaderBarrier>] =
    &[free(2, MEASURED, &[(usize::MAX, LeaderBarrier::Dissemination)])];

/// Broadcast.
pub const BROADCAST: &[Line<LeaderBroadcast>] = &[
    free(2, MEASURED, &[(usize::MAX, LeaderBroadcast::Binomial)]),
    free(
        4,
        "estimate",
        &[(262144, LeaderBroadcast::Binomial), (usize::MAX, LeaderBroadcast::ScatterAllgather)],
    ),
    free(
        256,
        "estimate",
        &[
            (131072, LeaderBroadcast::Binomial),
            (4194304, LeaderBroadcast::ScatterAllgather),
            (usize::MAX, LeaderBroadcast::Chain),
        ],
    ),
];

/// Reduction to one.
pub const REDUCE: &[Line<LeaderReduce>] = &[
    free(2, MEASURED, &[(usize::MAX, LeaderReduce::Binomial)]),
    free(
        256,
        "estimate",
        &[(65536, LeaderReduce::Binomial), (usize::MAX, LeaderReduce::Rabenseifner)],
    ),
];

/// Reduction to all.
pub const ALLREDUCE: &[Line<LeaderAllreduce>] = &[
    free(
        2,
        MEASURED,
        &[(65536, LeaderAllreduce::RecursiveDoubling), (usize::MAX, LeaderAllreduce::Rabenseifner)],
    ),
    free(
        16,
        "estimate",
        &[
            (32768, LeaderAllreduce::RecursiveDoubling),
            (4194304, LeaderAllreduce::Rabenseifner),
            (usize::MAX, LeaderAllreduce::Ring),
        ],
    ),
    free(
        256,
        "estimate",
        &[(32768, LeaderAllreduce::RecursiveDoubling), (usize::MAX, LeaderAllreduce::Rabenseifner)],
    ),
];

/// Gathering for all; the bytes are those of one on average.
pub const ALLGATHER: &[Line<LeaderAllgather>] = &[
    free(2, MEASURED, &[(usize::MAX, LeaderAllgather::RecursiveDoubling)]),
    free(
        256,
        "estimate",
        &[
            (8192, LeaderAllgather::Bruck),
            (65536, LeaderAllgather::RecursiveDoubling),
            (usize::MAX, LeaderAllgather::Ring),
        ],
    ),
];
