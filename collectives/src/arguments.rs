//! The arguments of collective operations, where races are looked for: an image accesses its own ones in the statement that calls the
//! operation, if they are in memory that images share. Of an operation that was begun they count as accessed in the statement that
//! begins it.

use crate::part_buffers::{AlltoallBuffers, GatherBuffers, ScatterBuffers};
use crate::parts::Parts;
use xmp_core::Image;
use xmp_core::image_set::ImageSet;
use xmp_core::races::{Bytes, Kind, Races};

/// An operation is about to read these bytes of this image.
#[inline]
pub fn reads(image: &Image, start: *const u8, len: usize) {
    if let Some(races) = image.races() {
        enter(image, races, start, len, Kind::Read);
    }
}

/// An operation is about to write these bytes of this image.
#[inline]
pub fn writes(image: &Image, start: *const u8, len: usize) {
    if let Some(races) = image.races() {
        enter(image, races, start, len, Kind::Write);
    }
}

/// The arguments of a broadcast.
#[inline]
pub fn of_broadcast(image: &Image, is_root: bool, start: *const u8, len: usize) {
    if is_root { reads(image, start, len) } else { writes(image, start, len) }
}

/// The arguments of a reduction with locations: `count` values of `value_len` bytes, and as many locations.
#[inline]
pub fn of_locate(
    image: &Image,
    values: *const u8,
    locations: *const i64,
    count: usize,
    value_len: usize,
) {
    writes(image, values, count * value_len);
    writes(image, locations.cast(), count * size_of::<i64>());
}

/// An operation is about to write the parts of all images of a set.
#[inline]
pub fn writes_parts(image: &Image, set: &ImageSet, start: *const u8, parts: &Parts<'_>) {
    if let Some(races) = image.races() {
        enter_parts(image, races, set, start, parts, Kind::Write);
    }
}

/// The arguments of a gather to the image at the 0-based position `root`.
#[inline]
pub fn of_gather(image: &Image, set: &ImageSet, root: usize, buffers: &GatherBuffers<'_>) {
    reads(image, buffers.mine(), buffers.own_len());
    if set.position() == Some(root) {
        writes_parts(image, set, buffers.all(), buffers.parts());
    }
}

/// The arguments of a scatter from the image at the 0-based position `root`.
#[inline]
pub fn of_scatter(image: &Image, set: &ImageSet, root: usize, buffers: &ScatterBuffers<'_>) {
    writes(image, buffers.mine(), buffers.own_len());
    if set.position() == Some(root) {
        reads_parts(image, set, buffers.all(), buffers.parts());
    }
}

/// The arguments of an alltoall.
#[inline]
pub fn of_alltoall(image: &Image, set: &ImageSet, buffers: &AlltoallBuffers<'_>) {
    reads_parts(image, set, buffers.send(), buffers.send_parts());
    writes_parts(image, set, buffers.receive(), buffers.receive_parts());
}

#[inline]
fn reads_parts(image: &Image, set: &ImageSet, start: *const u8, parts: &Parts<'_>) {
    if let Some(races) = image.races() {
        enter_parts(image, races, set, start, parts, Kind::Read);
    }
}

#[cold]
fn enter(image: &Image, races: Races<'_>, start: *const u8, len: usize, kind: Kind) {
    if let Some((of, offset)) = image.locate(start) {
        races.access(races.this_site(), Bytes { of, offset, len: len as u64 }, kind);
    }
}

#[cold]
fn enter_parts(
    image: &Image,
    races: Races<'_>,
    set: &ImageSet,
    start: *const u8,
    parts: &Parts<'_>,
    kind: Kind,
) {
    // The operation refuses another number of parts.
    if parts.check_number("parts", set.len()).is_ok() {
        for position in 0..set.len() {
            let (offset, len) = (parts.offset(position), parts.len(position));
            enter(image, races, start.wrapping_add(offset), len, kind);
        }
    }
}
