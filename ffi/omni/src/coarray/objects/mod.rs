//! The object layer of the Omni runtime: memory of coarrays as translated programs allocate it, with the three memory
//! methods, resource sets, and garbage collection ("Coarray Object Interface", wiki of the Omni compiler; Iwashita,
//! Nakao, Murai, Sato: "Coarray features in Omni XcalableMP V1.0 - the runtime library", in Japanese).
//!
//! What is allocated is a [`Chunk`]: one coarray, or all small static ones together. Where its memory comes from is the
//! [`Method`]:
//!
//! | method | static coarrays | allocatable coarrays |
//! |---|---|---|
//! | RS, runtime sharing | in the pool | in the pool: the segment of the image, of which all is registered when it starts |
//! | RA, runtime allocation | in the pool | by the process's allocator, registered one by one |
//! | CA, compiler allocation | variables of the program, registered | variables of the program, registered |
//!
//! RS and RA differ in what [`Objects::allocate`] does; CA is [`Objects::register`], also beside the others. The pool
//! of a program needs no size: it grows in the segment.
//!
//! A procedure that allocates coarrays has a [`ResourceSet`]; whatever of it is left when the procedure ends is
//! deallocated. Deallocated chunks become garbage, and garbage at the end of the order of allocation is freed. That is
//! the order which translated programs can observe ([`Objects::garbage_bytes`]); it leaves holes for as long as a
//! younger coarray lives. So garbage is also swept regardless of the order, when there is more of it than the threshold
//! of the pool, or no room.
//!
//! | to find | open |
//! |---|---|
//! | a chunk; what a procedure has allocated | `chunk.rs` |
//! | where its bytes are | `memory.rs` |
//! | order of allocation, garbage, search by address | `history.rs` |
//! | static coarrays | `pool.rs` |

mod chunk;
mod history;
mod memory;
mod pool;
#[cfg(test)]
mod tests;

pub use chunk::{Chunk, ResourceSet};

use history::History;
use memory::{Memory, ProcessMemory, exchange};
use pool::Pool;
use std::ops::Range;
use std::rc::Rc;
use xmp_coarray::front_end::{Block, allocation};
use xmp_core::{Error, Image, Result};

/// The source of the memory of allocatable coarrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Runtime sharing: from the segment.
    #[default]
    Sharing,
    /// Runtime allocation: from the process's allocator, registered one by one.
    Allocation,
}

/// The coarrays of one image.
#[derive(Debug)]
pub struct Objects {
    method: Method,
    threshold: u64,
    pool: Pool,
    history: History,
}

impl Objects {
    /// None yet. Static coarrays of up to `threshold` bytes will share one chunk.
    pub fn new(method: Method, threshold: u64) -> Objects {
        Objects { method, threshold, pool: Pool::default(), history: History::default() }
    }

    /// Announces a static coarray of `len` bytes. All of them are, before [`Objects::make_pool`].
    ///
    /// # Errors
    /// [`Error::SizeOverflow`]; when the pool is there already.
    pub fn count(&mut self, len: u64) -> Result<()> {
        self.pool.count(len, self.threshold)
    }

    /// Makes the pool: the chunk of all static coarrays that were announced. All images do, before anything is
    /// allocated.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; when the images have announced different coarrays; when it is there already.
    pub fn make_pool(&mut self, image: &Image) -> Result<()> {
        if let Some(chunk) = self.pool.make(image)? {
            self.history.append(chunk);
        }
        Ok(())
    }

    /// The memory of a static coarray of `len` bytes: the chunk that it is in, and its address here.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; when more are asked for than were announced.
    pub fn share(&mut self, image: &Image, len: u64) -> Result<(Rc<Chunk>, *mut u8)> {
        if len > self.threshold {
            let block = allocation::agree(image, len, Block::allocate(image, len))?;
            let chunk = Rc::new(Chunk::new(image, Memory::of_block(image, block), len, false));
            self.history.append(chunk.clone());
            return Ok((chunk.clone(), chunk.local()));
        }
        self.pool.share(len)
    }

    /// Allocates a coarray of `len` bytes on the executing images, for a procedure, or for as long as it likes. All
    /// executing images do, and wait for one another (ALLOCATE). The bytes are not cleared.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; when the images do not ask for the same; when an image has stopped or failed.
    pub fn allocate(
        &mut self,
        image: &Image,
        len: u64,
        set: Option<&Rc<ResourceSet>>,
    ) -> Result<Rc<Chunk>> {
        let memory = match self.method {
            Method::Sharing => {
                let mut block = Block::allocate(image, len);
                if matches!(block, Err(Error::OutOfMemory { .. })) && self.history.sweep(image)? {
                    block = Block::allocate(image, len);
                }
                Memory::of_block(image, allocation::agree(image, len, block)?)
            }
            Method::Allocation => {
                let own = ProcessMemory::allocate(len);
                let start = own.as_ref().map_or(std::ptr::null_mut(), ProcessMemory::start);
                exchange(image, start, len, own)?
            }
        };
        Ok(self.enter(image, memory, len, set))
    }

    /// Registers `len` bytes at `start`, which the program has allocated, as a coarray. All executing images do, and
    /// wait for one another.
    ///
    /// # Errors
    /// When the images do not register the same; when an image has stopped or failed.
    ///
    /// # Safety
    /// The bytes are a variable of this process until the chunk is deallocated, which others may access.
    pub unsafe fn register(
        &mut self,
        image: &Image,
        start: *mut u8,
        len: u64,
        set: Option<&Rc<ResourceSet>>,
    ) -> Result<Rc<Chunk>> {
        let memory = exchange(image, start, len, None)?;
        Ok(self.enter(image, memory, len, set))
    }

    fn enter(
        &mut self,
        image: &Image,
        memory: Memory,
        len: u64,
        set: Option<&Rc<ResourceSet>>,
    ) -> Rc<Chunk> {
        let chunk = Rc::new(Chunk::new(image, memory, len, true));
        if let Some(set) = set {
            set.add(&chunk);
        }
        self.history.append(chunk.clone());
        chunk
    }

    /// Deallocates a coarray. All images that execute now and have allocated it do, and wait for one another
    /// (DEALLOCATE).
    ///
    /// # Errors
    /// When it is not allocated any more, or is not of the executing set; when the images do not deallocate the same;
    /// when an image has stopped or failed. It stays allocated then.
    pub fn deallocate(&mut self, image: &Image, chunk: &Rc<Chunk>) -> Result<()> {
        chunk.check_deallocatable(image)?;
        allocation::agree_to_free(image, chunk.number())?;
        self.discard(chunk);
        self.history.collect(image, self.threshold)
    }

    /// Deallocates what is left of a procedure's coarrays, when it ends. The images wait for one another if there is
    /// anything left.
    ///
    /// # Errors
    /// The errors of [`Objects::deallocate`].
    pub fn close(&mut self, image: &Image, set: &ResourceSet) -> Result<()> {
        let left = set.left();
        let Some(numbers) = left.iter().map(|chunk| chunk.number()).reduce(mixed) else {
            return Ok(());
        };
        for chunk in &left {
            chunk.check_deallocatable(image)?;
        }
        allocation::agree_to_free(image, numbers)?;
        for chunk in left.iter().rev() {
            self.discard(chunk);
        }
        self.history.collect(image, self.threshold)
    }

    fn discard(&mut self, chunk: &Rc<Chunk>) {
        chunk.leave_set();
        self.history.discard(chunk);
    }

    /// The chunk that has this address on this image.
    pub fn find(&self, address: *const u8) -> Option<Rc<Chunk>> {
        self.history.find(address)
    }

    /// Chunks that were allocated since the executing set was entered and live: none may be left when a task region
    /// ends.
    pub fn allocated_in_executing_set(&self, image: &Image) -> Vec<Rc<Chunk>> {
        self.history.allocated_in_executing_set(image)
    }

    /// The executing set has been left, and these blocks of the segment were freed with it.
    pub fn released(&mut self, image: &Image, blocks: &[Range<u64>]) {
        self.history.released(image, blocks);
    }

    /// Bytes of all chunks, garbage as well.
    pub fn allocated_bytes(&self) -> u64 {
        self.history.bytes(|_| true)
    }

    /// Bytes of chunks that are deallocated but not freed yet.
    pub fn garbage_bytes(&self) -> u64 {
        self.history.bytes(Chunk::is_garbage)
    }

    /// Bytes that the bookkeeping of chunks takes.
    pub fn own_bytes(&self) -> u64 {
        self.history.own_bytes()
    }
}

/// One number out of two, whatever their order of magnitude.
fn mixed(a: u64, b: u64) -> u64 {
    a.rotate_left(7).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b
}
