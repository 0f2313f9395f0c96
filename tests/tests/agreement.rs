//! `XMP_CHECK=1`: images that do not call the same get an error instead of waiting for one another.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;
use xmp_tests::mistakes::Mistakes;
use xmp_tests::toolchain::crate_dir;
use xmp_tests::{Outcome, Program, Run};

/// Four images, the third of which calls something else, on each number of hosts.
fn disagree(operation: &str) -> Vec<Outcome> {
    // Without optimisation, which joins the calls of two branches to one on one line.
    let program = Program::fortran("faults/disagreement").argument("-O0").build();
    let run = Run::new(program).images(4).env("XMP_CHECK", "1").args([operation]);
    [1, 2].map(|hosts| run.clone().virtual_hosts(hosts).finish()).into()
}

/// It ends the job with these words in the one message.
fn ends_with_message(operation: &str, words: &[&str]) {
    for outcome in disagree(operation) {
        outcome.exited_with(1).within(Duration::from_secs(300)).stdout_is("");
        outcome.stderr_line_with(words);
        assert_eq!(outcome.stderr.lines().count(), 1, "one message:\n{}", outcome.stderr);
    }
}

#[test]
fn sums_of_different_sizes() {
    let words = [
        "co_sum: image 1 gives 10 elements (",
        "disagreement.f90:18), image 3 gives 12 (",
        ".f90:16)",
    ];
    ends_with_message("sizes", &words);
}

#[test]
fn sums_of_different_types() {
    let words = [
        "co_sum: image 1 wants the sum of real(8) (",
        "disagreement.f90:42), image 3 the sum of integer(4) (",
        "disagreement.f90:40)",
    ];
    ends_with_message("types", &words);
}

#[test]
fn different_collective_subroutines() {
    let words =
        ["image 1 executes co_max (", "disagreement.f90:48), image 3 co_broadcast (", ".f90:46)"];
    ends_with_message("collectives", &words);
}

/// Without the check: image 3 is at another statement.
#[test]
fn form_team_beside_another_statement_leads_to_the_check() {
    let program = Program::fortran("faults/disagreement").build();
    let outcome = Run::new(program).images(4).args(["form-team"]).finish();
    outcome.exited_with(1).within(Duration::from_secs(120)).stdout_is("");
    outcome.stderr_line_with(&[
        "image 3 executes another statement than image 1: XMP_CHECK=1 names both",
    ]);
}

#[test]
fn images_that_ask_for_stat_go_on() {
    for operation in ["sizes-stat", "operations-stat"] {
        for outcome in disagree(operation) {
            outcome.succeeded();
            assert_eq!(outcome.stdout, "status 7000\n".repeat(4));
        }
    }
}

#[test]
fn some_form_teams_and_others_synchronise() {
    ends_with_message(
        "form-team",
        &["image 1 executes form team (", "disagreement.f90:36), image 3 sync all (", ".f90:34)"],
    );
}

#[test]
fn images_that_agree_do_not_notice() {
    for outcome in disagree("nothing") {
        outcome.succeeded();
        assert_eq!(outcome.stdout, "good\n".repeat(4));
    }
}

/// A few numbers on one host are compared always.
#[test]
fn small_sums_of_different_types_are_found_without_the_check() {
    let program = Program::fortran("faults/disagreement").argument("-O0").build();
    let outcome = Run::new(program).images(4).args(["small-types"]).finish();
    outcome.exited_with(1).within(Duration::from_secs(300)).stdout_is("");
    outcome.stderr_line_with(&["co_sum: image", "the sum of real(8)", "the sum of integer(4)"]);
}

/// What image 2 does, and what the images say that execute the statement.
const ALLOCATIONS: [(&str, &str); 20] = [
    (
        "size",
        "allocate: image 1 allocates a coarray of 10 elements, image 2 a coarray of 20 elements",
    ),
    ("order", "allocate: image 1 and image 2 allocate different coarrays, of the same size"),
    (
        "component",
        "allocate: image 1 allocates a coarray of 5 elements, image 2 a coarray of 4 elements",
    ),
    (
        "shape",
        "allocate: image 1 allocates a coarray of shape (3, 2), image 2 a coarray of shape (2, 3)",
    ),
    (
        "other deallocate",
        "deallocate: image 1 deallocates a coarray of 10 elements, image 2 another one, a coarray of 10 elements",
    ),
    ("no allocate", "image 2"),
    (
        "lower bound",
        "image 1 allocates a coarray with the bounds (1:3, 1:5)[*], image 2 a coarray with the bounds (0:2, 1:5)[*]",
    ),
    (
        "cobound",
        "image 1 allocates a coarray with the bounds (1:2, 0:1)[1:2, *], image 2 a coarray with the bounds (1:2, 0:1)[1:1, *]",
    ),
    (
        "lower cobound",
        "image 1 allocates a coarray with the cobounds [*], image 2 a coarray with the cobounds [0:*]",
    ),
    (
        "far bounds",
        "image 1 and image 2 allocate a coarray of different bounds, cobounds or dynamic types",
    ),
    (
        "several",
        "image 1 and image 2 allocate coarrays of different sizes, bounds, cobounds or dynamic types",
    ),
    (
        "nothing in it",
        "image 1 allocates a coarray of shape (0, 3), image 2 a coarray of shape (0, 2)",
    ),
    (
        "length",
        "image 1 allocates a coarray of 1 element of 10 bytes, image 2 a coarray of 1 element of 20 bytes",
    ),
    (
        "lengths",
        "image 1 allocates a coarray of 3 elements of 10 bytes, image 2 a coarray of 3 elements of 20 bytes",
    ),
    ("type", "image 1 and image 2 allocate a coarray of different dynamic types"),
    ("types", "image 1 and image 2 allocate a coarray of different dynamic types"),
    (
        "extension without components",
        "image 1 and image 2 allocate a coarray of different dynamic types",
    ),
    ("local type", "image 1 and image 2 allocate a coarray of different dynamic types"),
    // The compiler has read the status before the images compare.
    (
        "bounds and stat",
        "image 1 allocates a coarray with the bounds (1:2, 2:3)[1:1, *], image 2 a coarray with the bounds (1:2, 3:4)[1:1, *]",
    ),
    (
        "stat",
        "allocate: image 1 allocates a coarray of shape (3, 5), image 2 a coarray of shape (2, 5)",
    ),
];

/// Runs `faults/allocations` with three images.
fn allocate(program: &Path, what: &str, hosts: u32, check: &str) -> Outcome {
    let run = Run::new(program).images(3).virtual_hosts(hosts).args([what]);
    let outcome = run.env("XMP_CHECK", check).finish();
    outcome.within(Duration::from_secs(300));
    outcome
}

#[test]
fn allocations_that_differ_are_errors_without_any_setting() {
    let program = Program::fortran("faults/allocations").argument("-O0").build();
    for (what, message) in ALLOCATIONS {
        for (hosts, check) in [(1, "0"), (3, "0"), (2, "0"), (1, "races"), (1, "1")] {
            let outcome = allocate(&program, what, hosts, check);
            outcome.exited_with(1).stdout_is("");
            outcome.stderr_line_with(&["allocations.f90:", message]);
        }
    }
}

#[test]
fn deallocations_with_stat_that_differ_have_the_same_status_on_all_images() {
    let program = Program::fortran("faults/allocations").argument("-O0").build();
    for hosts in [1, 2, 3] {
        let outcome = allocate(&program, "deallocate stat", hosts, "0");
        outcome.succeeded();
        let lines: Vec<_> = outcome.stdout.lines().collect();
        assert_eq!(lines, ["status 7000"; 3]);
    }
}

#[test]
fn allocations_that_agree_are_no_error() {
    let program = Program::fortran("faults/allocations").argument("-O0").build();
    for images in [1, 2, 7] {
        let outcome = Run::new(&program).images(images).args(["nothing"]).finish();
        outcome.succeeded();
        assert_eq!(outcome.stdout, "good\n".repeat(images as usize));
    }
}

#[test]
fn coarrays_that_images_move_to_other_variables_are_found_at_the_end_of_the_program() {
    let program = Program::fortran("faults/moved").argument("-O0").build();
    let run = |what: &str, hosts: u32| {
        let run = Run::new(&program).images(4).virtual_hosts(hosts).args([what]);
        let outcome = run.finish();
        outcome.within(Duration::from_secs(300));
        outcome
    };
    for hosts in [1, 2] {
        for what in ["another coarray", "to another variable", "sync all", "there and back", "stop"]
        {
            let outcome = run(what, hosts);
            outcome.exited_with(1);
            outcome.stderr_line_with(&[
                "end of the program: image",
                "has not moved the same coarrays by MOVE_ALLOC as image",
                "which has moved",
            ]);
        }
    }
    for hosts in [1, 2, 4] {
        run("nothing", hosts).succeeded().silent();
        let outcome = run("local", hosts);
        outcome.exited_with(1).stderr_line_with(&["moved.f90:", "deallocate: image 1 deallocates"]);
    }
}

/// The operands of image 3 have another length, type, operation or root, without any setting.
#[test]
fn long_collectives_that_differ_are_errors_without_any_setting() {
    let program = Program::fortran("faults/long_disagreement").argument("-O0").build();
    for (what, words) in [
        ("sum", ["co_sum:", "1010", "1020"]),
        ("long sum", ["co_sum:", "101000", "102000"]),
        ("min", ["co_min:", "1010", "1020"]),
        ("reduce", ["co_reduce:", "1010", "1020"]),
        ("broadcast", ["co_broadcast:", "1010", "1020"]),
        ("long broadcast", ["co_broadcast:", "101000", "102000"]),
        ("to one", ["co_sum:", "1010", "1020"]),
    ] {
        for (hosts, check) in [(1, "0"), (1, "races"), (2, "0"), (4, "0")] {
            let run = Run::new(&program).images(4).virtual_hosts(hosts).args([what]);
            let outcome = run.env("XMP_CHECK", check).finish();
            outcome.exited_with(1).within(Duration::from_secs(300)).stdout_is("");
            outcome.stderr_line_with(&words);
        }
    }
    for what in ["type", "operation"] {
        for hosts in [1, 2, 4] {
            let run = Run::new(&program).images(4).virtual_hosts(hosts).args([what]);
            let outcome = run.finish();
            outcome.exited_with(1).within(Duration::from_secs(300)).stdout_is("");
            outcome.stderr_line_with(&["co_"]);
        }
    }
}

#[test]
fn reductions_by_different_functions_are_errors_without_any_setting() {
    let program = Program::fortran("faults/operations").build();
    for hosts in [1, 2] {
        for what in ["one", "many"] {
            for check in ["0", "1", "races"] {
                let run = Run::new(&program).images(3).virtual_hosts(hosts).args([what]);
                let outcome = run.env("XMP_CHECK", check).finish();
                outcome.exited_with(1).within(Duration::from_secs(300)).stdout_is("");
                outcome.stderr_line_with(&["operations.f90:", "co_reduce:", "operation"]);
            }
        }
    }
    let outcome = Run::new(&program).images(3).args(["many"]).finish();
    let words = ["co_reduce: image 1 and image 2 give different operations"];
    outcome.stderr_line_with(&words);
}

#[test]
fn broadcasts_of_different_types_are_errors_without_any_setting() {
    let program = Program::fortran("faults/operations").build();
    for hosts in [1, 2, 3] {
        for what in ["type", "types", "long types"] {
            for check in ["0", "1"] {
                let run = Run::new(&program).images(3).virtual_hosts(hosts).args([what]);
                let outcome = run.env("XMP_CHECK", check).finish();
                outcome.exited_with(1).within(Duration::from_secs(300)).stdout_is("");
                outcome.stderr_line_with(&["operations.f90:", "co_broadcast:"]);
                if hosts == 1 {
                    outcome
                        .stderr_line_with(&["image 2 gives real(4)", "image 1 gives integer(4)"]);
                }
            }
        }
    }
}

/// With as many elements, they were combined or copied in the order of memory, without a message.
#[test]
fn arrays_of_different_shapes_are_errors_without_any_setting() {
    let program = Program::fortran("faults/shapes").build();
    let cases = [
        ("sum", "(2, 3)", "an array of shape (3, 2)"),
        ("vector", "(2, 3)", "a scalar or a vector"),
        ("reduction", "(2, 3)", "an array of shape (3, 2)"),
        ("broadcast", "(2, 3)", "an array of shape (3, 2)"),
        ("long sum", "(300, 400)", "an array of shape (400, 300)"),
        ("long broadcast", "(300, 400)", "an array of shape (400, 300)"),
    ];
    for hosts in [1, 2, 3] {
        for (what, first, second) in cases {
            for check in ["0", "1"] {
                let run = Run::new(&program).images(3).virtual_hosts(hosts).args([what]);
                let outcome = run.env("XMP_CHECK", check).finish();
                outcome.exited_with(1).within(Duration::from_secs(300)).stdout_is("");
                outcome.stderr_line_with(&["shapes.f90:", "co_"]);
                let is_named = check == "1" || (hosts == 1 && what.starts_with("long"));
                // Short operands may go a way on which a number alone is compared.
                let words = if is_named || outcome.stderr.contains("gives an array") {
                    vec![
                        format!("image 1 gives an array of shape {first}"),
                        format!("image 2 gives {second}"),
                    ]
                } else {
                    vec!["another type, shape".to_string()]
                };
                outcome.stderr_line_with(&words.iter().map(String::as_str).collect::<Vec<_>>());
            }
        }
    }
}

/// Of arrays with a shape the number of the call has no room for all.
#[test]
fn another_operation_on_small_arrays_is_not_said_to_be_another_type() {
    let program = Program::fortran("faults/shapes").build();
    for check in ["0", "1"] {
        let run = Run::new(&program).images(3).env("XMP_CHECK", check).args(["operation"]);
        let outcome = run.finish();
        outcome.exited_with(1).stdout_is("").stderr_without("number of elements");
        let is_named = check == "1" || outcome.stderr.contains("co_max");
        let words = if is_named { "image 2 co_max" } else { "executes another" };
        outcome.stderr_line_with(&["shapes.f90:", words]);
    }
}

#[test]
fn after_a_broadcast_of_another_shape_with_stat_the_next_statements_are_right() {
    let program = Program::fortran("faults/shapes").build();
    for images in [2, 3, 4] {
        let outcome = Run::new(&program).images(images).args(["stat"]).finish();
        outcome.succeeded().stdout_is("good\n");
    }
}

#[test]
fn reductions_by_the_same_function_in_different_statements_agree() {
    let program = Program::fortran("faults/operations").build();
    for (images, hosts) in [(1, 1), (2, 1), (7, 1), (4, 2)] {
        let run = Run::new(&program).images(images).virtual_hosts(hosts).args(["alike"]);
        run.finish().succeeded().stdout_is("good\n");
    }
    // Programs that the launcher does not know.
    let script = ["-c", "exec \"$0\" alike"].map(OsString::from);
    let run = Run::new("/bin/sh").images(2).args(script.into_iter().chain([program.into()]));
    run.finish().succeeded().stdout_is("good\n");
}

/// `XMP_CHECK=races` switches no other check off.
#[test]
fn a_look_for_races_finds_small_sums_of_different_types_too() {
    let program = Program::fortran("faults/disagreement").argument("-O0").build();
    let outcome =
        Run::new(program).images(4).env("XMP_CHECK", "races").args(["small-types"]).finish();
    outcome.exited_with(1).within(Duration::from_secs(300)).stdout_is("");
    outcome.stderr_line_with(&["co_sum: image", "the sum of real(8)", "the sum of integer(4)"]);
}

/// Components that no image has allocated are no error; others are.
#[test]
fn broadcasts_of_components_that_no_image_has_allocated_leave_them_so() {
    let program = Program::fortran("faults/absent_components").argument("-O0").build();
    let run = |what: &str, images, hosts| {
        Run::new(&program).images(images).virtual_hosts(hosts).args([what]).finish()
    };
    for (images, hosts) in [(1, 1), (2, 1), (4, 1), (4, 2), (5, 2)] {
        let outcome = run("none", images, hosts);
        outcome.succeeded();
        assert_eq!(outcome.stdout, "good\n".repeat(images as usize));
    }
    for hosts in [1, 2] {
        for what in ["source only", "others only", "sizes"] {
            run(what, 4, hosts).exited_with(1);
        }
        run("sizes", 4, hosts).stderr_line_with(&["co_broadcast:", "elements"]);
    }
    run("source only", 4, 1).stderr_line_with(&["is not allocated on image", "and is on image"]);
}

/// Runs `faults/sources` with these arguments and this many images.
fn sources(
    program: &Path,
    images: u32,
    arguments: [&str; 2],
    variables: &[(&str, &str)],
) -> Outcome {
    let run = Run::new(program).images(images).args(arguments);
    let run = variables.iter().fold(run, |run, (name, value)| run.env(name, value));
    let outcome = run.finish();
    outcome.within(Duration::from_secs(300));
    outcome
}

/// The C library calls the exit handler of the library.
#[test]
fn an_error_that_is_found_by_an_exit_names_the_line_of_the_program_that_exits() {
    let c = Mistakes::of(
        &Program::c("exits_with_error").argument("-O0").argument("-g"),
        &crate_dir().join("c/exits_with_error.c"),
    );
    let fortran = Mistakes::of(
        &Program::fortran("faults/sources").argument("-O0"),
        &crate_dir().join("fortran/faults/sources.f90"),
    );
    let run = |of: &Mistakes, arguments: &[&str]| {
        let run = Run::new(of.program()).images(2).args(arguments).env("XMP_CHECK", "0").finish();
        run.exited_with(1).stderr_without("libc");
        of.without_directories(&run.stderr)
    };
    for (of, arguments) in [(&c, &["exit"][..]), (&fortran, &["few", "exit"])] {
        let text = run(of, arguments);
        assert!(text.starts_with(&of.with_lines("{exit}: image")), "{text}");
        assert!(text.contains(": end of the program: image"), "{text}");
    }
    assert!(run(&c, &["exit"]).contains(&c.with_lines("called from main at {finish}")));
    // Where `main` has returned no line is to be named.
    let text = run(&c, &["return"]);
    assert!(text.starts_with("xmp: image") && text.lines().count() == 1, "{text}");
}

#[test]
fn images_that_each_name_themselves_as_the_source_of_a_short_broadcast_are_found() {
    let program = Program::fortran("faults/sources").argument("-O0").build();
    let differ = "image 1 and image 2 each are the source image of an earlier co_broadcast; XMP_CHECK=1 finds the statement";
    for next in ["sync all", "co_sum", "allocate", "form team", "stop", "end"] {
        for (what, images) in [("few", 2), ("few", 5), ("many", 3)] {
            let outcome = sources(&program, images, [what, next], &[("XMP_CHECK", "0")]);
            outcome.exited_with(1).stdout_is("");
            // At the end of the program any two of them find it.
            let words = match next {
                "stop" | "end" => [
                    "end of the program: image",
                    "each are the source image of an earlier co_broadcast",
                ],
                _ => [next, differ],
            };
            outcome.stderr_line_with(&words);
        }
    }
    for what in ["swapped", "another"] {
        for next in ["sync all", "co_sum", "stop", "end"] {
            for images in [3, 4, 7] {
                let outcome = sources(&program, images, [what, next], &[("XMP_CHECK", "0")]);
                outcome.exited_with(1).stdout_is("").stderr_line_with(&["XMP_CHECK=1 finds the"]);
            }
        }
    }
    for barrier in ["central", "flat", "dissemination", "grouped"] {
        let variables = [("XMP_COLL", &*format!("barrier:{barrier}"))];
        let outcome = sources(&program, 4, ["few", "sync all"], &variables);
        outcome.exited_with(1).stdout_is("").stderr_line_with(&["sync all: ", differ]);
        sources(&program, 4, ["nothing", "sync all"], &variables).succeeded();
    }
    for (what, words) in [
        ("often", "each are the source image of an earlier co_broadcast"),
        ("team", "end team"),
        ("result", "no image names itself as the result image of an earlier co_sum that has one"),
        ("one", "image 1 has executed a co_broadcast in which image 2 has not taken part"),
    ] {
        let outcome = sources(&program, 4, [what, "sync all"], &[]);
        outcome.exited_with(1).stdout_is("").stderr_line_with(&[words]);
    }
    let text = "or had another root in an earlier collective: XMP_CHECK=1 names it";
    for (hosts, images) in [("2", 2), ("3", 3)] {
        for next in ["sync all", "co_sum", "allocate"] {
            for what in ["few", "many", "often", "result"] {
                let outcome =
                    sources(&program, images, [what, next], &[("XMP_VIRTUAL_HOSTS", hosts)]);
                let found_by = if what == "often" { "co_broadcast" } else { next };
                outcome.exited_with(1).stdout_is("").stderr_line_with(&[found_by, text]);
            }
        }
    }
    // The statement itself, with both lines.
    let outcome = sources(&program, 2, ["few", "sync all"], &[("XMP_CHECK", "1")]);
    outcome.exited_with(1).stdout_is("");
    outcome.stderr_line_with(&["sources.f90:19: ", "co_broadcast: the root is image 1 on image 1"]);
}

#[test]
fn images_that_ask_for_stat_learn_of_different_sources_and_go_on_alike() {
    let program = Program::fortran("faults/sources").argument("-O0").build();
    for (images, what) in [(2, "few"), (7, "few"), (3, "many"), (4, "one"), (4, "result")] {
        let outcome = sources(&program, images, [what, "stat"], &[]);
        outcome.succeeded();
        assert_eq!(outcome.stdout, "status 7000\n".repeat(images as usize));
    }
    for next in ["sync all", "co_sum", "allocate", "form team", "stop", "end"] {
        for hosts in ["1", "2", "3"] {
            let variables = [("XMP_VIRTUAL_HOSTS", hosts)];
            sources(&program, 4, ["nothing", next], &variables).succeeded();
        }
    }
}

/// Images of a C program, of which the second reduces by another function.
#[test]
fn reductions_of_c_by_different_functions_are_errors_without_any_setting() {
    let program = Program::c("functions").build();
    for hosts in [1, 2, 3] {
        for way in ["one", "some", "many", "first some", "first many", "begun one", "begun many"] {
            let run = Run::new(&program).images(3).virtual_hosts(hosts).args([way]);
            let outcome = run.env("XMP_CHECK", "0").finish();
            outcome.exited_with(9).within(Duration::from_secs(60)).stdout_is("");
            outcome.stderr_line_with(&["functions.c:", "_co_reduce", "operation"]);
        }
        for way in ["one alike", "many alike", "begun one alike", "begun many alike"] {
            let run = Run::new(&program).images(3).virtual_hosts(hosts).args([way]);
            run.finish().succeeded().silent();
        }
    }
    let outcome = Run::new(&program).images(3).args(["one"]).finish();
    outcome.stderr_line_with(&["xmprt_co_reduce: image 1 and image 2 give different operations"]);
}

#[test]
fn reductions_of_cpp_by_different_functions_are_errors_without_any_setting() {
    let program = Program::cpp("functions_of_cpp", "c++17").build();
    for hosts in [1, 2] {
        for ways in [&[][..], &["begun"]] {
            let outcome = Run::new(&program).images(3).virtual_hosts(hosts).args(ways).finish();
            outcome.exited_with(1).within(Duration::from_secs(60)).stdout_is("");
            outcome.stderr_line_with(&["_co_reduce", "operation"]);
        }
    }
}

/// Reductions `firstmax` and so on, of which one image wants another extreme or gives variables of other types.
#[test]
fn reductions_with_locations_that_differ_are_errors_without_any_setting() {
    let program = Program::xmp_c(&["extremes"]).build();
    let fortran = Program::xmp_fortran(&["extremes.f90"]).build();
    for hosts in [1, 2, 3] {
        for way in ["least", "last", "types", "value", "unsigned", "location"] {
            let run = Run::new(&program).images(3).virtual_hosts(hosts).args([way]);
            let outcome = run.finish();
            outcome.exited_with(1).within(Duration::from_secs(60)).stdout_is("");
            outcome.stderr_line_with(&["extremes.c:", "reduction"]);
        }
        let run = Run::new(&program).images(3).virtual_hosts(hosts).args(["alike"]);
        run.finish().succeeded().silent();
        let outcome = Run::new(&fortran).images(3).virtual_hosts(hosts).finish();
        outcome.exited_with(1).within(Duration::from_secs(60)).stdout_is("");
        outcome.stderr_line_with(&["extremes.f90:", "reduction"]);
    }
}

/// Operations in the background, in which images name themselves as the root, or one another: then each may expect data of the other.
#[test]
fn operations_in_the_background_with_different_roots_are_errors_without_any_setting() {
    let program = Program::c("begun_roots").build();
    for what in ["broadcast", "gather", "scatter", "gatherv", "scatterv"] {
        for bytes in ["4", "20000"] {
            for (images, hosts) in [(2, 1), (3, 1), (2, 2), (4, 2)] {
                let run = |roots| {
                    let run = Run::new(&program).images(images).virtual_hosts(hosts);
                    run.args([what, bytes, roots]).finish()
                };
                run("same").succeeded().silent();
                for roots in ["own", "other"] {
                    let outcome = run(roots);
                    outcome.exited_with(9).within(Duration::from_secs(60)).stdout_is("");
                    outcome.stderr_line_with(&["begun_roots.c:", "_co_", "root"]);
                }
            }
        }
    }
}

#[test]
fn directives_in_the_background_with_different_roots_are_errors_without_any_setting() {
    let program = Program::xmp_c(&["begun_roots"]).build();
    for (images, hosts) in [(2, 1), (3, 1), (2, 2), (3, 2)] {
        let outcome = Run::new(&program).images(images).virtual_hosts(hosts).finish();
        outcome.exited_with(1).within(Duration::from_secs(60)).stdout_is("");
        outcome.stderr_line_with(&["begun_roots.c:", "root"]);
    }
}
