//! Statements that synchronise all images, and that all must execute alike: ALLOCATE and DEALLOCATE.
//!
//! On one host a number of the statement travels in the words of its barrier, and each member describes the statement in a line that
//! others read only when the numbers differ ([`crate::signature`]). Over several hosts an allreduce takes the place of the barrier,
//! and has as many messages.

use crate::check::together;
use crate::flows;
use crate::signature::hash;
use xmp_core::coll_area::{CollArea, Comparison, DESCRIPTION};
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Rank, Result};

/// Words that describe a statement.
pub const WORDS: usize = 7;

/// A description: the words, and the tag.
type Line = [u64; DESCRIPTION / size_of::<u64>()];

/// The place of the tag.
const TAG: usize = DESCRIPTION / size_of::<u64>() - 1;

/// What an image executes.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// Its name, which [`crate::check`] compares.
    name: &'static str,
    /// Its description, without an epoch.
    line: Line,
    /// Whether two images with these words execute the same.
    matches: fn(&[u64; WORDS], &[u64; WORDS]) -> bool,
}

/// What an image has written: its statement, if it executes one that is compared.
pub type StatementRecord = Option<(u8, [u64; WORDS])>;

/// Two images that do not execute the same: the first one of the set on this host or, over several hosts, the one of the least
/// rank; and the next one that differs from it. All images of the set find the same two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The first image, and what it executes.
    pub first: (Rank, StatementRecord),
    /// The other image, and what it executes.
    pub other: (Rank, StatementRecord),
}

/// Marks descriptions of this module; [`crate::signature`] has others.
const STATEMENT: u64 = 0x80;

impl Statement {
    /// A statement with this name, whose kind has this number, at least 1. All images have the same words, as far as `matches` says.
    #[inline(always)]
    pub fn new(
        name: &'static str,
        kind: u8,
        [a, b, c, d, e, f, g]: [u64; WORDS],
        matches: fn(&[u64; WORDS], &[u64; WORDS]) -> bool,
    ) -> Statement {
        Statement { name, line: [a, b, c, d, e, f, g, STATEMENT | u64::from(kind)], matches }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Executes the barrier of the statement in an area that all images of the set share.
    ///
    /// # Errors
    /// Those of [`flows::barrier`].
    #[inline]
    pub fn at_area(&self, image: &Image, area: &CollArea) -> Result<Option<Box<Difference>>> {
        let [a, b, c, d, e, f, g, tag] = self.line;
        let line: Line = [a, b, c, d, e, f, g, (area.epoch() + 1) << 8 | tag];
        // SAFETY: the place of this member's description in the coming epoch: 8-aligned, as long as this.
        unsafe { area.description().cast::<Line>().write(line) };
        let call = (hash([a, b, c, d, e, f, g]) ^ tag as u32) & (u32::MAX >> 1) | 1;
        match area.barrier_of(image, call)? {
            Comparison::Same => Ok(None),
            Comparison::CallsDiffer => Ok(self.difference(area)),
            Comparison::FlowsDiffer => Err(flows::difference(image, area)),
        }
    }

    /// The first difference between the descriptions of the last epoch, if these are not of the same statement.
    #[cold]
    fn difference(&self, area: &CollArea) -> Option<Box<Difference>> {
        let found = |member| -> StatementRecord {
            // SAFETY: descriptions of the last epoch are not written before the next barrier.
            let line = unsafe { area.description_of(member).cast::<Line>().read() };
            let kind = line[TAG] as u8 & !(STATEMENT as u8);
            let is_statement = line[TAG] == area.epoch() << 8 | STATEMENT | u64::from(kind);
            is_statement.then(|| (kind, words(&line)))
        };
        let first = found(0);
        let other = (1..area.len()).find(|&member| !self.is_same(&first, &found(member)))?;
        let at = |member: usize| (area.ranks()[member], found(member));
        Some(Box::new(Difference { first: at(0), other: at(other) }))
    }

    fn is_same(&self, first: &StatementRecord, other: &StatementRecord) -> bool {
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
    pub fn over_hosts(&self, image: &Image, set: &ImageSet) -> Result<Option<Box<Difference>>> {
        let kind = self.line[TAG] as u8 & !(STATEMENT as u8);
        let own = (image.rank(), Some((kind, words(&self.line))));
        let least = |left: (Rank, StatementRecord), right: (Rank, StatementRecord)| {
            if right.0 < left.0 { right } else { left }
        };
        let merged = |left: Least, right: Least| {
            let first = least(left.first, right.first);
            let candidates = [Some(left.first), left.other, Some(right.first), right.other];
            let differs = |it: &(Rank, StatementRecord)| !self.is_same(&first.1, &it.1);
            let other = candidates.into_iter().flatten().filter(differs).reduce(least);
            Least { first, other }
        };
        let Least { first, other } =
            together(image, set, Least { first: own, other: None }, merged)?;
        Ok(other.map(|other| Box::new(Difference { first, other })))
    }
}

/// Of some images the one of the least rank, and the next one that differs from it.
#[derive(Clone, Copy)]
struct Least {
    first: (Rank, StatementRecord),
    other: Option<(Rank, StatementRecord)>,
}

fn words(line: &Line) -> [u64; WORDS] {
    std::array::from_fn(|at| line[at])
}
