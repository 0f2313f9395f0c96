//! Temporary arrays of a procedure, and their mappings.

use super::Caller;
use crate::global::Storage;
use std::rc::Rc;
use xmp_core::global::{Align, Array, Format, Kind, Nodes, Order, Template};
use xmp_core::{Image, Result};

/// An array that lives as long as this value. It is in the segment of the image if there is room, so that others can copy
/// from there.
pub struct Temporary<'i> {
    pub storage: Storage,
    image: &'i Image,
    in_segment: Option<u64>,
    _own: Vec<u128>,
}

impl<'i> Temporary<'i> {
    /// An array with this mapping and undefined elements.
    ///
    /// # Errors
    /// When there are too many elements to count.
    pub fn new(
        procedure: &str,
        image: &'i Image,
        array: Array,
        element: usize,
    ) -> Result<Temporary<'i>> {
        let bytes = Storage::bytes(&array, element, image).map_err(|error| error.of(procedure))?;
        let in_segment = image.memory().allocate_local(bytes.max(1) as u64, 64).ok();
        let mut own = vec![0_u128; if in_segment.is_some() { 0 } else { bytes.div_ceil(16) }];
        let base = match in_segment {
            Some(offset) => image.own_segment().wrapping_add(offset as usize),
            None => own.as_mut_ptr().cast(),
        };
        // SAFETY: `base` has as many bytes as this image stores, which live as long as the value.
        let storage = unsafe { Storage::new(Rc::new(array), element, base) };
        Ok(Temporary { storage, image, in_segment, _own: own })
    }

    /// Number of elements that this image stores.
    pub fn len(&self) -> usize {
        let array = &self.storage.array;
        array
            .coords(self.image.rank())
            .map_or(0, |coords| array.extents(&coords).iter().product::<i64>() as usize)
    }

    /// The bytes that this image stores.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the allocation has as many bytes, which others only read in operations that this image takes part in.
        unsafe { std::slice::from_raw_parts(self.storage.base, self.len() * self.storage.element) }
    }

    /// The bytes that this image stores, to change them.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let len = self.len() * self.storage.element;
        // SAFETY: the allocation has `len` bytes, which others only read in operations that this image takes part in.
        unsafe { std::slice::from_raw_parts_mut(self.storage.base, len) }
    }

    /// The elements that this image stores.
    ///
    /// # Safety
    /// The elements have type `T`, of which any bits are a value; it needs no more than 16-byte alignment.
    pub unsafe fn elements<T>(&self) -> &[T] {
        // SAFETY: the allocation has this many elements, aligned to 16 bytes.
        unsafe { std::slice::from_raw_parts(self.storage.base.cast(), self.len()) }
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if let Some(offset) = self.in_segment {
            // No image reads the memory after the operations that used it.
            // SAFETY: nothing refers to this image's part any more.
            let _ = unsafe { self.image.memory().free_local(offset) };
        }
    }
}

/// A mapping for the shape of `array` in which the images of the set have the elements in element order: each has a block
/// of the dimension that varies slowest.
///
/// # Errors
/// None for the shape of an array.
pub fn in_element_order(procedure: &str, caller: Caller<'_>, array: &Array) -> Result<Array> {
    let bounds: Vec<(i64, i64)> = array.dims().iter().map(|dim| (dim.lower, dim.upper)).collect();
    let slowest = match array.order() {
        Order::Fortran => bounds.len() - 1,
        Order::C => 0,
    };
    let mut formats = vec![Format::Collapsed; bounds.len()];
    formats[slowest] = Format::Block;
    mapped(procedure, caller, &bounds, formats, array.order())
}

/// A mapping of a row of elements, of which the image at position i of the set has the next `lens[i]`.
///
/// # Errors
/// When there are no elements.
pub fn row(procedure: &str, caller: Caller<'_>, lens: &[u64]) -> Result<Array> {
    let lens: Vec<i64> = lens.iter().map(|&len| len as i64).collect();
    let total: i64 = lens.iter().sum();
    mapped(procedure, caller, &[(0, total - 1)], vec![Format::Gblock(lens)], Order::C)
}

fn mapped(
    procedure: &str,
    caller: Caller<'_>,
    bounds: &[(i64, i64)],
    formats: Vec<Format>,
    order: Order,
) -> Result<Array> {
    let named = |error: xmp_core::global::MappingError| error.of(procedure);
    let nodes = Rc::new(Nodes::row(caller.set.members(), order, Kind::Executing));
    let mut template = Template::fixed(bounds).map_err(named)?;
    template.distribute(formats, nodes).map_err(named)?;
    let aligned: Vec<Align> = bounds
        .iter()
        .enumerate()
        .map(|(dim, &(lower, upper))| Align::with(lower, upper, dim, 0))
        .collect();
    let distribution = template.distribution().map_err(named)?.clone();
    Array::new(distribution, &aligned, &[], order).map_err(named)
}
