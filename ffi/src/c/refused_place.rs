//! Messages about places on other images that a call cannot access: the argument, the image, and the block.

use super::argument::Shared;
use super::team_handle::named_image;
use crate::process::{instance, is_of_c};
use std::ffi::c_int;
use std::ops::Range;
use xmp_coarray::front_end::Block;
use xmp_core::Error;
use xmp_core::counted::counted;

/// What of the memory a call accesses, for messages.
#[derive(Clone, Copy)]
pub enum Touched<'a> {
    /// Bytes.
    Bytes,
    /// Elements: the function gives the name of the first one that is not within these bytes, counted from the address.
    Elements(&'a dyn Fn(Range<i64>) -> String),
}

/// The error of an address that is in no block.
#[cold]
pub fn unshared(shared: Shared) -> Error {
    let (start, name) = (shared.at.start(), shared.name);
    let image = &instance().image;
    if start.is_null() {
        return Error::Invalid(format!(
            "{name} is a null pointer, which is not in memory that images share"
        ));
    }
    let own = "this image's own address within a block of xmprt_allocate or a coarray";
    Error::Invalid(match image.locate(start) {
        Some((rank, _)) if rank != image.rank() => {
            format!("{name} ({start:p}) is in the memory of {rank}: pass {own}")
        }
        Some(_) => format!(
            "{name} ({start:p}) is not in memory that images share: it is in no block of xmprt_allocate and in no coarray, or was freed"
        ),
        None => format!("{name} ({start:p}) is not in memory that images share: pass {own}"),
    })
}

/// The error of an access to `bytes`, counted from `within` of a block, which are not all in it; on image `index`, or here.
#[cold]
pub fn outside(
    shared: Shared,
    block: &Block,
    within: u64,
    bytes: Range<i64>,
    touched: Touched<'_>,
    index: Option<c_int>,
) -> Error {
    let within = within as i64;
    let at = |distance: i64| within.saturating_add(distance);
    let (first, last) = (at(bytes.start), at(bytes.end).saturating_sub(1));
    let what = match touched {
        Touched::Bytes if first == last => format!("byte {first} is"),
        Touched::Bytes => format!("bytes {first} to {last} are"),
        Touched::Elements(first) => {
            format!("{} is", first(-within..(block.size as i64).saturating_sub(within)))
        }
    };
    let kind = if is_of_c(instance(), block.offset) { "block" } else { "coarray" };
    let (size, name) = (counted(block.size, "byte"), shared.name);
    let image = index.map(|index| format!(", on {}", named_image(index))).unwrap_or_default();
    Error::Invalid(format!(
        "{what} not within the {kind} of {size} into which {name} points{image}"
    ))
}
