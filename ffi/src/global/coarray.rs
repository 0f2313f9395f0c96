//! Coarrays of C, and sections of arrays.

use super::error::{DirectiveError, Outcome};
use super::objects::Described;
use std::ffi::{c_int, c_long};
use std::ops::Range;
use xmp_coarray::front_end::plan::Axis;
use xmp_coarray::front_end::{Block, Location, allocation};
use xmp_core::counted::counted;
use xmp_core::{Error, Image};

/// A coarray.
#[derive(Debug)]
pub struct CoarrayObject {
    /// Its memory.
    pub block: Block,
    /// Bytes of an element.
    pub element: usize,
    /// Elements in each dimension, in the order of C.
    pub extents: Vec<i64>,
    /// Images in each dimension of the coshape but the last; the first runs fastest.
    pub images: Vec<i64>,
}

impl Described for CoarrayObject {
    const KIND: c_int = 2212;
    const NAME: &'static str = "a coarray";
}

impl CoarrayObject {
    /// Allocates a coarray, all zeros, with all executing images.
    ///
    /// # Errors
    /// For a size that cannot be, and a coshape that the images do not fill; without memory.
    pub fn allocate(
        image: &Image,
        element: usize,
        extents: Vec<i64>,
        images: Vec<i64>,
    ) -> Outcome<CoarrayObject> {
        check_coshape(&images, image.executing().len())?;
        let bytes = extents.iter().try_fold(element as i64, |bytes, &extent| {
            if extent < 0 { None } else { bytes.checked_mul(extent) }
        });
        let bytes = bytes.ok_or_else(|| {
            let size = counted(element, "byte");
            DirectiveError::because(format!("{extents:?} elements of {size} cannot be allocated"))
        })?;
        let block = allocation::make_zeroed(image, bytes as u64, 64)?;
        Ok(CoarrayObject { block, element, extents, images })
    }

    /// The index of an image, from 1, with these cosubscripts, from `first`.
    ///
    /// # Errors
    /// For another number of them than there are dimensions in the coshape, and outside a dimension or the executing images.
    pub fn image_index(&self, this: &Image, subscripts: &[i64], first: c_int) -> Outcome<i64> {
        let (given, needed) = (subscripts.len(), self.images.len() + 1);
        if given != needed {
            let (given, needed) = (counted(given, "cosubscript"), counted(needed, "dimension"));
            return Err(DirectiveError::because(format!("{given} for {needed}")));
        }
        let (mut index, mut distance) = (1, 1);
        for (dim, &subscript) in subscripts.iter().enumerate() {
            let extent = self.images.get(dim).copied().unwrap_or(i64::MAX);
            let position = subscript.saturating_sub(first.into());
            if !(0..extent).contains(&position) {
                let first = i64::from(first);
                let last = extent.saturating_add(first - 1);
                let dim = dim + 1;
                return Err(DirectiveError::because(format!(
                    "cosubscript {subscript} of dimension {dim} of the coshape is not in {first}:{last}"
                )));
            }
            index = position.saturating_mul(distance).saturating_add(index);
            distance = distance.saturating_mul(extent);
        }
        let size = i64::from(this.stack().index_and_size().1);
        if !(1..=size).contains(&index) {
            return Err(not_executing(this, index.saturating_add(i64::from(first) - 1), first));
        }
        Ok(index)
    }

    /// The image index of these cosubscripts; without cosubscripts, of the calling image.
    ///
    /// # Errors
    /// For another number of cosubscripts than dimensions of the coshape, and outside a dimension.
    pub fn image_or_own(&self, this: &Image, subscripts: &[i64], first: c_int) -> Outcome<i64> {
        match subscripts {
            [] => Ok(this.stack().index_and_size().0.into()),
            subscripts => self.image_index(this, subscripts, first),
        }
    }

    /// The location of `bytes` bytes from `offset` on, on an image of the executing set.
    ///
    /// # Errors
    /// When there is no such image, and beyond the coarray.
    pub fn place(&self, image: &Image, index: i64, offset: i64, bytes: i64) -> Outcome<Location> {
        let rank = image.executing().rank_of_index(index)?;
        let within = self.block.check(offset, offset.saturating_add(bytes));
        within.map_err(|error| self.in_elements(error, offset))?;
        Ok(Location { rank, offset: self.block.offset + offset as u64 })
    }

    /// An error of an access at byte `offset`, with the number of the element where it counts bytes.
    #[cold]
    fn in_elements(&self, error: Error, offset: i64) -> Error {
        let elements = i64::try_from(self.block.size / self.element.max(1) as u64);
        match (error, elements) {
            (Error::OutOfBounds { .. }, Ok(elements)) => Error::Invalid(format!(
                "element {} is not in 0:{}",
                offset.div_euclid(self.element.max(1) as i64),
                elements - 1
            )),
            (error, _) => error,
        }
    }

    /// The subscripts of the element that has this byte of a segment; none of a scalar.
    pub fn index_at(&self, offset: u64) -> Option<Vec<i64>> {
        let byte = offset.checked_sub(self.block.offset).filter(|&byte| byte < self.block.size)?;
        let all = self.strides().into_iter().zip(&self.extents);
        let index = all.map(|(stride, &extent)| byte as i64 / stride % extent).collect();
        Some(if self.extents == [1] { Vec::new() } else { index })
    }

    /// Bytes from one element to the next in each dimension.
    pub fn strides(&self) -> Vec<i64> {
        let mut stride = self.element as i64;
        let mut strides: Vec<i64> = Vec::with_capacity(self.extents.len());
        for extent in self.extents.iter().rev() {
            strides.push(stride);
            stride = stride.saturating_mul(*extent);
        }
        strides.reverse();
        strides
    }
}

/// Whether the images fill all dimensions but the last one.
fn check_coshape(images: &[i64], executing: usize) -> Outcome {
    let product =
        images.iter().try_fold(
            1_i64,
            |product, &images| {
                if images < 1 { None } else { product.checked_mul(images) }
            },
        );
    match product {
        Some(product) if executing as i64 % product == 0 => Ok(()),
        _ => {
            let executing = counted(executing, "image");
            let why = format!("the coshape {images:?} and * does not fit {executing}");
            Err(DirectiveError::because(why))
        }
    }
}

/// A subscript of a section.
#[derive(Clone, Copy, Debug)]
pub struct Triplet {
    /// First index, from 0.
    pub start: c_long,
    /// Number of indices.
    pub len: c_long,
    /// From one to the next.
    pub stride: c_long,
}

/// A section in bytes: its start, and its dimensions, the one that runs fastest first, without the dimensions of one
/// index.
#[derive(Debug)]
pub struct Bytes {
    /// From the start of the array.
    pub start: i64,
    /// The dimensions.
    pub axes: Vec<Axis<'static>>,
    /// Number of elements.
    pub count: i64,
}

impl Bytes {
    /// The section of an array whose elements are so far apart in each dimension.
    ///
    /// # Errors
    /// When the section cannot be counted.
    pub fn of(subscripts: &[Triplet], strides: &[i64]) -> Outcome<Bytes> {
        let too_many = || DirectiveError::because("a section that is too large");
        let mut bytes = Bytes { start: 0, axes: Vec::new(), count: 1 };
        for (&Triplet { start, len, stride }, &apart) in subscripts.iter().zip(strides).rev() {
            bytes.start = start
                .checked_mul(apart)
                .and_then(|by| bytes.start.checked_add(by))
                .ok_or_else(too_many)?;
            let len = len.max(0);
            bytes.count = bytes.count.checked_mul(len).ok_or_else(too_many)?;
            if len != 1 {
                let stride = stride.checked_mul(apart).ok_or_else(too_many)?;
                bytes.axes.push(Axis::Stride { extent: len as usize, stride });
            }
        }
        Ok(bytes)
    }

    /// The bytes from its first to its last element, of which none is missing.
    pub fn range(&self, element: usize) -> Range<i64> {
        let mut range = self.start..self.start;
        for axis in &self.axes {
            let Axis::Stride { extent, stride } = *axis else { continue };
            let last = stride.saturating_mul(extent as i64 - 1);
            range.start = range.start.saturating_add(last.min(0));
            range.end = range.end.saturating_add(last.max(0));
        }
        range.start..range.end.saturating_add(element as i64)
    }
}

/// The error of an image index, counted from `first`, that no executing image has.
#[cold]
fn not_executing(this: &Image, index: i64, first: c_int) -> DirectiveError {
    let size = this.executing().len() as i64;
    let last = i64::from(first) + size - 1;
    let why = format!("image index {index} is not in {first}:{last}");
    let is_task = this.executing().len() < this.stack().initial().len();
    DirectiveError::because(match (is_task, first, index == last + 1) {
        (true, ..) => format!("{why}, the images of the task; `coarray on` has those of nodes"),
        (false, 0, true) => format!("{why}; with XMP_C_FIRST_IMAGE=1 images count from 1"),
        _ => why,
    })
}
