//! Broadcast of private memory by a single copy. All members copy at the same time: a receiver takes the first part of the
//! message from the root, and the root gives each receiver the rest.

use super::message::Message;
use super::staged;
use crate::host::Host;
use crate::host::single_copy::{self, CopyMethod, SHORTEST, all_have_copied, give, give_up, take};
use xmp_core::BoxedResult;
use xmp_core::coll_area::SingleCopy;
use xmp_core::process::memory;

/// The parts begin with whole pages.
const PAGE: usize = 4096;

/// Whether the members broadcast a message in private memory by a single copy. All members call it for the same message.
#[inline]
pub fn is_better(host: &Host<'_>, message: &Message, chunk: usize) -> BoxedResult<bool> {
    if message.bytes() < SHORTEST {
        return Ok(false);
    }
    let least = single_copy::least(host, SingleCopy::Broadcast, |buffer, way| {
        // SAFETY: the buffer of this member, which only the broadcast accesses.
        let message = unsafe { Message::new(buffer.as_mut_ptr(), buffer.len(), 0) };
        if way == CopyMethod::Staged {
            return staged::broadcast(host, &message, chunk).map(|()| true);
        }
        host.post_words([0, message.start().expose_provenance() as u64]);
        host.barrier()?;
        copy(host, &message)
    })?;
    Ok(message.bytes() as u64 >= least)
}

/// Copies the message, after a barrier before which all members have posted the addresses of their buffers as the second
/// of two words. Whether all have copied their part; otherwise the message is undefined on all but the root, and no
/// member of the area tries it again.
pub fn copy(host: &Host<'_>, message: &Message) -> BoxedResult<bool> {
    host.access_epoch(|| copy_parts(host, message))
}

/// The same; other members may access this one's memory after an error.
fn copy_parts(host: &Host<'_>, message: &Message) -> BoxedResult<bool> {
    // Where a receiver may have left the barrier before with an error, the root must not write to its memory.
    let may_give = host.area.all_or_none();
    let given = if may_give { message.bytes() / host.members() / PAGE * PAGE } else { 0 };
    let taken = message.bytes() - given;
    let rest = message.start().wrapping_add(taken);
    let address = |member: usize| host.posted_words(member)[1];
    // SAFETY: the message has these bytes (`Message::new`) on all members, which have posted their addresses. The root
    // does not change its own before the next barrier, and no receiver accesses those that the root gives it.
    let copied = unsafe {
        if host.me() == message.root() {
            host.others().try_for_each(|member| {
                give(host, member, address(member) + taken as u64, rest, given)
            })
        } else {
            take(host, message.root(), address(message.root()), message.start(), taken)
        }
    };
    if all_have_copied(host, &copied)? {
        if host.me() != message.root() {
            memory::written_by_another(rest, given);
        }
        return Ok(true);
    }
    give_up(host, SingleCopy::Broadcast);
    Ok(false)
}
