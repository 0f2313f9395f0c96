//! The course that a gather and a scatter have in common.
//!
//! On one host the images use their collective area. Over several hosts all images take part in one schedule of
//! messages. Parts of the same length are in their places on the root, or side by side on the images that pass them on.
//! Parts of different lengths travel straight between the root and their images, each with its length.

use crate::guard::with_live_set;
use crate::host::Host;
use crate::leaders::CollCall;
use crate::parts::Parts;
use crate::plan::Participant;
use crate::select::{Choices, Forced, HostMove, LeaderTree};
use crate::signature::{Kind, Signature};
use crate::two_level::{rank_at, without_elements};
use xmp_core::image_set::{ImageSet, Levels};
use xmp_core::{Image, Rank, Result};

/// The buffers of a gather or of a scatter on one image.
pub(crate) trait Rooted {
    /// The operation with parts of the same length, and with parts of different lengths.
    const KINDS: [Kind; 2];
    /// The name of the latter in messages.
    const NAME: &'static str;
    /// The lengths that an image learns of the parts.
    type Lengths;

    /// Whether all images know that all parts have the same length.
    fn has_equal_parts(&self) -> bool;

    /// Bytes of this image's part.
    fn own_bytes(&self) -> usize;

    /// The places of the parts on the root.
    fn places(&self) -> &Parts<'_>;

    /// The forced algorithms.
    fn forced(choices: &Choices) -> Forced<HostMove, LeaderTree>;

    /// Moves the parts of the members of a collective area.
    fn move_on_host(
        &self,
        host: &Host<'_>,
        root: usize,
        forced: Option<HostMove>,
    ) -> Result<Self::Lengths>;

    /// Moves the parts of participants over channels.
    fn move_by_messages(
        &self,
        image: &Image,
        who: Participant,
        peer: impl Fn(usize) -> Rank,
        tree: Tree,
        coll: &mut CollCall<'_>,
    ) -> Result<Self::Lengths>;

    /// Compares the lengths with those that this image has given, on a set of this many images.
    fn compare(
        &self,
        root: usize,
        position: usize,
        images: usize,
        lengths: &Self::Lengths,
    ) -> Result<()>;
}

/// The tree of messages between participants: the position of its root, and its forced shape.
#[derive(Clone, Copy)]
pub(crate) struct Tree {
    pub root: usize,
    pub forced: Option<LeaderTree>,
}

/// Moves the parts of all images of a set to or from the one at position `root`.
pub(crate) fn execute<B: Rooted>(
    image: &Image,
    set: &ImageSet,
    root: usize,
    buffers: &B,
    choices: &Choices,
) -> Result<()> {
    with_live_set(image, set, || {
        rank_at(set, root)?;
        let position = set.position().expect("a member of the set");
        if position == root {
            buffers.places().check_number(B::NAME, set.len())?;
        }
        let signature = signature(buffers, root);
        if buffers.has_equal_parts() && buffers.own_bytes() == 0 {
            return without_elements(image, set, &signature);
        }
        let (levels, forced) = (set.levels(image)?, B::forced(choices));
        let mut coll = CollCall::new(image, set).signed(signature)?;
        let lengths = if levels.single_host() {
            among_local_peers(image, levels, root, buffers, forced, &mut coll)?
        } else {
            let who = Participant { n: set.len(), position };
            let peer = |position| set.rank_at(position).expect("a position of the set");
            let tree = Tree { root, forced: forced.leaders };
            buffers.move_by_messages(image, who, peer, tree, &mut coll)?
        };
        coll.outcome()?;
        buffers.compare(root, position, set.len(), &lengths)
    })
}

/// Moves the parts of the local peers to or from the one at position `root`.
pub(crate) fn among_local_peers<B: Rooted>(
    image: &Image,
    levels: &Levels,
    root: usize,
    buffers: &B,
    forced: Forced<HostMove, LeaderTree>,
    coll: &mut CollCall<'_>,
) -> Result<B::Lengths> {
    let local_peers = levels.local_peers();
    let who = Participant { n: local_peers.len(), position: levels.position() };
    let area = levels.area().filter(|_| forced.host != Some(HostMove::Messages));
    let Some(area) = area.filter(|_| who.n > 1) else {
        let tree = Tree { root, forced: forced.leaders };
        return buffers.move_by_messages(image, who, |i| local_peers[i], tree, coll);
    };
    let host = Host::of_call(image, area, signature(buffers, root));
    buffers.move_on_host(&host, root, forced.host)
}

/// What the images give alike.
fn signature<B: Rooted>(buffers: &B, root: usize) -> Signature {
    let [equal, different] = B::KINDS;
    let call = if buffers.has_equal_parts() {
        Signature::of_bytes(equal, buffers.own_bytes())
    } else {
        Signature::of_any_parts(different)
    };
    call.root(Some(root))
}
