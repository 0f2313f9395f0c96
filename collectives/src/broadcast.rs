//! Broadcast: the bytes of one image become those of all.

pub(crate) mod on_host;

use crate::guard::with_live_set;
use crate::host::broadcast::Message;
use crate::leaders::{CollCall, Vector, run_on_vector};
use crate::plan::{self, Participant};
use crate::select::{Between, Choices};
use crate::two_level::{RootedLeaders, conclude, rank_at};
use on_host::on_host;
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// As [`crate::raw::broadcast`], with these algorithms. The root of the message is a position of the set.
///
/// # Errors
/// Those of that function.
///
/// # Safety
/// As that function.
pub unsafe fn broadcast_with(
    image: &Image,
    set: &ImageSet,
    message: Message,
    choices: &Choices,
) -> Result<()> {
    with_live_set(image, set, || {
        let root = rank_at(set, message.root)?;
        if message.len == 0 || set.len() == 1 {
            return Ok(());
        }
        let levels = set.levels(image)?;
        let forced = choices.broadcast;
        let mut coll = CollCall::new(image, set);
        if levels.single_host() {
            // SAFETY: the message is valid (contract above).
            unsafe { on_host(image, levels, message, forced, &mut coll)? };
            return coll.outcome();
        }
        let rooted_leaders = RootedLeaders::new(image, levels, Some(root));
        let vector = Vector::bytes(message.buffer, message.len);
        if rooted_leaders.is_me() {
            let who = Participant { n: rooted_leaders.hosts(), position: rooted_leaders.host() };
            let algorithm = Between::new(image, message.len, who.n).broadcast(forced.leaders);
            let plan = || plan::broadcast(algorithm, who, rooted_leaders.root_host(), message.len);
            // SAFETY: as above.
            unsafe {
                run_on_vector(image, |host| rooted_leaders.of(host), plan, vector, &mut coll)?
            };
        }
        // SAFETY: as above.
        unsafe { conclude(&rooted_leaders, coll, vector, forced) }
    })
}
