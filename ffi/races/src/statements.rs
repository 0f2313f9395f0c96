//! Variables of image control statements, collective and atomic subroutines that `libxmprt.so` reads and writes: lists of images,
//! ACQUIRED_LOCK=, STAT=, ERRMSG= and COUNT=. Image control statements define them after they have synchronised: after the call.

use crate::call::{Call, enclosed, wrapped};

const INTEGER: usize = size_of::<i32>();

extern "C" fn nothing(_: &Call) {}

/// SYNC IMAGES with a list: the number of images, and the list. A negative number is all images.
extern "C" fn listed(call: &Call) {
    let count = usize::try_from(call.argument(0) as i32).unwrap_or(0);
    call.variable(1, count * INTEGER, false);
}

/// Enters that the variable of STAT= is defined; after an error that of ERRMSG= as well, whose characters and length follow.
fn defined(call: &Call, stat: usize, has_errmsg: bool) {
    call.variable(stat, INTEGER, true);
    let status = std::ptr::with_exposed_provenance::<i32>(call.argument(stat));
    // SAFETY: null or the address of the variable, which was defined.
    if has_errmsg && unsafe { status.as_ref() }.is_some_and(|&status| status != 0) {
        call.text((stat + 2, stat + 1), 1, true);
    }
}

// ERRMSG= of these is not entered: before version 16 gfortran passes another address to image control statements.

extern "C" fn stat_first(call: &Call) {
    defined(call, 0, false);
}

extern "C" fn stat_third(call: &Call) {
    defined(call, 2, false);
}

extern "C" fn stat_fifth(call: &Call) {
    defined(call, 4, false);
}

extern "C" fn stat_seventh(call: &Call) {
    defined(call, 6, false);
}

/// EVENT POST, EVENT WAIT, UNLOCK.
extern "C" fn stat_and_errmsg(call: &Call) {
    defined(call, 3, true);
}

/// LOCK: ACQUIRED_LOCK= before STAT=.
extern "C" fn locked(call: &Call) {
    call.variable(3, INTEGER, true);
    defined(call, 4, true);
}

/// EVENT_QUERY: COUNT= before STAT=.
extern "C" fn queried(call: &Call) {
    call.variable(3, INTEGER, true);
    defined(call, 4, false);
}

enclosed! {
    nothing, stat_first: "caf_" "sync_all" "sync_memory" "end_team";
    listed, stat_third: "caf_" "sync_images";
    nothing, stat_and_errmsg: "caf_" "event_post" "event_wait" "unlock";
    nothing, locked: "caf_" "lock";
}

// These are no image control statements: the call may be entered before, and the library gets the return address of the program.
wrapped! {
    stat_third: "caf_" "co_broadcast" "co_sum" "co_min" "co_max";
    stat_fifth: "caf_" "co_reduce" "atomic_define" "atomic_ref";
    stat_seventh: "caf_" "atomic_cas" "atomic_op";
    queried: "caf_" "event_query";
}
