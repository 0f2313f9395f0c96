//! The agreement of images in allocations and deallocations with `stat`, in which images that have failed do not take part.
//! (Without `stat` they agree by `xmp_coarray::front_end::allocation`.)

use super::cobounds::Cobounds;
use xmp_coarray::front_end::sync_memory;
use xmp_collectives::greatest_active;
use xmp_core::counted::counted;
use xmp_core::{Error, Image, Rank, Result};

/// What hinders the images of the current team that are left from making a coarray of `size` bytes with these cobounds, and the
/// failure of the others. The images are synchronised, and their transfers complete.
///
/// # Errors
/// When an image has stopped.
pub fn hindrance(
    image: &Image,
    size: u64,
    cobounds: &Cobounds,
    has_room: bool,
) -> Result<(Option<Error>, Result<()>)> {
    /// Added to the index of an image that has no room.
    const NO_ROOM: u64 = 2 << 32;
    /// Added to the index of an image that differs in its cobounds only.
    const OTHER_COBOUNDS: u64 = 1 << 32;
    /// Bits of a size; those of a hash of the cobounds are below it.
    const SIZE: u32 = 48;
    let own = u64::from(image.rank().image());
    let coarray = size << (u64::BITS - SIZE) | cobounds.hash() >> SIZE;
    let (greatest_coarray, failures) = greatest(image, coarray, "allocate")?;
    let most = greatest_coarray >> (u64::BITS - SIZE);
    let word = match (has_room, coarray == greatest_coarray) {
        (true, true) => 0,
        (true, false) if size == most => own | OTHER_COBOUNDS,
        (true, false) => own,
        (false, _) => own | NO_ROOM,
    };
    let (word, more) = greatest(image, word, "allocate")?;
    let other = || Rank::new((word & (OTHER_COBOUNDS - 1)) as u32 - 1);
    let error = match word {
        0 => None,
        NO_ROOM.. => Some(Error::Refused {
            image: other(),
            lacks_memory: true,
            why: format!("no room for a coarray of {}", counted(size, "byte")),
        }),
        OTHER_COBOUNDS.. => {
            Some(Error::Invalid(format!("{} gives other cobounds than another image", other())))
        }
        _ if size < most => Some(Error::Invalid(format!(
            "a coarray of {} here, of {} on another image",
            counted(size, "byte"),
            counted(most, "byte")
        ))),
        _ => Some(Error::Invalid(format!(
            "a coarray of {} here, of fewer bytes on {}",
            counted(size, "byte"),
            other()
        ))),
    };
    Ok((error, failures.and(more)))
}

/// Synchronises the images of the current team that are left, which name what they are about to free, each by the same
/// number. Returns the failure of the others.
///
/// # Errors
/// When an image has stopped; when the numbers differ.
pub fn agree_to_free(image: &Image, what: u64) -> Result<Result<()>> {
    let (most, failures) = greatest(image, what, "deallocate")?;
    let (differs, more) = greatest(image, (what != most).into(), "deallocate")?;
    if differs != 0 {
        return Err(Error::Invalid("the images do not free the same coarray".into()));
    }
    Ok(failures.and(more))
}

/// The greatest of the words that the images give, and the failure of those that do not.
fn greatest(image: &Image, word: u64, statement: &'static str) -> Result<(u64, Result<()>)> {
    sync_memory(image)?;
    greatest_active(image, &image.executing(), word, statement)
}
