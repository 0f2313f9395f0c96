//! The arguments of collectives: positions of images, and parts of buffers.

use crate::c::argument::{Data, List};
use crate::c::team::{TeamHandle, set_of};
use std::ffi::c_int;
use std::rc::Rc;
use xmp_collectives::Parts;
use xmp_core::counted::counted;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Result};

/// The 0-based position of an image index.
pub fn position(set: &ImageSet, index: c_int) -> Result<usize> {
    set.rank_of_index(index.into()).map(|_| index as usize - 1)
}

/// The images of a team and the position of the root among them.
pub struct Rooted {
    pub set: Rc<ImageSet>,
    pub root: usize,
}

impl Rooted {
    /// With the image of this index as root.
    pub fn new(team: TeamHandle, index: c_int) -> Result<Rooted> {
        let set = set_of(team)?;
        let root = position(&set, index)?;
        Ok(Rooted { set, root })
    }
}

/// The position of this image, which is in all sets that it has a handle of.
pub fn own_position(set: &ImageSet) -> usize {
    set.position().expect("a member of the set")
}

/// Checks that this image, which is not the root, has not asked for its part of the root's memory.
fn not_in_place(mine: Data) -> Result<()> {
    if mine.is_in_place() {
        return Err(Error::Invalid(
            "mine is XMPRT_IN_PLACE, which is for the image that has the whole only".into(),
        ));
    }
    Ok(())
}

/// The part of this image where all have `bytes` bytes. Checks, on the root, that `all` can have the parts of all
/// images, and that `mine` is its part of `all` or does not overlap it.
pub fn equal_part(
    set: &ImageSet,
    root: usize,
    mine: Data,
    all: Data,
    bytes: usize,
) -> Result<Data> {
    if set.position() != Some(root) {
        not_in_place(mine)?;
        mine.check("mine", bytes, 1)?;
        return Ok(mine);
    }
    all.check("all", bytes, set.len())?;
    if mine.is_in_place() {
        return Ok(all.part(root * bytes));
    }
    mine.check("mine", bytes, 1)?;
    mine.apart(bytes, all, bytes * set.len(), ["mine", "all"])?;
    Ok(mine)
}

/// The part of this image, and its length, where the root has parts of any length; as [`equal_part`].
pub fn given_part(
    set: &ImageSet,
    root: usize,
    mine: Data,
    bytes: usize,
    all: Data,
    parts: &Parts<'_>,
) -> Result<(Data, usize)> {
    if set.position() != Some(root) {
        not_in_place(mine)?;
    } else if mine.is_in_place() {
        return Ok((all.part(parts.offset(root)), parts.len(root)));
    }
    mine.check("mine", bytes, 1)?;
    Ok((mine, bytes))
}

/// Checks parts of `data`, which messages call `name`.
pub fn check_parts(name: &str, data: Data, lens: &[usize], offsets: &[usize]) -> Result<()> {
    for (&len, &offset) in lens.iter().zip(offsets) {
        if len > 0 {
            data.check(name, offset.saturating_add(len), 1)?;
        }
    }
    Ok(())
}

/// Checks that parts to be written do not overlap one another. `name` is the buffer in messages.
pub fn check_apart(name: &str, parts: &Parts<'_>) -> Result<()> {
    let Parts::Given { lens, offsets } = *parts else { return Ok(()) };
    // Most programs give the parts one after the other.
    if (1..lens.len()).all(|i| offsets[i] >= offsets[i - 1].saturating_add(lens[i - 1])) {
        return Ok(());
    }
    let mut order: Vec<usize> = (0..lens.len()).filter(|&i| lens[i] > 0).collect();
    order.sort_by_key(|&i| offsets[i]);
    let overlaps = |pair: &&[usize]| offsets[pair[1]] - offsets[pair[0]] < lens[pair[0]];
    let Some(&[one, other]) = order.windows(2).find(overlaps) else { return Ok(()) };
    let part = |i: usize| format!("{} at offset {}", counted(lens[i], "byte"), offsets[i]);
    Err(Error::Invalid(format!(
        "the parts of image indices {} and {} overlap in {name}: {}, and {}",
        one + 1,
        other + 1,
        part(one),
        part(other)
    )))
}

/// Parts of `data`, one for each image of a team.
pub fn parts<'a>(
    set: &ImageSet,
    name: &str,
    data: Data,
    lens: List<usize>,
    offsets: List<usize>,
) -> Result<Parts<'a>> {
    let lens = lens.of("lens", set.len())?;
    let offsets = offsets.of("offsets", set.len())?;
    check_parts(name, data, lens, offsets)?;
    Ok(Parts::Given { lens, offsets })
}

/// Parts of `data` on the root, one for each image of a team. On the other images the arguments are not looked at.
pub fn parts_of_root<'a>(
    set: &ImageSet,
    root: usize,
    data: Data,
    lens: List<usize>,
    offsets: List<usize>,
) -> Result<Parts<'a>> {
    if set.position() == Some(root) {
        parts(set, "all", data, lens, offsets)
    } else {
        Ok(Parts::Equal(0))
    }
}
