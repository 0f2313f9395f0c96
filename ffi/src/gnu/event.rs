//! EVENT POST, EVENT WAIT, EVENT_QUERY. (GNU-LIBCAF section 5)
//!
//! The contract of entries here: a token is one of events, which start at 0 and which only this module accesses.

use super::designator::{Part, awaited, named};
use super::token::{Token, local_word};
use crate::entry::{decode, entries};
use crate::gfortran_abi::{ErrMsg, Outcome, set_ok};
use crate::process::{enter, instance};
use std::cell::Cell;
use std::ffi::{c_char, c_int};
use xmp_coarray::front_end::Location;
use xmp_coarray::front_end::event::{self, EVENT_LEN};
use xmp_core::{Error, Result};

entries! {
    /// EVENT POST.
    fn _gfortran_caf_event_post(
        token: Option<&Token>,
        index: usize,
        image: c_int,
        stat: Option<&Cell<c_int>>,
        errmsg: *mut c_char,
        errmsg_len: usize,
    )
    where errmsg = decode::cells(errmsg, errmsg_len)
    {
        if let Some((own, event)) = local_word::<EVENT_LEN>(token, index, image)
            && own.signals_by_stores()
        {
            let rank = match image {
                0 => own.rank(),
                index => own.stack().rank_of_index(index).expect("it has a segment"),
            };
            // SAFETY: an event of that image, by the contract.
            unsafe { event::post_local(own, rank, event) };
            return set_ok(stat);
        }
        post(token, index, image, stat, errmsg);
    }

    /// EVENT WAIT on an event of this image.
    fn _gfortran_caf_event_wait(
        token: Option<&Token>,
        index: usize,
        until_count: c_int,
        stat: Option<&Cell<c_int>>,
        errmsg: *mut c_char,
        errmsg_len: usize,
    )
    where errmsg = decode::cells(errmsg, errmsg_len)
    {
        let _entered = enter();
        // UNTIL_COUNT less than 1 is the same as 1 (Fortran 2018, 11.6.9).
        let until = u64::try_from(until_count).unwrap_or(1);
        let image = &instance().image;
        let result = event_at(token, index, 0).and_then(|at| {
            // SAFETY: the contract of entries here: an event is there, which only events access.
            if unsafe { event::try_wait(image, at.offset, until) } {
                return Ok(());
            }
            wait(token, index, at.offset, until)
        });
        let outcome = Outcome::new("event wait", stat).with_errmsg(errmsg);
        outcome.deliver_named(result, |error| named("event wait for", token, 0, element(index), error));
    }

    /// EVENT_QUERY.
    fn _gfortran_caf_event_query(
        token: Option<&Token>,
        index: usize,
        image: c_int,
        count: &Cell<c_int>,
        stat: Option<&Cell<c_int>>,
    ) {
        let _entered = enter();
        let result = event_at(token, index, image).and_then(|at| {
            let image = &instance().image;
            image.polled();
            // SAFETY: the contract of entries here: an event is there, which only events access.
            unsafe { event::query(image, at) }
        });
        let outcome = Outcome::new("event_query", stat);
        let name = |error: &Error| named("event_query of", token, image, element(index), error);
        count.set(match outcome.deliver_named(result, name) {
            Some(posts) => c_int::try_from(posts).unwrap_or(c_int::MAX),
            // The standard's value after an error (16.9.72).
            None => -1,
        });
    }
}

/// The slow path of EVENT WAIT: an event of this image at `offset` that has not been posted so often yet.
#[inline(never)]
fn wait(token: Option<&Token>, index: usize, offset: u64, until: u64) -> Result<()> {
    let variable = || awaited(token, 0, element(index));
    // SAFETY: the contract of entries here: an event is there, which only events access.
    unsafe { event::wait(&instance().image, offset, until, &variable) }
}

/// The slow path of EVENT POST: any event.
#[cold]
#[inline(never)]
fn post(
    token: Option<&Token>,
    index: usize,
    image: c_int,
    stat: Option<&Cell<c_int>>,
    errmsg: ErrMsg<'_>,
) {
    let _entered = enter();
    let result = event_at(token, index, image)
        // SAFETY: the contract of entries here: an event is there, which only events access.
        .and_then(|at| unsafe { event::post(&instance().image, at) });
    let outcome = Outcome::new("event post", stat).with_errmsg(errmsg);
    outcome
        .deliver_named(result, |error| named("event post to", token, image, element(index), error));
}

/// An event, in messages.
fn element(number: usize) -> Part<'static> {
    Part::Element { number, len: EVENT_LEN }
}

/// The place of an event on an image; image index 0 is this image.
fn event_at(token: Option<&Token>, index: usize, image: c_int) -> Result<Location> {
    Token::allocated(token)?.element(instance(), image, index, EVENT_LEN)
}
