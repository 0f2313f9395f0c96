//! The plan of a gmove: one section of an array is assigned to another, whatever their mappings (XcalableMP 1.4, 4.5.2).
//! Pure.
//!
//! Each image that has an element of the left side gets it once. If several images have it on the right side, the
//! receiver chooses one: itself if it has it, otherwise by its rank, so that the work is spread. The elements that two
//! images exchange are the product, over pairs of dimensions, of the positions that both have.

use super::moves::Moves;
use super::transfer::{Strips, Transfer, product, strides};
use smallvec::SmallVec;
use std::rc::Rc;
use xmp_core::Rank;
use xmp_core::global::error::Result;
use xmp_core::global::runs::intersection;
use xmp_core::global::section::Pairs;
use xmp_core::global::{Along, Array, Coords, Runs, Section};

/// A section of an array in an assignment.
#[derive(Clone, Copy, Debug, Hash)]
pub struct ArraySection<'a> {
    /// The array.
    pub array: &'a Rc<Array>,
    /// The elements.
    pub section: &'a Section,
}

/// An assignment of elements of `element` bytes.
#[derive(Debug)]
pub struct Gmove<'a> {
    left: ArraySection<'a>,
    right: ArraySection<'a>,
    pairs: Pairs,
    element: usize,
}

/// The positions along one dimension of nodes that may have elements in common with this image.
type Candidates = SmallVec<[usize; 8]>;

/// The positions that two parts of the dimensions of a pair have in common, by pair.
type Common = Vec<Vec<Runs>>;

impl<'a> Gmove<'a> {
    /// The assignment of `right` to `left`.
    ///
    /// # Errors
    /// [`xmp_core::global::MappingError::ShapeMismatch`].
    pub fn new(
        left: ArraySection<'a>,
        right: ArraySection<'a>,
        element: usize,
    ) -> Result<Gmove<'a>> {
        let pairs = left.section.pairs(right.section)?;
        Ok(Gmove { left, right, pairs, element })
    }

    /// The assignment of the transpose of `right` to `left`.
    pub fn transposed(
        left: ArraySection<'a>,
        right: ArraySection<'a>,
        element: usize,
    ) -> Result<Gmove<'a>> {
        let pairs = left.section.pairs_transposed(right.section)?;
        Ok(Gmove { left, right, pairs, element })
    }

    /// The transfers of the image `me`.
    pub fn moves(&self, me: Rank) -> Moves {
        let send = self.sent_by(me);
        Moves::new(me, send, self.received_by(me))
    }

    /// The transfers of all images to `me`.
    pub fn received_by(&self, me: Rank) -> Vec<(Rank, Transfer)> {
        let Some(to) = self.left.array.coords(me) else { return Vec::new() };
        if self.is_empty() || !self.left.array.has_elements(&to) {
            return Vec::new();
        }
        let mut candidates = Vec::new();
        for (node_dim, along) in self.right.array.along().iter().enumerate() {
            candidates.push(match *along {
                Along::At(part) => Candidates::from_elem(part, 1),
                Along::All => Candidates::from_elem(self.chosen(me, node_dim), 1),
                Along::Dim(dim) => match self.pair_of_right(dim) {
                    None => Candidates::from_elem(self.right.only_part(dim), 1),
                    Some(pair) => {
                        let part = self.left.part(self.pairs[pair].0, &to);
                        let has = |other: &usize| !self.common(pair, part, *other).is_empty();
                        (0..self.right.array.parts(dim)).filter(has).collect()
                    }
                },
            });
        }
        let mut received = Vec::new();
        for_each_node(&candidates, |from| {
            received.extend(
                self.transfer(from, &to).map(|it| (self.right.array.nodes().rank(from), it)),
            );
        });
        received
    }

    /// The transfers of `me` to all images.
    pub fn sent_by(&self, me: Rank) -> Vec<(Rank, Transfer)> {
        let Some(from) = self.right.array.coords(me) else { return Vec::new() };
        if self.is_empty() || !self.right.array.has_elements(&from) {
            return Vec::new();
        }
        let mut candidates = Vec::new();
        for (along, &size) in self.left.array.along().iter().zip(self.left.array.nodes().shape()) {
            candidates.push(match *along {
                Along::At(part) => Candidates::from_elem(part, 1),
                Along::All => (0..size).collect(),
                Along::Dim(dim) => match self.pairs.iter().position(|pair| pair.0 == dim) {
                    None => Candidates::from_elem(self.left.only_part(dim), 1),
                    Some(pair) => {
                        let part =
                            self.pairs[pair].1.map_or(0, |right| self.right.part(right, &from));
                        let has = |other: &usize| !self.common(pair, *other, part).is_empty();
                        (0..size).filter(has).collect()
                    }
                },
            });
        }
        let mut sent = Vec::new();
        for_each_node(&candidates, |to| {
            let receiver = self.left.array.nodes().rank(to);
            let is_chosen = self.right.array.along().iter().enumerate().all(|(node_dim, along)| {
                *along != Along::All || self.chosen(receiver, node_dim) == from[node_dim]
            });
            if is_chosen {
                sent.extend(self.transfer(&from, to).map(|it| (receiver, it)));
            }
        });
        sent
    }

    fn is_empty(&self) -> bool {
        self.left.section.shape().contains(&0)
    }

    fn pair_of_right(&self, dim: usize) -> Option<usize> {
        self.pairs.iter().position(|pair| pair.1 == Some(dim))
    }

    /// The copy along a dimension of the right side's nodes that `receiver` gets.
    fn chosen(&self, receiver: Rank, node_dim: usize) -> usize {
        match self.right.array.coords(receiver) {
            Some(coords) => coords[node_dim],
            None => receiver.index() % self.right.array.nodes().shape()[node_dim],
        }
    }

    /// The positions of a pair of dimensions that both parts have.
    fn common(&self, pair: usize, left_part: usize, right_part: usize) -> Vec<Runs> {
        let (left, right) = self.pairs[pair];
        let positions = self.left.section.positions(self.left.array, left, left_part);
        match right {
            None => positions,
            Some(right) => {
                let others = self.right.section.positions(self.right.array, right, right_part);
                intersection(&positions, &others)
            }
        }
    }

    /// The transfer from the node `from` of the right side to the node `to` of the left side.
    fn transfer(&self, from: &[usize], to: &[usize]) -> Option<Transfer> {
        let common: Common = self
            .pairs
            .iter()
            .enumerate()
            .map(|(pair, &(left, right))| {
                let right_part = right.map_or(0, |right| self.right.part(right, from));
                self.common(pair, self.left.part(left, to), right_part)
            })
            .collect();
        if common.iter().any(Vec::is_empty) {
            return None;
        }
        let from_strides = strides(self.right.array, from, self.element);
        let to_strides = strides(self.left.array, to, self.element);
        let right_dims: SmallVec<[usize; 4]> =
            self.pairs.iter().filter_map(|pair| pair.1).collect();
        let left_dims: SmallVec<[usize; 4]> = self.pairs.iter().map(|pair| pair.0).collect();
        let start_from = self.right.start(from, &right_dims, &from_strides)?;
        let start_to = self.left.start(to, &left_dims, &to_strides)?;
        let dims: Vec<Strips> = self
            .pairs
            .iter()
            .zip(&common)
            .map(|(&(left, right), runs)| {
                let to_place = self.left.places(left, to, to_strides[left]);
                match right {
                    None => Strips::new(runs, |_| 0, to_place),
                    Some(right) => {
                        let from_place = self.right.places(right, from, from_strides[right]);
                        Strips::new(runs, from_place, to_place)
                    }
                }
            })
            .collect();
        Some(product(self.element, start_from, start_to, &dims))
    }
}

impl ArraySection<'_> {
    /// Whether an image has elements of the section.
    pub fn is_on(&self, rank: Rank) -> bool {
        let Some(coords) = self.array.coords(rank) else { return false };
        let dims = 0..self.array.dims().len();
        self.array.has_elements(&coords)
            && dims.into_iter().all(|dim| {
                !self.section.positions(self.array, dim, self.part(dim, &coords)).is_empty()
            })
    }

    fn part(&self, dim: usize, coords: &[usize]) -> usize {
        self.array.part(dim, coords)
    }

    /// The part that has the index of a dimension of which the section has only one.
    fn only_part(&self, dim: usize) -> usize {
        let index = self.section.row(dim).first;
        let has = |&part: &usize| self.array.local(dim, part, index).is_some();
        (0..self.array.parts(dim)).find(has).expect("every index has an owner")
    }

    /// The places of the indices of a dimension, which are given by their position in the subscript.
    fn places(&self, dim: usize, coords: &[usize], stride: i64) -> impl Fn(i64) -> i64 + '_ {
        let (row, part) = (self.section.row(dim), self.part(dim, coords));
        move |position| self.array.local_of_owned(dim, part, row.at(position)) * stride
    }

    /// The place of the single index of all dimensions but `others`; `None` if the node does not have it.
    fn start(&self, coords: &[usize], others: &[usize], strides: &[i64]) -> Option<i64> {
        let mut start = 0;
        for dim in (0..self.array.dims().len()).filter(|dim| !others.contains(dim)) {
            let index = self.section.row(dim).first;
            start += self.array.local(dim, self.part(dim, coords), index)? * strides[dim];
        }
        Some(start)
    }
}

/// Calls `visit` for all combinations of coordinates.
fn for_each_node(candidates: &[Candidates], mut visit: impl FnMut(&[usize])) {
    fn level(rest: &[Candidates], coords: &mut Coords, visit: &mut impl FnMut(&[usize])) {
        let Some((first, rest)) = rest.split_first() else { return visit(coords) };
        for &coord in first {
            coords.push(coord);
            level(rest, coords, visit);
            coords.pop();
        }
    }
    level(candidates, &mut Coords::new(), &mut visit);
}
