//! The rows of the suite of separate hosts with their targets, in the order of the programs.

use super::applications;
use crate::rows::Row;
use crate::suites::teams::cg;
use crate::targets::{Against, Target};

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// MPI's own one-sided operations and 5 %.
const CONTIGUOUS: &[Target] = &[Target::new(Against::RawMpi, 1.05)];
const STRIDED: &[Target] = &[Target::new(Against::OpenCoarrays, 0.5)];
/// Between hosts only leaders talk. With one image a host there is one message each way on all sides.
const TWO_LEVELS: &[Target] =
    &[Target::at(2, Against::OpenCoarrays, 1.0), Target::at(4, Against::OpenCoarrays, 0.7)];
const REQUEST: &[Target] = &[Target::new(Against::OpenCoarrays, 0.5)];
/// What the peers' paper measures: eight puts under way at once.
const UNDER_WAY: &[Target] = &[Target::new(Against::OurRow("pingpong_eight_blocking"), 0.25)];
const FASTER: &[Target] = &[Target::new(Against::OpenCoarrays, 1.0)];
/// A server that is there and has nothing to do.
const IDLE_SERVER: &[Target] = &[Target::new(Against::Embedded, 1.02)];
/// Ours over the better MPI, and 5 %.
pub const WITHOUT_MPI: &[Target] = &[Target::new(Against::OverMpi, 1.05)];

const fn tile(bytes: u64, title: &'static str) -> Row {
    Row::new("strided", "put_tile", bytes, title).mpi().messages().targets(STRIDED)
}

const fn sum(bytes: u64, title: &'static str) -> Row {
    Row::new("reduce", "co_sum", bytes, title).messages().targets(TWO_LEVELS)
}

const fn broadcast(bytes: u64, title: &'static str) -> Row {
    Row::new("broadcast", "co_broadcast", bytes, title).messages().targets(TWO_LEVELS)
}

const fn contiguous(name: &'static str, bytes: u64, title: &'static str) -> Row {
    Row::new("contiguous", name, bytes, title).mpi().messages().targets(CONTIGUOUS)
}

/// All rows; images 1 and `partner` are on different hosts.
pub const ROWS: &[Row] = &[
    contiguous("put8", 8, "put 8 B").quick(),
    contiguous("put8_sync", 8, "put 8 B + sync memory").quick(),
    contiguous("get8", 8, "get 8 B").quick(),
    contiguous("put", MIB, "put 1 MiB").quick(),
    contiguous("put", 8 * MIB, "put 8 MiB"),
    contiguous("get", MIB, "get 1 MiB").quick(),
    contiguous("get", 8 * MIB, "get 8 MiB"),
    tile(4 * KIB, "put a 2-D section, 4 KiB").quick(),
    tile(32 * KIB, "put a 2-D section, 32 KiB"),
    tile(256 * KIB, "put a 2-D section, 256 KiB"),
    tile(MIB, "put a 2-D section, 1 MiB"),
    Row::new("pingpong", "pingpong", 8, "put + sync images, there and back").messages().quick(),
    Row::new("pingpong", "pingpong_eight", 8, "the same, 8 variables")
        .messages()
        .quick()
        .targets(UNDER_WAY),
    Row::new("pingpong", "pingpong_eight_blocking", 8, "the same, each put completed by itself")
        .quick(),
    Row::new("sync", "sync_all", 0, "sync all").messages().quick().targets(TWO_LEVELS),
    Row::new("event", "event_pingpong", 0, "event ping-pong").quick().targets(REQUEST),
    Row::new("event", "event_post", 0, "event post").quick().targets(REQUEST),
    Row::new("lock", "lock_remote", 0, "lock + unlock, other host's").quick().targets(REQUEST),
    Row::new("lock", "lock_contended", 0, "lock + unlock, all at once").quick().targets(REQUEST),
    Row::new("atomic", "atomic_fetch_add", 4, "atomic_fetch_add").mpi().messages().quick(),
    Row::new(
        "atomic",
        "atomic_fetch_add_fifth",
        4,
        "atomic_fetch_add, a fifth of the images do so",
    )
    .least_images(4)
    .mpi(),
    sum(8, "co_sum, 1 double").quick(),
    sum(8 * KIB, "co_sum, 1 Ki doubles").quick(),
    sum(MIB, "co_sum, 128 Ki doubles"),
    sum(8 * MIB, "co_sum, 1 Mi doubles"),
    broadcast(8, "co_broadcast, 1 double").quick(),
    broadcast(8 * KIB, "co_broadcast, 1 Ki doubles").quick(),
    broadcast(MIB, "co_broadcast, 128 Ki doubles"),
    broadcast(8 * MIB, "co_broadcast, 1 Mi doubles"),
    Row::new(cg::GROUP, "cg_f2008", cg::S, "CG class S").messages().quick().targets(FASTER),
    Row::new(cg::GROUP, "cg_f2008", cg::W, "CG class W").messages().targets(FASTER),
    Row::new(applications::GROUP, "himeno", applications::XS, "Himeno XS, 10 sweeps")
        .quick()
        .targets(FASTER),
    Row::new(applications::GROUP, "himeno", applications::S, "Himeno S, 10 sweeps"),
];

/// Rows of ours on one host, with MPI and without.
pub const ONE_HOST: &[Row] = &[
    Row::new("contiguous", "put8", 8, "put 8 B").quick().targets(IDLE_SERVER),
    Row::new("contiguous", "put", MIB, "put 1 MiB").targets(IDLE_SERVER),
    Row::new("pingpong", "pingpong", 8, "put + sync images, there and back")
        .quick()
        .targets(IDLE_SERVER),
    Row::new("sync", "sync_all", 0, "sync all").quick().targets(IDLE_SERVER),
    Row::new("reduce", "co_sum", 8, "co_sum, 1 double").targets(IDLE_SERVER),
    Row::new("reduce", "co_sum", MIB, "co_sum, 128 Ki doubles").targets(IDLE_SERVER),
    Row::new(cg::GROUP, "cg_f2008", cg::W, "CG class W").quick().targets(IDLE_SERVER),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    #[test]
    fn rows_are_different_and_what_their_targets_compare_with_is_measured() {
        [ROWS, ONE_HOST].into_iter().for_each(rows::check);
    }
}
