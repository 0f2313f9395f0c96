//! Node arrays: images arranged in a grid (XcalableMP 1.4, 4.3.1).

use super::error::{MappingError, Result};
use super::progression::Progression;
use crate::members::Members;
use crate::rank::Rank;
use smallvec::SmallVec;
use std::fmt::Write;

/// Coordinates of a node in an array, from 0.
pub type Coords = SmallVec<[usize; 4]>;

/// The order of the elements of an array, and its first index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// `p(n1, n2)`: the first dimension runs fastest, indices of nodes begin with 1.
    Fortran,
    /// `p[n1][n2]`: the last dimension runs fastest, indices begin with 0.
    C,
}

impl Order {
    /// The dimensions, the one that runs fastest first.
    pub fn dims(self, ndims: usize) -> impl Iterator<Item = usize> {
        (0..ndims).map(move |k| match self {
            Order::Fortran => k,
            Order::C => ndims - 1 - k,
        })
    }

    /// The index of the first node of a dimension.
    pub fn first(self) -> i64 {
        match self {
            Order::Fortran => 1,
            Order::C => 0,
        }
    }
}

/// The declaration of a node array (`xmp_nodes_attr`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Of all images (`nodes p(..)`).
    Entire,
    /// Of the executing ones (`= *`).
    Executing,
    /// Of all images in their primary order (`= **`).
    Primary,
    /// Of a reference to other nodes (`= q(..)`).
    Equivalenced,
}

/// The size of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// This many nodes.
    Nodes(usize),
    /// `*`: as many as are available.
    Star,
}

/// One dimension of a reference to nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subscript {
    /// One index; the dimension is dropped.
    At(i64),
    /// Several indices, each once.
    Some(Progression),
    /// `:`
    All,
    /// `*`: the index of the executing node; the dimension is dropped.
    Own,
}

/// A node array: its images, and their shape. Immutable, and made without communication. Its members are kept as a
/// formula where they have one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Nodes {
    shape: SmallVec<[usize; 4]>,
    order: Order,
    kind: Kind,
    members: Members,
}

impl Nodes {
    /// The array with these sizes of the first images of `set`, in element order.
    ///
    /// # Errors
    /// [`MappingError::NodeCount`] when there are too few images, or when with a `*` they cannot all be nodes;
    /// [`MappingError::Dimension`] for a second `*` or a size of 0; [`MappingError::Rank`] without dimensions.
    pub fn new(sizes: &[Size], order: Order, kind: Kind, set: &Members) -> Result<Nodes> {
        if sizes.is_empty() {
            return Err(MappingError::Rank { what: "size", given: 0, needed: 1 });
        }
        let mut fixed = Some(1_usize);
        let mut star = None;
        for (dim, size) in sizes.iter().enumerate() {
            let wrong = |why: &str| MappingError::Dimension { dim: dim + 1, why: why.into() };
            match *size {
                Size::Nodes(0) => return Err(wrong("has no node")),
                Size::Nodes(nodes) => fixed = fixed.and_then(|fixed| fixed.checked_mul(nodes)),
                Size::Star if star.is_some() => return Err(wrong("is a second `*`")),
                Size::Star => star = Some(dim),
            }
        }
        let available = set.len();
        let (needed, len) = match (fixed, star) {
            (Some(fixed), None) => (fixed.to_string(), (fixed <= available).then_some(fixed)),
            (Some(fixed), Some(_)) => {
                let fits = available.is_multiple_of(fixed).then_some(available);
                (format!("a multiple of {fixed}"), fits)
            }
            (None, _) => ("more than can be counted".into(), None),
        };
        let (Some(fixed), Some(len)) = (fixed, len) else {
            return Err(MappingError::NodeCount { shape: written(sizes), needed, available });
        };
        let size = |size: &Size| match *size {
            Size::Nodes(nodes) => nodes,
            Size::Star => len / fixed,
        };
        let shape = sizes.iter().map(size).collect();
        Ok(Nodes { shape, order, kind, members: part(set, 0, 1, len) })
    }

    /// All these images in one dimension.
    pub fn row(set: &Members, order: Order, kind: Kind) -> Nodes {
        Nodes { shape: SmallVec::from_slice(&[set.len()]), order, kind, members: set.clone() }
    }

    /// Number of nodes in each dimension.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Number of nodes.
    #[expect(clippy::len_without_is_empty, reason = "there is at least one node")]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// The order of its elements.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Its declaration.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Its images in element order.
    pub fn members(&self) -> &Members {
        &self.members
    }

    /// The image at these coordinates.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn rank(&self, coords: &[usize]) -> Rank {
        let mut position = 0;
        let mut stride = 1;
        for dim in self.order.dims(self.shape.len()) {
            assert!(
                coords[dim] < self.shape[dim],
                "node coordinate {} of {:?}",
                coords[dim],
                self.shape
            );
            position += coords[dim] * stride;
            stride *= self.shape[dim];
        }
        self.members.rank(position).expect("within the shape")
    }

    /// The coordinates of the node at a position in element order.
    pub fn coords_at(&self, mut position: usize) -> Coords {
        let mut coords = Coords::from_elem(0, self.shape.len());
        for dim in self.order.dims(self.shape.len()) {
            coords[dim] = position % self.shape[dim];
            position /= self.shape[dim];
        }
        coords
    }

    /// The coordinates of an image, if it is a node of this array.
    pub fn coords(&self, rank: Rank) -> Option<Coords> {
        self.members.position(rank).map(|position| self.coords_at(position))
    }

    /// The nodes that a reference selects, as the image `own` sees it: in the shape of the remaining dimensions; one
    /// node in one dimension if none remains.
    ///
    /// # Errors
    /// [`MappingError::Rank`] for another number of subscripts; [`MappingError::Outside`] for an index of no node;
    /// [`MappingError::Dimension`] for a subscript that selects no node or one node twice, and for `*` on an image that
    /// is no node of this array.
    pub fn section(&self, subscripts: &[Subscript], own: Rank) -> Result<Nodes> {
        let ndims = self.shape.len();
        if subscripts.len() != ndims {
            let (what, given) = ("subscript", subscripts.len());
            return Err(MappingError::Rank { what, given, needed: ndims });
        }
        let mut rows: SmallVec<[Progression; 4]> = SmallVec::new();
        let mut shape = SmallVec::new();
        for (dim, subscript) in subscripts.iter().enumerate() {
            let (row, stays) = self.row_of(dim, *subscript, own)?;
            if stays {
                shape.push(row.count as usize);
            }
            rows.push(row);
        }
        if shape.is_empty() {
            shape.push(1);
        }
        let members = self.selected(&rows);
        Ok(Nodes { shape, order: self.order, kind: Kind::Equivalenced, members })
    }

    /// Coordinates that a subscript selects, and whether the dimension remains.
    fn row_of(&self, dim: usize, subscript: Subscript, own: Rank) -> Result<(Progression, bool)> {
        let size = self.shape[dim] as i64;
        let wrong = |why: String| MappingError::Dimension { dim: dim + 1, why };
        let (row, stays) = match subscript {
            Subscript::All => (Progression { first: 0, step: 1, count: size }, true),
            Subscript::At(index) => (Progression::one(index).shifted(-self.order.first()), false),
            Subscript::Some(row) => (row.shifted(-self.order.first()), true),
            Subscript::Own => {
                let Some(coords) = self.coords(own) else {
                    return Err(wrong(format!("`*` on {own}, which is not a node of the array")));
                };
                (Progression::one(coords[dim] as i64), false)
            }
        };
        if row.count == 0 || (row.count > 1 && row.step == 0) {
            let selected = if row.count == 0 { "no node" } else { "a node twice" };
            return Err(wrong(format!("the subscript selects {selected}")));
        }
        if !row.is_within(0, size - 1) {
            let first = self.order.first();
            let (lower, upper) = (first, first + size - 1);
            let (first, last) = (row.first + first, row.last() + first);
            return Err(MappingError::Outside { dim: dim + 1, first, last, lower, upper });
        }
        Ok((row, stays))
    }

    /// The nodes at these coordinates in element order; by a formula if it is one dimension of them, or several
    /// adjacent ones.
    fn selected(&self, rows: &[Progression]) -> Members {
        let mut stride = 1;
        let mut start = 0;
        // Of the dimensions so far: number of nodes, and the distance between their positions.
        let (mut count, mut distance) = (1, 1);
        let mut regular = true;
        for dim in self.order.dims(rows.len()) {
            let row = rows[dim];
            start += row.first * stride;
            if row.count > 1 {
                let step = row.step * stride;
                regular &= count == 1 || step == count * distance;
                if count == 1 {
                    distance = step;
                }
                count *= row.count;
            }
            stride *= self.shape[dim] as i64;
        }
        if regular {
            return part(&self.members, start, distance, count as usize);
        }
        let mut ranks = Vec::with_capacity(count as usize);
        let mut at: Coords = rows.iter().map(|_| 0).collect();
        loop {
            let coords: Coords =
                rows.iter().zip(&at).map(|(row, &k)| row.at(k as i64) as usize).collect();
            ranks.push(self.rank(&coords));
            let next = self.order.dims(rows.len()).find(|&dim| {
                at[dim] = (at[dim] + 1) % rows[dim].count as usize;
                at[dim] > 0
            });
            if next.is_none() {
                return Members::from_list(&ranks).expect("different nodes are different images");
            }
        }
    }
}

/// Members of a set at positions that are a progression.
fn part(set: &Members, start: i64, step: i64, len: usize) -> Members {
    let rank = |position: i64| set.rank(position as usize).expect("positions within the set");
    if let Some(stride) = set.stride() {
        let members = Members::range(rank(start), stride * step as i32, len as u32);
        return members.expect("both ends are members");
    }
    let ranks: Vec<Rank> = (0..len as i64).map(|k| rank(start + k * step)).collect();
    Members::from_list(&ranks).expect("different positions are different images")
}

/// A shape as a program writes it.
fn written(sizes: &[Size]) -> String {
    let mut text = String::from("(");
    for (dim, size) in sizes.iter().enumerate() {
        let comma = if dim > 0 { "," } else { "" };
        let _ = match size {
            Size::Nodes(nodes) => write!(text, "{comma}{nodes}"),
            Size::Star => write!(text, "{comma}*"),
        };
    }
    text + ")"
}

#[cfg(all(test, not(loom)))]
mod tests;
