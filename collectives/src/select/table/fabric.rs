//! The best algorithms between hosts that share no memory. Written by `./x tune`; do not edit.
//!
//! Lines of 2 hosts were measured: network namespaces on 2 cores of AMD EPYC, Open MPI 4.1 and MPICH 4.0 over TCP, 2026-11-21. A
//! message takes 10 us there, as long as 16 KiB of data: below that size the rounds decide, above it the bytes. Lines whose
//! origin begins with "model" are computed by `examples/simulate`, with these two figures.

use super::{Line, free};
use crate::select::*;

/// Between leaders: barrier.
pub const BARRIER: &[Line<LeaderBarrier>] = &[
    free(
        2,
        "2 namespaces on 2 cores of AMD EPYC, TCP, 2026-11-21",
        &[(usize::MAX, LeaderBarrier::Dissemination)],
    ),
    free(4, "model of 10 us a message", &[(usize::MAX, LeaderBarrier::Dissemination)]),
    free(16, "model of 10 us a message", &[(usize::MAX, LeaderBarrier::Dissemination)]),
    free(256, "model of 10 us a message", &[(usize::MAX, LeaderBarrier::Dissemination)]),
];

/// Between leaders: broadcast.
pub const BROADCAST: &[Line<LeaderBroadcast>] = &[
    free(
        2,
        "2 namespaces on 2 cores of AMD EPYC, TCP, 2026-11-21",
        &[(usize::MAX, LeaderBroadcast::Binomial)],
    ),
    free(
        4,
        "model of 10 us a message",
        &[(16384, LeaderBroadcast::Flat), (usize::MAX, LeaderBroadcast::Chain)],
    ),
    free(
        16,
        "model of 10 us a message",
        &[
            (4096, LeaderBroadcast::Flat),
            (65536, LeaderBroadcast::Binomial),
            (usize::MAX, LeaderBroadcast::Chain),
        ],
    ),
    free(
        256,
        "model of 10 us a message",
        &[(1048576, LeaderBroadcast::Binomial), (usize::MAX, LeaderBroadcast::Chain)],
    ),
];

/// Between leaders: reduction to one.
pub const REDUCE: &[Line<LeaderReduce>] = &[
    free(
        2,
        "2 namespaces on 2 cores of AMD EPYC, TCP, 2026-11-21",
        &[(usize::MAX, LeaderReduce::Binomial)],
    ),
    free(
        4,
        "model of 10 us a message",
        &[(65536, LeaderReduce::Binomial), (usize::MAX, LeaderReduce::Slices)],
    ),
    free(
        16,
        "model of 10 us a message",
        &[
            (4096, LeaderReduce::Flat),
            (65536, LeaderReduce::Binomial),
            (usize::MAX, LeaderReduce::Slices),
        ],
    ),
    free(
        256,
        "model of 10 us a message",
        &[
            (16384, LeaderReduce::Binomial),
            (1048576, LeaderReduce::Rabenseifner),
            (usize::MAX, LeaderReduce::Slices),
        ],
    ),
];

/// Between leaders: reduction to all.
pub const ALLREDUCE: &[Line<LeaderAllreduce>] = &[
    free(
        2,
        "2 namespaces on 2 cores of AMD EPYC, TCP, 2026-11-21",
        &[(65536, LeaderAllreduce::RecursiveDoubling), (usize::MAX, LeaderAllreduce::Rabenseifner)],
    ),
    free(
        4,
        "model of 10 us a message",
        &[(16384, LeaderAllreduce::RecursiveDoubling), (usize::MAX, LeaderAllreduce::Slices)],
    ),
    free(
        16,
        "model of 10 us a message",
        &[(65536, LeaderAllreduce::RecursiveDoubling), (usize::MAX, LeaderAllreduce::Slices)],
    ),
    free(
        256,
        "model of 10 us a message",
        &[
            (16384, LeaderAllreduce::RecursiveDoubling),
            (1048576, LeaderAllreduce::Rabenseifner),
            (usize::MAX, LeaderAllreduce::Slices),
        ],
    ),
];

/// Between leaders: gathering for all; the bytes are those of one on average.
pub const ALLGATHER: &[Line<LeaderAllgather>] = &[
    free(
        2,
        "2 namespaces on 2 cores of AMD EPYC, TCP, 2026-11-21",
        &[(usize::MAX, LeaderAllgather::RecursiveDoubling)],
    ),
    free(4, "model of 10 us a message", &[(usize::MAX, LeaderAllgather::Bruck)]),
    free(16, "model of 10 us a message", &[(usize::MAX, LeaderAllgather::Bruck)]),
    free(256, "model of 10 us a message", &[(usize::MAX, LeaderAllgather::Bruck)]),
];
