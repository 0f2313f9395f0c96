//! Broadcast: the bytes of one image become those of all.

pub(crate) mod on_host;

use crate::check::Call;
use crate::express;
use crate::guard::{say, with_live_set};
use crate::host::broadcast::Message;
use crate::leaders::{self, CollCall};
use crate::plan::{self, Participant};
use crate::select::{Between, Choices};
use crate::two_level::{RootedLeaders, conclude, rank_at};
use on_host::on_host;
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// Gives the `len` bytes at `buffer` of the image at the 0-based position `root` to all images of the set. All
/// give the same length. The root may return before the others have the data.
///
/// # Errors
/// When an image of the set has stopped or failed and this image learns of it; on the root's host and on that
/// of the ended image all do. When the root is not in the set. What is at `buffer` is undefined then.
///
/// # Safety
/// `buffer` is valid for reads (root) or writes (others) of `len` bytes, which no other image accesses meanwhile.
///
/// # Panics
/// When this image is not in the set.
#[inline]
pub unsafe fn broadcast(
    image: &Image,
    set: &ImageSet,
    root: usize,
    buffer: *mut u8,
    len: usize,
) -> Result<()> {
    // SAFETY: the caller's guarantee.
    if let Some(outcome) = unsafe { express::broadcast(image, set, root, buffer, len) } {
        return outcome;
    }
    let call = || Call::of("broadcast").elements(len, 1).root(root);
    say(image, set, call)?;
    let choices = Choices::from_settings(image.settings())?;
    // SAFETY: the caller's guarantee.
    unsafe { broadcast_with(image, set, root, (buffer, len), &choices) }
}

/// As [`broadcast`], with these algorithms.
///
/// # Errors
/// As there.
///
/// # Safety
/// As there.
pub unsafe fn broadcast_with(
    image: &Image,
    set: &ImageSet,
    root: usize,
    (buffer, len): (*mut u8, usize),
    choices: &Choices,
) -> Result<()> {
    with_live_set(image, set, || {
        let root_rank = rank_at(set, root)?;
        if len == 0 || set.len() == 1 {
            return Ok(());
        }
        let levels = set.levels(image)?;
        let forced = choices.broadcast;
        let mut coll = CollCall::new(image, set);
        if levels.single_host() {
            let message = Message { buffer, len, root };
            // SAFETY: the caller's guarantee.
            unsafe { on_host(image, levels, message, forced, &mut coll)? };
            return coll.outcome();
        }
        let rooted_leaders = RootedLeaders::new(image, levels, Some(root_rank));
        if rooted_leaders.is_me() {
            let who = Participant { n: rooted_leaders.hosts(), position: rooted_leaders.host() };
            let root = rooted_leaders.root_host();
            let algorithm = Between::new(image, len, who.n).broadcast(forced.leaders);
            let plan = || plan::broadcast(algorithm, who, root, len);
            let (peer, vector) = (|host| rooted_leaders.of(host), (buffer, len));
            // SAFETY: the caller's guarantee.
            unsafe { leaders::run_on_vector(image, peer, plan, vector, (1, None), &mut coll)? };
        }
        // SAFETY: the caller's guarantee.
        unsafe { conclude(&rooted_leaders, coll, (buffer, len), forced) }
    })
}
