//! The first part of a gather: between the images of one host.

use super::Gathering;
use crate::host::Host;
use crate::host::gather::{Gather, Target, direct, slots, staged, tell_lens};
use crate::leaders::CollCall;
use crate::leaders::trees::{Parcel, Place};
use crate::parts::{Lens, bytes, to_words};
use crate::select::{Forced, HostGather, LeaderTree, Shape};
use xmp_core::image_set::Levels;
use xmp_core::{Image, Result};

/// The gather between the images of this host.
#[derive(Clone, Copy)]
pub(crate) struct OnHost<'a> {
    pub image: &'a Image,
    pub levels: &'a Levels,
    /// Who gathers, among the local peers.
    pub to: usize,
    pub forced: Forced<HostGather, LeaderTree>,
    pub gather: &'a Gathering<'a>,
}

impl<'a> OnHost<'a> {
    fn host(&self) -> Option<Host<'a>> {
        let area = self.levels.area()?;
        let image = self.image;
        (self.forced.host != Some(HostGather::Messages)).then_some(Host { image, area })
    }

    fn place(&self) -> Place {
        Place { n: self.levels.local_peers().len(), me: self.levels.position(), root: self.to }
    }

    /// How many bytes each local peer gives; without a collective area as far as they go through this image.
    pub(super) fn lens(&self, coll: &mut CollCall<'_>) -> Result<Lens> {
        let (place, len) = (self.place(), self.gather.len);
        if self.gather.equal {
            return Ok(Lens::Equal(len));
        }
        if place.n == 1 {
            return Ok(Lens::Each(vec![len]));
        }
        if let Some(host) = self.host() {
            return tell_lens(&host, len);
        }
        let tree = self.tree(&Lens::Each(vec![]));
        let mut told = Parcel::new(place, tree, |_| 8);
        told.part_mut(place.me).copy_from_slice(&(len as u64).to_ne_bytes());
        told.gather(self.image, |i| self.levels.local_peers()[i], tree, coll)?;
        let mut lens = vec![0; place.n];
        for local_peer in place.below(tree) {
            lens[local_peer] = to_words(told.part(local_peer)).next().expect("a word");
        }
        Ok(Lens::Each(lens))
    }

    /// The schedule for parts of these lengths; the same on all.
    pub(super) fn tree(&self, lens: &Lens) -> LeaderTree {
        LeaderTree::choose(self.forced.leaders, lens)
    }

    /// The parts themselves.
    ///
    /// # Safety
    /// The gather is valid, the target has room for what its parts say.
    pub unsafe fn data(
        &self,
        lens: &Lens,
        target: Option<Target<'_>>,
        coll: &mut CollCall<'_>,
    ) -> Result<()> {
        let place = self.place();
        let own = lens.of(place.me);
        // SAFETY: the caller's guarantee.
        unsafe {
            if place.n == 1 {
                let target = target.expect("the only one gathers");
                target.put(0, bytes(self.gather.mine, own));
                return Ok(());
            }
            let Some(host) = self.host() else {
                let tree = self.tree(lens);
                let mut parcel = Parcel::new(place, tree, |local_peer| lens.of(local_peer));
                let mine = bytes(self.gather.mine, own);
                parcel.part_mut(place.me).copy_from_slice(mine);
                parcel.gather(self.image, |i| self.levels.local_peers()[i], tree, coll)?;
                if let Some(target) = target {
                    (0..place.n).for_each(|i| target.put(i, parcel.part(i)));
                }
                return Ok(());
            };
            let shape = Shape::new(self.image, lens.longest(), place.n);
            let choice = shape.gather(self.forced.host);
            let gather = Gather { mine: self.gather.mine, lens, target };
            if choice.direct && direct::run(&host, &gather, self.to)? {
                return Ok(());
            }
            match choice.otherwise {
                HostGather::Slots => slots::run(&host, &gather),
                _ => staged::run(&host, &gather, shape.pipelined_chunk()),
            }
        }
    }
}
