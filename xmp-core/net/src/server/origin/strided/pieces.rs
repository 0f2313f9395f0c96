//! Sections divided into pieces that fit into a message.

use crate::error::Result;
use crate::transport::{Dim, Section};
use smallvec::SmallVec;

/// A part of a section, at these distances from its start. Without dimensions it is one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Contiguous bytes.
    pub run: usize,
    /// The grid.
    pub dims: SmallVec<[Dim; 4]>,
    /// Its start in the target's segment.
    pub remote: i64,
    /// Its start in local memory.
    pub local: i64,
}

impl Piece {
    /// Its bytes, packed.
    pub fn len(&self) -> usize {
        self.dims.iter().fold(self.run, |len, dim| len * dim.extent)
    }

    /// As a section.
    pub fn section(&self) -> Section<'_> {
        Section { run: self.run, dims: &self.dims }
    }
}

/// Calls `visit` with the pieces of a section that is not empty, in its order. Each has at most `most` bytes, unless it
/// is a single run that is longer.
pub fn for_each_piece(
    section: Section<'_>,
    most: usize,
    mut visit: impl FnMut(&Piece) -> Result<()>,
) -> Result<()> {
    // The inner dimensions that fit, and how many points of the next one do.
    let mut inner = 0;
    let mut len = section.run;
    while let Some(dim) = section.dims.get(inner)
        && len.checked_mul(dim.extent).is_some_and(|len| len <= most)
    {
        len *= dim.extent;
        inner += 1;
    }
    let mut piece =
        Piece { run: section.run, dims: section.dims[..inner].into(), remote: 0, local: 0 };
    let Some((cut, outer)) = section.dims[inner..].split_first() else { return visit(&piece) };
    // A run longer than a message is one piece; its put or get divides it.
    let step = (most / len.max(1)).max(1);
    let together = len <= most && step > 1;
    if together {
        piece.dims.push(*cut);
    }
    each_point(outer, 0, 0, &mut |remote, local| {
        for first in (0..cut.extent).step_by(if together { step } else { 1 }) {
            piece.remote = remote + first as i64 * cut.remote;
            piece.local = local + first as i64 * cut.local;
            if let Some(last) = piece.dims.last_mut().filter(|_| together) {
                last.extent = step.min(cut.extent - first);
            }
            visit(&piece)?;
        }
        Ok(())
    })
}

fn each_point(
    dims: &[Dim],
    remote: i64,
    local: i64,
    visit: &mut impl FnMut(i64, i64) -> Result<()>,
) -> Result<()> {
    let Some((last, inner)) = dims.split_last() else { return visit(remote, local) };
    (0..last.extent as i64).try_for_each(|i| {
        each_point(inner, remote + i * last.remote, local + i * last.local, visit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The pieces have the runs of the section, in its order, and fit.
        #[test]
        fn pieces_are_the_section(
            run in 1usize..20, most in 1usize..200,
            dims in prop::collection::vec((1usize..6, -50i64..50, -50i64..50), 0..4),
        ) {
            let dims: Vec<Dim> =
                dims.into_iter().map(|(extent, remote, local)| Dim { extent, remote, local }).collect();
            let section = Section { run, dims: &dims };
            let mut expected = Vec::new();
            section.for_each(|remote, local| expected.push((remote, local)));
            let mut found = Vec::new();
            for_each_piece(section, most, |piece| {
                assert!(piece.len() <= most || piece.dims.is_empty(), "{piece:?}");
                piece.section().for_each(|remote, local| {
                    found.push((remote + piece.remote as isize, local + piece.local as isize));
                });
                Ok(())
            })
            .unwrap();
            prop_assert_eq!(found, expected);
        }
    }
}
