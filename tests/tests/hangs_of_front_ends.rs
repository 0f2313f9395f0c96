//! Hangs of programs that enter the library elsewhere than those of `hangs.rs`: messages have the words of their language,
//! and name the statement, directive or call.

use serial_test::serial;
use xmp_tests::Program;
use xmp_tests::mistakes::{Case, Mistakes};
use xmp_tests::toolchain::crate_dir;

const BOTH: &[u32] = &[1, 2];

/// Checks mistakes of three images, of which the first one waits in `first` and the others, for it, in one of `others`.
fn are_diagnosed(mistakes: &Mistakes, first: &str, others: &[[&str; 2]]) {
    for &[mistake, operation] in others {
        let expected = format!("image 1: {first}; images 2, 3: {operation}, wait for image 1");
        for &hosts in BOTH {
            let outcome = mistakes.run(mistake, 3, hosts).finish();
            mistakes.is_diagnosed(&outcome, &expected, &format!("{mistake}, {hosts} hosts"));
        }
    }
}

#[test]
#[serial]
fn functions_of_c() {
    let mistakes =
        Mistakes::of(&Program::c("hangs").argument("-g"), &crate_dir().join("c/hangs.c"));
    are_diagnosed(
        &mistakes,
        "xmprt_sync_images, {sync images}, waits for image 2",
        &[
            ["sync", "xmprt_sync, {sync}"],
            ["form team", "xmprt_form_team, {form team}"],
            ["change team", "xmprt_change_team, {change team}"],
            ["end team", "xmprt_end_team, {end team}"],
            ["co_sum", "xmprt_co_sum, {co_sum}"],
            ["allocate", "xmprt_allocate, {allocate}"],
            ["barrier on", "barrier, {barrier on}"],
        ],
    );
    // Any image could change the value.
    for &hosts in BOTH {
        let outcome = mistakes.run("wait_until", 3, hosts).finish();
        let expected = "image 1: xmprt_sync_images, {sync images}, waits for image 2; \
                        images 2, 3: xmprt_wait_until64 (byte 0 of a block of 8 bytes), {wait_until}";
        mistakes.is_diagnosed(&outcome, expected, &format!("wait_until, {hosts} hosts"));
        let outcome = mistakes.run("event", 3, hosts).finish();
        let expected = "images 1, 3: xmprt_sync, {others of event of C}, wait for image 2; \
                        image 2: xmprt_event_wait (byte 16 of a block of 48 bytes), {event of C}, needs 1 post";
        mistakes.is_diagnosed(&outcome, expected, &format!("event, {hosts} hosts"));
        let outcome = mistakes.run("lock", 3, hosts).finish();
        let expected = "images 1, 3: lock (byte 40 of a block of 48 bytes on image 3), {lock of C}, wait for image 2; \
                        image 2: xmprt_event_wait (byte 16 of a block of 48 bytes), {event of C}, needs 1 post";
        mistakes.is_diagnosed(&outcome, expected, &format!("lock, {hosts} hosts"));
    }
}

/// Begun operations that no other image begins: also with more images than processors.
#[test]
#[serial]
fn operations_of_c_in_the_background() {
    let mistakes =
        Mistakes::of(&Program::c("hangs").argument("-g"), &crate_dir().join("c/hangs.c"));
    for (images, hosts) in [(2, 1), (3, 1), (4, 1), (8, 1), (2, 2), (3, 2), (4, 2), (8, 3)] {
        let outcome = mistakes.run("sync against begun", images, hosts).finish();
        outcome.exited_with(1).stdout_is("");
        let message = mistakes.without_directories(&outcome.stderr);
        let place = mistakes.with_lines("image 2: xmprt_sync, {sync against begun}, waits for");
        assert!(message.starts_with("xmp: deadlock: "), "{images} on {hosts}: {message}");
        assert!(message.contains(&place), "{images} on {hosts}: {message}");
        let place = mistakes.with_lines("xmprt_wait, {begun against sync}, wait");
        assert!(message.contains(&place), "{images} on {hosts}: {message}");
    }
    let first = "image 1: xmprt_sync_images, {sync images}, waits for image 2";
    for [mistake, operation] in [
        ["begun co_sum", "xmprt_wait, {begun co_sum}"],
        ["any of two", "xmprt_wait_any, {any of two}"],
        ["sync beside begun", "xmprt_sync, {sync beside begun}"],
    ] {
        let expected = format!("{first}; image 2: {operation}, waits for image 1");
        for &hosts in BOTH {
            let outcome = mistakes.run(mistake, 2, hosts).finish();
            mistakes.is_diagnosed(&outcome, &expected, &format!("{mistake}, {hosts} hosts"));
        }
    }
}

#[test]
#[serial]
fn statements_that_call_prif() {
    let program = Program::fortran("prif/hangs").with("with_prif").argument("-O0");
    let mistakes = Mistakes::of(&program, &crate_dir().join("fortran/prif/hangs.f90"));
    are_diagnosed(
        &mistakes,
        "event wait (byte 0 of a coarray of 8 bytes), {event wait}, needs 1 post",
        &[
            ["sync all", "sync all, {sync all}"],
            ["sync images", "sync images, {sync images}"],
            ["sync team", "sync team, {sync team}"],
            ["form team", "form team, {form team}"],
            ["change team", "change team, {change team}"],
            ["end team", "end team, {end team}"],
            ["co_sum", "co_sum, {co_sum}"],
            ["lock", "lock (byte 0 of a coarray of 8 bytes on image 1), {lock}"],
            ["critical", "critical, {critical}"],
            ["allocate", "allocate, {allocate}"],
            ["deallocate", "deallocate, {deallocate}"],
        ],
    );
}

/// Functions that only translated programs in Fortran call had their own names in messages.
#[test]
#[serial]
fn directives_of_xcalablemp_in_fortran() {
    let program = Program::xmp_fortran(&["hangs.f90"]).argument("-g").argument("-O0");
    let mistakes = Mistakes::of(&program, &crate_dir().join("fortran-xmp/hangs.f90"));
    are_diagnosed(
        &mistakes,
        "wait, {wait}, needs 1 post",
        &[
            ["barrier", "barrier, {barrier}"],
            ["bcast", "bcast, {bcast}"],
            ["reduction", "reduction, {reduction}"],
            ["located", "reduction, {located}"],
            ["loop", "reduction, {loop}"],
            ["reflect", "reflect, {reflect}"],
            ["gmove", "gmove, {gmove}"],
            ["local gmove", "gmove, {local gmove}"],
            ["sync all", "sync all, {sync all}"],
        ],
    );
    // Beside coarrays types are named by their sizes.
    let outcome = mistakes.run("types", 3, 1).finish();
    let types =
        "image 1 wants the maximum of integers of 4 bytes, image 2 the maximum of reals of 4 bytes";
    outcome.exited_with(1).stderr_line_with(&["hangs.f90:", "reduction: ", types]);
}

#[test]
#[serial]
fn directives_of_xcalablemp() {
    let program = Program::xmp_c(&["hangs"]).argument("-g").argument("-O0");
    let mistakes = Mistakes::of(&program, &crate_dir().join("c/xmp/hangs.c"));
    are_diagnosed(
        &mistakes,
        "wait, {wait}, needs 1 post",
        &[
            ["barrier", "barrier, {barrier}"],
            ["bcast", "bcast, {bcast}"],
            ["reduction", "reduction, {reduction}"],
            ["reflect", "reflect, {reflect}"],
            ["gmove", "gmove, {gmove}"],
            ["bcast async", "wait_async, {bcast async}"],
            ["loop", "reduction, {loop}"],
            ["task", "barrier, {barrier in a task}"],
        ],
    );
    let others: &[Case] = &[
        (
            "reflect async",
            2,
            BOTH,
            "image 1: barrier, {instead of reflect async}, waits for image 2; \
             image 2: wait_async, {wait_async}, waits for image 1",
        ),
        (
            "wait for a node",
            3,
            BOTH,
            "image 1: wait (tag 4), {wait for a node}, waits for image 2; \
             images 2, 3: xmp_sync_all, {xmp_sync_all}, wait for image 1",
        ),
        (
            "sync image",
            3,
            BOTH,
            "image 1: xmp_sync_image, {xmp_sync_image}, waits for image 3; \
             images 2, 3: barrier, {others of sync image}, wait for image 1",
        ),
    ];
    mistakes.are_diagnosed(others);
}
