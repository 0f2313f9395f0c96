//! The first 1,000 operations of each size of a fresh job, ascending and descending sizes, operands rewritten before each.
//!
//! Each group is a job of its own. The figure of a row is the mean of its operations, which are timed one by one.

use super::measure::Pairs;
use super::programs::COLD;
use crate::error::Error;
use crate::interleave::How;
use crate::options::ColdOptions;
use crate::peers::Kind;
use crate::rows::Row;
use crate::stranger::Stranger;
use crate::targets::{Against, Target};

/// Up to this size the 95th percentile is judged, too.
const STEADY_BYTES: u64 = 64 * 1024;

/// The time of the first operations.
const FIRST: Target = Target::new(Against::RawMpi, 0.7);
/// No slow state: the 95th percentile is near the median.
const STEADY: Target = Target::new(Against::OwnMedian, 1.5);

/// Runs the suite and writes and prints its results. False if ours is absent or failed somewhere; a missed target is a
/// result, not a failure.
pub fn run(options: &ColdOptions) -> Result<bool, Error> {
    let stranger = options.stranger.then(Stranger::start).transpose().map_err(Error::Stranger)?;
    let pairs = Pairs {
        title: "Suite of first operations",
        heading: "First 1,000 operations",
        rows: ROWS,
        programs: COLD,
        sides: &[Kind::Ours, Kind::RawMpi],
        how: How::Bench,
        last_line: |ahead| ahead.to_string(),
    };
    pairs.run(&options.run, |report| {
        report.note("The figure of a row is the mean of the first 1,000 operations of its size.");
        if let Some(stranger) = &stranger {
            report.note(&format!("A stranger kept core {} busy.", stranger.core));
        }
    })
}

/// The rows of an operation in one order of its sizes.
macro_rules! rows {
    ($($name:literal $title:literal: $($bytes:literal)*;)*) => {
        &[$($(row($name, $bytes, $title)),*),*]
    };
}

/// All rows, in the order of the program.
const ROWS: &[Row] = rows! {
    "co_sum_ascending" "co_sum, ascending":
        8 64 512 1024 2048 4096 8192 16384 32768 65536 262144 1048576;
    "co_sum_descending" "co_sum, descending":
        1048576 262144 65536 32768 16384 8192 4096 2048 1024 512 64 8;
    "co_broadcast_ascending" "co_broadcast, ascending":
        8 64 512 1024 2048 4096 8192 16384 32768 65536 262144 1048576;
    "co_broadcast_descending" "co_broadcast, descending":
        1048576 262144 65536 32768 16384 8192 4096 2048 1024 512 64 8;
};

const fn row(name: &'static str, bytes: u64, title: &'static str) -> Row {
    let row = Row::new(name, name, bytes, title).mpi().targets(if bytes <= STEADY_BYTES {
        &[FIRST, STEADY]
    } else {
        &[FIRST]
    });
    if matches!(bytes, 8 | 4096 | 65536) { row.quick() } else { row }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn both_orders_have_the_same_sizes_in_a_job_of_their_own() {
        let sizes = |name: &str| -> Vec<u64> {
            ROWS.iter().filter(|row| row.name == name).map(|row| row.size).collect()
        };
        for operation in ["co_sum", "co_broadcast"] {
            let ascending = sizes(&format!("{operation}_ascending"));
            let mut descending = sizes(&format!("{operation}_descending"));
            assert!(ascending.is_sorted());
            descending.reverse();
            assert_eq!(ascending, descending);
        }
        let groups: BTreeSet<_> = ROWS.iter().map(|row| row.group).collect();
        assert_eq!(groups.len(), ROWS.chunk_by(|a, b| a.group == b.group).count());
        assert!(ROWS.iter().all(|row| row.group == row.name));
    }
}
