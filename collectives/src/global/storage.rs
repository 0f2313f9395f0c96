//! The part of a mapped array that an image stores.

use super::plan::ArraySection;
use std::rc::Rc;
use xmp_core::counted::counted;
use xmp_core::global::{Array, MappingError, Nodes, Order, Section, error};
use xmp_core::{Image, Rank};

/// The part of a mapped array that this image stores.
#[derive(Clone, Debug)]
pub struct Storage {
    pub(super) array: Rc<Array>,
    pub(super) element: usize,
    pub(super) base: *mut u8,
}

/// A section of an array that this image stores a part of.
#[derive(Clone, Copy, Debug)]
pub struct StoredSection<'a> {
    pub(super) storage: &'a Storage,
    pub(super) section: &'a Section,
}

impl<'a> StoredSection<'a> {
    /// The array.
    pub fn storage(&self) -> &'a Storage {
        self.storage
    }

    /// The elements.
    pub fn section(&self) -> &'a Section {
        self.section
    }

    /// The section without the memory, for a plan.
    pub(super) fn side(&self) -> ArraySection<'a> {
        ArraySection { array: &self.storage.array, section: self.section }
    }
}

impl Storage {
    /// The part of an array with elements of `element` bytes that this image stores at `base`, with its shadow. Other
    /// images read it in place if it is in a segment.
    ///
    /// # Safety
    /// As long as this value or an operation on it exists, `base` is valid for reads and writes of
    /// [`Storage::bytes`]; it may be anything if that is 0. Nothing else accesses the elements during an operation.
    pub unsafe fn new(array: Rc<Array>, element: usize, base: *mut u8) -> Storage {
        Storage { array, element, base }
    }

    /// A local array that every image of `nodes` has as a whole at `base`, as one side of a gmove.
    ///
    /// # Errors
    /// Those of [`Array::whole`].
    ///
    /// # Safety
    /// Those of [`Storage::new`].
    pub unsafe fn local(
        nodes: Rc<Nodes>,
        bounds: &[(i64, i64)],
        order: Order,
        element: usize,
        base: *mut u8,
    ) -> error::Result<Storage> {
        let array = Rc::new(Array::whole(nodes, bounds, order)?);
        Ok(Storage { array, element, base })
    }

    /// A section of the array.
    pub fn section<'a>(&'a self, section: &'a Section) -> StoredSection<'a> {
        StoredSection { storage: self, section }
    }

    /// The mapping of the array.
    pub fn array(&self) -> &Rc<Array> {
        &self.array
    }

    /// Bytes of an element.
    pub fn element(&self) -> usize {
        self.element
    }

    /// Address of the part that this image stores.
    pub fn base(&self) -> *mut u8 {
        self.base
    }

    /// Whether an image has elements of the array.
    pub fn is_on(&self, rank: Rank) -> bool {
        self.array.coords(rank).is_some_and(|coords| self.array.has_elements(&coords))
    }

    /// Bytes that `image` stores of an array with elements of `element` bytes.
    ///
    /// # Errors
    /// [`MappingError::Dimension`] when there are too many to count.
    pub fn bytes(array: &Array, element: usize, image: &Image) -> error::Result<usize> {
        let Some(coords) = array.coords(image.rank()) else { return Ok(0) };
        let elements = array.stored_len(&coords)?;
        let bytes = usize::try_from(elements).ok().and_then(|len| len.checked_mul(element));
        bytes.filter(|&bytes| isize::try_from(bytes).is_ok()).ok_or_else(|| {
            let why = format!("{elements} elements of {} are too many", counted(element, "byte"));
            MappingError::Dimension { dim: array.dims().len(), why }
        })
    }
}
