//! Broadcast between the images of one host, with a collective area or without. It is a whole operation there, and the
//! last part of operations over several hosts.

use crate::host::Host;
use crate::host::broadcast::{Message, Ways, large, slots};
use crate::host::grouped;
use crate::leaders::{CollCall, Vector, run_on_vector};
use crate::plan::{self, Participant};
use crate::select::{Between, Forced, HostMove, LeaderBroadcast, Shape, near};
use xmp_core::image_set::Levels;
use xmp_core::{BoxedResult, Image, Result};

/// Broadcasts a message, whose root is a position among the local peers.
pub fn on_host(
    image: &Image,
    levels: &Levels,
    message: Message,
    forced: Forced<HostMove, LeaderBroadcast>,
    coll: &mut CollCall<'_>,
) -> BoxedResult<()> {
    let shape = Shape::new(image, message.bytes(), levels.local_peers().len());
    let choice = shape.broadcast(forced.host);
    let area = levels.area().filter(|_| choice.otherwise != HostMove::Messages);
    let Some(area) = area else {
        return Ok(by_messages(image, levels, message, forced.leaders, coll)?);
    };
    let host = Host::of_call(image, area, message.signature());
    let in_groups = match forced.host {
        Some(forced) => forced == HostMove::Grouped,
        None => {
            choice.otherwise == HostMove::Staged
                && near::broadcast_in_groups(area.hierarchy(), message.bytes(), message.root())
        }
    };
    if in_groups && grouped::broadcast(&host, &message, shape.pipelined_chunk())? {
        return Ok(());
    }
    match choice.otherwise {
        HostMove::Slots if !choice.direct => slots(&host, &message),
        _ => {
            let single_copy = forced.host != Some(HostMove::Staged);
            let ways = Ways { direct: choice.direct, single_copy };
            large(&host, &message, shape.pipelined_chunk(), ways)
        }
    }
}

/// Broadcasts a message between the local peers over channels.
pub fn by_messages(
    image: &Image,
    levels: &Levels,
    message: Message,
    forced: Option<LeaderBroadcast>,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let (local_peers, len) = (levels.local_peers(), message.bytes());
    let who = Participant { n: local_peers.len(), position: levels.position() };
    let algorithm = Between::local_peers(image, len, who.n).broadcast(forced);
    let plan = || plan::broadcast(algorithm, who, message.root(), len);
    run_on_vector(image, |i| local_peers[i], plan, Vector::of_message(&message), coll)
}
