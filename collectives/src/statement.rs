//! Statements that synchronise all images, and that all must execute alike: ALLOCATE and DEALLOCATE.
//!
//! On one host the members write what they execute to their slots before the barrier of the statement, and read the slots after
//! it: the cache lines whose numbers the barrier reads. Over several hosts an allreduce takes the place of the barrier, and has
//! as many messages.

use crate::check::together;
use xmp_core::coll_area::{CollArea, SLOT_DATA};
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Rank, Result};

/// Words that describe a statement.
pub const WORDS: usize = SLOT_DATA / size_of::<u64>() - 1;

/// What an image executes.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// Its name, which [`crate::check`] compares.
    pub name: &'static str,
    /// A number of its kind, at least 1.
    pub kind: u8,
    /// What else all images have alike.
    pub words: [u64; WORDS],
    /// Whether two images with these words execute the same.
    pub matches: fn(&[u64; WORDS], &[u64; WORDS]) -> bool,
}

/// What an image has written: its statement, if it executes one that is compared.
pub type Found = Option<(u8, [u64; WORDS])>;

/// Two images that do not execute the same: the first one of the set on this host or, over several hosts, the one of the least
/// rank; and the next one that differs from it. All images of the set find the same two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The first image, and what it executes.
    pub first: (Rank, Found),
    /// The other image, and what it executes.
    pub other: (Rank, Found),
}

/// Above the kind of a statement in the last word of a slot. Collectives have no such kinds ([`crate::signature`]).
const STATEMENT: u64 = 0x80;

impl Statement {
    /// The last word of a slot in an epoch: images that do not execute such a statement have another one.
    #[inline]
    fn last_word(kind: u8, epoch: u64) -> u64 {
        epoch << 48 | (STATEMENT | u64::from(kind)) << 8
    }

    /// Executes the barrier of the statement in an area that all images of the set share.
    ///
    /// # Errors
    /// Those of [`CollArea::barrier`].
    #[inline]
    pub fn at_area(&self, image: &Image, area: &CollArea) -> Result<Option<Difference>> {
        let mut own = [0; WORDS + 1];
        own[..WORDS].copy_from_slice(&self.words);
        own[WORDS] = Statement::last_word(self.kind, area.epoch() + 1);
        // SAFETY: this member's slot of the current epoch: 8-aligned, as long as this, and not read before the barrier.
        unsafe { area.slot().cast::<[u64; WORDS + 1]>().write(own) };
        area.barrier(image)?;
        let is_same = (0..area.len()).all(|member| slot(area, member) == own);
        Ok(if is_same { None } else { self.difference(area) })
    }

    /// The first difference between the slots of the last epoch, if these are not of the same statement.
    #[cold]
    fn difference(&self, area: &CollArea) -> Option<Difference> {
        let found = |member| -> Found {
            let slot = slot(area, member);
            let kind = (slot[WORDS] >> 8) as u8 & !(STATEMENT as u8);
            let is_statement = slot[WORDS] == Statement::last_word(kind, area.epoch());
            is_statement.then(|| (kind, std::array::from_fn(|at| slot[at])))
        };
        let first = found(0);
        let other = (1..area.len()).find(|&member| !self.is_same(&first, &found(member)))?;
        let at = |member: usize| (area.ranks()[member], found(member));
        Some(Difference { first: at(0), other: at(other) })
    }

    fn is_same(&self, first: &Found, other: &Found) -> bool {
        match (first, other) {
            (Some((kind, words)), Some((other_kind, others))) => {
                kind == other_kind && (self.matches)(words, others)
            }
            _ => first.is_none() && other.is_none(),
        }
    }

    /// Executes the statement as an allreduce, which is also a barrier.
    ///
    /// # Errors
    /// Those of [`crate::allreduce`].
    pub fn over_hosts(&self, image: &Image, set: &ImageSet) -> Result<Option<Difference>> {
        let own = (image.rank(), Some((self.kind, self.words)));
        let least = |left: (Rank, Found), right: (Rank, Found)| {
            if right.0 < left.0 { right } else { left }
        };
        let merged = |left: Least, right: Least| {
            let first = least(left.first, right.first);
            let candidates = [Some(left.first), left.other, Some(right.first), right.other];
            let differs = |it: &(Rank, Found)| !self.is_same(&first.1, &it.1);
            let other = candidates.into_iter().flatten().filter(differs).reduce(least);
            Least { first, other }
        };
        let Least { first, other } =
            together(image, set, Least { first: own, other: None }, merged)?;
        Ok(other.map(|other| Difference { first, other }))
    }
}

/// Of some images the one of the least rank, and the next one that differs from it.
#[derive(Clone, Copy)]
struct Least {
    first: (Rank, Found),
    other: Option<(Rank, Found)>,
}

#[inline]
fn slot(area: &CollArea, member: usize) -> [u64; WORDS + 1] {
    // SAFETY: slots of the last epoch are not written before the next barrier.
    unsafe { area.slot_of(member).cast::<[u64; WORDS + 1]>().read() }
}
