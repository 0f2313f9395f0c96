//! Programs that several suites measure with.

use crate::peers::{Language, Program};

/// The coarray benchmark.
pub const CAF_BENCH: Program = Program {
    name: "caf_bench",
    sources: &[
        "examples/bench/programs/row_timing.f90",
        "examples/bench/programs/caf_timing.f90",
        "examples/bench/programs/caf_latency.f90",
        "examples/bench/programs/caf_bandwidth.f90",
        "examples/bench/programs/caf_components.f90",
        "examples/bench/programs/caf_sync.f90",
        "examples/bench/programs/caf_mutual.f90",
        "examples/bench/programs/caf_collective.f90",
        "examples/bench/programs/caf_bench.f90",
    ],
    language: Language::Fortran,
    options: &["-O2"],
};

/// The same in raw MPI.
pub const MPI_BENCH: Program = Program {
    name: "mpi_bench",
    sources: &[
        "examples/bench/programs/mpi_timing.c",
        "examples/bench/programs/mpi_onesided.c",
        "examples/bench/programs/mpi_messages.c",
        "examples/bench/programs/mpi_collective.c",
        "examples/bench/programs/mpi_bench.c",
    ],
    language: Language::C,
    options: &["-O2"],
};
