//! Names of the variables that images wait for, in tables of waits, where the program's own name is not known.

use super::{Instance, is_of_c};
use xmp_coarray::front_end::Location;
use xmp_core::counted::counted;

/// `bytes` bytes of this image: `byte 64 of a block of 640 bytes`, of a block that C programs allocate, or of a coarray. It is called
/// while the image waits.
#[cold]
pub fn name_of_own_place(instance: &Instance, offset: u64, bytes: u64) -> Option<String> {
    let Instance { image, registry, .. } = instance;
    let registry = registry.try_borrow().ok()?;
    // Blocks have the same offset on all images.
    let (id, within) = registry.find(image, image.own_segment().wrapping_add(offset as usize))?;
    let block = registry.get(id)?;
    let kind = if is_of_c(instance, block.offset) { "block" } else { "coarray" };
    let last = within + bytes.saturating_sub(1);
    let part =
        if bytes > 8 { format!("bytes {within} to {last}") } else { format!("byte {within}") };
    Some(format!("{part} of a {kind} of {}", counted(block.size, "byte")))
}

/// The same of `bytes` bytes of the image that a call names: `byte 64 of a block of 640 bytes on image 2`. The image is counted in the
/// initial team, as in the rest of a table.
#[cold]
pub fn name_of_place(instance: &Instance, at: Location, bytes: u64) -> Option<String> {
    let place = name_of_own_place(instance, at.offset, bytes)?;
    Some(format!("{place} on {}", at.rank))
}
