//! Directives of XcalableMP that some nodes execute otherwise, or leave out.

use std::time::Duration;
use xmp_tests::{Program, Run};

/// On the other nodes it met the end of the program, which is a synchronisation, too.
#[test]
fn a_last_barrier_that_one_node_leaves_out_is_found_at_the_end_of_the_program() {
    let program = Program::xmp_c(&["left_out"]).build();
    for hosts in [1, 2, 4] {
        for check in ["0", "1"] {
            let run = |place: &str| {
                let run = Run::new(&program).images(4).virtual_hosts(hosts).args([place]);
                run.env("XMP_CHECK", check).finish()
            };
            for place in ["program", "nodes"] {
                let outcome = run(place);
                outcome.exited_with(1).within(Duration::from_secs(60));
                // Whichever image is the first one to report it.
                let text = &outcome.stderr;
                let names = ["barrier: ", "end of the program: "];
                assert!(names.iter().any(|name| text.contains(name)), "{place}: {text}");
                assert!(!text.contains("deadlock"), "{place}: {text}");
            }
            run("nobody").succeeded().silent();
        }
    }
}

/// Nodes that need no elements of others went on, with other elements than the directives of the others say.
#[test]
fn a_gmove_of_other_sections_in_which_no_node_sends_anything_is_an_error_on_one_host() {
    let program = Program::xmp_c(&["other_sections"]).build();
    for check in ["0", "1"] {
        for images in [2, 4] {
            let run = Run::new(&program).images(images).env("XMP_CHECK", check);
            let outcome = run.clone().finish();
            outcome.exited_with(1).within(Duration::from_secs(60)).stdout_is("");
            outcome.stderr_line_with(&["other_sections.c:", "gmove"]);
            run.args(["whole"]).finish().succeeded().silent();
        }
    }
}

/// Each node computes by its own template where elements are: loops executed elements twice, and a gmove took another element.
#[test]
fn templates_that_nodes_fix_differently_are_errors() {
    let program = Program::xmp_c(&["fixed_otherwise"]).build();
    for hosts in [1, 3] {
        for check in ["0", "1"] {
            let run = |what| {
                let run = Run::new(&program).images(3).virtual_hosts(hosts).args([what]);
                run.env("XMP_CHECK", check).finish()
            };
            for (what, fault) in [
                (
                    "bounds",
                    "template_fix: t: image 1 gives the bounds 0:15, 0:7, image 2 0:16, 0:7",
                ),
                (
                    "later bounds",
                    "template_fix: t: image 1 gives the bounds 0:15, 0:7, image 3 0:15, 0:8",
                ),
                (
                    "blocks",
                    "template_fix: parts: image 1 and image 2 give different sizes of blocks",
                ),
            ] {
                let outcome = run(what);
                outcome.exited_with(1).within(Duration::from_secs(60)).stdout_is("");
                outcome.stderr_line_with(&["fixed_otherwise.c:", fault]);
            }
            let outcome = run("not at all");
            outcome.exited_with(1).within(Duration::from_secs(60)).stdout_is("");
            outcome.stderr_line_with(&["fixed_otherwise.c:"]);
            run("alike").succeeded().silent();
        }
    }
}

/// Between hosts a node took what was in its memory for the elements that another node did not send.
#[test]
fn directives_with_other_parts_of_arrays_on_a_node_are_errors_between_hosts_too() {
    let program = Program::xmp_c(&["other_parts"]).build();
    for (images, hosts) in [(3, 1), (3, 2), (3, 3), (6, 3)] {
        for check in ["0", "1"] {
            let run = |what| {
                let run = Run::new(&program).images(images).virtual_hosts(hosts).args([what]);
                run.env("XMP_CHECK", check).finish()
            };
            for (what, directive) in [("widths", "reflect: a"), ("sections", "gmove: b")] {
                let outcome = run(what);
                outcome.exited_with(1).within(Duration::from_secs(60)).stdout_is("");
                outcome.stderr_line_with(&["other_parts.c:", directive]);
            }
            run("in the background").exited_with(1).within(Duration::from_secs(120)).stdout_is("");
            run("alike").succeeded().silent();
        }
    }
}
