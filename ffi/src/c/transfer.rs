//! Copies to and from other images.

use super::argument::{Data, Shared, place};
use super::outcome::{OK, inquiries, outcome};
use super::request::{RequestHandle, begun_put};
use super::shared::{place_of_any, reached};
use super::team::{TeamHandle, set_of};
use super::team_handle::sibling;
use crate::entry::entries;
use crate::process::instance;
use std::cell::Cell;
use std::ffi::c_int;
use xmp_coarray::front_end::Location;
use xmp_coarray::front_end::plan::copy_block;
use xmp_coarray::front_end::races::{self, AccessedElements};
use xmp_coarray::front_end::transfer::{MemoryRef, get, put};
use xmp_core::{Image, Result};

/// The place on an image of a team beside the current one.
fn sibling_place(
    number: i64,
    image: c_int,
    shared: Shared,
    bytes: usize,
) -> Result<Option<Location>> {
    place_of_any(sibling(number), image, shared, bytes)
}

/// The direction in which bytes are copied, with the memory of this image.
#[derive(Clone, Copy)]
enum Direction {
    Put(Data),
    Get(Data),
}

impl Direction {
    /// The memory of this image, and its name in messages.
    #[inline(always)]
    fn own(self) -> (Data, &'static str) {
        match self {
            Direction::Put(from) => (from, "from"),
            Direction::Get(to) => (to, "to"),
        }
    }

    /// Copies by loads and stores.
    ///
    /// # Safety
    /// Both sides have `bytes` bytes, whose accesses the program orders.
    #[inline(always)]
    unsafe fn copy(self, there: *mut u8, bytes: usize) {
        // SAFETY: the contract of this function.
        unsafe {
            match self {
                Direction::Put(from) => copy_block(there, from.start(), bytes),
                Direction::Get(to) => copy_block(to.start(), there, bytes),
            }
        }
    }
}

/// Executes a copy between own memory and a place on another image. What loads and stores reach is copied outside the lock of
/// the image, so that several threads copy at the same time. Returns where a put goes on, if that is on another host.
#[inline(never)]
fn copy(
    function: &str,
    way: Direction,
    bytes: usize,
    place: impl FnOnce() -> Result<Option<Location>>,
) -> (c_int, Option<Location>) {
    let (mut reached, mut sent) = (None, None);
    let code = outcome(function, || {
        let Some(at) = place()? else { return Ok(()) };
        let (own, name) = way.own();
        own.not_null(name)?;
        let image = &instance().image;
        let sides = [MemoryRef::of(image, at), MemoryRef::Local(own.start())];
        let [there, here] = sides.map(|base| AccessedElements::block(base, bytes));
        match way {
            Direction::Put(_) => races::transfer(image, there, here),
            Direction::Get(_) => races::transfer(image, here, there),
        }
        reached = image.local_address(at.rank, at.offset);
        if reached.is_some() {
            return Ok(());
        }
        // A get is complete.
        sent = matches!(way, Direction::Put(_)).then_some(at);
        remote(image, way, at, bytes)
    });
    if let Some(there) = reached {
        // SAFETY: the contract of entries: this image's side has `bytes` bytes; the other one is within a block, as checked.
        unsafe { way.copy(there, bytes) };
    }
    (code, sent)
}

fn remote(image: &Image, way: Direction, at: Location, bytes: usize) -> Result<()> {
    // SAFETY: the contract of entries: this image's side has `bytes` bytes; the other one is within a block, as checked.
    unsafe {
        match way {
            Direction::Put(from) => put(image, at, from.start(), bytes),
            Direction::Get(to) => get(image, at, to.start(), bytes),
        }
    }
}

/// Copies to or from the image with this index in a team, if the fast path can; whether it did.
#[inline(always)]
fn is_copied(way: Direction, team: TeamHandle, image: c_int, shared: Data, bytes: usize) -> bool {
    match reached(team, image, shared, bytes) {
        Some((_, there)) if !way.own().0.start().is_null() => {
            // SAFETY: the contract of entries: this image's side has `bytes` bytes; the other one is within a block, as found.
            unsafe { way.copy(there, bytes) };
            true
        }
        _ => false,
    }
}

/// Declares the copies of a way: of the whole entry, and the slow path, which has its arguments in the same registers, so that the
/// entry jumps there and keeps nothing for it.
macro_rules! copies {
    ($($way:ident($to:ident, $from:ident) $own:ident $shared:ident: $entry:ident $slow:ident $begin:ident $slow_begin:ident,)+) => {$(
        entries! {
            /// Copies to or from an image of a team.
            pub fn $entry(team: TeamHandle, image: c_int, $to: Data, $from: Data, bytes: usize) -> c_int {
                if is_copied(Direction::$way($own), team, image, $shared, bytes) {
                    return OK;
                }
                $slow(team, image, $to, $from, bytes)
            }

            /// Begins a copy to or from an image of a team.
            pub fn $begin(
                team: TeamHandle, image: c_int, $to: Data, $from: Data, bytes: usize,
                request: Option<&Cell<RequestHandle>>,
            ) -> c_int {
                if let Some(request) = request && is_copied(Direction::$way($own), team, image, $shared, bytes) {
                    request.set(0);
                    return OK;
                }
                $slow_begin(team, image, $to, $from, bytes, request)
            }
        }

        #[inline(never)]
        extern "C" fn $slow(team: TeamHandle, image: c_int, $to: Data, $from: Data, bytes: usize) -> c_int {
            let place = || place_of_any(set_of(team), image, $shared.called(stringify!($shared)), bytes);
            copy(stringify!($entry), Direction::$way($own), bytes, place).0
        }

        #[inline(never)]
        extern "C" fn $slow_begin(
            team: TeamHandle, image: c_int, $to: Data, $from: Data, bytes: usize,
            request: Option<&Cell<RequestHandle>>,
        ) -> c_int {
            let function = stringify!($begin);
            let Some(request) = request else {
                return outcome(function, || place(request, "request").map(drop));
            };
            let place = || place_of_any(set_of(team), image, $shared.called(stringify!($shared)), bytes);
            let (code, sent) = copy(function, Direction::$way($own), bytes, place);
            if code == OK {
                request.set(sent.map_or(0, |at| begun_put(at.rank)));
            }
            code
        }
    )+};
}

copies! {
    Put(to, from) from to: xmprt_put any_put xmprt_begin_put any_begun_put,
    Get(to, from) to from: xmprt_get any_get xmprt_begin_get any_begun_get,
}

entries! {
    /// Copies to an image of a team beside the current one.
    pub fn xmprt_sibling_put(number: i64, image: c_int, to: Data, from: Data, bytes: usize) -> c_int {
        copy("xmprt_sibling_put", Direction::Put(from), bytes, || sibling_place(number, image, to.called("to"), bytes)).0
    }

    /// Copies from an image of a team beside the current one.
    pub fn xmprt_sibling_get(number: i64, image: c_int, to: Data, from: Data, bytes: usize) -> c_int {
        copy("xmprt_sibling_get", Direction::Get(to), bytes, || sibling_place(number, image, from.called("from"), bytes)).0
    }
}

inquiries! {
    /// The number of images of a team beside the current one.
    fn xmprt_sibling_images(number: i64) -> c_int {
        sibling(number).map(|set| set.len() as c_int)
    }
}
