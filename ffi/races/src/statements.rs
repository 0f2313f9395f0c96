//! Variables of image control statements, coindexed objects, collective and atomic subroutines that `libxmprt.so` reads and writes: lists
//! of images, ACQUIRED_LOCK=, STAT= and COUNT=. Image control statements define them after they have synchronised: after the call.
//! `libxmprt.so` enters ERRMSG= itself where it defines it.

use crate::call::{Call, enclosed, wrapped};

const INTEGER: usize = size_of::<i32>();

extern "C" fn nothing(_: &Call) {}

/// SYNC IMAGES with a list: the number of images, and the list. A negative number is all images.
extern "C" fn listed(call: &Call) {
    let count = usize::try_from(call.argument(0) as i32).unwrap_or(0);
    call.variable(1, count * INTEGER, false);
}

/// Enters that the variable of STAT= is defined.
fn defined(call: &Call, stat: usize) {
    call.variable(stat, INTEGER, true);
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

/// CHANGE TEAM and SYNC TEAM, which have STAT= since version 16.
extern "C" fn stat_of_team(call: &Call) {
    if is_since_16() {
        defined(call, 1);
    }
}

/// FORM TEAM, which has STAT= since version 16.
extern "C" fn stat_of_new_team(call: &Call) {
    if is_since_16() {
        defined(call, 3);
    }
}

/// Statements whose variables of STAT= are these arguments.
macro_rules! stat_of_statements {
    ($($name:ident: $($number:literal)+;)+) => {$(
        extern "C" fn $name(call: &Call) {
            $(defined(call, $number);)+
        }
    )+};
}

stat_of_statements! {
    stat_0: 0;
    stat_2: 2;
    stat_3: 3;
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
    defined(call, 16);
    defined(call, if is_since_16() { 17 } else { 19 });
}

/// LOCK: ACQUIRED_LOCK= before STAT=.
extern "C" fn locked(call: &Call) {
    call.variable(3, INTEGER, true);
    defined(call, 4);
}

/// EVENT_QUERY: COUNT= before STAT=.
extern "C" fn queried(call: &Call) {
    call.variable(3, INTEGER, true);
    defined(call, 4);
}

enclosed! {
    nothing, stat_0: "caf_" "sync_all" "sync_memory" "end_team";
    listed, stat_2: "caf_" "sync_images";
    nothing, stat_of_team: "caf_" "change_team" "sync_team";
    nothing, stat_of_new_team: "caf_" "form_team";
    nothing, stat_3: "caf_" "event_post" "event_wait" "unlock";
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
