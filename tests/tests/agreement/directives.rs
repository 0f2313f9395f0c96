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
