//! Places that procedures name: by a coarray, an offset and an image index, or by an address.

use super::coarray::Coarray;
use super::handle::Handle;
use crate::process::{current, instance};
use std::ffi::c_int;
use std::ops::Range;
use xmp_coarray::front_end::Location;
use xmp_core::counted::counted;
use xmp_core::{Error, Image, Rank, Result, failure};
use xmp_teams::holders;

impl Coarray {
    /// The place of byte `offset` on the image with this index in the initial team, where the bytes of this range,
    /// relative to that one, are accessed.
    ///
    /// # Errors
    /// [`Error::ImageIndex`], [`Error::OutOfBounds`], [`Error::FailedImage`]; an image that does not have the coarray.
    pub fn place(&self, image_num: c_int, offset: usize, bytes: Range<i64>) -> Result<Location> {
        let base = i64::try_from(offset).unwrap_or(i64::MAX);
        let (from, to) = (base.saturating_add(bytes.start), base.saturating_add(bytes.end));
        if from < 0 || to as u64 > self.reach {
            return Err(Error::OutOfBounds { from, to, size: self.reach });
        }
        let image = &instance().image;
        let rank = rank_of(image, image_num)?;
        if !self.everywhere {
            let holders = holders(image, self.start);
            if holders.position_of(rank).is_none() {
                let images = holders.len();
                return Err(Error::Invalid(format!(
                    "{rank} does not have this coarray, which a team of {} allocated",
                    counted(images, "image")
                )));
            }
        }
        Ok(Location { rank, offset: self.start.wrapping_add(offset as u64) })
    }
}

/// The rank of an image index of the initial team.
///
/// # Errors
/// [`Error::ImageIndex`]; [`Error::FailedImage`].
pub fn rank_of(image: &Image, image_num: c_int) -> Result<Rank> {
    let rank = image.stack().initial().rank_of_index(image_num.into())?;
    failure::check_failed(image.job(), rank)?;
    Ok(rank)
}

/// This image, and the address of `len` bytes at byte `offset` of a coarray on an image of this host. `None` if the
/// slow path has to find it, or an image has ended.
///
/// Each value is read where it is needed, and few are kept: a caller has all its own arguments in registers.
#[inline(always)]
pub fn local_bytes(
    image_num: &c_int,
    handle: Handle,
    offset: &usize,
    len: usize,
) -> Option<(&'static Image, *mut u8)> {
    let coarray = handle.find()?;
    let offset = *offset as u64;
    let end = offset.checked_add(len as u64)?;
    if end > coarray.reach || !coarray.everywhere {
        return None;
    }
    let place = coarray.start + offset;
    let image = &current()?.image;
    // In a process that the image has forked its stack says that there are no images.
    let closed = image.stack().index_and_size().1 == 0;
    if closed || !image.all_running() {
        return None;
    }
    let rank = Rank::new(image_num.wrapping_sub(1) as u32);
    let address = image.local_address(rank, place)?;
    Some((image, address))
}

/// As [`local_bytes`], for a word of 8 bytes that is aligned.
#[inline(always)]
pub fn local_word(
    image_num: &c_int,
    handle: Handle,
    offset: &usize,
) -> Option<(&'static Image, *mut u8)> {
    local_bytes(image_num, handle, offset, WORD)
        .filter(|(_, word)| word.addr().is_multiple_of(WORD))
}

/// Bytes of events, notifications, locks and atomic variables.
const WORD: usize = 8;

/// What names memory on an image.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// A coarray, the name of that argument, and an offset in bytes.
    Direct(Handle, &'a str, usize),
    /// An address on that image, and the name of that argument.
    Indirect(isize, &'a str),
}

impl Target<'_> {
    /// Where it is on the image with this index in the initial team, where the bytes of this range, relative to it, are
    /// accessed.
    ///
    /// # Errors
    /// Those of [`Coarray::place`]; an address outside the image's segment.
    pub fn place(self, image_num: c_int, bytes: Range<i64>) -> Result<Location> {
        match self {
            Target::Direct(handle, argument, offset) => {
                handle.coarray(argument)?.place(image_num, offset, bytes)
            }
            Target::Indirect(address, argument) => indirect(image_num, address, bytes, argument),
        }
    }

    /// Where a variable of 8 bytes is.
    ///
    /// # Errors
    /// Those of [`Target::place`]; a variable that is not aligned.
    pub fn place_of_word(self, image_num: c_int) -> Result<Location> {
        let at = self.place(image_num, 0..WORD as i64)?;
        if at.offset.is_multiple_of(WORD as u64) {
            return Ok(at);
        }
        Err(Error::Invalid(match self {
            Target::Direct(_, argument, offset) => {
                format!("byte {offset} of {argument} is not aligned to {WORD} bytes")
            }
            Target::Indirect(address, argument) => {
                format!("{argument} {address:#x} is not aligned to {WORD} bytes")
            }
        }))
    }
}

/// The place of an address that is valid on the image with this index in the initial team, where the bytes of this
/// range, relative to it, are accessed.
///
/// # Errors
/// [`Error::ImageIndex`], [`Error::FailedImage`]; bytes outside the image's segment.
fn indirect(
    image_num: c_int,
    address: isize,
    bytes: Range<i64>,
    argument: &str,
) -> Result<Location> {
    let image = &instance().image;
    let rank = rank_of(image, image_num)?;
    let offset_of = |distance: i64| {
        let address = (address as usize).checked_add_signed(distance as isize)?;
        image.locate_of(rank, std::ptr::without_provenance(address))
    };
    let last = (bytes.end - 1).max(bytes.start);
    match (offset_of(0), offset_of(bytes.start), offset_of(last)) {
        (Some(offset), Some(_), Some(_)) => Ok(Location { rank, offset }),
        _ => Err(Error::Invalid(format!(
            "{argument} {address:#x} is not within coarrays or memory of prif_allocate on {rank}"
        ))),
    }
}
