//! Memory that images share, as C programs name it: by the index of an image, and this image's own address of the same place.

use super::argument::{Data, Shared};
use super::refused_place::{Touched, outside, unshared};
use super::team::{CURRENT, INITIAL, TeamHandle, set_of};
use crate::process::{Instance, current, instance};
use std::ffi::c_int;
use std::ops::Range;
use std::rc::Rc;
use xmp_coarray::front_end::Location;
use xmp_core::counted::counted;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Rank, Result, failure};
use xmp_teams::holders;

/// This image, and the address of `len` bytes at the place on another image that corresponds to `shared` here. `None` where the
/// slow path has to find it: on another host, in a team that is neither the current nor the initial one, in memory that was not
/// accessed lately or that not all images have, and once an image has ended.
#[inline(always)]
pub fn reached(
    team: TeamHandle,
    index: c_int,
    shared: Data,
    len: usize,
) -> Option<(&'static Image, *mut u8)> {
    let Instance { image, recent, .. } = current()?;
    let offset = shared.start().addr().wrapping_sub(image.own_segment().addr());
    if !image.all_running() || !recent.contain(offset as u64, len as u64) {
        return None;
    }
    let segment = if team == CURRENT {
        image.stack().segment_of_index(index)?
    } else if team == INITIAL {
        image.local_address(initial_rank(image, index)?, 0)?
    } else {
        return None;
    };
    Some((image, segment.wrapping_add(offset)))
}

/// As [`reached`], for a variable of `len` bytes, to which it is aligned.
#[inline(always)]
pub fn reached_word(
    team: TeamHandle,
    index: c_int,
    shared: Data,
    len: usize,
) -> Option<(&'static Image, *mut u8)> {
    if !shared.start().addr().is_multiple_of(len) {
        return None;
    }
    reached(team, index, shared, len)
}

/// The rank of an image that [`reached`] has found.
#[inline(always)]
pub fn rank_of_reached(image: &Image, team: TeamHandle, index: c_int) -> Option<Rank> {
    match team {
        CURRENT => image.stack().rank_of_index(index),
        _ => initial_rank(image, index),
    }
}

/// The rank of an index of the initial team; the table of segments refuses those that are out of range.
#[inline(always)]
fn initial_rank(image: &Image, index: c_int) -> Option<Rank> {
    // In a process that the image has forked, the stack has no images.
    (image.stack().index_and_size().1 != 0).then(|| Rank::new(index.wrapping_sub(1) as u32))
}

/// The place on image `index` of a set that corresponds to `shared` here, around which this range of bytes is accessed.
///
/// # Errors
/// When these are not within one block that both images have, in terms of what is `touched`; [`Error::ImageIndex`],
/// [`Error::FailedImage`].
pub fn place_in(
    set: Result<Rc<ImageSet>>,
    index: c_int,
    shared: Shared,
    bytes: Range<i64>,
    touched: Touched<'_>,
) -> Result<Location> {
    let Instance { image, registry, recent, .. } = instance();
    let rank = set?.rank_of_index(index.into())?;
    let registry = registry.borrow();
    let (id, within) = registry.find(image, shared.at.start()).ok_or_else(|| unshared(shared))?;
    let block = registry.get(id).expect("found just now");
    let at = |distance: i64| (within as i64).saturating_add(distance);
    let checked = block.check(at(bytes.start), at(bytes.end));
    checked.map_err(|_| outside(shared, block, within, bytes, touched, Some(index)))?;
    failure::check_failed(image.job(), rank)?;
    if image.memory().is_of_team(block.offset) {
        let holders = holders(image, block.offset);
        if holders.position_of(rank).is_none() {
            let images = holders.len();
            return Err(Error::Invalid(format!(
                "{rank} does not have this memory, which a team of {} allocated",
                counted(images, "image")
            )));
        }
    } else if !recent.contain(block.offset + within, 1) {
        recent.note(*block, within);
    }
    Ok(Location { rank, offset: block.offset + within })
}

/// As [`place_in`], of `bytes` bytes. Of none there is no place: any address will do, as at the end of a block, where the last part of
/// a loop may have nothing to copy.
///
/// # Errors
/// Those of [`place_in`].
pub fn place_of_any(
    set: Result<Rc<ImageSet>>,
    index: c_int,
    shared: Shared,
    bytes: usize,
) -> Result<Option<Location>> {
    if bytes > 0 {
        let end = i64::try_from(bytes).unwrap_or(i64::MAX);
        return place_in(set, index, shared, 0..end, Touched::Bytes).map(Some);
    }
    let rank = set?.rank_of_index(index.into())?;
    failure::check_failed(instance().image.job(), rank)?;
    Ok(None)
}

/// As [`place_in`], of `bytes` bytes on an image of a team.
pub fn place_of(team: TeamHandle, index: c_int, shared: Shared, bytes: usize) -> Result<Location> {
    let end = i64::try_from(bytes).unwrap_or(i64::MAX);
    place_in(set_of(team), index, shared, 0..end, Touched::Bytes)
}

/// The place of a variable of `len` bytes on an image of a team.
///
/// # Errors
/// Those of [`place_in`]; a variable that is not aligned to `len` bytes.
pub fn place_of_word(
    team: TeamHandle,
    index: c_int,
    shared: Shared,
    len: usize,
) -> Result<Location> {
    aligned(shared, place_of(team, index, shared, len)?, len)
}

/// The place of `count` variables of `len` bytes on this image, one after the other.
///
/// # Errors
/// When they are in no block; when they are not aligned to `len` bytes.
pub fn own_words(shared: Shared, count: usize, len: usize) -> Result<Location> {
    let Instance { image, registry, .. } = instance();
    let registry = registry.borrow();
    let (id, within) = registry.find(image, shared.at.start()).ok_or_else(|| unshared(shared))?;
    let block = registry.get(id).expect("found just now");
    let bytes = i64::try_from(count.saturating_mul(len)).unwrap_or(i64::MAX);
    let checked = block.check(within as i64, (within as i64).saturating_add(bytes));
    checked.map_err(|_| outside(shared, block, within, 0..bytes, Touched::Bytes, None))?;
    let at = Location { rank: image.rank(), offset: block.offset + within };
    aligned(shared, at, len)
}

/// As [`own_words`], of one variable.
pub fn own_word(shared: Shared, len: usize) -> Result<Location> {
    own_words(shared, 1, len)
}

fn aligned(shared: Shared, at: Location, len: usize) -> Result<Location> {
    if at.offset.is_multiple_of(len as u64) {
        return Ok(at);
    }
    let Shared { at, name } = shared;
    let (start, bytes) = (at.start(), counted(len, "byte"));
    Err(Error::Invalid(format!("{name} ({start:p}) is not aligned to {bytes}")))
}
