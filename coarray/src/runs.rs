//! Transfers of many short runs in the segment of a remote image, as vector subscripts make them: several runs travel in
//! one message.

use crate::plan::{Plan, Remote};
use xmp_core::Result;
use xmp_core::transport::Run;

/// Longest section that is divided into runs, in bytes; beside a longer one its own message costs little.
const SHORT: usize = 1 << 10;
/// Most runs that are collected for one call; the transport divides them into messages.
const MOST: usize = 1 << 10;

/// Whether a plan is one of several short sections.
pub fn is_scattered(plan: &Plan<'_>) -> bool {
    plan.size_of_many_nests().is_some_and(|bytes| bytes <= SHORT)
}

/// Calls `visit` with the runs of a plan in its order, many at a time. `base` is the segment offset of the remote side.
///
/// # Errors
/// The first error of `visit`.
pub fn for_each_batch(
    plan: &Plan<'_>,
    remote: Remote,
    base: u64,
    mut visit: impl FnMut(&[Run]) -> Result<()>,
) -> Result<()> {
    let mut runs = Vec::new();
    plan.for_each_nest(remote, |remote_base, local_base, nest| {
        nest.try_for_each(|remote, local| {
            if runs.len() == MOST {
                visit(&runs)?;
                runs.clear();
            }
            let offset = base.wrapping_add_signed(remote_base + remote);
            runs.push(Run { offset, local: (local_base + local) as isize, len: nest.unit });
            Ok(())
        })
    })?;
    if runs.is_empty() { Ok(()) } else { visit(&runs) }
}
