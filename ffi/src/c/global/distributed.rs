//! A distributed array: its mapping, its memory on this image, and the plans of operations on it.

use std::cell::RefCell;
use std::rc::Rc;
use xmp_collectives::global::{Plans, RemoteAddress, Storage};
use xmp_core::global::{Array, Coords};
use xmp_core::{Image, Result};

/// An array as one image has it.
#[derive(Debug)]
pub struct Distributed {
    image: &'static Image,
    /// Mapping and memory.
    pub storage: Storage,
    /// Of operations that change it.
    pub plans: Plans,
    /// Where it is in the segment.
    pub offset: u64,
    /// Where images have their parts, as far as they have published it; empty before the first has.
    pub exposed: RefCell<Vec<Option<RemoteAddress>>>,
    /// This image's coordinates among the nodes, if it has elements.
    pub coords: Option<Coords>,
}

impl Distributed {
    /// Allocates the memory of this image's part, all zeros.
    ///
    /// # Errors
    /// When the memory is not there.
    pub fn new(image: &'static Image, array: Array, element: usize) -> Result<Distributed> {
        let bytes = Storage::bytes(&array, element, image).map_err(|error| error.of("array"))?;
        let coords = array.coords(image.rank()).filter(|coords| array.has_elements(coords));
        let offset = image.memory().allocate_part(bytes as u64)?;
        let base = image.own_segment().wrapping_add(offset as usize);
        // SAFETY: the block was allocated just now, and no other image knows it.
        unsafe { base.write_bytes(0, bytes) };
        // SAFETY: the block has as many bytes, and the array keeps it.
        let storage = unsafe { Storage::new(Rc::new(array), element, base) };
        let (plans, exposed) = (Plans::default(), RefCell::default());
        Ok(Distributed { image, storage, plans, offset, exposed, coords })
    }

    /// The element with an index, if this image stores it.
    pub fn place(&self, index: &[i64]) -> Option<*mut u8> {
        let (array, coords) = (self.storage.array(), self.coords.as_ref()?);
        let mut place = 0;
        for ((dim, &index), stride) in index.iter().enumerate().zip(array.strides(coords)) {
            let part = array.part(dim, coords);
            place += array.local_with_shadow(dim, part, index)? * stride;
        }
        Some(self.storage.base().wrapping_add(place as usize * self.storage.element()))
    }
}

impl Drop for Distributed {
    fn drop(&mut self) {
        // Operations end when no image reads this any more.
        // SAFETY: this image's own part, which nothing refers to any more.
        let _ = unsafe { self.image.memory().free_local(self.offset) };
    }
}
