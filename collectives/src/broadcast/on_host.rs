//! Broadcast between the images of one host, with a collective area or without: all of it there, the last part of
//! operations over several hosts.

use crate::host::Host;
use crate::host::broadcast::{Message, large, slots};
use crate::leaders::{CollCall, Vector, run_on_vector};
use crate::plan::{self, Participant};
use crate::select::{Between, Forced, HostBroadcast, LeaderBroadcast, Shape};
use xmp_core::image_set::Levels;
use xmp_core::{Image, Result};

/// Broadcast between the images of this host.
///
/// # Errors
/// When a member of the collective area has ended. (Without the collective area that goes to `coll`.)
///
/// # Safety
/// The message is valid.
pub unsafe fn on_host(
    image: &Image,
    levels: &Levels,
    message: Message,
    forced: Forced<HostBroadcast, LeaderBroadcast>,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let shape = Shape::new(image, message.len, levels.local_peers().len());
    let choice = shape.broadcast(forced.host);
    let area = levels.area().filter(|_| choice.otherwise != HostBroadcast::Messages);
    // SAFETY: the message is valid (contract above).
    unsafe {
        let Some(area) = area else {
            return by_messages(image, levels, message, forced.leaders, coll);
        };
        let host = Host { image, area };
        match choice.otherwise {
            HostBroadcast::Slots if !choice.direct => slots::run(&host, &message),
            _ => large::run(&host, &message, shape.pipelined_chunk(), choice.direct),
        }
    }
}

/// Broadcast between the images of this host over channels.
///
/// # Errors
/// When the job is ending or the transport fails.
///
/// # Safety
/// The message is valid.
pub unsafe fn by_messages(
    image: &Image,
    levels: &Levels,
    message: Message,
    forced: Option<LeaderBroadcast>,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let (local_peers, Message { buffer, len, root }) = (levels.local_peers(), message);
    let who = Participant { n: local_peers.len(), position: levels.position() };
    let algorithm = Between::here(image, len, who.n).broadcast(forced);
    let plan = || plan::broadcast(algorithm, who, root, len);
    // SAFETY: the message is valid (contract above).
    unsafe { run_on_vector(image, |i| local_peers[i], plan, Vector::bytes(buffer, len), coll) }
}
