//! Which algorithm is best where. Written by `./x tune`; do not edit.
//!
//! A line is for up to this many participants: where it was measured, and what to choose up to how many bytes. Lines
//! whose origin begins with "model" are for numbers of participants that were not measured: their times are computed by
//! `examples/simulate`, with the constants of the machine that `./x tune` ran on.

use super::{Line, crowded, free};
use crate::select::*;

/// Between images of a host: reduction to all.
pub const HOST_ALLREDUCE: &[Line<HostReduce>] = &[
    free(
        2,
        "2 cores of AMD EPYC, 2026-11-21",
        &[(2097152, HostReduce::CopyIn), (usize::MAX, HostReduce::Sliced)],
    ),
    free(
        4,
        "16 cores of Intel Xeon, 2026-11-28",
        &[(4096, HostReduce::CopyIn), (usize::MAX, HostReduce::Sliced)],
    ),
    free(
        8,
        "16 cores of Intel Xeon, 2026-11-28",
        &[(1024, HostReduce::CopyIn), (usize::MAX, HostReduce::Sliced)],
    ),
    free(
        16,
        "16 cores of Intel Xeon, 2026-11-28",
        &[(1024, HostReduce::CopyIn), (usize::MAX, HostReduce::Sliced)],
    ),
    crowded(
        2,
        "2 cores of AMD EPYC (Zen 4)",
        &[(2097152, HostReduce::CopyIn), (usize::MAX, HostReduce::Sliced)],
    ),
    crowded(
        4,
        "2 cores of AMD EPYC, 2026-11-21",
        &[(65536, HostReduce::CopyIn), (usize::MAX, HostReduce::Sliced)],
    ),
    crowded(
        8,
        "2 cores of AMD EPYC, 2026-11-21",
        &[(4096, HostReduce::CopyIn), (usize::MAX, HostReduce::Sliced)],
    ),
    crowded(
        32,
        "model of 2 cores of AMD EPYC (Zen 4)",
        &[(1024, HostReduce::CopyIn), (usize::MAX, HostReduce::Sliced)],
    ),
];

/// Between images of a host: reduction to one.
pub const HOST_REDUCE: &[Line<HostReduce>] = &[
    free(
        2,
        "2 cores of AMD EPYC, 2026-11-21",
        &[
            (1024, HostReduce::CopyIn),
            (16384, HostReduce::Sliced),
            (usize::MAX, HostReduce::CopyIn),
        ],
    ),
    free(
        4,
        "16 cores of Intel Xeon, 2026-11-28",
        &[(16384, HostReduce::CopyIn), (usize::MAX, HostReduce::Sliced)],
    ),
    free(
        8,
        "16 cores of Intel Xeon, 2026-11-28",
        &[(4096, HostReduce::CopyIn), (usize::MAX, HostReduce::Sliced)],
    ),
    free(
        16,
        "16 cores of Intel Xeon, 2026-11-28",
        &[(4096, HostReduce::CopyIn), (usize::MAX, HostReduce::Sliced)],
    ),
    crowded(2, "2 cores of AMD EPYC (Zen 4)", &[(usize::MAX, HostReduce::CopyIn)]),
    crowded(4, "2 cores of AMD EPYC, 2026-11-21", &[(usize::MAX, HostReduce::CopyIn)]),
    crowded(
        8,
        "2 cores of AMD EPYC, 2026-11-21",
        &[(1048576, HostReduce::CopyIn), (usize::MAX, HostReduce::Sliced)],
    ),
    crowded(
        32,
        "model of 2 cores of AMD EPYC (Zen 4)",
        &[(1024, HostReduce::CopyIn), (usize::MAX, HostReduce::Sliced)],
    ),
];

/// Whether operands in segments are combined straight from there: reduction to all.
pub const DIRECT_ALLREDUCE: &[Line<bool>] = &[
    free(2, "2 cores of AMD EPYC, 2026-11-21", &[(4096, false), (usize::MAX, true)]),
    free(4, "16 cores of Intel Xeon, 2026-11-28", &[(1024, false), (usize::MAX, true)]),
    free(8, "16 cores of Intel Xeon, 2026-11-28", &[(usize::MAX, true)]),
    free(16, "16 cores of Intel Xeon, 2026-11-28", &[(4096, false), (usize::MAX, true)]),
    crowded(2, "2 cores of AMD EPYC (Zen 4)", &[(65535, false), (usize::MAX, true)]),
    crowded(4, "2 cores of AMD EPYC, 2026-11-21", &[(16384, false), (usize::MAX, true)]),
    crowded(8, "2 cores of AMD EPYC, 2026-11-21", &[(1024, false), (usize::MAX, true)]),
];

/// The same: reduction to one.
pub const DIRECT_REDUCE: &[Line<bool>] = &[
    free(2, "2 cores of AMD EPYC, 2026-11-21", &[(4096, false), (usize::MAX, true)]),
    free(4, "16 cores of Intel Xeon, 2026-11-28", &[(1024, false), (usize::MAX, true)]),
    free(8, "16 cores of Intel Xeon, 2026-11-28", &[(1024, false), (usize::MAX, true)]),
    free(16, "16 cores of Intel Xeon, 2026-11-28", &[(1024, false), (usize::MAX, true)]),
    crowded(2, "2 cores of AMD EPYC (Zen 4)", &[(65535, false), (usize::MAX, true)]),
    crowded(4, "2 cores of AMD EPYC, 2026-11-21", &[(65536, false), (usize::MAX, true)]),
    crowded(8, "2 cores of AMD EPYC, 2026-11-21", &[(65536, false), (usize::MAX, true)]),
];

/// The same: broadcast.
pub const DIRECT_BROADCAST: &[Line<bool>] = &[
    free(2, "2 cores of AMD EPYC, 2026-11-21", &[(1024, false), (usize::MAX, true)]),
    free(4, "16 cores of Intel Xeon, 2026-11-28", &[(1024, false), (usize::MAX, true)]),
    free(8, "16 cores of Intel Xeon, 2026-11-28", &[(1024, false), (usize::MAX, true)]),
    free(16, "16 cores of Intel Xeon, 2026-11-28", &[(4096, false), (usize::MAX, true)]),
    crowded(
        2,
        "2 cores of AMD EPYC (Zen 4)",
        &[(65535, false), (4194304, true), (usize::MAX, false)],
    ),
    crowded(
        4,
        "2 cores of AMD EPYC, 2026-11-21",
        &[(16384, false), (4194304, true), (usize::MAX, false)],
    ),
    crowded(
        8,
        "2 cores of AMD EPYC, 2026-11-21",
        &[(65536, false), (4194304, true), (usize::MAX, false)],
    ),
];

/// The same: gathering for all.
pub const DIRECT_ALLGATHER: &[Line<bool>] = &[
    free(2, "2 cores of AMD EPYC, 2026-11-21", &[(1024, false), (usize::MAX, true)]),
    free(4, "16 cores of Intel Xeon, 2026-11-28", &[(1024, false), (usize::MAX, true)]),
    free(8, "16 cores of Intel Xeon, 2026-11-28", &[(usize::MAX, true)]),
    free(16, "16 cores of Intel Xeon, 2026-11-28", &[(1024, false), (usize::MAX, true)]),
    crowded(2, "2 cores of AMD EPYC (Zen 4)", &[(65535, false), (usize::MAX, true)]),
    crowded(4, "2 cores of AMD EPYC, 2026-11-21", &[(16384, false), (usize::MAX, true)]),
    crowded(8, "2 cores of AMD EPYC, 2026-11-21", &[(usize::MAX, false)]),
];

/// Between leaders: barrier.
pub const LEADER_BARRIER: &[Line<LeaderBarrier>] = &[
    free(2, "2 cores of AMD EPYC, 2026-11-21", &[(usize::MAX, LeaderBarrier::Dissemination)]),
    free(4, "model of 2 cores of AMD EPYC (Zen 4)", &[(usize::MAX, LeaderBarrier::Dissemination)]),
    free(16, "model of 2 cores of AMD EPYC (Zen 4)", &[(usize::MAX, LeaderBarrier::Dissemination)]),
    free(
        256,
        "model of 2 cores of AMD EPYC (Zen 4)",
        &[(usize::MAX, LeaderBarrier::Dissemination)],
    ),
    crowded(
        2,
        "model of 2 cores of AMD EPYC (Zen 4)",
        &[(usize::MAX, LeaderBarrier::Dissemination)],
    ),
    crowded(4, "2 cores of AMD EPYC, 2026-11-21", &[(usize::MAX, LeaderBarrier::Dissemination)]),
    crowded(8, "2 cores of AMD EPYC, 2026-11-21", &[(usize::MAX, LeaderBarrier::Central)]),
    crowded(16, "model of 2 cores of AMD EPYC (Zen 4)", &[(usize::MAX, LeaderBarrier::Central)]),
    crowded(256, "model of 2 cores of AMD EPYC (Zen 4)", &[(usize::MAX, LeaderBarrier::Central)]),
];

/// Between leaders: broadcast.
pub const LEADER_BROADCAST: &[Line<LeaderBroadcast>] = &[
    free(2, "2 cores of AMD EPYC, 2026-11-21", &[(usize::MAX, LeaderBroadcast::Chain)]),
    free(4, "model of 2 cores of AMD EPYC (Zen 4)", &[(usize::MAX, LeaderBroadcast::Flat)]),
    free(
        16,
        "model of 2 cores of AMD EPYC (Zen 4)",
        &[
            (16384, LeaderBroadcast::Binomial),
            (262144, LeaderBroadcast::ScatterAllgather),
            (usize::MAX, LeaderBroadcast::Chain),
        ],
    ),
    free(
        256,
        "model of 2 cores of AMD EPYC (Zen 4)",
        &[
            (65536, LeaderBroadcast::Binomial),
            (4194304, LeaderBroadcast::ScatterAllgather),
            (usize::MAX, LeaderBroadcast::Chain),
        ],
    ),
    crowded(2, "model of 2 cores of AMD EPYC (Zen 4)", &[(usize::MAX, LeaderBroadcast::Flat)]),
    crowded(
        4,
        "2 cores of AMD EPYC, 2026-11-21",
        &[
            (16384, LeaderBroadcast::Flat),
            (65536, LeaderBroadcast::Binomial),
            (usize::MAX, LeaderBroadcast::Chain),
        ],
    ),
    crowded(
        8,
        "2 cores of AMD EPYC, 2026-11-21",
        &[
            (16384, LeaderBroadcast::Flat),
            (65536, LeaderBroadcast::Binomial),
            (usize::MAX, LeaderBroadcast::Chain),
        ],
    ),
    crowded(16, "model of 2 cores of AMD EPYC (Zen 4)", &[(usize::MAX, LeaderBroadcast::Flat)]),
    crowded(
        256,
        "model of 2 cores of AMD EPYC (Zen 4)",
        &[(4096, LeaderBroadcast::Flat), (usize::MAX, LeaderBroadcast::Binomial)],
    ),
];

/// Between leaders: reduction to one.
pub const LEADER_REDUCE: &[Line<LeaderReduce>] = &[
    free(2, "2 cores of AMD EPYC, 2026-11-21", &[(usize::MAX, LeaderReduce::Binomial)]),
    free(
        4,
        "model of 2 cores of AMD EPYC (Zen 4)",
        &[(4096, LeaderReduce::Flat), (usize::MAX, LeaderReduce::Slices)],
    ),
    free(
        16,
        "model of 2 cores of AMD EPYC (Zen 4)",
        &[(4096, LeaderReduce::Binomial), (usize::MAX, LeaderReduce::Slices)],
    ),
    free(
        256,
        "model of 2 cores of AMD EPYC (Zen 4)",
        &[
            (4096, LeaderReduce::Binomial),
            (262144, LeaderReduce::Rabenseifner),
            (usize::MAX, LeaderReduce::Slices),
        ],
    ),
    crowded(2, "model of 2 cores of AMD EPYC (Zen 4)", &[(usize::MAX, LeaderReduce::Flat)]),
    crowded(
        4,
        "2 cores of AMD EPYC, 2026-11-21",
        &[(4096, LeaderReduce::Flat), (usize::MAX, LeaderReduce::Binomial)],
    ),
    crowded(
        8,
        "2 cores of AMD EPYC, 2026-11-21",
        &[
            (16384, LeaderReduce::Flat),
            (65536, LeaderReduce::Rabenseifner),
            (usize::MAX, LeaderReduce::Slices),
        ],
    ),
    crowded(
        16,
        "model of 2 cores of AMD EPYC (Zen 4)",
        &[(4096, LeaderReduce::Flat), (usize::MAX, LeaderReduce::Binomial)],
    ),
    crowded(
        256,
        "model of 2 cores of AMD EPYC (Zen 4)",
        &[(4096, LeaderReduce::Flat), (usize::MAX, LeaderReduce::Binomial)],
    ),
];

/// Between leaders: reduction to all.
pub const LEADER_ALLREDUCE: &[Line<LeaderAllreduce>] = &[
    free(
        2,
        "2 cores of AMD EPYC, 2026-11-21",
        &[(1024, LeaderAllreduce::RecursiveDoubling), (usize::MAX, LeaderAllreduce::Ring)],
    ),
    free(
        4,
        "model of 2 cores of AMD EPYC (Zen 4)",
        &[(1024, LeaderAllreduce::Flat), (usize::MAX, LeaderAllreduce::Slices)],
    ),
    free(
        16,
        "model of 2 cores of AMD EPYC (Zen 4)",
        &[
            (4096, LeaderAllreduce::RecursiveDoubling),
            (16384, LeaderAllreduce::Rabenseifner),
            (usize::MAX, LeaderAllreduce::Slices),
        ],
    ),
    free(
        256,
        "model of 2 cores of AMD EPYC (Zen 4)",
        &[
            (4096, LeaderAllreduce::RecursiveDoubling),
            (262144, LeaderAllreduce::Rabenseifner),
            (usize::MAX, LeaderAllreduce::Slices),
        ],
    ),
    crowded(
        2,
        "model of 2 cores of AMD EPYC (Zen 4)",
        &[(16384, LeaderAllreduce::RecursiveDoubling), (usize::MAX, LeaderAllreduce::Slices)],
    ),
    crowded(
        4,
        "2 cores of AMD EPYC, 2026-11-21",
        &[(16384, LeaderAllreduce::RecursiveDoubling), (usize::MAX, LeaderAllreduce::Rabenseifner)],
    ),
    crowded(
        8,
        "2 cores of AMD EPYC, 2026-11-21",
        &[(65536, LeaderAllreduce::Flat), (usize::MAX, LeaderAllreduce::Ring)],
    ),
    crowded(
        16,
        "model of 2 cores of AMD EPYC (Zen 4)",
        &[(16384, LeaderAllreduce::Flat), (usize::MAX, LeaderAllreduce::Rabenseifner)],
    ),
    crowded(
        256,
        "model of 2 cores of AMD EPYC (Zen 4)",
        &[(4096, LeaderAllreduce::Flat), (usize::MAX, LeaderAllreduce::Binomial)],
    ),
];

/// Between leaders: gathering for all; the bytes are those of one on average.
pub const LEADER_ALLGATHER: &[Line<LeaderAllgather>] = &[
    free(2, "2 cores of AMD EPYC, 2026-11-21", &[(usize::MAX, LeaderAllgather::RecursiveDoubling)]),
    free(4, "model of 2 cores of AMD EPYC (Zen 4)", &[(usize::MAX, LeaderAllgather::Bruck)]),
    free(16, "model of 2 cores of AMD EPYC (Zen 4)", &[(usize::MAX, LeaderAllgather::Bruck)]),
    free(256, "model of 2 cores of AMD EPYC (Zen 4)", &[(usize::MAX, LeaderAllgather::Bruck)]),
    crowded(2, "model of 2 cores of AMD EPYC (Zen 4)", &[(usize::MAX, LeaderAllgather::Bruck)]),
    crowded(
        4,
        "2 cores of AMD EPYC, 2026-11-21",
        &[(usize::MAX, LeaderAllgather::RecursiveDoubling)],
    ),
    crowded(
        8,
        "2 cores of AMD EPYC, 2026-11-21",
        &[(usize::MAX, LeaderAllgather::RecursiveDoubling)],
    ),
    crowded(
        16,
        "model of 2 cores of AMD EPYC (Zen 4)",
        &[(usize::MAX, LeaderAllgather::RecursiveDoubling)],
    ),
    crowded(
        256,
        "model of 2 cores of AMD EPYC (Zen 4)",
        &[(usize::MAX, LeaderAllgather::RecursiveDoubling)],
    ),
];
