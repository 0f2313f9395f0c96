//! Image indices that are numbers of nodes, from 1: of coarrays that the directive `coarray on` maps onto nodes, and of
//! statements after the directive `image`.

use crate::c::argument::List;
use crate::c::global::{ObjectHandle, nodes_of};
use crate::entry::cfi::Descriptor;
use crate::gfortran_abi::Outcome as Status;
use crate::process::{enter, instance, run_time_error};
use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_coarray::front_end::{
    sync_all, sync_all_active, sync_images, sync_images_all, sync_memory,
};
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// Image indices beyond this one are those among all images, of images that do not execute. `gnu::token` has the same number.
const PRIMARY: c_int = 1 << 30;

/// Executes an inquiry, which ends the job after an error.
fn asked(body: impl FnOnce() -> Result<c_int>) -> c_int {
    let _entered = enter();
    body().unwrap_or_else(|error| run_time_error("coarray", &error))
}

/// The image index of a node.
fn image_of(nodes: ObjectHandle, number: i64) -> Result<c_int> {
    let image = &instance().image;
    let nodes = nodes_of(nodes)?;
    let position = usize::try_from(number.saturating_sub(1)).ok();
    let rank = position.and_then(|position| nodes.nodes.members().rank(position));
    let rank = rank.ok_or_else(|| {
        Error::Invalid(format!("image index {number} of a coarray on nodes: there is no such node"))
    })?;
    Ok(match image.executing().position_of(rank) {
        Some(position) => position as c_int + 1,
        None => PRIMARY + rank.image() as c_int,
    })
}

/// The cosubscript `dim` (from 1) of a number from 1. The last codimension has no end.
fn cosubscript(number: c_int, dim: usize, lower: &[c_int], upper: &[c_int]) -> c_int {
    let mut before = number - 1;
    for (lower, upper) in lower.iter().zip(upper).take(dim - 1) {
        before /= upper - lower + 1;
    }
    let at = dim - 1;
    lower[at] + if dim == lower.len() { before } else { before % (upper[at] - lower[at] + 1) }
}

/// A list of a number for each codimension, and the codimension.
fn cobounds<'a>(
    dim: c_int,
    corank: c_int,
    lists: [(&str, List<c_int>); 2],
) -> Result<(usize, [&'a [c_int]; 2])> {
    let corank = usize::try_from(corank).unwrap_or(0);
    let wrong = || Error::Invalid(format!("codimension {dim} of {corank}"));
    let dim =
        usize::try_from(dim).ok().filter(|dim| (1..=corank).contains(dim)).ok_or_else(wrong)?;
    let [(one, first), (other, second)] = lists;
    Ok((dim, [first.of(one, corank)?, second.of(other, corank)?]))
}

/// The image index of a node.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fortran_image(nodes: ObjectHandle, number: i64) -> c_int {
    asked(|| image_of(nodes, number))
}

/// The cosubscript by which the compiler finds the image of the node that the cosubscripts `at` mean.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fortran_cosubscript(
    nodes: ObjectHandle,
    dim: c_int,
    corank: c_int,
    at: List<i64>,
    lower: List<c_int>,
    upper: List<c_int>,
) -> c_int {
    asked(|| {
        let (dim, [lower, upper]) = cobounds(dim, corank, [("lower", lower), ("upper", upper)])?;
        let (mut number, mut stride) = (1_i64, 1_i64);
        for ((at, &lower), &upper) in at.of("at", lower.len())?.iter().zip(lower).zip(upper) {
            let (lower, upper) = (i64::from(lower), i64::from(upper));
            number = at.saturating_sub(lower).saturating_mul(stride).saturating_add(number);
            stride = stride.saturating_mul(upper - lower + 1);
        }
        Ok(cosubscript(image_of(nodes, number)?, dim, lower, upper))
    })
}

/// The cosubscript of this image among nodes; 0 if it is not one of them.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fortran_this_image(
    nodes: ObjectHandle,
    dim: c_int,
    corank: c_int,
    lower: List<c_int>,
    upper: List<c_int>,
) -> c_int {
    asked(|| {
        let (dim, [lower, upper]) = cobounds(dim, corank, [("lower", lower), ("upper", upper)])?;
        let position = nodes_of(nodes)?.nodes.members().position(instance().image.rank());
        Ok(position.map_or(0, |position| cosubscript(position as c_int + 1, dim, lower, upper)))
    })
}

/// Executes a statement of nodes. Without `stat=`, an error ends the job.
fn statement(
    operation: &'static str,
    nodes: ObjectHandle,
    (stat, errmsg): (Option<&Cell<c_int>>, Option<&Descriptor>),
    body: impl FnOnce(&Image, &Rc<ImageSet>) -> Result<()>,
) {
    let _entered = enter();
    let execute = || {
        let (image, nodes) = (&instance().image, nodes_of(nodes)?);
        let set = image.set(nodes.nodes.members().clone())?;
        if set.position().is_none() {
            let why = "this image is not one of the nodes of the IMAGE directive";
            return Err(Error::Invalid(why.into()));
        }
        body(image, &set)
    };
    let message = errmsg.map_or(&[][..], Descriptor::characters);
    Status::new(operation, stat).with_errmsg(message).deliver(execute());
}

/// SYNC ALL.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fortran_sync_all(
    nodes: ObjectHandle,
    stat: Option<&Cell<c_int>>,
    errmsg: Option<&Descriptor>,
) {
    statement("sync all", nodes, (stat, errmsg), |image, set| match stat {
        Some(_) => sync_all_active(image, set),
        None => sync_all(image, set),
    });
}

/// SYNC IMAGES (*).
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fortran_sync_all_images(
    nodes: ObjectHandle,
    stat: Option<&Cell<c_int>>,
    errmsg: Option<&Descriptor>,
) {
    statement("sync images", nodes, (stat, errmsg), |image, set| sync_images_all(image, set));
}

/// SYNC IMAGES with some images.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fortran_sync_images(
    nodes: ObjectHandle,
    count: c_int,
    images: List<i64>,
    stat: Option<&Cell<c_int>>,
    errmsg: Option<&Descriptor>,
) {
    statement("sync images", nodes, (stat, errmsg), |image, set| {
        if count == 0 {
            return sync_memory(image);
        }
        let images = images.of("images", usize::try_from(count).unwrap_or(0))?;
        // An index of an image is a default integer.
        let index = |&index: &i64| set.rank_of_index(index).map(|_| index as c_int);
        sync_images(image, set, &images.iter().map(index).collect::<Result<Vec<_>>>()?)
    });
}
