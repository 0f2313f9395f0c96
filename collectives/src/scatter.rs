//! Scatter: each image gets its part of what one image has.

use crate::check::Call;
use crate::guard::{say, with_live_set};
use crate::host::Host;
use crate::host::scatter::{Scatter, Source, direct, slots, staged, tell_lens};
use crate::leaders::CollCall;
use crate::leaders::trees::{Parcel, Place};
use crate::parts::{Lens, Parts, Table, bytes, mismatch, to_bytes, to_words};
use crate::select::{Choices, Forced, HostScatter, LeaderTree, Shape};
use crate::spread::Spread;
use crate::two_level::{RootedLeaders, conclude, rank_at};
use xmp_core::image_set::{ImageSet, Levels};
use xmp_core::{Image, Result};

/// Gives each image of the set its `len` bytes, in the order of the set, of what is at `all` of the image at the 0-based
/// position `root`; it gets them at `mine`. All give the same length. The root may return before the others have the
/// data.
///
/// # Errors
/// When an image of the set has stopped or failed and this image learns of it: the root, when it gives data to that
/// image, and those that get their data through it. When the root is not in the set. What is at `mine` is undefined
/// then.
///
/// # Safety
/// `mine` is valid for writes of `len` bytes; on the root `all` is for reads of that times the number of images. They
/// do not overlap - but `mine` of the root may be its part of `all` - and no other image accesses them meanwhile.
///
/// # Panics
/// When this image is not in the set.
pub unsafe fn scatter(
    image: &Image,
    set: &ImageSet,
    root: usize,
    all: *const u8,
    mine: *mut u8,
    len: usize,
) -> Result<()> {
    let call = || Call::of("scatter").elements(len, 1).root(root);
    say(image, set, call)?;
    let choices = Choices::from_settings(image.settings())?;
    let scatter = Scattering { all, parts: Parts::Equal(len), mine, len, equal: true };
    // SAFETY: the caller's guarantee.
    unsafe { scatter_with(image, set, root, &scatter, &choices) }
}

/// As [`scatter`], where images get different numbers of bytes: `len` is that of this image, `parts` is looked at on the
/// root only and says what each gets (MPI_SCATTERV: MPI 4.1, 6.6).
///
/// # Errors
/// As [`scatter`]. When the root gives this image another number of bytes than it expects; on the root, when there is
/// not a part for each image.
///
/// # Safety
/// As [`scatter`], for these lengths and places.
///
/// # Panics
/// As [`scatter`].
pub unsafe fn scatterv(
    image: &Image,
    set: &ImageSet,
    root: usize,
    (all, parts): (*const u8, Parts<'_>),
    (mine, len): (*mut u8, usize),
) -> Result<()> {
    let call = || Call::of("scatterv").root(root);
    say(image, set, call)?;
    let choices = Choices::from_settings(image.settings())?;
    let scatter = Scattering { all, parts, mine, len, equal: false };
    // SAFETY: the caller's guarantee.
    unsafe { scatter_with(image, set, root, &scatter, &choices) }
}

/// A scatter as one image of the set sees it.
#[derive(Clone, Copy, Debug)]
pub struct Scattering<'a> {
    /// What the root gives.
    pub all: *const u8,
    /// Which part of that is whose; looked at on the root only.
    pub parts: Parts<'a>,
    /// Where this image wants its part.
    pub mine: *mut u8,
    /// Bytes of that.
    pub len: usize,
    /// Whether all images know that all get the same number of bytes.
    pub equal: bool,
}

/// As [`scatter`] or [`scatterv`], with these algorithms.
///
/// # Errors
/// As there.
///
/// # Safety
/// As there.
pub unsafe fn scatter_with(
    image: &Image,
    set: &ImageSet,
    root: usize,
    scatter: &Scattering<'_>,
    choices: &Choices,
) -> Result<()> {
    with_live_set(image, set, || {
        let root_rank = rank_at(set, root)?;
        let source = (set.position() == Some(root))
            .then_some(Source { all: scatter.all, parts: scatter.parts });
        if source.is_some() {
            scatter.parts.check_number("scatterv", set.len())?;
        }
        if scatter.equal && scatter.len == 0 {
            return Ok(());
        }
        let levels = set.levels(image)?;
        let rooted_leaders = RootedLeaders::new(image, levels, Some(root_rank));
        let from = rooted_leaders.among_local_peers();
        let on_host = OnHost { image, levels, from, forced: choices.scatter, scatter };
        let mut coll = CollCall::new(image, set);
        // SAFETY: the caller's guarantee.
        let given = unsafe {
            if levels.single_host() {
                on_host.run(source, &mut coll)?
            } else {
                // What came for this host, as far as something did.
                let came = match rooted_leaders.is_me() {
                    true => Some(to_this_host(set, &on_host, &rooted_leaders, source, &mut coll)?),
                    false => None,
                };
                let nothing = (std::ptr::null_mut(), 0);
                // Where local peers have no collective area some may learn here that one has ended, and others wait for their parts.
                coll.note(conclude(&rooted_leaders, coll, nothing, choices.broadcast))?;
                let source = came
                    .as_ref()
                    .map(|(bytes, table)| Source { all: bytes.as_ptr(), parts: table.parts() });
                on_host.run(source, &mut coll)?
            }
        };
        coll.outcome()?;
        match given == scatter.len {
            true => Ok(()),
            false => Err(mismatch("scatterv", root, given, scatter.len)),
        }
    })
}

/// The root gives the leader of each host the parts of its images, one after the other.
///
/// # Safety
/// The source is valid.
unsafe fn to_this_host(
    set: &ImageSet,
    on_host: &OnHost<'_>,
    rooted_leaders: &RootedLeaders<'_>,
    source: Option<Source<'_>>,
    coll: &mut CollCall<'_>,
) -> Result<(Vec<u8>, Table)> {
    let OnHost { image, levels, scatter, .. } = *on_host;
    let spread = Spread::new(image, set, levels);
    let hosts = rooted_leaders.hosts();
    let place = Place { n: hosts, me: rooted_leaders.host(), root: rooted_leaders.root_host() };
    let peer = |host| rooted_leaders.of(host);
    let known = match scatter.equal {
        true => Lens::Equal(scatter.len * set.len() / hosts),
        false => Lens::Each(vec![]),
    };
    let tree = on_host.tree(&known);

    let mut host_lens = spread.sums(hosts, |_| scatter.len);
    let mut local_peers = vec![scatter.len; levels.local_peers().len()];
    if !scatter.equal {
        let words = spread.sums(hosts, |_| 8);
        let mut told = Parcel::new(place, tree, |host| words[host]);
        if let Some(source) = &source {
            let len = |position| (source.parts.len(position) as u64).to_ne_bytes();
            pack(&mut told, &spread, |_| 8, |i, word| word.copy_from_slice(&len(i)));
        }
        told.scatter(image, peer, tree, coll)?;
        place.below(tree).for_each(|host| host_lens[host] = to_words(told.part(host)).sum());
        local_peers = to_words(told.part(place.me)).collect();
    }
    let mut parcel = Parcel::new(place, tree, |host| host_lens[host]);
    if let Some(source) = &source {
        // SAFETY: the caller's guarantee.
        let part = |i| unsafe { bytes(source.part(i), source.parts.len(i)) };
        pack(&mut parcel, &spread, |i| part(i).len(), |i, at| at.copy_from_slice(part(i)));
    }
    parcel.scatter(image, peer, tree, coll)?;
    Ok((parcel.part(place.me).to_vec(), Table::packed(local_peers.into_iter()).0))
}

/// Writes what each position of a set gives behind one another to the part of its host: `len` bytes each, by `fill`.
fn pack(
    parcel: &mut Parcel,
    spread: &Spread,
    len: impl Fn(usize) -> usize,
    fill: impl Fn(usize, &mut [u8]),
) {
    let mut written = vec![0; spread.hosts().iter().max().map_or(0, |last| last + 1)];
    for (position, &host) in spread.hosts().iter().enumerate() {
        let at = written[host];
        written[host] += len(position);
        fill(position, &mut parcel.part_mut(host)[at..written[host]]);
    }
}

/// The scatter between the images of this host.
#[derive(Clone, Copy)]
pub(crate) struct OnHost<'a> {
    pub image: &'a Image,
    pub levels: &'a Levels,
    /// Who scatters, among the local peers.
    pub from: usize,
    pub forced: Forced<HostScatter, LeaderTree>,
    pub scatter: &'a Scattering<'a>,
}

impl<'a> OnHost<'a> {
    fn host(&self) -> Option<Host<'a>> {
        let area = self.levels.area()?;
        let image = self.image;
        (self.forced.host != Some(HostScatter::Messages)).then_some(Host { image, area })
    }

    /// The schedule for parts of these lengths; the same on all.
    fn tree(&self, lens: &Lens) -> LeaderTree {
        LeaderTree::choose(self.forced.leaders, lens)
    }

    /// The whole scatter; the length of this image's part, of which as much was copied as it has room for.
    ///
    /// # Safety
    /// The scatter and the source are valid.
    pub unsafe fn run(&self, source: Option<Source<'_>>, coll: &mut CollCall<'_>) -> Result<usize> {
        let me = self.levels.position();
        // SAFETY: the caller's guarantee.
        unsafe {
            let Some(host) = self.host() else { return self.by_messages(source, coll) };
            let lens = match self.scatter.equal {
                true => Lens::Equal(self.scatter.len),
                false => tell_lens(&host, self.from, source.as_ref())?,
            };
            let shape = Shape::new(self.image, lens.longest(), host.members());
            let choice = shape.scatter(self.forced.host);
            let Scattering { mine, len: room, .. } = *self.scatter;
            let scatter = Scatter { mine, room, lens: &lens, root: self.from, source };
            if !(choice.direct && direct::run(&host, &scatter)?) {
                match choice.otherwise {
                    HostScatter::Slots => slots::run(&host, &scatter)?,
                    _ => staged::run(&host, &scatter, shape.pipelined_chunk())?,
                }
            }
            Ok(lens.of(me))
        }
    }

    /// As [`OnHost::run`], without the collective area.
    ///
    /// # Safety
    /// As there.
    unsafe fn by_messages(
        &self,
        source: Option<Source<'_>>,
        coll: &mut CollCall<'_>,
    ) -> Result<usize> {
        let local_peers = self.levels.local_peers();
        let place = Place { n: local_peers.len(), me: self.levels.position(), root: self.from };
        let peer = |i: usize| local_peers[i];
        let (lens, tree) = if self.scatter.equal {
            let lens = Lens::Equal(self.scatter.len);
            let tree = self.tree(&lens);
            (lens, tree)
        } else {
            let tree = self.tree(&Lens::Each(vec![]));
            let mut told = Parcel::new(place, tree, |_| 8);
            if let Some(source) = &source {
                for i in 0..place.n {
                    let len = to_bytes(std::iter::once(source.parts.len(i)));
                    told.part_mut(i).copy_from_slice(&len);
                }
            }
            told.scatter(self.image, peer, tree, coll)?;
            let mut lens = vec![0; place.n];
            for local_peer in place.below(tree) {
                lens[local_peer] = to_words(told.part(local_peer)).next().expect("a word");
            }
            (Lens::Each(lens), tree)
        };
        let mut parcel = Parcel::new(place, tree, |local_peer| lens.of(local_peer));
        if let Some(source) = &source {
            for i in 0..place.n {
                // SAFETY: the caller's guarantee.
                let part = unsafe { bytes(source.part(i), lens.of(i)) };
                parcel.part_mut(i).copy_from_slice(part);
            }
        }
        parcel.scatter(self.image, peer, tree, coll)?;
        let part = parcel.part(place.me);
        let len = part.len().min(self.scatter.len);
        // SAFETY: this image's place, for at least so many bytes.
        unsafe { std::ptr::copy_nonoverlapping(part.as_ptr(), self.scatter.mine, len) };
        Ok(lens.of(place.me))
    }
}
