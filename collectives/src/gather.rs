//! Gather: one image gets the parts of all.

mod on_host;

pub(crate) use on_host::OnHost;

use crate::check::Call;
use crate::guard::{say, with_live_set};
use crate::host::gather::Target;
use crate::leaders::CollCall;
use crate::leaders::trees::{Parcel, Place};
use crate::parts::{Lens, Parts, Table, mismatch, to_bytes, to_words};
use crate::select::Choices;
use crate::spread::Spread;
use crate::two_level::{RootedLeaders, rank_at};
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// Gathers `len` bytes at `mine` of each image of the set at `all` of the image at the 0-based position `root`, in the
/// order of the set. All give the same length. The others may return before the root has the data.
///
/// # Errors
/// On the root, when an image of the set has stopped or failed without taking part; on the others, when they learn of
/// it. When the root is not in the set. What is at `all` is undefined then.
///
/// # Safety
/// `mine` is valid for reads of `len` bytes; on the root `all` is for writes of that times the number of images. They
/// do not overlap - but `mine` of the root may be its part of `all` - and no other image accesses them meanwhile.
///
/// # Panics
/// When this image is not in the set.
pub unsafe fn gather(
    image: &Image,
    set: &ImageSet,
    root: usize,
    mine: *const u8,
    all: *mut u8,
    len: usize,
) -> Result<()> {
    let call = || Call::of("gather").elements(len, 1).root(root);
    say(image, set, call)?;
    let choices = Choices::from_settings(image.settings())?;
    let gather = Gathering { mine, len, all, parts: Parts::Equal(len), equal: true };
    // SAFETY: the caller's guarantee.
    unsafe { gather_with(image, set, root, &gather, &choices) }
}

/// As [`gather`], where each image gives as many bytes as it likes: `len` is its own number, `parts` is looked at on the
/// root only and says where what each gives goes (MPI_GATHERV: MPI 4.1, 6.5).
///
/// # Errors
/// As [`gather`]. On the root, when an image gives another number of bytes than expected, or there is not a part for
/// each image.
///
/// # Safety
/// As [`gather`], for these lengths and places.
///
/// # Panics
/// As [`gather`].
pub unsafe fn gatherv(
    image: &Image,
    set: &ImageSet,
    root: usize,
    (mine, len): (*const u8, usize),
    (all, parts): (*mut u8, Parts<'_>),
) -> Result<()> {
    let call = || Call::of("gatherv").root(root);
    say(image, set, call)?;
    let choices = Choices::from_settings(image.settings())?;
    let gather = Gathering { mine, len, all, parts, equal: false };
    // SAFETY: the caller's guarantee.
    unsafe { gather_with(image, set, root, &gather, &choices) }
}

/// A gather as one image of the set sees it.
#[derive(Clone, Copy, Debug)]
pub struct Gathering<'a> {
    /// What this image gives.
    pub mine: *const u8,
    /// Bytes of that.
    pub len: usize,
    /// Where the root wants all parts.
    pub all: *mut u8,
    /// Where each goes there; looked at on the root only.
    pub parts: Parts<'a>,
    /// Whether all images know that all give the same number of bytes.
    pub equal: bool,
}

/// As [`gather`] or [`gatherv`], with these algorithms.
///
/// # Errors
/// As there.
///
/// # Safety
/// As there.
pub unsafe fn gather_with(
    image: &Image,
    set: &ImageSet,
    root: usize,
    gather: &Gathering<'_>,
    choices: &Choices,
) -> Result<()> {
    with_live_set(image, set, || {
        let root_rank = rank_at(set, root)?;
        let target = (set.position() == Some(root))
            .then_some(Target { all: gather.all, parts: gather.parts });
        if target.is_some() {
            gather.parts.check_number("gatherv", set.len())?;
        }
        if gather.equal && gather.len == 0 {
            return Ok(());
        }
        let levels = set.levels(image)?;
        let rooted_leaders = RootedLeaders::new(image, levels, Some(root_rank));
        let mut coll = CollCall::new(image, set);
        let on_host = OnHost {
            image,
            levels,
            to: rooted_leaders.among_local_peers(),
            forced: choices.gather,
            gather,
        };
        // SAFETY: the caller's guarantee.
        unsafe {
            if !levels.single_host() {
                return over_hosts(set, &on_host, &rooted_leaders, target, coll);
            }
            let lens = on_host.lens(&mut coll)?;
            on_host.data(&lens, target, &mut coll)?;
            coll.outcome()?;
            check(target, &lens, set.len())
        }
    })
}

/// Whether all gave what the root expects.
fn check(target: Option<Target<'_>>, lens: &Lens, images: usize) -> Result<()> {
    let Some(Target { parts, .. }) = target else { return Ok(()) };
    match (0..images).find(|&i| lens.of(i) != parts.len(i)) {
        Some(i) => Err(mismatch("gatherv", i, lens.of(i), parts.len(i))),
        None => Ok(()),
    }
}

/// Hosts gather to their leaders, these to the root, which puts what hosts have in the order of the set.
///
/// # Safety
/// The gather is valid.
unsafe fn over_hosts(
    set: &ImageSet,
    on_host: &OnHost<'_>,
    rooted_leaders: &RootedLeaders<'_>,
    target: Option<Target<'_>>,
    mut coll: CollCall<'_>,
) -> Result<()> {
    let OnHost { image, levels, gather, .. } = *on_host;
    let lens = on_host.lens(&mut coll);
    if !rooted_leaders.is_me() {
        // SAFETY: the caller's guarantee.
        unsafe { on_host.data(&lens?, None, &mut coll)? };
        return coll.outcome();
    }
    // What local peers do not say, because one has ended, is as good as nothing.
    let local_peers = levels.local_peers().len();
    let area_is_dead = lens.is_err();
    let lens =
        lens.or_else(|error| coll.note(Err(error)).map(|()| Lens::Each(vec![0; local_peers])))?;
    let (table, total) = Table::packed((0..local_peers).map(|local_peer| lens.of(local_peer)));
    let mut of_host = vec![0; total];
    if !area_is_dead {
        let target = Target { all: of_host.as_mut_ptr(), parts: table.parts() };
        // SAFETY: the caller's guarantee; `of_host` has room for the parts of this host.
        let gathered = unsafe { on_host.data(&lens, Some(target), &mut coll) };
        coll.note(gathered)?;
    }

    let spread = Spread::new(image, set, levels);
    let hosts = rooted_leaders.hosts();
    let place = Place { n: hosts, me: rooted_leaders.host(), root: rooted_leaders.root_host() };
    let peer = |host| rooted_leaders.of(host);
    let (tree, lens_of_hosts) = match &lens {
        Lens::Equal(len) => {
            let tree = on_host.tree(&Lens::Equal(len * set.len() / hosts));
            (tree, None)
        }
        Lens::Each(lens) => {
            let tree = on_host.tree(&Lens::Each(vec![]));
            let words = spread.sums(hosts, |_| 8);
            let mut told = Parcel::new(place, tree, |host| words[host]);
            told.part_mut(place.me).copy_from_slice(&to_bytes(lens.iter().copied()));
            told.gather(image, peer, tree, &mut coll)?;
            (tree, Some(told))
        }
    };
    let host_lens = match &lens_of_hosts {
        None => spread.sums(hosts, |_| gather.len),
        Some(told) => {
            let mut sums = vec![0; hosts];
            place.below(tree).for_each(|host| sums[host] = to_words(told.part(host)).sum());
            sums
        }
    };
    let mut parcel = Parcel::new(place, tree, |host| host_lens[host]);
    parcel.part_mut(place.me).copy_from_slice(&of_host);
    parcel.gather(image, peer, tree, &mut coll)?;
    coll.outcome()?;
    let Some(target) = target else { return Ok(()) };

    let mut lens_of_local_peers: Vec<_> = match &lens_of_hosts {
        None => Vec::new(),
        Some(told) => (0..hosts).map(|host| to_words(told.part(host))).collect(),
    };
    let mut taken = vec![0; hosts];
    let mut given = Vec::with_capacity(set.len());
    for (position, &host) in spread.hosts().iter().enumerate() {
        let len = match lens_of_local_peers.get_mut(host) {
            Some(lens) => lens.next().expect("one for each image of the host"),
            None => gather.len,
        };
        let part = &parcel.part(host)[taken[host]..taken[host] + len];
        taken[host] += len;
        given.push(len);
        // SAFETY: the caller's guarantee.
        unsafe { target.put(position, part) };
    }
    check(Some(target), &Lens::Each(given), set.len())
}
