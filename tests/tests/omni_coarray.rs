//! Programs that the Omni XcalableMP compiler could have made of coarray Fortran, with its calls in its order; and a C
//! program on the object interface below them.

use serial_test::serial;
use xmp_tests::matrix::conforms_program;
use xmp_tests::{Program, Run};

fn conforms(name: &str) {
    conforms_program(&Program::omni_coarray(name), name);
}

#[test]
fn types() {
    conforms("kinds");
}

#[test]
fn sections() {
    conforms("sections");
}

#[test]
fn allocatables() {
    conforms("allocatables");
}

#[test]
fn synchronisation() {
    conforms("synchronisation");
}

#[test]
fn collectives() {
    conforms("collectives");
}

#[test]
fn cobounds() {
    conforms("cobounds");
}

#[test]
fn registered_variables() {
    conforms("registered");
}

#[test]
fn tasks_and_directives() {
    conforms("regions");
}

#[test]
fn objects_in_c() {
    conforms_program(&Program::omni_c("xmpco"), "xmpco");
}

/// Runs a program on 3 images of 2 hosts with this setting; it must be silent.
fn conforms_with(name: &str, settings: &[(&str, &str)]) {
    let program = Program::omni_coarray(name).build();
    let mut run = Run::new(&program).images(3).virtual_hosts(2);
    for (variable, value) in settings {
        run = run.env(variable, value);
    }
    run.finish().succeeded().silent();
}

#[test]
#[serial]
fn methods_do_the_same() {
    for name in ["kinds", "sections", "allocatables", "collectives"] {
        conforms_with(name, &[("XMPF_COARRAY_METHOD", "ra")]);
        conforms_with(name, &[("XMPF_COARRAY_POOL", "100")]);
        conforms_with(name, &[("XMPF_COARRAY_SYNCPUT", "1")]);
    }
}

/// Runs the case of `bad.f90` on 3 images; it must end with a message that has all of these words.
fn refused(case: &str, words: &[&str]) {
    let program = Program::omni_coarray("bad").build();
    Run::new(&program).images(3).args([case]).finish().exited_with(1).stderr_line_with(words);
}

#[test]
#[serial]
fn bad_input_ends_the_program() {
    refused("image", &["put: coarray 'x': image index 4 is not in 1:3"]);
    refused("nothing", &["get: coarray 'x': image index 0 is not in 1:3"]);
    refused(
        "beyond",
        &["put: coarray 'x': bytes 4000000 to 4000015 are not within the coarray of 16 bytes"],
    );
    refused("shape", &["put: coarray 'x': the shapes do not conform: (3)", "(4)"]);
    refused("unallocated", &["get: the coarray is not allocated"]);
    refused("deallocated", &["get: coarray 'a': it is not allocated"]);
    refused("twice", &["allocate: coarray 'a': it is allocated already"]);
    refused("negative", &["allocate: a coarray of -1 elements"]);
    refused("differ", &["allocate: image 1 allocates 24 bytes, image 2 28 bytes"]);
    refused("too_large", &["allocate: out of memory: 1.8 EiB requested"]);
    refused("cosubscript", &["image index: coarray 'x': cosubscript 1 is 3, which is not in 1:2"]);
    refused("kind", &["cobound: KIND=8 is not supported, only default integer"]);
    refused("sync", &["sync images: image index 4 is not in 1:3"]);
    refused("root", &["co_broadcast: image index 0 is not in 1:3"]);
    refused("critical", &["end critical: the lock variable is not locked"]);
    refused("lock", &["xmp_lock: image index 4 is not in 1:3"]);
    refused("astray", &["xmp_lock: the lock is in no coarray"]);
    refused("half", &["xmp_lock: offset 4 does not address a lock variable"]);
    refused("tag", &["end of procedure: 0x3039 is not the tag of a procedure"]);
    refused("static", &["deallocate: coarray 'x': the coarray is not allocatable"]);
    refused("late", &["a static coarray is announced after the pool was made"]);
    refused("left", &["end task: coarray 'a' allocated in the task is still allocated at its end"]);
    refused("outside", &["deallocate: coarray 'a': the coarray was allocated outside of the task"]);
}
