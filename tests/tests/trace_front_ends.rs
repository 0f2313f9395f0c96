//! Traces of programs of the front ends other than gfortran's.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use xmp_tests::Program;
use xmp_tests::timeline::{Timeline, traced_program};
use xmp_tests::toolchain::workspace;

#[test]
fn procedures_of_prif_are_recorded_with_partner_and_bytes() {
    let program = |name: &str| Program::fortran(&format!("prif/{name}")).with("with_prif");
    let timeline = traced_program(program("strided"), 3);
    // Elements of 8 bytes, three by four. Image 3 puts to its right neighbour.
    let count = |name: &str, partner: u64, bytes: u64| {
        let same = |span: &&Value| {
            let about = &span["args"];
            span["name"] == name && about["partner"] == partner && about["bytes"] == bytes
        };
        timeline.of_image("operation", 3).filter(same).count()
    };
    assert_eq!((count("put", 1, 96), count("put with notify", 1, 96)), (2, 4));
    assert_eq!((count("get", 1, 96), count("get", 2, 96)), (1, 1));
    let waits = timeline.of_image("waiting", 3).filter_map(|span| span["name"].as_str());
    assert!(waits.count() > 0);

    let timeline = traced_program(program("teams"), 4);
    let names: BTreeSet<&str> =
        timeline.of_image("operation", 4).filter_map(|span| span["name"].as_str()).collect();
    for name in ["form team", "change team", "end team", "sync team", "start", "end of program"] {
        assert!(names.contains(name), "no {name} in {names:?}");
    }
}

/// Checks what images waited for in a program whose comments name statements that one node comes late to.
fn names_the_late_node(timeline: &Timeline, path: &str, [begin, end]: [&str; 2]) {
    let source = fs::read_to_string(workspace().join(path)).expect("the source");
    let file = path.rsplit('/').next().expect("a name");
    // What the image waits for in the statement with this comment.
    let waiting = |image: u64, comment: &str| -> Option<&str> {
        let comment = format!("{begin}{comment}{end}");
        let line = source.lines().position(|line| line.ends_with(&comment)).expect("the comment");
        let place = format!("{file}:{}", line + 1);
        let is_there =
            |span: &&Value| span["args"]["at"].as_str().is_some_and(|at| at.ends_with(&place));
        let operation = timeline.of_image("operation", image).find(is_there)?;
        let wait =
            timeline.of_image("waiting", image).find(|wait| wait["ts"] == operation["ts"])?;
        wait["name"].as_str()?.split_once(": ").map(|(_, what)| what)
    };
    for (comment, late, images) in [
        ("barrier", 2, &[1, 3][..]),
        ("part", 2, &[1]),
        ("reflect", 2, &[1, 3]),
        ("reduction", 2, &[1, 3]),
        ("bcast", 1, &[2, 3]),
        ("gmove", 2, &[1, 3]),
    ] {
        for &image in images {
            let expected = format!("waiting for image {late}");
            let found = waiting(image, comment);
            assert_eq!(found, Some(&*expected), "image {image} in {comment} of {file}");
        }
    }
    // It is none of the nodes.
    assert_eq!(waiting(3, "part"), None);
}

#[test]
fn waiting_in_directives_names_the_node_that_came_late() {
    let program = Program::xmp_c(&["late"]).argument("-g");
    names_the_late_node(&traced_program(program, 3), "tests/c/xmp/late.c", ["/* ", " */"]);
    let program = Program::xmp_fortran(&["late.f90"]);
    names_the_late_node(&traced_program(program, 3), "tests/fortran-xmp/late.f90", ["! ", ""]);
}

#[test]
fn coarrays_of_translated_fortran_are_recorded_by_their_types() {
    let timeline = traced_program(Program::omni_coarray("kinds"), 2);
    let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
    for span in timeline.of_image("operation", 1).filter(|span| span["name"] == "put") {
        assert_eq!(span["args"]["partner"], 2, "{span}");
        *sizes.entry(span["args"]["bytes"].as_u64().expect("bytes")).or_default() += 1;
    }
    // Of each type a scalar, two elements, and a spread scalar: sizes 2, 4, 8 of integers and logicals, 4 and 8 of reals, 8 and 16
    // of complex numbers; of characters three times five.
    let expected = [(2, 4), (4, 8), (5, 3), (8, 11), (16, 6), (32, 1)];
    assert_eq!(sizes, BTreeMap::from(expected));
}

#[test]
fn partners_in_a_task_are_nodes_of_the_task() {
    let timeline = traced_program(Program::omni_coarray("regions"), 4);
    let of_image = |image: u64, name: &'static str| {
        timeline.of_image("operation", image).filter(move |span| span["name"] == name)
    };
    // The task has images 3 and 4. Its first image puts to its second one, three times.
    for image in [3, 4] {
        let task = of_image(image, "task").next().expect("a task");
        assert_eq!(task["args"]["images"], json!([3, 4]));
    }
    let partners: Vec<&Value> =
        of_image(3, "put").map(|put| &put["args"]["partner"]).take(3).collect();
    assert_eq!(partners, [4, 4, 4]);
    // Image 2 does not execute it.
    assert_eq!(of_image(2, "task").next().expect("the statement")["args"].get("images"), None);
}
