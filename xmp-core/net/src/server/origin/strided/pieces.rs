//! Sections divided into pieces that fit into a message.

use crate::error::Result;
use crate::nest::{Loop, Nest};
use smallvec::SmallVec;

/// A part of a nest, at these distances from its start. Without dimensions it is one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Contiguous bytes.
    pub unit: usize,
    /// The grid.
    pub loops: SmallVec<[Loop; 4]>,
    /// Its start in the target's segment.
    pub remote: i64,
    /// Its start in local memory.
    pub local: i64,
}

impl Piece {
    /// Its bytes, packed.
    pub fn len(&self) -> usize {
        self.loops.iter().fold(self.unit, |len, dim| len * dim.extent)
    }

    /// As a section.
    pub fn nest(&self) -> Nest<'_> {
        Nest { unit: self.unit, loops: &self.loops }
    }
}

/// Calls `visit` with the pieces of a section that is not empty, in its order. Each has at most `most` bytes, unless it
/// is a single run that is longer.
pub fn for_each_piece(
    nest: Nest<'_>,
    most: usize,
    mut visit: impl FnMut(&Piece) -> Result<()>,
) -> Result<()> {
    // The inner dimensions that fit, and how many points of the next one do.
    let mut inner = 0;
    let mut len = nest.unit;
    while let Some(dim) = nest.loops.get(inner)
        && len.checked_mul(dim.extent).is_some_and(|len| len <= most)
    {
        len *= dim.extent;
        inner += 1;
    }
    let mut piece =
        Piece { unit: nest.unit, loops: nest.loops[..inner].into(), remote: 0, local: 0 };
    let Some((cut, outer)) = nest.loops[inner..].split_first() else { return visit(&piece) };
    // A run longer than a message is one piece; its put or get divides it.
    let step = (most / len.max(1)).max(1);
    let together = len <= most && step > 1;
    if together {
        piece.loops.push(*cut);
    }
    Nest { unit: 0, loops: outer }.try_for_each(|remote, local| {
        for first in (0..cut.extent).step_by(if together { step } else { 1 }) {
            piece.remote = remote + first as i64 * cut.remote;
            piece.local = local + first as i64 * cut.local;
            if let Some(last) = piece.loops.last_mut().filter(|_| together) {
                last.extent = step.min(cut.extent - first);
            }
            visit(&piece)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The pieces have the runs of the nest, in its order, and fit.
        #[test]
        fn pieces_are_the_section(
            unit in 1usize..20, most in 1usize..200,
            dims in prop::collection::vec((1usize..6, -50i64..50, -50i64..50), 0..4),
        ) {
            let loops: Vec<Loop> =
                dims.into_iter().map(|(extent, remote, local)| Loop { extent, remote, local }).collect();
            let nest = Nest { unit, loops: &loops };
            let mut expected = Vec::new();
            nest.for_each(|remote, local| expected.push((remote, local)));
            let mut found = Vec::new();
            for_each_piece(nest, most, |piece| {
                assert!(piece.len() <= most || piece.loops.is_empty(), "{piece:?}");
                piece.nest().for_each(|remote, local| {
                    found.push((remote + piece.remote, local + piece.local));
                });
                Ok(())
            })
            .unwrap();
            prop_assert_eq!(found, expected);
        }
    }
}
