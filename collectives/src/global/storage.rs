//! What an image stores of an array.

use std::rc::Rc;
use xmp_core::global::{Array, MappingError, error};
use xmp_core::{Image, Rank};

/// The part of a mapped array that this image stores.
#[derive(Clone, Debug)]
pub struct Storage {
    /// The mapping.
    pub array: Rc<Array>,
    /// Bytes of an element.
    pub element: usize,
    /// Where the image stores its part, shadow included; anything if it has none. Others read it in place if it is in a
    /// segment.
    pub base: *mut u8,
}

impl Storage {
    /// Whether an image has elements of the array.
    pub fn is_on(&self, rank: Rank) -> bool {
        self.array.coords(rank).is_some_and(|coords| self.array.has_elements(&coords))
    }

    /// Bytes that `image` stores of an array with elements of `element` bytes.
    ///
    /// # Errors
    /// [`MappingError::Dimension`] when they cannot be counted.
    pub fn bytes(array: &Array, element: usize, image: &Image) -> error::Result<usize> {
        let Some(coords) = array.coords(image.rank()) else { return Ok(0) };
        let elements = array.stored_len(&coords)?;
        let bytes = usize::try_from(elements).ok().and_then(|len| len.checked_mul(element));
        bytes.filter(|&bytes| isize::try_from(bytes).is_ok()).ok_or_else(|| {
            let why = format!("{elements} elements of {element} bytes are too many");
            MappingError::Dimension { dim: array.dims().len(), why }
        })
    }

    /// A local array that every image of `nodes` has wholly, at `base`, as one side of a gmove.
    ///
    /// # Errors
    /// As [`Array::whole`].
    pub fn local(
        nodes: Rc<xmp_core::global::Nodes>,
        bounds: &[(i64, i64)],
        order: xmp_core::global::Order,
        element: usize,
        base: *mut u8,
    ) -> error::Result<Storage> {
        let array = Rc::new(Array::whole(nodes, bounds, order)?);
        Ok(Storage { array, element, base })
    }
}
