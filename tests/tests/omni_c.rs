//! Programs that the Omni XcalableMP compiler could have made of XMP/C: small ones, with its calls in its order.

use std::process::Command;
use xmp_tests::matrix::conforms_program;
use xmp_tests::toolchain::toolchain;
use xmp_tests::{Program, Run};

fn conforms(name: &str) {
    conforms_program(&Program::omni_c(name), name);
}

#[test]
fn blocks_with_shadows() {
    conforms("laplace");
}

#[test]
fn tasks() {
    conforms("tasks");
}

#[test]
fn mappings_and_moves() {
    conforms("mapping");
}

#[test]
fn coarrays_and_posts() {
    conforms("coarrays");
}

#[test]
fn an_image_that_has_stopped() {
    conforms("stopped");
}

/// As before version 1.3 of the specification.
#[test]
fn images_that_count_from_1() {
    let program = Program::omni_c("coarrays").build();
    for hosts in [1, 2] {
        let run = Run::new(&program).images(3).virtual_hosts(hosts).env("XMP_C_FIRST_IMAGE", "1");
        run.finish().succeeded().silent();
    }
    let run = Run::new(&program).images(2).env("XMP_C_FIRST_IMAGE", "2");
    let words = ["setting XMP_C_FIRST_IMAGE: value \"2\" is not 0 or 1"];
    run.finish().exited_with(2).stderr_line_with(&words);
}

#[test]
fn locks() {
    conforms("locks");
}

#[test]
fn sizes_of_nodes_from_the_environment() {
    let program = Program::omni_c("stars").build();
    let run = |columns: &str| {
        Run::new(&program).images(6).env("XMP_NODE_SIZE0", columns).args([columns]).finish()
    };
    run("2").succeeded().silent();
    run("3").succeeded().silent();
}

/// Cases of `wrong.c`, and words of the message that they end with.
const WRONG: [(&str, &[&str]); 21] = [
    ("nodes", &["nodes: (5) needs 5 nodes, there are 2"]),
    ("fewer", &["nodes: a node array of all images is of 1, but there are 2 images"]),
    ("unfixed", &["loop: the template is not fixed: its shape is not known yet"]),
    ("cyclic", &["distribute: dimension 1: blocks of 0 indices"]),
    (
        "outside",
        &["align: dimension 1: indices 0:11 are aligned with 0:11 of a template dimension 0:9"],
    ),
    (
        "gblock",
        &[
            "distribute: dimension 1: the sizes of gblock sum to 1, the extent of the dimension is 10",
        ],
    ),
    ("width", &["reflect: dimension 1: width 2 is more than the shadow of 1"]),
    ("shape", &["gmove", "shape (3) is assigned from shape (4)"]),
    ("task", &["task: on: image 2 is needed, but is not among those that execute this"]),
    (
        "coarray",
        &["end of a task: memory that images share was allocated in the task and not freed"],
    ),
    ("mapping", &["an array as argument: an array argument is distributed in another way"]),
    ("kind", &["reflect", "does not describe a distributed array"]),
    ("null", &["barrier: a null descriptor instead of"]),
    ("section", &["side: dimension 1: 5:13 is not within 0:9"]),
    ("free", &["xmp_free: the array is not one of xmp_malloc"]),
    ("pop", &["end of a task: no task was entered"]),
    ("unlocked", &["unlock: the lock variable is not locked"]),
    ("locked", &["lock: the lock variable is already locked by this image"]),
    ("beyond", &["lock: element 2 is not in 0:1"]),
    ("subscript", &["put to a coarray: subscript 5 of dimension 2 is not in 0:4"]),
    ("small", &["lock: elements of 4 bytes are no xmp_lock_t"]),
];

#[test]
fn wrong_calls_are_reported() {
    let program = Program::omni_c("wrong").build();
    for (case, words) in WRONG {
        for hosts in [1, 2] {
            let outcome = Run::new(&program).images(2).virtual_hosts(hosts).args([case]).finish();
            outcome.exited_with(1).stderr_line_with(words);
            for twice in ["reflect: reflect:", "gmove: gmove:"] {
                outcome.stderr_without(twice);
            }
        }
    }
}

/// The other library comes first in the order of the program's objects.
#[test]
fn a_program_with_the_other_library_too_is_refused() {
    let library = toolchain().prefix().join("lib/libxmprt.so");
    let mut program = Command::new(Program::omni_c("tasks").build());
    let output = program.env("LD_PRELOAD", library).output().expect("the program");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(1) && text.contains("linked with libxmprt.so, too"),
        "{text}"
    );
}
