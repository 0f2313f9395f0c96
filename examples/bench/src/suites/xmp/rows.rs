//! The rows of the suite of translated programs with their targets, in the order of the programs.

use crate::rows::Row;
use crate::targets::{Against, Target};

const REFLECT: &[Target] = &[Target::new(Against::Omni, 0.6)];
const GMOVE: &[Target] = &[Target::new(Against::Omni, 0.7)];
const TASK: &[Target] = &[Target::new(Against::Omni, 0.05)];
const TOGETHER: &[Target] = &[Target::at(4, Against::Omni, 0.2)];
const MEMORY: &[Target] = &[Target::new(Against::Omni, 0.2)];
/// The gain of puts that are on their way at the same time, of Iwashita, Nakao, Murai, Sato: Coarrays in the Context of
/// XcalableMP.
const OVERLAP: &[Target] = &[Target::new(Against::OurRow("pingpong_blocking"), 1.0 / 4.63)];

/// The MPI original of a program.
const NOT_SLOWER: &[Target] = &[Target::new(Against::RawMpi, 1.0)];

/// What a run costs that does nothing.
pub const START: &[Row] = &[
    Row::new("start", "start", 0, "start and end of an empty program").quick(),
    Row::new("start", "memory", 0, "peak memory of an image of an empty program, kB")
        .quick()
        .targets(MEMORY),
];

/// The global view, in C.
pub const GLOBAL: &[Row] = &[
    Row::new("reflect", "reflect1", 65536, "reflect, 1-D, elements").quick().targets(REFLECT),
    Row::new("reflect", "reflect2", 512, "reflect, 2-D, elements a side").quick().targets(REFLECT),
    Row::new("reflect", "reflect3", 64, "reflect, 3-D, elements a side").targets(REFLECT),
    Row::new("gmove", "gmove_cyclic", 65536, "gmove, block to cyclic, elements")
        .quick()
        .targets(GMOVE),
    Row::new("gmove", "gmove_transpose", 512, "gmove, rows to columns, elements a side")
        .targets(GMOVE),
    Row::new("together", "reduction", 8, "reduction of one number").quick().targets(TOGETHER),
    Row::new("together", "reduction", 8192, "reduction").targets(TOGETHER),
    Row::new("together", "bcast", 4, "bcast of one number").quick(),
    Row::new("together", "bcast", 8192, "bcast"),
    Row::new("together", "barrier", 0, "barrier").quick().targets(TOGETHER),
    Row::new("task", "task", 0, "task on the same nodes again"),
    Row::new("task", "task_other", 0, "task on other nodes than before").quick().targets(TASK),
];

/// Coarray Fortran.
pub const COARRAY: &[Row] = &[
    Row::new("transfer", "put", 8, "put").quick(),
    Row::new("transfer", "put", 1024, "put"),
    Row::new("transfer", "put", 1 << 20, "put"),
    Row::new("transfer", "get", 8, "get").quick(),
    Row::new("transfer", "get", 1024, "get"),
    Row::new("transfer", "get", 1 << 20, "get"),
    Row::new("sync", "sync_all", 0, "sync all").quick().targets(TOGETHER),
    Row::new("sync", "sync_images", 0, "sync images of two"),
    Row::new("sync", "co_sum", 8, "co_sum of one number").quick().targets(TOGETHER),
    Row::new("sync", "co_sum", 8192, "co_sum").targets(TOGETHER),
    blocking(8).quick(),
    blocking(1024),
    at_once(8).quick(),
    at_once(1024),
];

/// Jacobi sweeps; the size is the number of points.
pub const HIMENO: &[Row] = &[
    Row::new("himeno", "himeno", 524_288, "Himeno, a sweep: planes exchanged after it")
        .mpi()
        .quick()
        .targets(NOT_SLOWER),
    Row::new("himeno", "himeno_overlap", 524_288, "Himeno, a sweep: planes exchanged in it")
        .mpi()
        .targets(NOT_SLOWER),
];

/// The same by directives; MPI's sweep with the exchange before it.
pub const GLOBAL_HIMENO: &[Row] =
    &[by_directives("himeno_global", "himeno_global", 524_288, "Himeno by directives, a sweep")
        .quick()];

/// What translated programs may cost of those that were written for MPI, and one image of the sequential program.
const NEARLY_AS_WRITTEN: &[Target] =
    &[Target::new(Against::RawMpi, 1.05), Target::at(1, Against::Sequential, 1.05)];

/// The same where two dimensions are distributed: distances of elements are variables then.
const WITH_TWO_DIMENSIONS: &[Target] =
    &[Target::new(Against::RawMpi, 1.05), Target::at(1, Against::Sequential, 1.15)];

/// Kernels by directives in C.
pub const KERNELS: &[Row] = &[
    by_directives("kernels", "laplace", 1024, "Laplace, a sweep, points a side").quick(),
    by_directives("kernels", "triad", 4_000_000, "STREAM triad, elements"),
    by_directives("kernels", "ep", 262_144, "EP, pairs"),
    by_directives("kernels", "cg", 14_000, "CG, a step, order"),
    by_directives("kernels", "himeno_c", 524_288, "Himeno, C, a sweep, points")
        .targets(WITH_TWO_DIMENSIONS),
];

/// The same in Fortran.
pub const FORTRAN_KERNELS: &[Row] = &[
    by_directives(
        "kernels_fortran",
        "laplace_fortran",
        1024,
        "Laplace, Fortran, a sweep, points a side",
    )
    .quick(),
    by_directives("kernels_fortran", "triad_fortran", 4_000_000, "STREAM triad, Fortran, elements"),
    by_directives("kernels_fortran", "ep_fortran", 262_144, "EP, Fortran, pairs"),
    by_directives("kernels_fortran", "cg_fortran", 14_000, "CG, Fortran, a step, order"),
];

const fn by_directives(
    group: &'static str,
    name: &'static str,
    size: u64,
    text: &'static str,
) -> Row {
    Row::new(group, name, size, text).mpi().least_images(1).targets(NEARLY_AS_WRITTEN)
}

const fn blocking(bytes: u64) -> Row {
    Row::new("pingpong", "pingpong_blocking", bytes, "ping-pong, 8 variables, each waited for")
}

const fn at_once(bytes: u64) -> Row {
    Row::new("pingpong", "pingpong", bytes, "ping-pong, 8 variables")
}

/// Between virtual hosts: memory of one machine, there is hardly a latency to hide.
pub const VIRTUAL_HOSTS: &[Row] =
    &[blocking(8).quick(), blocking(1024), at_once(8).quick(), at_once(1024)];

/// Between hosts with a network, where a transfer has a latency to hide.
pub const HOSTS: &[Row] = &[
    blocking(8).quick(),
    blocking(1024),
    at_once(8).quick().targets(OVERLAP),
    at_once(1024).targets(OVERLAP),
];
