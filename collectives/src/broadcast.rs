//! Broadcast: all images of a set get the bytes of one of them.

use crate::broadcast_on_host::on_host;
use crate::guard::with_live_set;
use crate::host::Host;
use crate::host::broadcast::{Message, slots};
use crate::leaders::{CollCall, Vector, run_on_vector};
use crate::plan::{self, Participant};
use crate::select::{Between, Choices};
use crate::two_level::{RootedLeaders, conclude, rank_at, without_elements};
use xmp_core::image_set::ImageSet;
use xmp_core::{BoxedResult, Image, Result};

/// Broadcasts a message, whose root is a position of the set, with these algorithms.
pub fn broadcast_with(
    image: &Image,
    set: &ImageSet,
    message: Message,
    choices: &Choices,
) -> Result<()> {
    Ok(with_live_set(image, set, || -> BoxedResult<()> {
        let root = rank_at(set, message.root())?;
        let len = message.bytes();
        if set.len() == 1 {
            return Ok(());
        }
        let levels = set.levels(image)?;
        if len == 0 {
            let signature = message.signature();
            return match levels.area().filter(|_| levels.single_host()) {
                Some(area) => slots(&Host::of_call(image, area, signature), &message),
                None => Ok(without_elements(image, set, &signature)?),
            };
        }
        let forced = choices.broadcast;
        let mut coll = CollCall::new(image, set).signed(message.signature())?;
        if levels.single_host() {
            on_host(image, levels, message, forced, &mut coll)?;
            return Ok(coll.outcome()?);
        }
        let rooted_leaders = RootedLeaders::new(image, levels, Some(root));
        let vector = Vector::of_message(&message);
        if rooted_leaders.is_me() {
            let who = Participant { n: rooted_leaders.hosts(), position: rooted_leaders.host() };
            let algorithm = Between::hosts(image, len, who.n).broadcast(forced.leaders);
            let plan = || plan::broadcast(algorithm, who, rooted_leaders.root_host(), len);
            run_on_vector(image, |host| rooted_leaders.of(host), plan, vector, &mut coll)?;
        }
        Ok(conclude(&rooted_leaders, coll, vector, forced)?)
    })?)
}
