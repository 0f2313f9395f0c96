//! EVENT POST, EVENT WAIT, EVENT_QUERY and NOTIFY WAIT.
//!
//! The contract of entries here: the variable that is named is an event or a notification, which starts with zeros and
//! which only this module and puts with notification access.

use super::dummies::Address;
use super::handle::Handle;
use super::place::{Target, local_word};
use super::table::procedures;
use crate::process::{enter, instance, name_of_own_place};
use std::cell::Cell;
use std::ffi::c_int;
use xmp_coarray::front_end::Location;
use xmp_coarray::front_end::event::{self, EVENT_LEN};
use xmp_core::{Error, Rank, Result};

procedures! {
    /// EVENT POST of the event at `offset` of a coarray on an image of the initial team.
    fast fn event_post(image_num: &c_int, coarray_handle: &Handle, offset: &usize) [_: statement] {
        if let Some((own, event)) = local_word(image_num, *coarray_handle, offset)
            && own.signals_by_stores()
        {
            // SAFETY: an event of that image, by the contract.
            unsafe { event::post_local(own, Rank::new(*image_num as u32 - 1), event) };
            return Ok(());
        }
        post(*image_num, Target::Direct(*coarray_handle, "coarray_handle", *offset))
    }

    /// EVENT POST of the event at the address `event_var_ptr` of an image of the initial team.
    entered fn event_post_indirect(image_num: &c_int, event_var_ptr: &isize) [_: statement] {
        post(*image_num, Target::Indirect(*event_var_ptr, "event_var_ptr"))
    }

    /// EVENT WAIT for `until_count` posts of an event of this image, one without it.
    entered fn event_wait(event_var_ptr: &Address, until_count: Option<&i64>) [_: statement] {
        wait(*event_var_ptr, until_count, "event_var_ptr")
    }

    /// EVENT_QUERY of an event of this image; -1 after an error.
    entered fn event_query(event_var_ptr: &Address, count: &Cell<i64>) [_: stat] {
        let image = &instance().image;
        count.set(-1);
        let at = own_variable(*event_var_ptr, "event_var_ptr")?;
        image.polled();
        // SAFETY: an event, by the contract.
        count.set(unsafe { event::query(image, at)? } as i64);
        Ok(())
    }

    /// NOTIFY WAIT for `until_count` puts with notification, one without it.
    entered fn notify_wait(notify_var_ptr: &Address, until_count: Option<&i64>) [_: statement] {
        wait(*notify_var_ptr, until_count, "notify_var_ptr")
    }
}

/// Posts an event, or notifies, after the puts to that image.
///
/// # Errors
/// Those of [`Target::place`] and [`event::post`].
#[inline(never)]
fn post(image_num: c_int, variable: Target<'_>) -> Result<()> {
    let _entered = enter();
    let at = variable.place_of_word(image_num)?;
    // SAFETY: an event or a notification, by the contract.
    unsafe { event::post(&instance().image, at) }
}

fn wait(variable: Address, until_count: Option<&i64>, argument: &str) -> Result<()> {
    let image = &instance().image;
    let at = own_variable(variable, argument)?;
    // A count less than 1 is the same as 1 (Fortran 2018, 11.6.9).
    let until = until_count.map_or(1, |&count| u64::try_from(count).unwrap_or(1));
    let variable = || name_of_own_place(instance(), at.offset, EVENT_LEN as u64);
    // SAFETY: an event or a notification of this image, by the contract.
    unsafe { event::wait(image, at.offset, until, &variable) }
}

/// The place of a variable of this image.
///
/// # Errors
/// An address outside the memory that images share, or one that is not aligned.
fn own_variable(variable: Address, argument: &str) -> Result<Location> {
    let image = &instance().image;
    let (rank, address) = (image.rank(), variable.0);
    match image.locate_of(rank, address) {
        Some(offset) if offset % EVENT_LEN as u64 == 0 => Ok(Location { rank, offset }),
        Some(_) => Err(Error::Invalid(format!(
            "{argument} {address:p} is not aligned to {EVENT_LEN} bytes"
        ))),
        None => {
            Err(Error::Invalid(format!("{argument} {address:p} is in no coarray of this image")))
        }
    }
}
