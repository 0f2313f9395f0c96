//! The plan of a reflect: the shadow of each node gets the elements that its neighbours own (XcalableMP 1.4, 4.5.1).
//! Pure.
//!
//! In each dimension the elements that a node stores are divided into pieces with one owner each: its own block, and
//! pieces of the shadow on both sides. The node gets the product of pieces over the dimensions, except for that of its
//! own pieces only. So corners come straight from their owners.

use super::moves::Moves;
use super::transfer::{Strips, Transfer, product, strides};
use smallvec::SmallVec;
use std::ops::Range;
use xmp_core::Rank;
use xmp_core::global::error::{MappingError, Result};
use xmp_core::global::{Array, Coords, Runs, Shadow};

/// The part of the shadow that an operation fills.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Widths of each dimension ([`Width::whole`]).
    pub widths: &'a [Width],
    /// Whether corners are left out: only elements of neighbours along one dimension are moved.
    pub orthogonal: bool,
}

/// The part of the shadow of one dimension that an operation fills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Width {
    /// Elements before the block of a node.
    pub lower: i64,
    /// Elements after the block.
    pub upper: i64,
    /// Whether the array is periodic: its last index comes before the first.
    pub periodic: bool,
    /// If both widths are 0: whether the elements that neighbours along other dimensions have in their shadow of this
    /// dimension are moved, too. So reflects of one dimension after the other fill the corners.
    pub carried: bool,
}

impl Width {
    /// The whole shadow of each dimension of an array.
    pub fn whole(array: &Array) -> SmallVec<[Width; 4]> {
        let width = |shadow: Shadow| {
            let (lower, upper) = shadow.widths();
            Width { lower, upper, periodic: false, carried: false }
        };
        array.dims().iter().map(|dim| width(dim.shadow)).collect()
    }
}

/// A reflect of an array of elements of `element` bytes.
#[derive(Clone, Copy, Debug)]
pub struct Reflect<'a> {
    array: &'a Array,
    widths: &'a [Width],
    orthogonal: bool,
    element: usize,
}

/// Indices of a dimension that a node stores and one part owns.
#[derive(Clone, Debug)]
struct Piece {
    owner: usize,
    /// The indices, as the receiver numbers them.
    runs: Runs,
    /// What is added to get the owner's indices: a multiple of the extent.
    shift: i64,
    own: bool,
}

impl<'a> Reflect<'a> {
    /// A reflect of these widths; a full shadow is always filled as a whole. With `orthogonal`, without corners.
    ///
    /// # Errors
    /// [`MappingError::WiderThanShadow`]; [`MappingError::Rank`]; [`MappingError::Dimension`] for a negative width.
    pub fn new(
        array: &'a Array,
        widths: &'a [Width],
        orthogonal: bool,
        element: usize,
    ) -> Result<Reflect<'a>> {
        let needed = array.dims().len();
        if widths.len() != needed {
            return Err(MappingError::Rank { what: "width", given: widths.len(), needed });
        }
        for (d, (width, align)) in widths.iter().zip(array.dims()).enumerate() {
            let Shadow::Widths { lower, upper } = align.shadow else { continue };
            let dim = d + 1;
            for (asked, shadow) in [(width.lower, lower), (width.upper, upper)] {
                if asked < 0 {
                    return Err(MappingError::Dimension {
                        dim,
                        why: format!("a width of {asked}"),
                    });
                }
                if asked > shadow {
                    return Err(MappingError::WiderThanShadow { dim, asked, shadow });
                }
            }
        }
        Ok(Reflect { array, widths, orthogonal, element })
    }

    /// The transfers of the image `me`.
    pub fn moves(&self, me: Rank) -> Moves {
        let Some(coords) = self.array.coords(me).filter(|coords| self.array.has_elements(coords))
        else {
            return Moves::default();
        };
        let pieces = self.pieces_of(&coords);
        let mut receive = Vec::new();
        self.transfers(&coords, &pieces, |from, transfer| {
            receive.push((self.array.nodes().rank(from), transfer));
        });
        let mut send = Vec::new();
        for to in self.receivers(&coords) {
            // The pieces that the receiver gets, in its order, of which this node is the owner.
            let mut pieces = self.pieces_of(&to);
            for (dim, pieces) in pieces.iter_mut().enumerate() {
                pieces.retain(|piece| piece.owner == self.array.part(dim, &coords));
            }
            let receiver = self.array.nodes().rank(&to);
            self.transfers(&to, &pieces, |_, transfer| send.push((receiver, transfer)));
        }
        Moves::new(me, send, receive)
    }

    /// The pieces that a node stores, by dimension.
    fn pieces_of(&self, coords: &[usize]) -> Vec<Vec<Piece>> {
        let dims = 0..self.array.dims().len();
        dims.map(|dim| self.pieces(dim, self.array.part(dim, coords))).collect()
    }

    /// The pieces that the nodes with a part of a dimension store.
    fn pieces(&self, dim: usize, part: usize) -> Vec<Piece> {
        let owned = self.array.owned(dim, part);
        let own = |&runs: &Runs| Piece { owner: part, runs, shift: 0, own: true };
        let mut pieces: Vec<Piece> = owned.iter().map(own).collect();
        let Width { lower, upper, periodic, .. } = self.widths[dim];
        if let Some(carried) = self.carried(dim, part) {
            return vec![Piece { owner: part, runs: carried, shift: 0, own: true }];
        }
        if self.array.dims()[dim].shadow == Shadow::Full {
            for owner in (0..self.array.parts(dim)).filter(|&owner| owner != part) {
                let others = self.array.owned(dim, owner);
                let piece = |runs| Piece { owner, runs, shift: 0, own: false };
                pieces.extend(others.into_iter().map(piece));
            }
            return pieces;
        }
        if let Some((first, last)) = self.array.block(dim, part) {
            self.shadow(dim, first - lower..first, periodic, &mut pieces);
            self.shadow(dim, last + 1..last + 1 + upper, periodic, &mut pieces);
        }
        pieces
    }

    /// All indices that the nodes with a part store of a dimension whose shadow is carried along.
    fn carried(&self, dim: usize, part: usize) -> Option<Runs> {
        let width = self.widths[dim];
        let (before, after) = self.array.dims()[dim].shadow.widths();
        if !width.carried || width.lower + width.upper > 0 || before + after == 0 {
            return None;
        }
        let (first, last) = self.array.block(dim, part)?;
        Runs::one(first - before, last + 1 + after - (first - before))
    }

    /// Adds the pieces of a range of indices in the shadow.
    fn shadow(&self, dim: usize, range: Range<i64>, periodic: bool, pieces: &mut Vec<Piece>) {
        let align = self.array.dims()[dim];
        let extent = align.extent();
        // The number of periods between an index and the array itself.
        let around = |index: i64| (index - align.lower).div_euclid(extent);
        let times = match (range.is_empty(), periodic) {
            (true, _) => return,
            (false, true) => around(range.start)..=around(range.end - 1),
            (false, false) => 0..=0,
        };
        for time in times {
            let shift = time * extent;
            let (from, to) = (range.start - shift, range.end - shift);
            for owner in 0..self.array.parts(dim) {
                let mut runs = Vec::new();
                for owned in self.array.owned(dim, owner) {
                    owned.clip(from, to, &mut runs);
                }
                let piece = |runs: Runs| Piece {
                    owner,
                    runs: runs.shifted(shift),
                    shift: -shift,
                    own: false,
                };
                pieces.extend(runs.into_iter().map(piece));
            }
        }
    }

    /// The nodes that may get elements of the node with these coordinates.
    fn receivers(&self, coords: &[usize]) -> Vec<Coords> {
        let mut receivers = vec![Coords::from_slice(coords)];
        for dim in 0..self.array.dims().len() {
            let Some(node_dim) = self.array.node_dim(dim) else { continue };
            let part = coords[node_dim];
            let gets =
                |&other: &usize| self.pieces(dim, other).iter().any(|piece| piece.owner == part);
            let parts: Vec<usize> = (0..self.array.parts(dim)).filter(gets).collect();
            receivers = receivers
                .iter()
                .flat_map(|coords| {
                    parts.iter().map(move |&part| {
                        let mut coords = coords.clone();
                        coords[node_dim] = part;
                        coords
                    })
                })
                .collect();
        }
        receivers.retain(|coords| self.array.has_elements(coords));
        receivers
    }

    /// Calls `visit` with the sender and the transfer of each combination of pieces that the node `to` gets.
    fn transfers(
        &self,
        to: &[usize],
        pieces: &[Vec<Piece>],
        mut visit: impl FnMut(&[usize], Transfer),
    ) {
        let to_strides = strides(self.array, to, self.element);
        let mut chosen = vec![0; pieces.len()];
        if pieces.iter().any(Vec::is_empty) {
            return;
        }
        loop {
            let combination: Vec<&Piece> =
                chosen.iter().zip(pieces).map(|(&at, pieces)| &pieces[at]).collect();
            let foreign = combination.iter().filter(|piece| !piece.own).count();
            if foreign == 1 || (foreign > 1 && !self.orthogonal) {
                let mut from = Coords::from_slice(to);
                for (dim, piece) in combination.iter().enumerate() {
                    if let Some(node_dim) = self.array.node_dim(dim) {
                        from[node_dim] = piece.owner;
                    }
                }
                visit(&from, self.transfer(&from, to, &to_strides, &combination));
            }
            let next = (0..pieces.len()).find(|&dim| {
                chosen[dim] = (chosen[dim] + 1) % pieces[dim].len();
                chosen[dim] > 0
            });
            if next.is_none() {
                return;
            }
        }
    }

    fn transfer(
        &self,
        from: &[usize],
        to: &[usize],
        to_strides: &[i64],
        pieces: &[&Piece],
    ) -> Transfer {
        let array = self.array;
        let from_strides = strides(array, from, self.element);
        let dims: Vec<Strips> = pieces
            .iter()
            .enumerate()
            .map(|(dim, piece)| {
                let (giver, getter) = (array.part(dim, from), array.part(dim, to));
                let stored = |part, index| {
                    let place = array.local_with_shadow(dim, part, index);
                    place.expect("the width is within the shadow")
                };
                let carried = piece.own && self.carried(dim, piece.owner).is_some();
                let from_place = |index: i64| {
                    let local = if carried {
                        stored(giver, index)
                    } else {
                        array.local_of_owned(dim, giver, index + piece.shift)
                    };
                    local * from_strides[dim]
                };
                let to_place = |index: i64| {
                    let local = if piece.own && !carried {
                        array.local_of_owned(dim, getter, index)
                    } else {
                        stored(getter, index)
                    };
                    local * to_strides[dim]
                };
                Strips::new(&[piece.runs], from_place, to_place)
            })
            .collect();
        product(self.element, 0, 0, &dims)
    }
}
