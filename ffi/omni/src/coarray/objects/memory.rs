//! The place of the bytes of a chunk: at one offset of all segments, or at an address of each process.

use std::alloc::{Layout, alloc, dealloc};
use std::cell::RefCell;
use std::rc::Rc;
use xmp_coarray::front_end::{Block, sync_memory};
use xmp_collectives::allgather;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result, heap};

/// The memory of a chunk.
#[derive(Debug)]
pub(super) enum Memory {
    /// At one offset of all images' segments. With a set: only its images have it.
    Segment { block: Block, set: Option<Rc<ImageSet>> },
    /// Anywhere in the processes of the images of a set, at these addresses.
    Registered {
        start: *mut u8,
        addresses: Box<[u64]>,
        set: Rc<ImageSet>,
        own: RefCell<Option<ProcessMemory>>,
    },
}

impl Memory {
    /// A block that the executing images have taken.
    pub fn of_block(image: &Image, block: Block) -> Memory {
        let set = image.memory().is_of_team(block.offset).then(|| image.executing());
        Memory::Segment { block, set }
    }
}

/// Memory of the process's allocator.
#[derive(Debug)]
pub(super) struct ProcessMemory {
    start: *mut u8,
    layout: Layout,
}

impl ProcessMemory {
    /// So many bytes; `None` if there is no room.
    pub fn allocate(len: u64) -> Option<ProcessMemory> {
        let len = usize::try_from(len.max(1)).ok()?;
        let layout = Layout::from_size_align(len, heap::GRAIN as usize).ok()?;
        // SAFETY: not of size 0.
        let start = unsafe { alloc(layout) };
        (!start.is_null()).then_some(ProcessMemory { start, layout })
    }

    /// Its first byte.
    pub fn start(&self) -> *mut u8 {
        self.start
    }
}

impl Drop for ProcessMemory {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and freed here only.
        unsafe { dealloc(self.start, self.layout) };
    }
}

/// Publishes to the executing images the address of this image's coarray of `len` bytes. `start` is null where it could
/// not be had.
pub(super) fn exchange(
    image: &Image,
    start: *mut u8,
    len: u64,
    own: Option<ProcessMemory>,
) -> Result<Memory> {
    sync_memory(image)?;
    let set = image.executing();
    let mut all = vec![[0u64; 2]; set.len()];
    allgather(image, &set, &[start.expose_provenance() as u64, len], all.as_flattened_mut())?;
    let first = all[0][1];
    if let Some(position) = all.iter().position(|[_, other]| *other != first) {
        let image = |position| set.rank_at(position).expect("a member");
        let (one, other) = (image(0), image(position));
        let text = format!("{one} allocates {first} bytes, {other} {} bytes", all[position][1]);
        return Err(Error::Invalid(text));
    }
    if all.iter().any(|[start, _]| *start == 0) {
        return Err(Error::OutOfMemory {
            heap: "processes' memory for a coarray",
            requested: len,
            available: 0,
            remedy: String::new(),
        });
    }
    let addresses = all.iter().map(|[start, _]| *start).collect();
    Ok(Memory::Registered { start, addresses, set, own: own.into() })
}
