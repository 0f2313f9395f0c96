//! Programs that the Omni XcalableMP compiler could have made of XMP/C: small ones, with its calls in its order.

use xmp_tests::Program;
use xmp_tests::matrix::conforms_program;

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
