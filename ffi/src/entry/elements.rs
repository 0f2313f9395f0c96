//! The elements of arrays and scalars that entry functions get, and copies of them without gaps.

use smallvec::SmallVec;
use std::slice;
use xmp_coarray::front_end::plan::{Axis, Plan, contiguous};
use xmp_coarray::front_end::races::{self, AccessedElements};
use xmp_coarray::front_end::transfer::{MemoryRef, buffer};
use xmp_collectives::ArrayShape;
use xmp_core::counted::counted;
use xmp_core::races::Kind;
use xmp_core::{Error, Image, Result};

/// The elements of an array or scalar: an address, and how they are.
#[derive(Clone, Debug)]
pub struct Elements {
    /// The first one.
    pub base: *mut u8,
    /// Bytes of each.
    pub size: usize,
    /// The dimensions; none for a scalar.
    pub axes: SmallVec<[Axis<'static>; 4]>,
}

impl Elements {
    /// A scalar of `size` bytes.
    #[inline(always)]
    pub fn scalar(base: *mut u8, size: usize) -> Elements {
        Elements { base, size, axes: SmallVec::new() }
    }

    /// The number of elements.
    ///
    /// # Errors
    /// More bytes than there are addresses.
    pub fn count(&self) -> Result<usize> {
        let mut extents = self.axes.iter().map(Axis::extent);
        let count = extents.try_fold(1usize, usize::checked_mul);
        let fits = |count: &usize| count.checked_mul(self.size).is_some();
        count.filter(fits).ok_or_else(|| too_large(self.size))
    }
}

/// The error of elements that have more bytes than there are addresses.
pub fn too_large(size: usize) -> Error {
    Error::SizeOverflow(format!("an array of elements of {}", counted(size, "byte")))
}

/// Elements one after the other: where they are, or in a copy.
#[derive(Debug)]
pub struct Packed {
    elements: Elements,
    copy: Option<Vec<u8>>,
    count: usize,
}

impl Packed {
    /// The elements, copied if they are not together.
    ///
    /// # Errors
    /// More bytes than there are addresses; no memory for a copy.
    pub fn new(elements: Elements) -> Result<Packed> {
        let count = elements.count()?;
        let together = contiguous(elements.size, &elements.axes)?;
        let gaps = |(own, packed): (&Axis<'_>, &Axis<'_>)| own.extent() != 1 && own != packed;
        let has_gaps = elements.axes.iter().zip(&together).any(gaps);
        let mut packed = Packed { elements, copy: None, count };
        if has_gaps {
            packed.set_aside()?;
        }
        Ok(packed)
    }

    /// Makes the elements a copy, so that the argument itself stays as it is.
    pub fn set_aside(&mut self) -> Result<()> {
        if self.copy.is_some() || self.bytes() == 0 {
            return Ok(());
        }
        let Elements { base, size, axes } = &self.elements;
        let plan = Plan::pack(*size, axes)?;
        let mut copy = buffer(self.bytes())?;
        // SAFETY: the plan reads the elements, which are there by the contract of entries, and fills the copy.
        unsafe { plan.execute(copy.as_mut_ptr(), *base)? };
        self.copy = Some(copy);
        Ok(())
    }

    /// A statement is about to access the elements through their copy, which hides that. Without a copy it does nothing.
    #[inline]
    pub fn enter_copied(&self, image: &Image, kind: Kind) {
        if self.copy.is_some() {
            let Elements { base, size, axes } = &self.elements;
            let elements = AccessedElements { base: MemoryRef::Local(*base), size: *size, axes };
            races::access(image, elements, kind);
        }
    }

    /// The first one.
    pub fn start(&mut self) -> *mut u8 {
        match &mut self.copy {
            Some(copy) => copy.as_mut_ptr(),
            None => self.elements.base,
        }
    }

    /// The number of elements.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The shape of the array.
    pub fn shape(&self) -> ArrayShape {
        let extents: SmallVec<[usize; 4]> = self.elements.axes.iter().map(Axis::extent).collect();
        ArrayShape::of(&extents)
    }

    /// Bytes of all elements.
    pub fn bytes(&self) -> usize {
        self.count * self.elements.size
    }

    /// The bytes of the elements.
    pub fn as_bytes(&mut self) -> &[u8] {
        let (start, bytes) = (self.start(), self.bytes());
        if bytes == 0 {
            return &[];
        }
        // SAFETY: the copy, or by the contract of entries the argument, has `bytes` bytes.
        unsafe { slice::from_raw_parts(start, bytes) }
    }

    /// Writes a copy back to the elements.
    pub fn store(self) -> Result<()> {
        let Some(copy) = self.copy else { return Ok(()) };
        let plan = Plan::unpack(self.elements.size, &self.elements.axes)?;
        // SAFETY: the plan writes the elements, which are there by the contract of entries, and reads the copy.
        unsafe { plan.execute(self.elements.base, copy.as_ptr()) }
    }

    /// Writes a copy to elements of the same shape.
    pub fn store_to(self, elements: Elements) -> Result<()> {
        Packed { elements, ..self }.store()
    }
}
