//! Team numbers: the teams that `TEAM_NUMBER=` specifiers name.

use crate::process::instance;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Rank, Result};
use xmp_teams::Team;

/// The images of the sibling of the current team with this number; -1 is the initial team.
///
/// # Errors
/// When there is none.
pub fn numbered(image: &Image, number: i32) -> Result<Rc<ImageSet>> {
    match number {
        -1 => Ok(image.stack().initial()),
        number => Team::current(image).sibling(image, number.into()),
    }
}

/// The rank of an image index in the team of a `TEAM_NUMBER=` specifier - the initial team (-1), the current team or a
/// sibling of it -, for a coarray whose memory starts at `offset`.
///
/// # Errors
/// When there is no such team; when the coarray was allocated within the current team, or within the initial one, so
/// that not all images of the other one have it; [`Error::ImageIndex`].
pub fn rank_in_numbered_team(number: c_int, index: c_int, offset: u64) -> Result<Rank> {
    let image = &instance().image;
    let current = Team::current(image);
    let set = numbered(image, number)?;
    let has_coarray = match number {
        -1 => Team::initial(image),
        _ if current.number() == i64::from(number) => current,
        // What the parent has, all that it has formed have.
        _ => Team::parent(image),
    };
    has_coarray.check_coindexable(image, offset)?;
    set.rank_of_index(index.into())
}
