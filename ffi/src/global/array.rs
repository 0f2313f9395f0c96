//! Distributed arrays, which programs declare, align and allocate in several calls.

use super::dim::{Alignment, Dim, Notes};
use super::error::{DirectiveError, Outcome};
use super::objects::{Described, Object};
use super::template::TemplateObject;
use crate::process::created;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::ffi::c_int;
use std::ptr;
use std::rc::Rc;
use xmp_collectives::allgather;
use xmp_collectives::global::{Element, RemoteAddress, Storage, Width};
use xmp_core::counted::counted;
use xmp_core::global::{Align, Array, Coords, Distribution, Format, Order};
use xmp_core::{Error, Image, Rank, Result};

/// A distributed array as one image sees it. What needs its mapping fails when the template is not fixed, and when the array
/// does not fit it.
#[derive(Debug)]
pub struct ArrayObject {
    /// The template that it is aligned with.
    pub template: Rc<Object<TemplateObject>>,
    /// The type of its elements, if it is one of numbers or truth values.
    pub elements: Option<Element>,
    /// Bytes of an element.
    pub element: usize,
    /// The order of its elements.
    pub order: Order,
    /// The numbers by which the program computes addresses (C).
    pub notes: Notes,
    dims: RefCell<Vec<Dim>>,
    mapping: RefCell<Option<Rc<Array>>>,
    /// The mapping onto all nodes of a family, if the template's are one of several.
    widest: RefCell<Option<Rc<Array>>>,
    memory: RefCell<Memory>,
    /// Widths of the next reflect, if any were given.
    pub reflect: RefCell<Option<SmallVec<[Width; 4]>>>,
    /// Widths of the next reduce_shadow.
    pub reduce_shadow: RefCell<Option<SmallVec<[Width; 4]>>>,
}

/// The memory of this image's part.
#[derive(Debug)]
struct Memory {
    base: *mut u8,
    /// The block of the segment that was allocated for it.
    block: Option<u64>,
    /// The places of the parts of all images, by rank, if other images may access the parts by themselves.
    places: Option<Vec<Option<RemoteAddress>>>,
}

impl Described for ArrayObject {
    const KIND: c_int = 2202;
    const NAME: &'static str = "a distributed array";
}

impl ArrayObject {
    /// An array that is not aligned yet.
    pub fn new(
        template: Rc<Object<TemplateObject>>,
        elements: Option<Element>,
        element: usize,
        order: Order,
        dims: Vec<Dim>,
    ) -> ArrayObject {
        ArrayObject {
            template,
            elements,
            element,
            order,
            notes: Notes::new(dims.len()),
            dims: RefCell::new(dims),
            mapping: RefCell::default(),
            widest: RefCell::default(),
            memory: RefCell::new(Memory { base: ptr::null_mut(), block: None, places: None }),
            reflect: RefCell::default(),
            reduce_shadow: RefCell::default(),
        }
    }

    /// The offset of an image's part in its segment, if it is known and the part is there.
    pub fn start_on(&self, image: &Image, of: Rank) -> Option<u64> {
        let memory = self.memory.try_borrow().ok()?;
        match memory.places.as_ref().and_then(|places| places[of.index()]) {
            Some(RemoteAddress::Segment(offset)) => Some(offset),
            Some(RemoteAddress::Process(address)) => {
                image.locate_of(of, ptr::with_exposed_provenance(address as usize))
            }
            None if of == image.rank() => image.locate(memory.base).map(|(_, offset)| offset),
            None => None,
        }
    }

    /// The indices of the element, perhaps one in the shadow, that has this byte of the segment of an image.
    pub fn index_at(&self, image: &Image, of: Rank, offset: u64) -> Option<SmallVec<[i64; 4]>> {
        let byte = offset.checked_sub(self.start_on(image, of)?)?;
        let mapping = self.mapping().ok()?;
        let coords = mapping.coords(of)?;
        let element = i64::try_from(byte / self.element as u64).ok()?;
        if element >= mapping.stored_len(&coords).ok()? {
            return None;
        }
        let all = mapping.strides(&coords).into_iter().zip(mapping.extents(&coords));
        let index = all.enumerate().map(|(dim, (stride, extent))| {
            mapping.global(dim, mapping.part(dim, &coords), element / stride % extent)
        });
        Some(index.collect())
    }

    /// Number of dimensions.
    pub fn ndims(&self) -> usize {
        self.dims.borrow().len()
    }

    /// A dimension, from 0.
    pub fn dim(&self, dim: usize) -> Outcome<Dim> {
        let dims = self.dims.borrow();
        dims.get(dim).copied().ok_or_else(|| self.no_dim(dim))
    }

    /// Changes a dimension; the mapping is computed anew.
    pub fn change(&self, dim: usize, change: impl FnOnce(&mut Dim)) -> Outcome {
        match self.dims.borrow_mut().get_mut(dim) {
            Some(dim) => change(dim),
            None => return Err(self.no_dim(dim)),
        }
        *self.mapping.borrow_mut() = None;
        *self.widest.borrow_mut() = None;
        Ok(())
    }

    /// Whether a dimension is distributed in blocks that are dealt to the nodes in turn.
    pub fn is_cyclic(&self, dim: usize) -> bool {
        let Ok(Dim { alignment: Alignment::With { axis, .. }, .. }) = self.dim(dim) else {
            return false;
        };
        matches!(self.template.format(axis), Some(Format::Cyclic | Format::CyclicOf(_)))
    }

    /// Checks an alignment with a template dimension for programs that compute places by themselves: the formula for
    /// blocks that are dealt in turn knows no offset within a block.
    ///
    /// # Errors
    /// When there is one.
    pub fn check_blocks(&self, axis: usize, offset: i64) -> Outcome {
        let Some(Format::CyclicOf(width)) = self.template.format(axis) else { return Ok(()) };
        let lower = self.template.bounds().map_or(0, |bounds| bounds[axis].0);
        match (offset - lower) % width {
            0 => Ok(()),
            _ => Err(DirectiveError::because(format!(
                "an offset of {offset} is not at the start of a block of {width} indices of a template from {lower} on: \
                 compiled code cannot compute such indices"
            ))),
        }
    }

    fn no_dim(&self, dim: usize) -> DirectiveError {
        DirectiveError::because(format!("the array has no dimension {}", dim as i64 + 1))
    }

    /// The type of its elements.
    ///
    /// # Errors
    /// When they are of a derived type.
    pub fn element_type(&self) -> Outcome<Element> {
        let derived = || DirectiveError::because("elements of a derived type cannot be combined");
        self.elements.ok_or_else(derived)
    }

    /// The mapping, as far as it is known.
    pub fn mapping(&self) -> Outcome<Rc<Array>> {
        if let Some(mapping) = &*self.mapping.borrow() {
            return Ok(mapping.clone());
        }
        let mapping = self.mapped(self.template.distribution()?)?;
        *self.mapping.borrow_mut() = Some(mapping.clone());
        Ok(mapping)
    }

    /// The mapping onto all nodes of the family that the template's nodes are one of, if they are; else the
    /// mapping. What an image stores is the same.
    pub fn widest(&self) -> Outcome<Rc<Array>> {
        let Some(distribution) = self.template.widest() else { return self.mapping() };
        if let Some(mapping) = &*self.widest.borrow() {
            return Ok(mapping.clone());
        }
        let mapping = self.mapped(distribution)?;
        *self.widest.borrow_mut() = Some(mapping.clone());
        Ok(mapping)
    }

    fn mapped(&self, distribution: Rc<Distribution>) -> Outcome<Rc<Array>> {
        let align = |dim: &Dim| {
            let &Dim { lower, upper, alignment, shadow } = dim;
            match alignment {
                Alignment::Nothing => Align::collapsed(lower, upper),
                Alignment::With { axis, offset } => Align::with(lower, upper, axis, offset),
            }
            .shadow(shadow)
        };
        let dims: Vec<Align> = self.dims.borrow().iter().map(align).collect();
        Ok(Rc::new(Array::new(distribution, &dims, &[], self.order)?))
    }

    /// This array has the mapping of another one from now on (pointer assignment).
    ///
    /// # Errors
    /// When the ranks differ.
    pub fn map_as(&self, other: &ArrayObject) -> Outcome {
        if self.ndims() != other.ndims() {
            let (own, others) = (counted(self.ndims(), "dimension"), other.ndims());
            let why = format!("an array of {own} is associated with one of {others}");
            return Err(DirectiveError::because(why));
        }
        *self.dims.borrow_mut() = other.dims.borrow().clone();
        *self.mapping.borrow_mut() = other.mapping.borrow().clone();
        Ok(())
    }

    /// The coordinates of an image, if it has elements of the array.
    pub fn coords(&self, rank: Rank) -> Outcome<Option<Coords>> {
        let mapping = self.mapping()?;
        Ok(mapping.coords(rank).filter(|coords| mapping.has_elements(coords)))
    }

    /// The start of the image's part; null if it has none.
    pub fn base(&self) -> *mut u8 {
        self.memory.borrow().base
    }

    /// The program has this image's part at `base`, which others reach only when they get its address
    /// ([`ArrayObject::expose`]).
    pub fn place_at(&self, base: *mut u8) {
        let mut memory = self.memory.borrow_mut();
        (memory.base, memory.places) = (base, None);
    }

    /// Allocates this image's part in its segment, all zeros. With `exposed`, which is the same on all images of the
    /// executing set, all calling it, they get to know where the others have theirs.
    ///
    /// # Errors
    /// When the template is not fixed, and when the array does not fit it; without memory; when an image of the set
    /// has stopped or failed.
    pub fn allocate(&self, image: &Image, exposed: bool) -> Outcome {
        self.free(image)?;
        let bytes = Storage::bytes(&*self.mapping()?, self.element, image)?;
        let block = image.memory().allocate_part(bytes as u64)?;
        let base = image.own_segment().wrapping_add(block as usize);
        // SAFETY: the block that was just allocated, which no other image knows.
        unsafe { base.write_bytes(0, bytes) };
        let mut memory = self.memory.borrow_mut();
        memory.block = Some(block);
        memory.base = if bytes > 0 { base } else { ptr::null_mut() };
        drop(memory);
        if exposed { self.note_places(image, RemoteAddress::Segment(block)) } else { Ok(()) }
    }

    /// Lets other images access this image's part, which the program has placed somewhere. All executing images call
    /// it; places that other images have published before stay known.
    ///
    /// # Errors
    /// When an image of the set has stopped or failed; when an image has published a place that cannot be a part of the
    /// array.
    pub fn expose(&self, image: &Image) -> Outcome {
        let mine = match image.locate(self.base()) {
            Some((rank, offset)) if rank == image.rank() => RemoteAddress::Segment(offset),
            _ => RemoteAddress::Process(self.base().expose_provenance() as u64),
        };
        self.note_places(image, mine)
    }

    /// Tells all executing images where this one has its part, and notes where they have theirs.
    fn note_places(&self, image: &Image, mine: RemoteAddress) -> Outcome {
        let set = image.executing();
        let mine = match mine {
            RemoteAddress::Segment(offset) => [0, offset],
            RemoteAddress::Process(address) => [1, address],
        };
        let mut all = vec![0; 2 * set.len()];
        allgather(image, &set, &mine, &mut all)?;
        let mapping = self.widest()?;
        let mut memory = self.memory.borrow_mut();
        let places = memory.places.get_or_insert_with(|| vec![None; image.job().images()]);
        for (rank, place) in set.ranks().zip(all.chunks_exact(2)) {
            if place[0] != 0 {
                places[rank.index()] = Some(RemoteAddress::Process(place[1]));
                continue;
            }
            let coords = mapping.coords(rank);
            let stored = coords.map_or(Ok(0), |coords| mapping.stored_len(&coords))? as u64;
            let bytes = stored.checked_mul(self.element as u64);
            let end = bytes.and_then(|bytes| bytes.checked_add(place[1]));
            if end.is_none_or(|end| end > image.layout().teams.end) {
                let why = format!("{rank} exposes something else than the array");
                return Err(DirectiveError::because(why));
            }
            places[rank.index()] = Some(RemoteAddress::Segment(place[1]));
        }
        Ok(())
    }

    /// Allocates this image's part, all zeros, for a pointer of the program, which may free it by itself.
    ///
    /// # Errors
    /// When the template is not fixed, and when the array does not fit it; without memory.
    pub fn allocate_for_program(&self, image: &Image) -> Outcome {
        let bytes = Storage::bytes(&*self.mapping()?, self.element, image)?;
        // SAFETY: any size can be asked for.
        let base = unsafe { libc::calloc(bytes.max(1), 1) };
        if base.is_null() {
            return Err(DirectiveError::because(format!("there is no memory for {bytes} bytes")));
        }
        *self.memory.borrow_mut() = Memory { base: base.cast(), block: None, places: None };
        Ok(())
    }

    /// Frees the memory of [`ArrayObject::allocate_for_program`].
    ///
    /// # Errors
    /// When the array is not the program's.
    ///
    /// # Safety
    /// A part that is placed somewhere was allocated so.
    pub unsafe fn free_for_program(&self) -> Outcome {
        if self.memory.borrow().block.is_some() {
            return Err(DirectiveError::because("the array is not one of xmp_malloc"));
        }
        // SAFETY: the array has no block of the runtime, so `allocate_for_program` has allocated its memory.
        unsafe { libc::free(self.base().cast()) };
        self.place_at(ptr::null_mut());
        Ok(())
    }

    /// Frees the memory of [`ArrayObject::allocate`], if there is any.
    pub fn free(&self, image: &Image) -> Outcome {
        let mut memory = self.memory.borrow_mut();
        if let Some(block) = memory.block.take() {
            // SAFETY: the array's own memory; operations on the array are over.
            unsafe { image.memory().free_local(block)? };
        }
        *memory = Memory { base: ptr::null_mut(), block: None, places: None };
        Ok(())
    }

    /// The description of its storage for collectives.
    ///
    /// # Errors
    /// When the template is not fixed, and when the array does not fit it; when it is not allocated where it has
    /// elements.
    pub fn storage(&self, image: &Image) -> Outcome<Storage> {
        let base = self.base();
        let mut array = self.mapping()?;
        if self.template.widest().is_some() {
            // In a task of one of the family's nodes that is all there is.
            let (widest, executing) = (self.widest()?, image.executing());
            let members = widest.nodes().members();
            let executes =
                |position| members.rank(position).and_then(|rank| executing.position_of(rank));
            if (0..members.len()).all(|position| executes(position).is_some()) {
                array = widest;
            }
        }
        if base.is_null() && self.coords(image.rank())?.is_some() {
            return Err(DirectiveError::because("the array is not allocated"));
        }
        // SAFETY: the contract of entries: the array is where the program has placed it, and stays to the end of the
        // operations on it.
        Ok(unsafe { Storage::new(array, self.element, base) })
    }

    /// The address of the part of an image.
    ///
    /// # Errors
    /// When this is not known here.
    pub fn place_of(&self, rank: Rank) -> Result<RemoteAddress> {
        let memory = self.memory.borrow();
        let Some(places) = &memory.places else {
            let why = "the array was not exposed, as global variables are: gmove in and out cannot get at it";
            return Err(Error::Invalid(why.into()));
        };
        places[rank.index()].ok_or_else(|| {
            let image = rank.image();
            Error::Invalid(format!("image {image} did not execute the allocation of the array"))
        })
    }
}

impl Drop for ArrayObject {
    fn drop(&mut self) {
        // Operations on the array keep it, so none is left. Memory that cannot be freed stays to the end of the process.
        if let Some(instance) = created() {
            let _ = self.free(&instance.image);
        }
    }
}
