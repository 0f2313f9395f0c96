//! The rows of the coarray suite with their targets, in the order of the programs.

use crate::rows::Row;
use crate::targets::{Against, Target};

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// Small and strided transfers: OpenCoarrays calls MPI an element, caf_shmem calls the program's accessor in place.
const TRANSFER: &[Target] =
    &[Target::new(Against::OpenCoarrays, 0.1), Target::new(Against::CafShmem, 1.0)];
/// What is compared with caf_shmem only.
const ACCESSOR: &[Target] = &[Target::new(Against::CafShmem, 1.0)];
/// Components: OpenCoarrays looks for each element anew, caf_shmem follows them in place.
const COMPONENT: &[Target] =
    &[Target::new(Against::OpenCoarrays, 0.1), Target::new(Against::CafShmem, 1.0)];
const COMPONENT_ARRAY: &[Target] =
    &[Target::new(Against::OpenCoarrays, 0.01), Target::new(Against::CafShmem, 1.0)];
const TRANSFER_SYNC: &[Target] = &[Target::new(Against::OpenCoarrays, 0.1)];
/// 0.9 of the bandwidth of a copy between processes.
const BLOCK: &[Target] = &[
    Target::new(Against::OpenCoarrays, 0.95),
    Target::new(Against::CafShmem, 1.0),
    Target::new(Against::Limit, 1.0 / 0.9),
];
/// caf_shmem's images sleep in the kernel whenever they wait.
const WAITING: Target = Target::new(Against::CafShmem, 0.3);
const SYNC: &[Target] =
    &[Target::at(2, Against::Coarray, 0.7), Target::at(4, Against::Coarray, 0.5), WAITING];
const PINGPONG: &[Target] = &[
    WAITING,
    Target::at(2, Against::Coarray, 0.7),
    Target::at(4, Against::Coarray, 0.5),
    Target::new(Against::Limit, 1.5),
];
const BARRIER: &[Target] = &[
    WAITING,
    Target::at(2, Against::Coarray, 0.7),
    Target::at(4, Against::Coarray, 0.5),
    Target::at(2, Against::Limit, 1.5),
    Target::at(4, Against::Limit, 1.5),
    Target::at(8, Against::Limit, 1.5),
];
const EVENT: &[Target] = &[Target::new(Against::Coarray, 0.3)];
const UNCONTENDED: &[Target] =
    &[Target::new(Against::OpenCoarrays, 1.2), Target::new(Against::CafShmem, 1.0)];
const CONTENDED: &[Target] = &[Target::new(Against::Coarray, 0.8)];
const SUM_ONE: &[Target] = &[
    WAITING,
    Target::new(Against::Coarray, 0.5),
    Target::new(Against::RawMpi, 0.8),
    Target::new(Against::Limit, 1.6),
];
const SUM_MIDDLE: &[Target] = &[WAITING, Target::new(Against::Limit, 1.6)];
const SUM_LARGE: &[Target] = &[
    WAITING,
    Target::new(Against::Coarray, 0.4),
    Target::new(Against::RawMpi, 0.4),
    Target::new(Against::Limit, 1.6),
];
const COLLECTIVE: &[Target] = &[WAITING];
const BROADCAST: &[Target] = &[Target::new(Against::Anyone, 0.7), WAITING];
const ALLOCATION: &[Target] = &[Target::new(Against::Coarray, 0.5)];

const fn put(bytes: u64, title: &'static str) -> Row {
    Row::new("ladder", "put", bytes, title).mpi().limit()
}

const fn get(bytes: u64, title: &'static str) -> Row {
    Row::new("ladder", "get", bytes, title).mpi().limit()
}

/// All rows.
pub const ROWS: &[Row] = &[
    Row::new("latency", "put8", 8, "put 8 B").mpi().limit().quick().targets(TRANSFER),
    Row::new("latency", "put8_sync", 8, "put 8 B + sync memory")
        .mpi()
        .quick()
        .targets(TRANSFER_SYNC),
    Row::new("latency", "get8", 8, "get 8 B").mpi().limit().quick().targets(TRANSFER),
    Row::new("latency", "put8_self", 8, "put 8 B to itself"),
    Row::new("latency", "get8_self", 8, "get 8 B from itself"),
    Row::new("latency", "sendget8", 8, "8 B from one other image to another")
        .quick()
        .targets(ACCESSOR),
    put(8, "put array, 8 B").quick(),
    get(8, "get array, 8 B").quick(),
    put(64, "put array, 64 B"),
    get(64, "get array, 64 B"),
    put(512, "put array, 512 B"),
    get(512, "get array, 512 B"),
    put(KIB, "put array, 1 KiB").targets(ACCESSOR),
    get(KIB, "get array, 1 KiB").targets(ACCESSOR),
    put(4 * KIB, "put array, 4 KiB").quick(),
    get(4 * KIB, "get array, 4 KiB").quick(),
    put(32 * KIB, "put array, 32 KiB"),
    get(32 * KIB, "get array, 32 KiB"),
    put(256 * KIB, "put array, 256 KiB"),
    get(256 * KIB, "get array, 256 KiB"),
    put(MIB, "put array, 1 MiB").quick().targets(BLOCK),
    get(MIB, "get array, 1 MiB").quick().targets(BLOCK),
    put(8 * MIB, "put array, 8 MiB"),
    get(8 * MIB, "get array, 8 MiB"),
    put(64 * MIB, "put array, 64 MiB"),
    get(64 * MIB, "get array, 64 MiB"),
    Row::new("strided", "put_every2", 4000, "put every 2nd of a column")
        .mpi()
        .quick()
        .targets(TRANSFER),
    Row::new("strided", "put_row", 8000, "put a row").mpi().quick().targets(TRANSFER),
    Row::new("strided", "put_section", 80000, "put a 2-D section").mpi().quick().targets(TRANSFER),
    Row::new("strided", "get_every2", 4000, "get every 2nd of a column")
        .mpi()
        .quick()
        .targets(TRANSFER),
    Row::new("strided", "get_row", 8000, "get a row").mpi().quick().targets(TRANSFER),
    Row::new("strided", "get_section", 80000, "get a 2-D section").mpi().quick().targets(TRANSFER),
    Row::new("component", "put8_component", 8, "put 8 B to a component").targets(COMPONENT),
    Row::new("component", "get8_component", 8, "get 8 B of a component").targets(COMPONENT),
    Row::new("component", "put_component", 8000, "put a component array").targets(COMPONENT_ARRAY),
    Row::new("component", "get_component", 8000, "get a component array").targets(COMPONENT_ARRAY),
    Row::new("pingpong", "pingpong", 8, "put + sync images, there and back")
        .mpi()
        .limit()
        .quick()
        .targets(PINGPONG),
    Row::new("pingpong", "pingpong_eight", 8, "the same, 8 variables").mpi().quick().targets(SYNC),
    Row::new("sync", "sync_all", 0, "sync all").mpi().limit().quick().targets(BARRIER),
    Row::new("sync", "sync_images_pair", 0, "sync images, pairs").mpi().quick().targets(SYNC),
    Row::new("sync", "sync_images_ring", 0, "sync images, ring").quick().targets(SYNC),
    Row::new("sync", "sync_images_star", 0, "sync images, star").quick().targets(SYNC),
    Row::new("sync", "sync_memory", 0, "sync memory").quick(),
    Row::new("event", "event_pingpong", 0, "event ping-pong").quick().targets(EVENT),
    Row::new("event", "event_post", 0, "event post").targets(EVENT),
    Row::new("lock", "lock_local", 0, "lock + unlock, own").quick().targets(UNCONTENDED),
    Row::new("lock", "lock_remote", 0, "lock + unlock, other image's").quick().targets(UNCONTENDED),
    Row::new("lock", "lock_contended", 0, "lock + unlock, all at once").quick().targets(CONTENDED),
    Row::new("lock", "critical_one", 0, "critical, one image").targets(UNCONTENDED),
    Row::new("lock", "critical_all", 0, "critical, all at once").targets(CONTENDED),
    Row::new("atomic", "atomic_add", 4, "atomic_add").mpi().limit().quick().targets(UNCONTENDED),
    Row::new("atomic", "atomic_fetch_add", 4, "atomic_fetch_add")
        .mpi()
        .quick()
        .targets(UNCONTENDED),
    Row::new("atomic", "atomic_cas", 4, "atomic_cas").mpi().targets(UNCONTENDED),
    Row::new("atomic", "atomic_add_all", 4, "atomic_add, all at once").limit().targets(CONTENDED),
    Row::new("atomic", "atomic_fetch_add_all", 4, "atomic_fetch_add, all at once")
        .mpi()
        .quick()
        .targets(CONTENDED),
    Row::new("atomic", "atomic_ref_local", 4, "atomic_ref, own").targets(UNCONTENDED),
    Row::new("reduce", "co_sum", 8, "co_sum, 1 double").mpi().limit().quick().targets(SUM_ONE),
    Row::new("reduce", "co_sum", 8 * KIB, "co_sum, 1k doubles")
        .mpi()
        .limit()
        .quick()
        .targets(SUM_MIDDLE),
    Row::new("reduce", "co_sum", MIB, "co_sum, 128k doubles").mpi().limit().targets(SUM_MIDDLE),
    Row::new("reduce", "co_sum", 8 * MIB, "co_sum, 1M doubles")
        .mpi()
        .limit()
        .quick()
        .targets(SUM_LARGE),
    Row::new("reduce", "co_sum_result", 8, "co_sum to image 1").mpi().targets(COLLECTIVE),
    Row::new("reduce", "co_max", 8, "co_max, 1 double").mpi().targets(COLLECTIVE),
    Row::new("reduce", "co_reduce", 8 * KIB, "co_reduce, 1k doubles").mpi().targets(COLLECTIVE),
    Row::new("broadcast", "co_broadcast", 8, "co_broadcast, 1 double")
        .mpi()
        .quick()
        .targets(COLLECTIVE),
    Row::new("broadcast", "co_broadcast", 8 * KIB, "co_broadcast, 1k doubles")
        .mpi()
        .quick()
        .targets(BROADCAST),
    Row::new("broadcast", "co_broadcast", MIB, "co_broadcast, 128k doubles")
        .mpi()
        .targets(BROADCAST),
    Row::new("broadcast", "co_broadcast", 8 * MIB, "co_broadcast, 1M doubles")
        .mpi()
        .quick()
        .targets(BROADCAST),
    Row::new("allocation", "allocate", 8000, "allocate + deallocate")
        .mpi()
        .quick()
        .targets(ALLOCATION),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    #[test]
    fn rows_are_different_and_what_their_targets_compare_with_is_measured() {
        rows::check(ROWS);
    }
}
