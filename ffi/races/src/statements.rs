//! Variables of image control statements, coindexed objects, collective and atomic subroutines that `libxmprt.so` reads and writes: lists
//! of images, ACQUIRED_LOCK=, STAT=, ERRMSG= and COUNT=. Image control statements define them after they have synchronised: after the call.

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

/// Whether gfortran 16 or a later version has compiled the program, which passes variables in more cases (the link step says it).
fn is_since_16() -> bool {
    #[unsafe(naked)]
    extern "C" fn version() -> usize {
        std::arch::naked_asm!(
            ".weak xmp_gfortran_abi",
            "mov rax, qword ptr [rip + xmp_gfortran_abi@GOTPCREL]",
            "ret",
        )
    }
    version() >= 16
}

/// Before version 16 gfortran passes another address than that of ERRMSG=, which nothing is written to.
fn defined_since_16(call: &Call, stat: usize) {
    defined(call, stat, is_since_16());
}

/// SYNC ALL, SYNC MEMORY, END TEAM.
extern "C" fn stat_first(call: &Call) {
    defined_since_16(call, 0);
}

/// SYNC IMAGES.
extern "C" fn stat_third(call: &Call) {
    defined_since_16(call, 2);
}

/// CHANGE TEAM and SYNC TEAM, which have STAT= since version 16.
extern "C" fn stat_of_team(call: &Call) {
    if is_since_16() {
        defined(call, 1, true);
    }
}

/// FORM TEAM, which has STAT= since version 16.
extern "C" fn stat_of_new_team(call: &Call) {
    if is_since_16() {
        defined(call, 3, true);
    }
}

/// Statements that are no image control statements. ERRMSG=, which errors of some of them define, is not entered.
macro_rules! stat_of_statements {
    ($($name:ident: $($number:literal)+;)+) => {$(
        extern "C" fn $name(call: &Call) {
            $(defined(call, $number, false);)+
        }
    )+};
}

stat_of_statements! {
    stat_2: 2;
    stat_4: 4;
    stat_6: 6;
    stat_8: 8;
    stat_9: 9;
    stat_11: 11;
    stat_12: 12;
    stat_13: 13;
    stat_9_and_10: 9 10;
}

/// A copy between two images by gfortran 15 and later: STAT= of the destination, TEAM=, TEAM_NUMBER=, STAT= of the source; since 16 the
/// latter is the second.
extern "C" fn stat_of_both(call: &Call) {
    defined(call, 16, false);
    defined(call, if is_since_16() { 17 } else { 19 }, false);
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
    nothing, stat_of_team: "caf_" "change_team" "sync_team";
    nothing, stat_of_new_team: "caf_" "form_team";
    nothing, stat_and_errmsg: "caf_" "event_post" "event_wait" "unlock";
    nothing, locked: "caf_" "lock";
}

// These are no image control statements: the call may be entered before, and the library gets the return address of the program.
wrapped! {
    stat_2: "caf_" "co_broadcast" "co_sum" "co_min" "co_max";
    stat_4: "caf_" "co_reduce" "atomic_define" "atomic_ref";
    stat_6: "caf_" "atomic_cas" "atomic_op";
    queried: "caf_" "event_query";
    stat_9: "caf_" "get" "send";
    stat_13: "caf_" "sendget";
    stat_8: "caf_" "get_by_ref" "send_by_ref";
    stat_9_and_10: "caf_" "sendget_by_ref";
    stat_12: "caf_" "get_from_remote";
    stat_11: "caf_" "send_to_remote";
    stat_of_both: "caf_" "transfer_between_remotes";
}
