//! The rows of the suite of PRIF with their targets, in the order of the program.

use crate::rows::Row;
use crate::targets::{Against, Target};

const HALF: &[Target] = &[Target::new(Against::Coarray, 0.5)];
const WORD: &[Target] = &[Target::new(Against::Coarray, 0.15)];
const SUM_OF_THOUSAND: &[Target] = &[Target::new(Against::Coarray, 0.02)];
const START: &[Target] = &[Target::new(Against::Coarray, 0.05)];

const fn row(group: &'static str, name: &'static str, size: u64, title: &'static str) -> Row {
    Row::new(group, name, size, title).targets(HALF)
}

/// What a run costs that does nothing.
pub const EMPTY: &[Row] = &[
    row("start", "start", 0, "start and end of an empty program").targets(START).quick(),
    row("start", "memory", 0, "peak memory of an image of an empty program, kB").quick(),
];

/// What procedures cost.
pub const PROCEDURES: &[Row] = &[
    row("transfer", "put", 8, "prif_put").targets(WORD).quick(),
    row("transfer", "get", 8, "prif_get").targets(WORD).quick(),
    row("transfer", "put", 1024, "prif_put"),
    row("transfer", "get", 1024, "prif_get"),
    row("transfer", "put", 65536, "prif_put"),
    row("transfer", "get", 65536, "prif_get"),
    row("transfer", "put", 1 << 20, "prif_put").quick(),
    row("transfer", "get", 1 << 20, "prif_get").quick(),
    row("transfer", "put", 64 << 20, "prif_put"),
    row("transfer", "get", 64 << 20, "prif_get"),
    row("strided", "put_strided", 8000, "prif_put_strided, every 2nd of 2,000").quick(),
    row("strided", "put_section", 80_000, "prif_put_strided, 100 x 100 of an array"),
    row("strided", "get_strided", 8000, "prif_get_strided, every 2nd of 2,000"),
    row("sync", "sync_all", 0, "prif_sync_all").quick(),
    row("sync", "events", 0, "event post and wait, there and back").quick(),
    row("atomics", "atomic_add", 8, "prif_atomic_add").quick(),
    row("atomics", "atomic_fetch_add", 8, "prif_atomic_fetch_add"),
    row("collectives", "co_sum", 8, "prif_co_sum").quick(),
    row("collectives", "co_broadcast", 8, "prif_co_broadcast").quick(),
    row("collectives", "co_sum", 8000, "prif_co_sum").targets(SUM_OF_THOUSAND).quick(),
    row("collectives", "co_broadcast", 8000, "prif_co_broadcast"),
    row("collectives", "co_sum", 1 << 20, "prif_co_sum"),
    row("collectives", "co_broadcast", 1 << 20, "prif_co_broadcast"),
    row("teams", "form_team", 0, "prif_form_team"),
    row("teams", "change_team", 0, "prif_change_team and prif_end_team"),
    row("allocation", "allocate", 8192, "allocation and deallocation of a coarray").quick(),
];
