//! What a coarray token is: a pointer to the facts that every access needs.

use super::accessor::Doors;
use super::home::Home;
use super::shape::Noted;
use super::types::DType;
use crate::process::{Instance, current, enter};
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;
use xmp_coarray::registry::BlockId;
use xmp_coarray::{Block, Location};
use xmp_core::{Error, Image, Rank, Result, failure};

/// A registered coarray. `caf_token_t` is a pointer to one.
#[derive(Debug)]
pub struct Token {
    /// Its memory; nothing when END TEAM has deallocated it, so that every access needs a closer look.
    pub block: Block,
    /// Its name in the registry.
    pub id: BlockId,
    /// The type of its elements.
    pub dtype: DType,
    /// What it stands for.
    pub role: Role,
    /// How accessors are called for it.
    pub access: Access,
    /// Who calls them.
    pub doors: Doors,
    /// Where the program keeps it.
    pub home: Home,
    /// The bounds of an allocated coarray.
    pub shape: Noted,
}

/// What a token stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A coarray with memory of its own.
    Coarray,
    /// The lock of a CRITICAL construct: one for all images, whatever team executes (Fortran 2018, 11.1.6).
    Critical,
    /// A name for (a part of) another coarray in a CHANGE TEAM construct, which the memory belongs to.
    Associated,
    /// A coarray that END TEAM has deallocated.
    Dead,
}

/// How accessors are called for a coarray.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Its elements have no components that an accessor could follow.
    Plain,
    /// They may have some.
    Following,
    /// The same in a job of several hosts, where another thread calls accessors, too.
    Awaiting,
    /// Not at all: END TEAM has deallocated it.
    Never,
}

/// `caf_token_t`.
pub type TokenHandle = *mut c_void;

impl Token {
    /// The token behind a handle.
    ///
    /// # Errors
    /// For a null handle: a coarray that is not allocated, or a component. For a coarray that END TEAM has
    /// deallocated.
    ///
    /// # Safety
    /// The handle is null or points to a token that is not deregistered.
    #[inline(always)]
    pub unsafe fn of<'a>(handle: TokenHandle) -> Result<&'a Token> {
        // SAFETY: the caller's guarantee.
        match unsafe { handle.cast::<Token>().as_ref() } {
            Some(token) if token.role != Role::Dead => Ok(token),
            other => Err(not_allocated(other.is_some())),
        }
    }

    /// A token to keep in the program, until [`Box::from_raw`].
    pub fn into_raw(self) -> NonNull<Token> {
        NonNull::from(Box::leak(Box::new(self)))
    }

    /// END TEAM has deallocated the coarray.
    pub fn die(&mut self) {
        self.role = Role::Dead;
        self.access = Access::Never;
        self.doors = Doors::of(Access::Never);
        self.block.size = 0;
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
    /// An image index or bytes out of range. [`xmp_core::Error::FailedImage`]: the variable is lost. (Fortran 2018,
    /// 16.5 and 11.6.11)
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
            _ if self.role == Role::Critical => FIRST,
            0 => instance.image.rank(),
            index => {
                let rank = rank_of(instance, index)?;
                failure::check_failed(instance.image.job(), rank)?;
                rank
            }
        };
        Ok(Location { rank, offset: self.block.offset + offset as u64 })
    }
}

/// Where the locks of CRITICAL constructs are.
const FIRST: Rank = Rank::new(0);

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

/// Whether no image has ended: then nobody has failed, and what is got is valid.
#[inline(always)]
pub fn nobody_has_ended() -> bool {
    current().is_some_and(|instance| instance.image.all_running())
}

/// What the few steps of a front end begin with: the instance and the token; `None` for a coarray that is not allocated.
///
/// # Safety
/// The handle is null or a token's.
#[inline(always)]
pub unsafe fn known(token: TokenHandle) -> Option<(&'static Instance, &'static Token)> {
    // SAFETY: the caller's guarantee.
    let token = unsafe { token.cast::<Token>().as_ref()? };
    // SAFETY: who has registered the token has needed the instance, which is never taken away.
    Some((unsafe { current().unwrap_unchecked() }, token))
}

/// The address of `len` bytes at byte `offset` of a coarray on an image of the executing set; `None` if anything about it
/// needs a closer look. As all that says how it is found in few steps, here and below, this becomes part of the front ends.
///
/// # Safety
/// `token` is null or a token's handle.
#[inline(always)]
pub unsafe fn near_coindexed(
    token: TokenHandle,
    offset: usize,
    image: c_int,
    len: usize,
) -> Option<*mut u8> {
    // SAFETY: the caller's guarantee.
    let (Instance { image: here, .. }, Token { block, .. }) = unsafe { known(token)? };
    let end = offset.checked_add(len)?;
    if end as u64 > block.size {
        return None;
    }
    let segment = here.stack().segment_of_index(image)?;
    Some(segment.wrapping_add(block.offset as usize + offset))
}

/// The address of word `index`, of `LEN` bytes each, of a coarray, on an image of this host (0: this image), as
/// [`Token::element`]; and this image. `None` if anything about it needs a closer look, or an image has ended.
///
/// # Safety
/// `token` is null or a token's handle.
#[inline(always)]
pub unsafe fn near_word<const LEN: usize>(
    token: TokenHandle,
    index: usize,
    image: c_int,
) -> Option<(&'static Image, *mut u8)> {
    // SAFETY: the caller's guarantee.
    let (Instance { image: here, .. }, Token { block, role, .. }) = unsafe { known(token)? };
    if index as u64 >= block.size / LEN as u64 || !here.all_running() {
        return None;
    }
    let segment = match image {
        // With several threads it matters which of them has the lock.
        _ if *role == Role::Critical && here.threads().is_shared() => return None,
        _ if *role == Role::Critical => here.near(FIRST, 0)?,
        0 => here.own_segment(),
        index => here.stack().segment_of_index(index)?,
    };
    Some((here, segment.wrapping_add(block.offset as usize + index * LEN)))
}

#[cold]
fn slowly(instance: &Instance, index: c_int) -> Result<Rank> {
    let _entered = enter();
    instance.image.executing().rank_of_index(index.into())
}

#[cold]
fn not_allocated(any_more: bool) -> Error {
    Error::Invalid(match any_more {
        true => "the coarray is not allocated: END TEAM has deallocated it".into(),
        false => "the coarray is not allocated".into(),
    })
}
