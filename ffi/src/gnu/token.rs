//! Coarray tokens: each is the address of a record with all that an access needs.

pub use super::types::TokenHandle;
use super::variable_location::VariableLocation;
use crate::gfortran_abi::{DType, Descriptor, Dim};
use crate::process::{Instance, OfImage, created, current, enter};
use smallvec::SmallVec;
use std::cell::{Cell, OnceCell};
use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use xmp_coarray::front_end::registry::BlockId;
use xmp_coarray::front_end::{Block, Location};
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
    /// Where the program keeps it.
    pub home: VariableLocation,
    /// The bounds of an allocated coarray, once they are known.
    pub shape: OnceCell<Shape>,
    /// The return address of the call that has allocated it; 0 if it was not allocated by a statement.
    pub allocated_by: usize,
}

/// The memory of the token that was given up last: programs that allocate a coarray in each step need it again.
static SPARE: OfImage<Cell<Option<Box<MaybeUninit<Token>>>>> = OfImage::new(Cell::new(None));

/// Bounds, and the bytes that a stride of 1 means.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The dimensions.
    pub dims: SmallVec<[Dim; 2]>,
    /// Bytes that a stride of 1 means.
    pub unit: i64,
}

impl Shape {
    /// The shape that a descriptor has.
    pub fn of(descriptor: &Descriptor) -> Shape {
        Shape { dims: SmallVec::from_slice(descriptor.dims()), unit: descriptor.unit() }
    }
}

/// The object that a token identifies.
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

/// The way in which accessors are called for a coarray.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Its elements have no components that an accessor could follow.
    Plain,
    /// They may have some.
    Following,
    /// With components, in a job of several hosts: the server's thread calls accessors, too.
    Awaiting,
    /// Not at all: END TEAM has deallocated it.
    Never,
}

impl Token {
    /// The token of a handle.
    ///
    /// # Safety
    /// The handle is null or points to a token that is not deregistered.
    #[inline(always)]
    pub unsafe fn of<'a>(handle: TokenHandle) -> Result<&'a Token> {
        // SAFETY: the handle is null or points to a token that is not deregistered.
        Token::allocated(unsafe { handle.cast::<Token>().as_ref() })
    }

    /// The token that an entry function gets, if the coarray is allocated.
    ///
    /// # Errors
    /// Without a token: a coarray that is not allocated, or a component. For a coarray that END TEAM has deallocated.
    #[inline(always)]
    pub fn allocated(token: Option<&Token>) -> Result<&Token> {
        match token {
            Some(token) if token.role != Role::Dead => Ok(token),
            other => Err(not_allocated(other.is_some())),
        }
    }

    /// A token to keep in the program, until [`Token::give_up`].
    pub fn into_raw(self, instance: &Instance) -> NonNull<Token> {
        let memory = SPARE.of(instance).take().unwrap_or_else(Box::new_uninit);
        NonNull::from(Box::leak(Box::write(memory, self)))
    }

    /// Gives up a token that the program forgets.
    ///
    /// # Safety
    /// It is one of [`Token::into_raw`], and nothing uses it any more.
    pub unsafe fn give_up(token: NonNull<Token>, instance: &Instance) {
        // SAFETY: it came out of a box (contract above), whose memory is kept.
        let memory = unsafe {
            token.drop_in_place();
            Box::from_raw(token.cast::<MaybeUninit<Token>>().as_ptr())
        };
        SPARE.of(instance).set(Some(memory));
    }

    /// Whether its elements have the size of the declared type: those of polymorphic coarrays may be longer.
    pub fn has_elements_of_declared_type(&self) -> bool {
        self.shape.get().is_none_or(|shape| {
            let bytes =
                shape.dims.iter().map(Dim::extent).fold(self.dtype.elem_len, usize::saturating_mul);
            bytes as u64 == self.block.size
        })
    }

    /// END TEAM has deallocated the coarray.
    pub fn die(&mut self) {
        self.role = Role::Dead;
        self.access = Access::Never;
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
        // Below the first element it is negative.
        let number = index as i64;
        let offset = number
            .checked_mul(len as i64)
            .ok_or_else(|| Error::SizeOverflow(format!("element {number} of a coarray")))?;
        self.place(instance, image, offset as usize, len)
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

/// The image that has the locks of CRITICAL constructs.
const FIRST: Rank = Rank::new(0);

/// The rank of an image index of the executing set.
///
/// # Errors
/// [`Error::ImageIndex`].
#[inline(always)]
pub fn rank_of(instance: &Instance, index: c_int) -> Result<Rank> {
    match instance.image.stack().rank_of_index(index) {
        Some(rank) => Ok(rank),
        None => rank_in_set(instance, index),
    }
}

/// Whether no image has ended: then none has failed, and what is got is valid.
#[inline(always)]
pub fn all_running() -> bool {
    current().is_some_and(|instance| instance.image.all_running())
}

/// This image, for fast paths.
#[inline(always)]
fn own_image(_: &Token) -> &'static Image {
    // SAFETY: registration of a token creates the instance, which lives as long as the process.
    &unsafe { created().unwrap_unchecked() }.image
}

/// The address of `len` bytes at byte `offset` of a coarray on an image of the executing set and of this host; `None`
/// if the slow path has to find it. Fast paths consist of this and [`local_word`].
#[inline(always)]
pub fn local_coindexed(
    token: Option<&Token>,
    offset: usize,
    image: c_int,
    len: usize,
) -> Option<*mut u8> {
    let token = token?;
    let (own, block) = (own_image(token), &token.block);
    let end = offset.checked_add(len)?;
    if end as u64 > block.size {
        return None;
    }
    let segment = own.stack().segment_of_index(image)?;
    Some(segment.wrapping_add(block.offset as usize + offset))
}

/// The address of word `index`, of `LEN` bytes each, of a coarray, on an image of this host (0: this image), as
/// [`Token::element`]; and this image. `None` if the slow path has to find it, or an image has ended.
#[inline(always)]
pub fn local_word<const LEN: usize>(
    token: Option<&Token>,
    index: usize,
    image: c_int,
) -> Option<(&'static Image, *mut u8)> {
    word_of::<LEN>(token, index, |own| segment_of(own, image))
}

/// The same of a lock. That of a CRITICAL construct is on the first image, whatever the index says.
#[inline(always)]
pub fn local_lock<const LEN: usize>(
    token: Option<&Token>,
    index: usize,
    image: c_int,
) -> Option<(&'static Image, *mut u8)> {
    let is_critical = token?.role == Role::Critical;
    word_of::<LEN>(token, index, |own| {
        if !is_critical {
            return segment_of(own, image);
        }
        // With several threads it matters which of them has the lock. Of another thread that has not entered, the first one would not
        // know that it may have the lock.
        if own.threads().is_only_first() { own.local_address(FIRST, 0) } else { None }
    })
}

/// Word `index` of a coarray in the segment that `segment` returns.
#[inline(always)]
fn word_of<const LEN: usize>(
    token: Option<&Token>,
    index: usize,
    segment: impl FnOnce(&Image) -> Option<*mut u8>,
) -> Option<(&'static Image, *mut u8)> {
    let token = token?;
    let (own, block) = (own_image(token), &token.block);
    if index as u64 >= block.size / LEN as u64 || !own.all_running() {
        return None;
    }
    Some((own, segment(own)?.wrapping_add(block.offset as usize + index * LEN)))
}

/// The segment of an image of this host; 0 is this image.
#[inline(always)]
fn segment_of(own: &Image, image: c_int) -> Option<*mut u8> {
    if image == 0 { Some(own.own_segment()) } else { own.stack().segment_of_index(image) }
}

/// Image indices beyond this one are those among all images: of coarrays that XcalableMP's directive `coarray on` maps onto
/// nodes which do not execute. (`xmprt_fortran_image`)
const PRIMARY: c_int = 1 << 30;

#[cold]
fn rank_in_set(instance: &Instance, index: c_int) -> Result<Rank> {
    let _entered = enter();
    if let Some(rank) = index.checked_sub(PRIMARY + 1).and_then(|rank| u32::try_from(rank).ok())
        && (rank as usize) < instance.image.job().images()
    {
        return Ok(Rank::new(rank));
    }
    instance.image.executing().rank_of_index(index.into())
}

#[cold]
fn not_allocated(any_more: bool) -> Error {
    let reason = if any_more { ": END TEAM has deallocated it" } else { "" };
    Error::Invalid(format!("the coarray is not allocated{reason}"))
}
