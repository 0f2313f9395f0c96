//! Broadcast of long data.

use super::{Placement, Regions, fetch, fetched, pipeline, shared_at};
use crate::copy::take;
use crate::host::Host;
use crate::host::broadcast::Message;
use std::ops::Range;
use xmp_core::BoxedResult;

/// Broadcasts a message. Returns `false`, on all members and before anything is written, if the members are in one group or
/// too many for staging.
pub fn broadcast(host: &Host<'_>, message: &Message, chunk: usize) -> BoxedResult<bool> {
    let hierarchy = host.area.hierarchy();
    let (me, members) = (host.me(), host.members());
    let last = hierarchy.levels().len();
    let most = Regions::longest_piece(last, members, 1).min(chunk);
    if last == 1 || most == 0 {
        return Ok(false);
    }
    let pieces: Vec<Range<usize>> = message.pieces(most).collect();
    let regions = Regions::new(last, members, 1, most.min(message.bytes()));
    let is_root = me == message.root();
    if is_root {
        host.post_address(message.start());
    }
    let mut shared = std::ptr::null();
    pipeline(host, pieces.len(), last, |stage, number| {
        let piece = &pieces[number];
        if (stage, number) == (1, 0) {
            shared = host.posted_address(message.root());
        }
        // SAFETY: the message has this piece, and so has the root's in a segment, which does not change before all have executed
        // the last stage but one. Regions have room for it. Staging of the last epoch is not written before the next
        // barrier.
        unsafe {
            match stage {
                0 => {
                    if is_root && host.shared_address(message.start()) == 0 {
                        let own = regions.own(host, 0);
                        host.area.stage(own, message.at(piece), piece.len());
                    }
                }
                _ if stage == last => {
                    if !is_root {
                        let held = shared_at(hierarchy, last - 1, 1, me);
                        for run in held.runs(piece.len(), &(0..piece.len()), me) {
                            let from = regions.of(host, stage - 1, run.holder).add(run.at);
                            let to = message.at(piece).add(run.range.start);
                            take(to, from, run.range.len());
                        }
                    }
                }
                level => {
                    let held = Placement::ByOne(message.root());
                    let part = fetched(hierarchy, level, held, 1, piece.len(), me);
                    fetch(&part, 1, regions.own(host, stage), |run| {
                        if level > 1 || shared.is_null() {
                            regions.of(host, stage - 1, run.holder).wrapping_add(run.at)
                        } else {
                            shared.wrapping_add(piece.start + run.at)
                        }
                    });
                }
            }
        }
        Ok(())
    })?;
    Ok(true)
}
