//! Inquiries about coarrays: memory, cobounds, image indices.

use super::arrays::{Results, Vector};
use super::dummies::{Address, TeamVariable};
use super::handle::Handle;
use super::table::procedures;
use super::team_variable::set_of;
use crate::process::{instance, numbered};
use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Result};

procedures! {
    /// Associates an address with a coarray and all its aliases, for this image.
    plain fn set_context_data(coarray_handle: Handle, context_data: Address) {
        coarray_handle.coarray("coarray_handle")?.established().context.set(context_data.0.cast());
        Ok(())
    }

    /// The address that prif_set_context_data has associated with a coarray; null if it has not been called.
    plain fn get_context_data(coarray_handle: Handle, context_data: &Cell<Address>) {
        let context = coarray_handle.coarray("coarray_handle")?.established().context.get();
        context_data.set(Address(context.cast()));
        Ok(())
    }

    /// The size of a coarray as it was allocated.
    plain fn size_bytes(coarray_handle: Handle, data_size: &Cell<usize>) {
        data_size.set(coarray_handle.coarray("coarray_handle")?.established().block.size as usize);
        Ok(())
    }

    /// The address of a coarray on this image.
    plain fn local_data_pointer(coarray_handle: Handle, local_data: &Cell<Address>) {
        let coarray = coarray_handle.coarray("coarray_handle")?;
        local_data.set(Address(coarray.local(&instance().image)));
        Ok(())
    }

    /// LCOBOUND(COARRAY).
    entered fn lcobound_no_dim(coarray_handle: &Handle, lcobounds: &Results<i64>) {
        lcobounds.set("lcobounds", coarray_handle.coarray("coarray_handle")?.bounds.lower())
    }

    /// LCOBOUND(COARRAY, DIM).
    entered fn lcobound_with_dim(coarray_handle: &Handle, dim: &c_int, lcobound: &Cell<i64>) {
        let bounds = &coarray_handle.coarray("coarray_handle")?.bounds;
        lcobound.set(bounds.lower()[bounds.dim(*dim)?]);
        Ok(())
    }

    /// UCOBOUND(COARRAY): the last one by the number of images of the current team.
    entered fn ucobound_no_dim(coarray_handle: &Handle, ucobounds: &Results<i64>) {
        let bounds = &coarray_handle.coarray("coarray_handle")?.bounds;
        ucobounds.set("ucobounds", &bounds.upper(instance().image.executing().len()))
    }

    /// UCOBOUND(COARRAY, DIM).
    entered fn ucobound_with_dim(coarray_handle: &Handle, dim: &c_int, ucobound: &Cell<i64>) {
        let bounds = &coarray_handle.coarray("coarray_handle")?.bounds;
        let dim = bounds.dim(*dim)?;
        ucobound.set(bounds.upper(instance().image.executing().len())[dim]);
        Ok(())
    }

    /// COSHAPE(COARRAY).
    entered fn coshape(coarray_handle: &Handle, sizes: &Results<usize>) {
        let bounds = &coarray_handle.coarray("coarray_handle")?.bounds;
        let shape = bounds.shape(instance().image.executing().len());
        let shape: Vec<usize> = shape.into_iter().map(|extent| extent as usize).collect();
        sizes.set("sizes", &shape)
    }

    /// IMAGE_INDEX(COARRAY, SUB): 0 if no image has these cosubscripts.
    entered fn image_index(coarray_handle: &Handle, sub: &Vector<i64>, image_index: &Cell<c_int>) {
        image_index.set(index_in(*coarray_handle, sub, &*set_of(None)?)?);
        Ok(())
    }

    /// IMAGE_INDEX(COARRAY, SUB, TEAM).
    entered fn image_index_with_team(
        coarray_handle: &Handle,
        sub: &Vector<i64>,
        team: &TeamVariable,
        image_index: &Cell<c_int>,
    ) {
        image_index.set(index_in(*coarray_handle, sub, &*set_of(Some(team))?)?);
        Ok(())
    }

    /// IMAGE_INDEX(COARRAY, SUB, TEAM_NUMBER): of the initial team (-1), the current team or a sibling of it.
    entered fn image_index_with_team_number(
        coarray_handle: &Handle,
        sub: &Vector<i64>,
        team_number: &i64,
        image_index: &Cell<c_int>,
    ) {
        let set = numbered(&instance().image, *team_number)?;
        image_index.set(index_in(*coarray_handle, sub, &set)?);
        Ok(())
    }

    /// The index in the initial team of the image with these cosubscripts in the current team.
    entered fn initial_team_index(
        coarray_handle: &Handle,
        sub: &Vector<i64>,
        initial_team_index: &Cell<c_int>,
    ) [_: stat] {
        initial_team_index.set(initial_index(*coarray_handle, sub, set_of(None)?)?);
        Ok(())
    }

    /// The index in the initial team of the image with these cosubscripts in a team.
    entered fn initial_team_index_with_team(
        coarray_handle: &Handle,
        sub: &Vector<i64>,
        team: &TeamVariable,
        initial_team_index: &Cell<c_int>,
    ) [_: stat] {
        initial_team_index.set(initial_index(*coarray_handle, sub, set_of(Some(team))?)?);
        Ok(())
    }

    /// The index in the initial team of the image with these cosubscripts in the team of this number: the initial team
    /// (-1), the current team or a sibling of it.
    entered fn initial_team_index_with_team_number(
        coarray_handle: &Handle,
        sub: &Vector<i64>,
        team_number: &i64,
        initial_team_index: &Cell<c_int>,
    ) [_: stat] {
        let set = numbered(&instance().image, *team_number)?;
        initial_team_index.set(initial_index(*coarray_handle, sub, set)?);
        Ok(())
    }
}

/// The 1-based index in a set of the image with these cosubscripts; 0 if there is none.
///
/// # Errors
/// An unknown handle; not as many cosubscripts as codimensions.
fn index_in(handle: Handle, sub: &Vector<i64>, set: &ImageSet) -> Result<c_int> {
    let bounds = &handle.coarray("coarray_handle")?.bounds;
    let position = bounds.position(&sub.values(), set.len())?;
    Ok(position.map_or(0, |position| position as c_int + 1))
}

/// The 1-based index in the initial team of the image with these cosubscripts in a set.
///
/// # Errors
/// Those of [`index_in`]; when there is none.
fn initial_index(handle: Handle, sub: &Vector<i64>, set: Rc<ImageSet>) -> Result<c_int> {
    let index = index_in(handle, sub, &set)?;
    match set.rank_at((index as usize).wrapping_sub(1)) {
        Some(rank) => Ok(rank.image() as c_int),
        None => Err(Error::Invalid(format!(
            "sub {:?}: no image of the {} has these cosubscripts",
            sub.values(),
            set.len()
        ))),
    }
}
