//! Reflect: the shadow of each node gets what its neighbours own (XcalableMP 1.4, 4.5.1). Pure.
//!
//! In each dimension what a node stores is cut into pieces that one node owns each: its own block, and pieces of the
//! shadow on both sides. The product of pieces over the dimensions, but for that of only own ones, is what it gets:
//! corners come straight from who owns them.

use super::moves::Moves;
use super::transfer::{Strips, Transfer, product, strides};
use smallvec::SmallVec;
use xmp_core::Rank;
use xmp_core::global::error::{MappingError, Result};
use xmp_core::global::{Array, Coords, Runs, Shadow};

/// Which part of the shadow.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Widths of each dimension ([`Width::whole`]).
    pub widths: &'a [Width],
    /// Without corners: only what neighbours along one dimension have.
    pub orthogonal: bool,
}

/// How much of the shadow of a dimension is to be filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Width {
    /// Elements before what a node owns.
    pub lower: i64,
    /// Elements behind.
    pub upper: i64,
    /// Whether the array goes around: before its first index is the last.
    pub periodic: bool,
    /// If both widths are 0: whether what neighbours along other dimensions have in their shadow of this one is
    /// brought, too. So reflects of one dimension after the other fill the corners.
    pub carried: bool,
}

impl Width {
    /// The whole shadow of each dimension of an array; of a full shadow everything.
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

/// Some indices of a dimension that a node stores and that one part owns.
#[derive(Clone, Debug)]
struct Piece {
    owner: usize,
    /// Where the receiver stores it.
    runs: Runs,
    /// What is to be added for the owner's indices: a whole number of times the extent.
    shift: i64,
    own: bool,
}

impl<'a> Reflect<'a> {
    /// A reflect of these widths, of a full shadow always everything. `orthogonal`: without corners.
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
            return Err(MappingError::Rank { what: "widths", given: widths.len(), needed });
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

    /// The part of the image `me`.
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
            // Of what the receiver gets, in its order, only what this node owns.
            let mut pieces = self.pieces_of(&to);
            for (dim, pieces) in pieces.iter_mut().enumerate() {
                pieces.retain(|piece| piece.owner == self.array.part(dim, &coords));
            }
            let receiver = self.array.nodes().rank(&to);
            self.transfers(&to, &pieces, |_, transfer| send.push((receiver, transfer)));
        }
        Moves::new(me, send, receive)
    }

    /// The pieces of what a node stores, by dimension.
    fn pieces_of(&self, coords: &[usize]) -> Vec<Vec<Piece>> {
        let dims = 0..self.array.dims().len();
        dims.map(|dim| self.pieces(dim, self.array.part(dim, coords))).collect()
    }

    /// The pieces of what the nodes with a part of a dimension store.
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
            self.shadow(dim, (first - lower, first), periodic, &mut pieces);
            self.shadow(dim, (last + 1, last + 1 + upper), periodic, &mut pieces);
        }
        pieces
    }

    /// All that the nodes with a part store of a dimension whose shadow is brought along as it is.
    fn carried(&self, dim: usize, part: usize) -> Option<Runs> {
        let width = self.widths[dim];
        let (before, behind) = self.array.dims()[dim].shadow.widths();
        if !width.carried || width.lower + width.upper > 0 || before + behind == 0 {
            return None;
        }
        let (first, last) = self.array.block(dim, part)?;
        Runs::one(first - before, last + 1 + behind - (first - before))
    }

    /// Adds the pieces of the shadow from the first index to before the second.
    fn shadow(&self, dim: usize, (from, to): (i64, i64), periodic: bool, pieces: &mut Vec<Piece>) {
        let align = self.array.dims()[dim];
        let extent = align.extent();
        // How often around; the array itself is 0.
        let around = |index: i64| (index - align.lower).div_euclid(extent);
        let times = match (from < to, periodic) {
            (false, _) => return,
            (true, true) => around(from)..=around(to - 1),
            (true, false) => 0..=0,
        };
        for time in times {
            let shift = time * extent;
            let (from, to) = (from - shift, to - shift);
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

    /// Nodes that may get something of the node with these coordinates.
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

    /// Calls `visit(giver, transfer)` for every combination of pieces that the node `to` gets.
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
