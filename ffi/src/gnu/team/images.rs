//! THIS_IMAGE and NUM_IMAGES. (GNU-LIBCAF sections 2 and 10)
//!
//! gfortran 12 to 15 pass DISTANCE, a number of teams to go outwards from the current one, and what FAILED says; 16
//! passes a team and a team number.

use super::specifier::team_with;
use crate::entry::entries;
use crate::gfortran_abi::Outcome;
use crate::gnu::version::{Convention, Since16, convention};
use crate::process::{any_thread, enter, numbered};
use std::ffi::{c_int, c_void};
use std::rc::Rc;
use xmp_core::image_set::ImageSet;
use xmp_core::job::page::ImageState;
use xmp_core::{Error, Image, Result};
use xmp_teams::Team;

entries! {
    /// THIS_IMAGE(): `distance` up to gfortran 15, a team by value or null since.
    fn _gfortran_caf_this_image(team_or_distance: *mut c_void) -> c_int {
        let image = &any_thread().image;
        if is_current(team_or_distance) {
            return own_index(image).0 as c_int;
        }
        let _entered = enter();
        let index = set_of(image, team_or_distance).and_then(|set| match set.position() {
            Some(position) => Ok(position as c_int + 1),
            None => Err(Error::Invalid("this image is not in the team".into())),
        });
        Outcome::value("this_image", index)
    }

    /// NUM_IMAGES(): `distance` and `failed` up to gfortran 15, a team by value or null and the address of a team
    /// number or null since. `failed` 0 counts the images that have not failed, 1 the others, -1 all.
    fn _gfortran_caf_num_images(
        team_or_distance: *mut c_void,
        number_or_failed: Since16<'_, i32>,
    ) -> c_int {
        let image = &any_thread().image;
        let (number, failed) = (number_or_failed.get(), number_or_failed.addr() as c_int);
        let of_all = match convention() {
            Convention::Until15 => failed == -1,
            Convention::Since16 => number.is_none(),
        };
        if of_all && is_current(team_or_distance) {
            return own_index(image).1 as c_int;
        }
        let _entered = enter();
        let count = match (convention(), number) {
            (Convention::Until15, _) => {
                set_of(image, team_or_distance).map(|set| counted(image, &set, failed))
            }
            // A team that is not there has no images; programs ask in order to find that out.
            (_, Some(&number)) => Ok(numbered(image, number.into()).map_or(0, |set| set.len())),
            (_, None) => set_of(image, team_or_distance).map(|set| set.len()),
        };
        Outcome::value("num_images", count.map(|count| count as c_int))
    }
}

/// The index of this image and the number of images: none in a process that an image has forked, for which [`enter`]
/// ends the program with a message.
#[inline(always)]
fn own_index(image: &Image) -> (u32, u32) {
    let (index, images) = image.stack().index_and_size();
    if images == 0 {
        drop(enter());
    }
    (index, images)
}

/// Whether the first argument stands for the current team. That is answered for any thread: OpenMP regions ask which
/// image they are in.
#[inline]
fn is_current(team_or_distance: *mut c_void) -> bool {
    match convention() {
        // A distance is 32 bits; what is above them is undefined.
        Convention::Until15 => team_or_distance.addr() as c_int == 0,
        Convention::Since16 => team_or_distance.is_null(),
    }
}

/// The executing set, or that of the team that the first argument says.
fn set_of(image: &Image, team_or_distance: *mut c_void) -> Result<Rc<ImageSet>> {
    // A distance is 32 bits; what is above them is undefined.
    match (convention(), team_or_distance.addr() as c_int) {
        (Convention::Since16, _) if team_or_distance.is_null() => Ok(image.executing()),
        (Convention::Since16, _) => Ok(team_with(team_or_distance)?.set().clone()),
        (Convention::Until15, 0) => Ok(image.executing()),
        (Convention::Until15, distance) => {
            let distance = usize::try_from(distance).map_err(|_| {
                Error::Invalid(format!("DISTANCE= is {distance}, and not 0 or more"))
            })?;
            Ok(Team::ancestor(image, distance).set().clone())
        }
    }
}

/// The images of the set that have not failed (0) or have failed (1), or all.
fn counted(image: &Image, set: &ImageSet, failed: c_int) -> usize {
    let count = || {
        let has_failed = |&rank: &_| image.job().state(rank) == ImageState::Failed;
        set.ranks().filter(has_failed).count()
    };
    match failed {
        0 => set.len() - count(),
        1 => count(),
        _ => set.len(),
    }
}
