//! Chunks, the unit of allocation and registration, and the resource sets of procedures that own them.

use super::memory::Memory;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::{Rc, Weak};
use xmp_coarray::front_end::Location;
use xmp_coarray::front_end::transfer::{MemoryRef, RemoteMemory};
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Rank, Result};

/// Every chunk counts as a multiple of this number of bytes, as with the Omni runtime on MPI-3.
pub(super) const UNIT: u64 = 4;

/// Memory of one coarray, or of many small static ones, on all images that have it.
#[derive(Debug)]
pub struct Chunk {
    memory: Memory,
    local: *mut u8,
    len: u64,
    counted: u64,
    allocatable: bool,
    /// The entry of the executing set that allocated it.
    entry: u64,
    state: Cell<State>,
    set: RefCell<Weak<ResourceSet>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Live,
    Garbage,
    Freed,
}

impl Chunk {
    pub(super) fn new(image: &Image, memory: Memory, len: u64, allocatable: bool) -> Chunk {
        let local = match &memory {
            Memory::Segment { block, .. } => block.local(image),
            Memory::Registered { start, .. } => *start,
        };
        Chunk {
            memory,
            local,
            len,
            counted: len.max(1).next_multiple_of(UNIT),
            allocatable,
            entry: image.stack().top().serial(),
            state: Cell::new(State::Live),
            set: RefCell::default(),
        }
    }

    /// A chunk whose contents count as this number of bytes.
    pub(super) fn counted_as(self, counted: u64) -> Chunk {
        Chunk { counted, ..self }
    }

    /// This image's part.
    #[inline(always)]
    pub fn local(&self) -> *mut u8 {
        self.local
    }

    /// Bytes that each image has.
    #[inline(always)]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether it is allocated.
    #[inline(always)]
    pub fn is_live(&self) -> bool {
        self.state.get() == State::Live
    }

    /// Its offset in the segments, if it is there and all images have it: where fast paths need no more questions.
    #[inline(always)]
    pub fn segment_offset(&self) -> Option<u64> {
        match &self.memory {
            Memory::Segment { block, set: None } => Some(block.offset),
            _ => None,
        }
    }

    /// The byte at `offset` of the part of an image.
    ///
    /// # Errors
    /// When the image does not have the coarray.
    pub fn memory_ref(&self, image: &Image, rank: Rank, offset: u64) -> Result<MemoryRef> {
        let position = |set: &ImageSet| {
            set.position_of(rank).ok_or_else(|| {
                let images = set.len();
                Error::Invalid(format!("{rank} does not have it, which {images} images allocated"))
            })
        };
        match &self.memory {
            Memory::Segment { block, set } => {
                if let Some(set) = set {
                    position(set)?;
                }
                Ok(MemoryRef::of(image, Location { rank, offset: block.offset + offset }))
            }
            Memory::Registered { addresses, set, .. } => {
                let address = addresses[position(set)?] + offset;
                Ok(if rank == image.rank() {
                    MemoryRef::Local(self.local.wrapping_add(offset as usize))
                } else {
                    MemoryRef::Remote(RemoteMemory::Private { rank, address })
                })
            }
        }
    }

    /// The byte at `offset` as a word in a segment, for atomic operations.
    ///
    /// # Errors
    /// When it is in no segment; when the image does not have the coarray.
    pub fn location(&self, image: &Image, rank: Rank, offset: u64) -> Result<Location> {
        match &self.memory {
            Memory::Segment { block, .. } => {
                self.memory_ref(image, rank, offset)?;
                Ok(Location { rank, offset: block.offset + offset })
            }
            Memory::Registered { .. } => Err(Error::Invalid(
                "atomic operations need memory that the runtime has allocated (method RS)".into(),
            )),
        }
    }

    /// The bytes that it counts for in the sum of allocated memory.
    pub(super) fn counted(&self) -> u64 {
        self.counted
    }

    /// The same number on all images that have it.
    pub(super) fn number(&self) -> u64 {
        match &self.memory {
            Memory::Segment { block, .. } => block.offset,
            Memory::Registered { .. } => self.len,
        }
    }

    pub(super) fn is_garbage(&self) -> bool {
        self.state.get() == State::Garbage
    }

    /// Whether the executing set, as it was entered, has allocated it.
    pub(super) fn is_of_executing_set(&self, image: &Image) -> bool {
        self.entry == image.stack().top().serial()
    }

    /// Whether it is one that a program has allocated and may deallocate.
    pub(super) fn is_allocatable(&self) -> bool {
        self.allocatable
    }

    /// Whether it may be deallocated now.
    pub(super) fn check_deallocatable(&self, image: &Image) -> Result<()> {
        if !self.is_live() {
            return Err(Error::Invalid("the coarray is not allocated".into()));
        }
        if !self.allocatable {
            return Err(Error::Invalid("the coarray is not allocatable".into()));
        }
        if self.is_of_executing_set(image) {
            Ok(())
        } else {
            Err(Error::Invalid(
                "the coarray was allocated outside of the task region or team that executes: deallocate it there".into(),
            ))
        }
    }

    pub(super) fn set_owner(&self, set: &Rc<ResourceSet>) {
        *self.set.borrow_mut() = Rc::downgrade(set);
    }

    /// Whether this is the procedure that will deallocate it.
    pub fn is_resource_of(&self, set: &Rc<ResourceSet>) -> bool {
        self.set.borrow().upgrade().is_some_and(|own| Rc::ptr_eq(&own, set))
    }

    /// It is no resource of a procedure any more.
    pub(super) fn leave_set(&self) {
        if let Some(set) = self.set.take().upgrade() {
            set.remove(self);
        }
    }

    /// It is deallocated.
    pub(super) fn discard(&self) {
        self.state.set(State::Garbage);
    }

    /// Gives its memory back.
    pub(super) fn free(&self, image: &Image) -> Result<()> {
        self.state.set(State::Freed);
        match &self.memory {
            // SAFETY: the images have agreed that nothing refers to the chunk (`history`).
            Memory::Segment { block, .. } => unsafe { block.free(image) },
            Memory::Registered { own, .. } => {
                drop(own.take());
                Ok(())
            }
        }
    }

    /// Whether its block is one of these.
    pub(super) fn is_in(&self, blocks: &[Range<u64>]) -> bool {
        let Memory::Segment { block, .. } = &self.memory else { return false };
        blocks.iter().any(|range| range.start == block.offset)
    }

    /// Whether the set that allocated it was entered by one of these entries.
    pub(super) fn is_of_one(&self, entries: &[u64]) -> bool {
        entries.contains(&self.entry)
    }

    /// It is gone with the set that allocated it.
    pub(super) fn forget(&self) {
        self.state.set(State::Freed);
        if let Memory::Registered { own, .. } = &self.memory {
            drop(own.take());
        }
    }
}

/// The coarrays that a procedure has allocated and not deallocated.
#[derive(Debug, Default)]
pub struct ResourceSet {
    name: String,
    chunks: RefCell<Vec<Rc<Chunk>>>,
}

impl ResourceSet {
    /// The set of a procedure that starts now.
    pub fn new(name: impl Into<String>) -> Rc<ResourceSet> {
        Rc::new(ResourceSet { name: name.into(), chunks: RefCell::default() })
    }

    /// The procedure.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn add(self: &Rc<Self>, chunk: &Rc<Chunk>) {
        chunk.set_owner(self);
        self.chunks.borrow_mut().push(chunk.clone());
    }

    pub(super) fn remove(&self, chunk: &Chunk) {
        self.chunks.borrow_mut().retain(|known| !std::ptr::eq(&**known, chunk));
    }

    /// The coarrays that are still allocated, oldest first.
    pub(super) fn left(&self) -> Vec<Rc<Chunk>> {
        self.chunks.borrow().clone()
    }
}
