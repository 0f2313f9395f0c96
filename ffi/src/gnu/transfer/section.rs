//! Decodes a descriptor and its subscripts into one side of a transfer.

use crate::gfortran_abi::Descriptor;
use crate::gnu::types::{Subscript, SubscriptValue, too_large};
use smallvec::SmallVec;
use std::ops::Range;
use xmp_coarray::front_end::plan::Axis;
use xmp_core::Result;

/// One dimension of a side, before vector subscripts have a place to live in.
enum Decoded {
    Stride { extent: usize, stride: i64 },
    Index(Vec<i64>),
}

/// The bytes from the first element of an axis to the one with the least and to the one with the greatest address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub least: i64,
    pub greatest: i64,
}

/// One side of a transfer: a section, owning the offsets of its vector subscripts.
pub struct Section {
    dims: SmallVec<[Decoded; 4]>,
    /// Bytes from the base to the element that strides count from: triplets beside vector subscripts start
    /// anywhere in their dimension.
    start: i64,
}

impl Section {
    /// The section that a descriptor describes.
    ///
    /// # Errors
    /// Strides beyond 63 bits.
    pub fn of(descriptor: &Descriptor) -> Result<Section> {
        Section::with_subscripts(descriptor, &[])
    }

    /// The section that a descriptor describes; `subscripts`, if there are any, have one entry a dimension and
    /// replace the descriptor's bounds.
    ///
    /// # Errors
    /// Subscripts of a kind that does not exist, or too large.
    pub fn with_subscripts(descriptor: &Descriptor, subscripts: &[Subscript]) -> Result<Section> {
        let unit = descriptor.unit();
        let mut start = 0i64;
        let dims = descriptor.dims().iter().enumerate().map(|(number, dim)| {
            let stride = (dim.stride as i64).checked_mul(unit).ok_or_else(too_large)?;
            let lower = dim.lower as i64;
            let Some(subscript) = subscripts.get(number) else {
                return Ok(Decoded::Stride { extent: dim.extent(), stride });
            };
            match subscript.given() {
                SubscriptValue::Vector(vector) => vector.offsets(lower, stride).map(Decoded::Index),
                SubscriptValue::Triplet(t) => {
                    let (first, last, step) = (t.start as i64, t.end as i64, t.stride as i64);
                    let offset = first.checked_sub(lower).and_then(|n| n.checked_mul(stride));
                    start = offset.and_then(|n| start.checked_add(n)).ok_or_else(too_large)?;
                    let stride = step.checked_mul(stride).ok_or_else(too_large)?;
                    Ok(Decoded::Stride { extent: count(first, last, step), stride })
                }
            }
        });
        let dims = dims.collect::<Result<_>>()?;
        Ok(Section { dims, start })
    }

    /// The object itself: a scalar at the base, to which axes can be added.
    pub fn whole() -> Section {
        Section { dims: SmallVec::new(), start: 0 }
    }

    /// Whether it has no axes.
    pub fn is_scalar(&self) -> bool {
        self.dims.is_empty()
    }

    /// Moves the base by `count` strides of `stride` bytes.
    ///
    /// # Errors
    /// Offsets beyond 63 bits.
    pub fn skip(&mut self, count: i64, stride: i64) -> Result<()> {
        let bytes = count.checked_mul(stride).ok_or_else(too_large)?;
        self.start = self.start.checked_add(bytes).ok_or_else(too_large)?;
        Ok(())
    }

    /// Adds an axis of `extent` elements, `stride` bytes from one to the next.
    pub fn add_range(&mut self, extent: usize, stride: i64) {
        self.dims.push(Decoded::Stride { extent, stride });
    }

    /// Adds an axis of elements at these bytes from the base.
    pub fn add_list(&mut self, offsets: Vec<i64>) {
        self.dims.push(Decoded::Index(offsets));
    }

    /// Elements along each axis.
    pub fn shape(&self) -> SmallVec<[usize; 4]> {
        let extent = |dim: &Decoded| match dim {
            Decoded::Stride { extent, .. } => *extent,
            Decoded::Index(offsets) => offsets.len(),
        };
        self.dims.iter().map(extent).collect()
    }

    /// Leaves the first elements along each axis, as many as `shape` has there. False, and nothing is changed, when
    /// there are fewer somewhere, or other axes.
    pub fn cut(&mut self, shape: &[usize]) -> bool {
        let own = self.shape();
        if own.len() != shape.len() || own.iter().zip(shape).any(|(own, wanted)| own < wanted) {
            return false;
        }
        for (dim, &wanted) in self.dims.iter_mut().zip(shape) {
            match dim {
                Decoded::Stride { extent, .. } => *extent = wanted,
                Decoded::Index(offsets) => offsets.truncate(wanted),
            }
        }
        true
    }

    /// How far an axis reaches; `None` of one without elements. Of a vector subscript the offsets count from the first
    /// element of the dimension.
    pub fn span(&self, axis: usize) -> Option<Span> {
        match &self.dims[axis] {
            Decoded::Stride { extent, stride } => {
                let steps = i64::try_from(extent.checked_sub(1)?).unwrap_or(i64::MAX);
                let end = steps.saturating_mul(*stride);
                Some(Span { least: end.min(0), greatest: end.max(0) })
            }
            Decoded::Index(offsets) => {
                let (least, greatest) = (*offsets.iter().min()?, *offsets.iter().max()?);
                Some(Span { least, greatest })
            }
        }
    }

    /// Bytes from one element of an axis to the next; `None` of a vector subscript.
    pub fn stride(&self, axis: usize) -> Option<i64> {
        match self.dims[axis] {
            Decoded::Stride { stride, .. } => Some(stride),
            Decoded::Index(_) => None,
        }
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// Bytes from the base of the descriptor to that of the axes.
    pub fn start(&self) -> i64 {
        self.start
    }

    /// Bytes relative to the base of the axes, relative to that of the descriptor; nothing stays nothing.
    ///
    /// # Errors
    /// Offsets beyond 63 bits.
    pub fn shift(&self, touched: Range<i64>) -> Result<Range<i64>> {
        if touched.is_empty() {
            return Ok(touched);
        }
        let shifted = |n: i64| n.checked_add(self.start).ok_or_else(too_large);
        Ok(shifted(touched.start)?..shifted(touched.end)?)
    }

    /// The axes, for a plan.
    pub fn axes(&self) -> SmallVec<[Axis<'_>; 4]> {
        self.dims
            .iter()
            .map(|dim| match dim {
                Decoded::Stride { extent, stride } => {
                    Axis::Stride { extent: *extent, stride: *stride }
                }
                Decoded::Index(offsets) => Axis::Index(offsets),
            })
            .collect()
    }
}

/// Number of elements of first:last:step. A step of 0 is not Fortran: it is an empty vector subscript, which
/// comes as a triplet that was never set.
pub fn count(first: i64, last: i64, step: i64) -> usize {
    let span = i128::from(last) - i128::from(first);
    match step {
        0 => 0,
        step => usize::try_from((span + i128::from(step)) / i128::from(step)).unwrap_or(0),
    }
}
