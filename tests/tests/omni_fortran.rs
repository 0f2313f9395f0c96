//! Programs that the Omni XcalableMP compiler could have made of XMP/Fortran: small ones, with its calls in its order.

use serial_test::serial;
use xmp_tests::matrix::conforms_program;
use xmp_tests::{Program, Run};

fn conforms(name: &str) {
    conforms_program(&Program::omni_fortran(name), name);
}

#[test]
fn loops() {
    conforms("loops");
}

#[test]
fn shadows() {
    conforms("shadows");
}

#[test]
fn gmoves() {
    conforms("moves");
}

#[test]
fn nodes_that_differ_from_image_to_image() {
    conforms("families");
}

#[test]
fn tasks() {
    conforms("tasks");
}

#[test]
fn procedures_on_whole_arrays() {
    conforms("procedures");
}

#[test]
fn array_arguments() {
    let program = Program::omni_fortran("arguments").build();
    for images in [1, 2, 3] {
        let run = |case: &str| Run::new(&program).images(images).args([case]).finish();
        run("assumed").succeeded().silent();
        let outcome = run("cyclic");
        outcome.succeeded();
        if images > 1 {
            outcome.stderr_line_with(&[
                "image",
                "warning: an array argument is distributed in another way",
                "this node has 4 elements from number",
            ]);
        }
    }
}

/// Runs the case of `bad.f90` on 3 images; it must end with a message that has all of these words.
fn refused(case: &str, words: &[&str]) {
    let program = Program::omni_fortran("bad").build();
    let outcome = Run::new(&program).images(3).args([case]).finish();
    outcome.exited_with(1).stderr_line_with(words);
    for twice in ["reflect: reflect:", "gmove: gmove:"] {
        outcome.stderr_without(twice);
    }
}

#[test]
#[serial]
fn bad_input_ends_the_program() {
    refused("nodes", &["nodes: (4) needs 4 nodes, there are 3"]);
    refused("star", &["nodes: (2,*) needs a multiple of 2 nodes, there are 3"]);
    refused("unfixed", &["align: the template is not fixed"]);
    refused(
        "align",
        &["align: dimension 1: indices 1:12 are aligned with 2:13 of a template dimension 1:12"],
    );
    refused(
        "gblock",
        &[
            "distribute: dimension 1: the sizes of gblock sum to 9, the extent of the dimension is 12",
        ],
    );
    refused("reflect", &["reflect: dimension 1: width 2 is more than the shadow of 1"]);
    refused("gmove", &["gmove: shape (5) is assigned from shape (4)"]);
    refused("outside", &["side: dimension 1: 1:13 is not within 1:12"]);
    refused("task", &["task:", "image 2 is needed, but is not among those that execute this"]);
    refused("end", &["end task: no task was entered"]);
    refused("post", &["xmp_post: there is no node 4 of 3"]);
    refused("descriptor", &["reflect: a null descriptor instead of a distributed array"]);
    refused("kind", &["barrier:", "does not describe a reference"]);
    refused("operator", &["reduction: there is no reduction operator 399"]);
    refused("local", &["gmove: both sides are local"]);
    refused("allocated", &["reflect: the array is not allocated"]);
    refused(
        "argument",
        &[
            "an array argument is distributed in another way than the array that is passed",
            "this node has 4 elements from number",
            "(with 1 other ones before and 1 after them) where it comes from",
        ],
    );
    refused("matmul", &["xmp_matmul: the product is assigned to one of its factors"]);
}
