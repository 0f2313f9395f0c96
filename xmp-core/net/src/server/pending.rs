//! The pending-put check: a get that overlaps an incomplete put to the same image waits for it.
//!
//! Puts are non-blocking, so a get that goes by MPI's window could overtake an earlier put of the same image to the same place and
//! return the old value. (By messages it cannot: servers execute the requests of an image in order.) The check costs a comparison: for each target one interval bounds all pending puts. "No overlap" is exact. An
//! overlap with the interval but not with a put costs one needless flush, after which the interval is empty.

use crate::rank::Rank;
use crate::transport::{FlushScope, Layout, Post};
use std::cell::Cell;
use std::convert::Infallible;

/// No pending put.
const NONE: (u64, u64) = (u64::MAX, 0);

/// The bytes that incomplete puts of this image may touch: an interval of the segment of each target.
#[derive(Debug)]
pub struct PendingPuts(Box<[Cell<(u64, u64)>]>);

impl PendingPuts {
    /// No puts yet, in a job of this many images.
    pub fn new(images: usize) -> PendingPuts {
        PendingPuts(vec![Cell::new(NONE); images].into())
    }

    /// Notes a put.
    #[inline]
    pub fn put(&self, target: Rank, offset: u64, layout: Layout<'_>) {
        let noted: Result<(), Infallible> = layout.for_each_touched(offset, |from, to| {
            self.note(target, from, to);
            Ok(())
        });
        let Ok(()) = noted;
    }

    /// Notes a post.
    pub fn post(&self, target: Rank, post: &Post<'_>) {
        if let Post::Packet { end, parts: [data, header], .. } = post {
            let len = (data.len() + header.len()) as u64;
            self.note(target, end.saturating_sub(len), *end);
        }
    }

    fn note(&self, target: Rank, from: u64, to: u64) {
        let pending = &self.0[target.index()];
        let (first, last) = pending.get();
        pending.set((first.min(from), last.max(to)));
    }

    /// Whether a get of these bytes may touch what an incomplete put writes.
    #[inline]
    pub fn overlap(&self, target: Rank, offset: u64, layout: Layout<'_>) -> bool {
        let (first, last) = self.0[target.index()].get();
        let free = layout.for_each_touched(offset, |from, to| {
            if from < last && first < to { Err(()) } else { Ok(()) }
        });
        free.is_err()
    }

    /// Forgets the puts that a flush has completed.
    pub fn flushed(&self, scope: FlushScope) {
        match scope {
            FlushScope::Target(target) => self.0[target.index()].set(NONE),
            FlushScope::All | FlushScope::Everything => {
                self.0.iter().for_each(|pending| pending.set(NONE));
            }
            // Operations that stay incomplete stay in the intervals.
            FlushScope::Before(_) | FlushScope::Ordered(_) => {}
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::nest::{Loop, Nest};
    use proptest::prelude::*;

    const AREA: i64 = 256;

    proptest! {
        /// A get that touches a byte of a put before it has to wait, until a flush. One outside of all puts need not.
        #[test]
        fn gets_wait_for_the_puts_before_them(
            operations in prop::collection::vec(
                (0..5, 0u32..2, 0i64..200, 1usize..8, 1usize..6, -20i64..20), 1..60)
        ) {
            let pending = PendingPuts::new(2);
            let mut put = [[false; AREA as usize]; 2];
            for (what, target, at, unit, extent, stride) in operations {
                let loops = [Loop { extent, remote: stride, local: unit as i64 }];
                let nest = Nest { unit, loops: &loops };
                let reach = (extent as i64 - 1) * stride;
                if at + reach.min(0) < 0 || at + unit as i64 + reach.max(0) > AREA {
                    continue;
                }
                let (rank, bytes) = (Rank::new(target), &mut put[target as usize]);
                let mut touched = Vec::new();
                nest.for_each(|remote, _| {
                    let from = (at + remote) as usize;
                    touched.extend(from..from + unit);
                });
                match what {
                    0 => {
                        pending.flushed(FlushScope::Target(rank));
                        bytes.fill(false);
                    }
                    1 | 2 => {
                        pending.put(rank, at as u64, Layout::Nest(nest));
                        touched.into_iter().for_each(|byte| bytes[byte] = true);
                    }
                    _ => {
                        let waits = pending.overlap(rank, at as u64, Layout::Nest(nest));
                        prop_assert!(waits || !touched.iter().any(|&byte| bytes[byte]));
                        let first = bytes.iter().position(|&is_put| is_put);
                        let last = bytes.iter().rposition(|&is_put| is_put);
                        let is_apart = first.zip(last).is_none_or(|(first, last)| {
                            touched.iter().all(|&byte| byte < first)
                                || touched.iter().all(|&byte| byte > last)
                        });
                        prop_assert!(!(waits && is_apart));
                    }
                }
            }
        }
    }
}
