//! What a coarray token is: a pointer to the facts that every access needs.

use crate::process::Instance;
use std::ffi::{c_int, c_void};
use xmp_coarray::registry::BlockId;
use xmp_coarray::{Block, Location};
use xmp_core::{Error, Rank, Result};

/// A registered coarray. `caf_token_t` is a pointer to one.
#[derive(Debug)]
pub struct Token {
    /// Its memory.
    pub block: Block,
    /// Its name in the registry.
    pub id: BlockId,
}

/// `caf_token_t`.
pub type TokenHandle = *mut c_void;

impl Token {
    /// The token behind a handle.
    ///
    /// # Errors
    /// For a null handle: a coarray that is not allocated, or a component.
    ///
    /// # Safety
    /// The handle is null or was made by [`Token::into_handle`] and not deregistered.
    #[inline(always)]
    pub unsafe fn of<'a>(handle: TokenHandle) -> Result<&'a Token> {
        // SAFETY: the caller's guarantee.
        unsafe { handle.cast::<Token>().as_ref() }.ok_or_else(not_allocated)
    }

    /// A handle to keep in the program.
    pub fn into_handle(self) -> TokenHandle {
        Box::into_raw(Box::new(self)).cast()
    }

    /// The place of element `index` of `len` bytes each, on an image; image index 0 is this image.
    ///
    /// # Errors
    /// An image index or an element out of range.
    #[inline]
    pub fn element(
        &self,
        instance: &Instance,
        image: c_int,
        index: usize,
        len: usize,
    ) -> Result<Location> {
        let offset = index.checked_mul(len).ok_or_else(|| {
            Error::SizeOverflow(format!(
                "element {index} of a coarray of {} bytes",
                self.block.size
            ))
        })?;
        self.place(instance, image, offset, len)
    }

    /// The place of `len` bytes at byte `offset`, on an image; image index 0 is this image.
    ///
    /// # Errors
    /// An image index or bytes out of range.
    #[inline]
    pub fn place(
        &self,
        instance: &Instance,
        image: c_int,
        offset: usize,
        len: usize,
    ) -> Result<Location> {
        let from = offset as i64;
        self.block.check(from, from.saturating_add(len as i64))?;
        let rank = match image {
            0 => instance.image.rank(),
            index => rank_of(instance, index)?,
        };
        Ok(Location { rank, offset: self.block.offset + offset as u64 })
    }
}

/// The rank of an image index of the executing set.
///
/// # Errors
/// [`Error::ImageIndex`].
#[inline(always)]
pub fn rank_of(instance: &Instance, index: c_int) -> Result<Rank> {
    match instance.image.stack().rank_of_index(index) {
        Some(rank) => Ok(rank),
        None => slowly(instance, index),
    }
}

#[cold]
fn slowly(instance: &Instance, index: c_int) -> Result<Rank> {
    instance.image.executing().rank_of_index(index.into())
}

#[cold]
fn not_allocated() -> Error {
    Error::Invalid("the coarray is not allocated".into())
}
