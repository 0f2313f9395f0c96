//! The memory pool: one chunk for all static coarrays that are not large.

use super::Chunk;
use super::chunk::UNIT;
use super::memory::Memory;
use std::rc::Rc;
use xmp_coarray::front_end::{Block, allocation};
use xmp_core::{Error, Image, Result, heap};

/// The pool of an image.
#[derive(Debug, Default)]
pub(super) struct Pool {
    /// Bytes that were announced, each coarray at a place of its own cache lines.
    size: u64,
    /// Bytes that the program knows of.
    counted: u64,
    /// The static chunk, and how much of it is given out.
    chunk: Option<(Option<Rc<Chunk>>, u64)>,
}

impl Pool {
    /// A static coarray is announced.
    pub fn count(&mut self, len: u64, threshold: u64) -> Result<()> {
        if self.chunk.is_some() {
            return Err(Error::Invalid(
                "a static coarray is announced after the pool was made".into(),
            ));
        }
        if len > threshold {
            return Ok(());
        }
        let too_large = || Error::SizeOverflow(format!("static coarrays, {len} bytes more"));
        self.size = self.size.checked_add(room(len)).ok_or_else(too_large)?;
        self.counted += len.max(1).next_multiple_of(UNIT);
        Ok(())
    }

    /// Takes the static chunk out of the segment; `None` without static coarrays. Its pages are zero and untouched.
    pub fn make(&mut self, image: &Image) -> Result<Option<Rc<Chunk>>> {
        if self.chunk.is_some() {
            return Err(Error::Invalid("the pool is made twice".into()));
        }
        let block = allocation::agree(image, self.size, Block::allocate(image, self.size))?;
        let chunk = match self.size {
            0 => {
                // SAFETY: the block was just allocated, and nothing refers to it.
                unsafe { block.free(image)? };
                None
            }
            size => {
                let chunk = Chunk::new(image, Memory::of_block(image, block), size, false);
                Some(Rc::new(chunk.counted_as(self.counted)))
            }
        };
        self.chunk = Some((chunk.clone(), 0));
        Ok(chunk)
    }

    /// The next `len` bytes of the static chunk.
    pub fn share(&mut self, len: u64) -> Result<(Rc<Chunk>, *mut u8)> {
        let Some((chunk, given)) = &mut self.chunk else {
            return Err(Error::Invalid(
                "a static coarray is allocated before the pool is made".into(),
            ));
        };
        match chunk {
            Some(chunk) if self.size - *given >= room(len) => {
                let address = chunk.local().wrapping_add(*given as usize);
                *given += room(len);
                Ok((chunk.clone(), address))
            }
            _ => Err(Error::Invalid(format!(
                "static coarrays of {} bytes were announced; another one of {len} bytes was not",
                self.counted
            ))),
        }
    }
}

/// The room of a coarray: whole cache lines, so that no two share one.
fn room(len: u64) -> u64 {
    len.max(1).saturating_add(heap::GRAIN - 1) / heap::GRAIN * heap::GRAIN
}
