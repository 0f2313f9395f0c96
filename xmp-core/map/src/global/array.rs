//! Arrays that are aligned with templates: the owner of each element, and its place in memory (XcalableMP 1.4, 4.3.4
//! and the memory-layout appendix).

use super::distribution::Axis;
use super::error::{MappingError, Result};
use super::nodes::{Coords, Nodes, Order};
use super::runs::Runs;
use super::shadow::Shadow;
use super::template::Distribution;
use crate::rank::Rank;
use smallvec::SmallVec;
use std::rc::Rc;

/// One dimension of an array: its bounds and its alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Align {
    /// First index.
    pub lower: i64,
    /// Last index.
    pub upper: i64,
    /// The template dimension, from 0; `None` if every node has the whole dimension (`*`).
    pub axis: Option<usize>,
    /// Index i is aligned with template index i + offset.
    pub offset: i64,
    /// The shadow.
    pub shadow: Shadow,
}

impl Align {
    /// A dimension that every node has entirely.
    pub fn collapsed(lower: i64, upper: i64) -> Align {
        Align { lower, upper, axis: None, offset: 0, shadow: Shadow::NONE }
    }

    /// A dimension aligned with a template dimension.
    pub fn with(lower: i64, upper: i64, axis: usize, offset: i64) -> Align {
        Align { lower, upper, axis: Some(axis), offset, shadow: Shadow::NONE }
    }

    /// The same dimension with a shadow.
    #[must_use]
    pub fn shadow(self, shadow: Shadow) -> Align {
        Align { shadow, ..self }
    }

    /// Number of indices.
    pub fn extent(&self) -> i64 {
        self.upper - self.lower + 1
    }

    /// Checks that every index, of the shadow and one beyond it, is representable, and so is their number: all other
    /// values computed for a dimension are between these.
    fn check(&self, dim: usize) -> Result<()> {
        let (before, after) = self.shadow.widths();
        let first = self.lower.checked_sub(before);
        let end = self.upper.checked_add(after).and_then(|last| last.checked_add(1));
        match first.zip(end).and_then(|(first, end)| end.checked_sub(first)) {
            Some(_) => Ok(()),
            None => {
                let Align { lower, upper, .. } = self;
                let why = format!("{lower}:{upper} with a shadow of {before}:{after} is too long");
                Err(MappingError::Dimension { dim, why })
            }
        }
    }
}

/// The nodes along a dimension of the node array that have an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Along {
    /// The node that has the index in this dimension of the array.
    Dim(usize),
    /// All have copies.
    All,
    /// This node.
    At(usize),
}

/// The mapping of an array. Immutable.
///
/// A node stores the elements that it owns densely, in the order of the indices, with the shadow around them, in the
/// element order of the language.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Array {
    distribution: Rc<Distribution>,
    dims: Vec<Align>,
    along: SmallVec<[Along; 4]>,
    order: Order,
}

impl Array {
    /// An array with these dimensions. Along template dimensions that no array dimension is aligned with, all nodes
    /// have copies (`*`), but for those in `at`: pairs of a dimension and the one index that the array is aligned with.
    ///
    /// # Errors
    /// [`MappingError::AlignOutside`]; [`MappingError::Rank`] without dimensions; [`MappingError::Dimension`] for a
    /// dimension without indices, or with more than can be counted, a template dimension that does not exist or is used
    /// twice, and an impossible shadow.
    pub fn new(
        distribution: Rc<Distribution>,
        dims: &[Align],
        at: &[(usize, i64)],
        order: Order,
    ) -> Result<Array> {
        if dims.is_empty() {
            return Err(MappingError::Rank { what: "extent", given: 0, needed: 1 });
        }
        let mut along = SmallVec::from_elem(Along::All, distribution.nodes().shape().len());
        let mut used = vec![false; distribution.axes().len()];
        for (d, align) in dims.iter().enumerate() {
            let dim = d + 1;
            let wrong = |why: String| MappingError::Dimension { dim, why };
            let &Align { lower, upper, offset, .. } = align;
            if upper < lower || upper.checked_sub(lower).is_none_or(|steps| steps == i64::MAX) {
                return Err(wrong(format!("bounds {lower}:{upper} have no index")));
            }
            let Some(axis) = align.axis else {
                align.shadow.check(dim, None)?;
                align.check(dim)?;
                continue;
            };
            match used.get_mut(axis) {
                None => return Err(wrong(format!("there is no template dimension {}", axis + 1))),
                Some(true) => {
                    return Err(wrong(format!("template dimension {} is used twice", axis + 1)));
                }
                Some(used) => *used = true,
            }
            let of_template = &distribution.axes()[axis];
            let aligned = (lower.saturating_add(offset), upper.saturating_add(offset));
            let template = (of_template.lower(), of_template.upper());
            if aligned.0 < template.0 || aligned.1 > template.1 {
                return Err(MappingError::AlignOutside { dim, lower, upper, aligned, template });
            }
            align.shadow.check(dim, Some(of_template))?;
            align.check(dim)?;
            if let Some(node_dim) = distribution.node_dim(axis) {
                along[node_dim] = Along::Dim(d);
            }
        }
        for &(axis, index) in at {
            let dim = axis + 1;
            let wrong = |why: &str| MappingError::Dimension { dim, why: why.into() };
            match used.get_mut(axis) {
                None => return Err(wrong("is not one of the template")),
                Some(true) => return Err(wrong("of the template is used twice")),
                Some(used) => *used = true,
            }
            let of_template = &distribution.axes()[axis];
            let (lower, upper) = (of_template.lower(), of_template.upper());
            if !(lower..=upper).contains(&index) {
                return Err(MappingError::Outside { dim, first: index, last: index, lower, upper });
            }
            if let Some(node_dim) = distribution.node_dim(axis) {
                along[node_dim] = Along::At(of_template.owner(index));
            }
        }
        Ok(Array { distribution, dims: dims.to_vec(), along, order })
    }

    /// An array that each of these nodes has entirely: a local one.
    ///
    /// # Errors
    /// [`MappingError::Rank`] without dimensions; [`MappingError::Dimension`] for one without indices.
    pub fn whole(nodes: Rc<Nodes>, bounds: &[(i64, i64)], order: Order) -> Result<Array> {
        let dims: Vec<Align> =
            bounds.iter().map(|&(lower, upper)| Align::collapsed(lower, upper)).collect();
        Array::new(Rc::new(Distribution::whole(nodes)), &dims, &[], order)
    }

    /// The same mapping of an array without shadows.
    #[must_use]
    pub fn without_shadows(&self) -> Array {
        let dims = self.dims.iter().map(|dim| dim.shadow(Shadow::NONE)).collect();
        Array { dims, ..self.clone() }
    }

    /// The same mapping, without shadows, of an array that has these indices in the dimension `dim`, all of them on
    /// each node that has any index of this array there.
    ///
    /// # Errors
    /// [`MappingError::Dimension`] when there is no index.
    pub fn collapsed(&self, dim: usize, lower: i64, upper: i64) -> Result<Array> {
        if upper < lower {
            let why = format!("bounds {lower}:{upper} have no index");
            return Err(MappingError::Dimension { dim: dim + 1, why });
        }
        let mut other = self.without_shadows();
        other.dims[dim] = Align::collapsed(lower, upper);
        if let Some(over) = self.node_dim(dim) {
            other.along[over] = Along::All;
        }
        Ok(other)
    }

    /// The template's distribution.
    pub fn distribution(&self) -> &Rc<Distribution> {
        &self.distribution
    }

    /// The nodes that the template is distributed onto.
    pub fn nodes(&self) -> &Rc<Nodes> {
        self.distribution.nodes()
    }

    /// The dimensions.
    pub fn dims(&self) -> &[Align] {
        &self.dims
    }

    /// The order of elements.
    pub fn order(&self) -> Order {
        self.order
    }

    /// For each dimension of the nodes, which nodes have an element.
    pub fn along(&self) -> &[Along] {
        &self.along
    }

    /// The dimension of the nodes that a dimension is distributed over.
    pub fn node_dim(&self, dim: usize) -> Option<usize> {
        self.dims[dim].axis.and_then(|axis| self.distribution.node_dim(axis))
    }

    /// Number of parts that a dimension is cut into: 1 if it is not distributed.
    pub fn parts(&self, dim: usize) -> usize {
        self.axis(dim).map_or(1, Axis::nodes)
    }

    /// The part of a dimension that the node with these coordinates has.
    pub fn part(&self, dim: usize, coords: &[usize]) -> usize {
        self.node_dim(dim).map_or(0, |over| coords[over])
    }

    fn axis(&self, dim: usize) -> Option<&Axis> {
        self.dims[dim].axis.map(|axis| &self.distribution.axes()[axis])
    }

    /// The indices of a part of a dimension.
    pub fn owned(&self, dim: usize, part: usize) -> Vec<Runs> {
        let Align { lower, upper, offset, .. } = self.dims[dim];
        let mut owned = Vec::new();
        match self.axis(dim) {
            None => owned.extend(Runs::one(lower, upper - lower + 1)),
            Some(axis) => {
                for runs in axis.owned(part) {
                    runs.shifted(-offset).clip(lower, upper + 1, &mut owned);
                }
            }
        }
        owned
    }

    /// Number of indices of a part.
    pub fn count(&self, dim: usize, part: usize) -> i64 {
        self.before(dim, part, self.dims[dim].upper + 1)
    }

    /// Number of indices of a part before `index`.
    fn before(&self, dim: usize, part: usize, index: i64) -> i64 {
        let Align { lower, upper, offset, .. } = self.dims[dim];
        let index = index.clamp(lower, upper + 1);
        match self.axis(dim) {
            None => index - lower,
            Some(axis) => axis.before(part, index + offset) - axis.before(part, lower + offset),
        }
    }

    /// First and last index of a part that is one block; `None` if it is empty, or several.
    pub fn block(&self, dim: usize, part: usize) -> Option<(i64, i64)> {
        match self.owned(dim, part)[..] {
            [Runs { first, len, count: 1, .. }] => Some((first, first + len - 1)),
            _ => None,
        }
    }

    /// Whether every part of a dimension is one block, or nothing.
    pub fn is_blocked(&self, dim: usize) -> bool {
        self.axis(dim).is_none_or(Axis::is_blocked)
    }

    /// The part of a dimension that has an index, which is within the bounds.
    pub fn owner_part(&self, dim: usize, index: i64) -> usize {
        self.axis(dim).map_or(0, |axis| axis.owner(index + self.dims[dim].offset))
    }

    /// Elements that a node with this part stores in the dimension, with the shadow.
    pub fn stored(&self, dim: usize, part: usize) -> i64 {
        match self.dims[dim].shadow {
            Shadow::Full => self.dims[dim].extent(),
            Shadow::Widths { lower, upper } => lower + self.count(dim, part) + upper,
        }
    }

    /// The local index, from 0 at the start of the shadow, of an index that the part has.
    pub fn local(&self, dim: usize, part: usize, index: i64) -> Option<i64> {
        let align = &self.dims[dim];
        let is_owned = (align.lower..=align.upper).contains(&index)
            && self
                .axis(dim)
                .is_none_or(|axis| axis.is_collapsed() || axis.owner(index + align.offset) == part);
        is_owned.then(|| self.local_of_owned(dim, part, index))
    }

    /// The result of [`Array::local`] for an index that the part is known to have.
    pub fn local_of_owned(&self, dim: usize, part: usize, index: i64) -> i64 {
        match self.dims[dim].shadow {
            Shadow::Full => index - self.dims[dim].lower,
            Shadow::Widths { lower, .. } => lower + self.before(dim, part, index),
        }
    }

    /// The result of [`Array::local`], also for indices in the shadow. Indices beyond the bounds of the array have
    /// places where a shadow reaches beyond them.
    pub fn local_with_shadow(&self, dim: usize, part: usize, index: i64) -> Option<i64> {
        let Shadow::Widths { lower, upper } = self.dims[dim].shadow else {
            let Align { lower, upper, .. } = self.dims[dim];
            return (lower..=upper).contains(&index).then(|| index - lower);
        };
        let Some((first, last)) = self.block(dim, part) else {
            return self.local(dim, part, index);
        };
        (first - lower..=last + upper).contains(&index).then(|| index - first + lower)
    }

    /// The index with a local index; also for places in the shadow, where the part is one block.
    pub fn global(&self, dim: usize, part: usize, local: i64) -> i64 {
        let Align { lower, offset, shadow, .. } = self.dims[dim];
        let Shadow::Widths { lower: before, .. } = shadow else { return lower + local };
        match self.axis(dim) {
            None => lower + local - before,
            Some(axis) => {
                let skipped = axis.before(part, lower + offset);
                axis.index(part, skipped + local - before) - offset
            }
        }
    }

    /// Whether the node with these coordinates owns any element.
    pub fn has_elements(&self, coords: &[usize]) -> bool {
        let here =
            |(&along, &coord): (&Along, &usize)| !matches!(along, Along::At(at) if at != coord);
        self.along.iter().zip(coords).all(here)
            && (0..self.dims.len()).all(|dim| self.count(dim, self.part(dim, coords)) > 0)
    }

    /// Elements that the node with these coordinates stores in each dimension; all 0 when it owns none.
    pub fn extents(&self, coords: &[usize]) -> SmallVec<[i64; 4]> {
        if self.has_elements(coords) {
            (0..self.dims.len()).map(|dim| self.stored(dim, self.part(dim, coords))).collect()
        } else {
            SmallVec::from_elem(0, self.dims.len())
        }
    }

    /// Elements that it stores.
    ///
    /// # Errors
    /// [`MappingError::Dimension`] when there are more than can be counted.
    pub fn stored_len(&self, coords: &[usize]) -> Result<i64> {
        let mut len = 1_i64;
        for (dim, extent) in self.extents(coords).into_iter().enumerate() {
            let why = || format!("{extent} elements times {len} are too many");
            len = len
                .checked_mul(extent)
                .ok_or_else(|| MappingError::Dimension { dim: dim + 1, why: why() })?;
        }
        Ok(len)
    }

    /// Distances, in elements, between elements that differ by 1 in a local index, for each dimension.
    pub fn strides(&self, coords: &[usize]) -> SmallVec<[i64; 4]> {
        let extents = self.extents(coords);
        let mut strides = SmallVec::from_elem(0, extents.len());
        let mut stride = 1;
        for dim in self.order.dims(extents.len()) {
            strides[dim] = stride;
            stride *= extents[dim];
        }
        strides
    }

    /// Distance, in elements, from the start of the storage of the node with these coordinates to an element that it
    /// owns.
    pub fn place(&self, coords: &[usize], index: &[i64]) -> Option<i64> {
        if !self.has_elements(coords) {
            return None;
        }
        let strides = self.strides(coords);
        let mut place = 0;
        for (dim, &index) in index.iter().enumerate() {
            place += self.local(dim, self.part(dim, coords), index)? * strides[dim];
        }
        Some(place)
    }

    /// The coordinates of all nodes that own an element.
    pub fn owners(&self, index: &[i64]) -> Vec<Coords> {
        let mut owners = vec![Coords::new()];
        for (along, &size) in self.along.iter().zip(self.nodes().shape()) {
            let range = match *along {
                Along::All => 0..size,
                Along::At(at) => at..at + 1,
                Along::Dim(dim) => {
                    let axis = self.axis(dim).expect("distributed");
                    let at = axis.owner(index[dim] + self.dims[dim].offset);
                    at..at + 1
                }
            };
            let with = |head: &Coords, coord| head.iter().copied().chain([coord]).collect();
            owners = owners
                .iter()
                .flat_map(|head| range.clone().map(move |coord| with(head, coord)))
                .collect();
        }
        owners
    }

    /// The coordinates of an image, if it is one of the nodes.
    pub fn coords(&self, rank: Rank) -> Option<Coords> {
        self.nodes().coords(rank)
    }
}

#[cfg(all(test, not(loom)))]
pub(super) mod tests;
