//! Transfers that are many short runs in the segment of an image of another host, as vector subscripts make them: they go
//! together.

use crate::plan::{Plan, Remote};
use xmp_core::Result;
use xmp_core::transport::Run;

/// Sections of more bytes go by themselves, as what they are: a message of theirs costs little beside them.
const SHORT: usize = 1 << 10;
/// Most runs that are collected: the transport divides what is too long for a message.
const MOST: usize = 1 << 10;

/// Whether a plan is one of several short sections.
pub fn is_scattered(plan: &Plan<'_>) -> bool {
    plan.size_of_many_nests().is_some_and(|bytes| bytes <= SHORT)
}

/// Calls `visit` with the runs of a plan, many at a time, in its order, where `base` is that of its remote side in the segment.
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
    plan.for_each_nest(remote, |there, here, nest| {
        nest.try_for_each(|remote, local| {
            if runs.len() == MOST {
                visit(&runs)?;
                runs.clear();
            }
            let offset = base.wrapping_add_signed(there + remote);
            runs.push(Run { offset, local: (here + local) as isize, len: nest.unit });
            Ok(())
        })
    })?;
    match runs.is_empty() {
        true => Ok(()),
        false => visit(&runs),
    }
}
