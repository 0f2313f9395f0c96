//! Arguments of the global view of the C header that cannot be: random ones, and each defect that they have found.
//!
//! `XMP_TEST_CASES=200` runs more random programs than a test run has time for, `XMP_TEST_CASES=17..18` a certain one.

use std::time::Duration;
use xmp_tests::{Outcome, Program, Run, cases};

/// A job ends within this time, on a busy machine too.
const LIMIT: Duration = Duration::from_secs(240);

/// Random programs of a test run.
const CASES: u64 = 12;

/// The random program with this seed, ended well: `wild` per cent of its arguments are wild, of these `lonely` per cent
/// on one image only.
fn random(images: u32, hosts: u32, [seed, wild, lonely]: [u64; 3], check: bool) {
    let arguments = [seed, 400, wild, lonely].map(|number| number.to_string());
    let run = Run::new(Program::c("random_global").build())
        .images(images)
        .virtual_hosts(hosts)
        .limit(LIMIT)
        .args(arguments);
    let run = if check { run.env("XMP_CHECK", "1") } else { run };
    run.finish().succeeded().silent();
}

/// Numbers of images and hosts, in turn.
fn layout(case: u64) -> (u32, u32) {
    const LAYOUTS: [(u32, u32); 8] =
        [(2, 1), (3, 1), (4, 2), (1, 1), (4, 1), (3, 2), (8, 1), (7, 2)];
    LAYOUTS[case as usize % LAYOUTS.len()]
}

#[test]
fn wild_arguments_that_all_images_give_are_refused_alike_by_all() {
    for case in cases(CASES) {
        let (images, hosts) = layout(case);
        random(images, hosts, [case, [5, 20, 0][case as usize % 3], 0], false);
    }
}

#[test]
fn wild_arguments_of_one_image_are_refused_by_all() {
    for case in cases(CASES / 2) {
        let (images, hosts) = layout(case);
        random(images, hosts, [case, [5, 20][case as usize % 2], 50], false);
    }
}

/// A case of the program `refusals`.
fn refusals(case: &str, images: u32, hosts: u32) -> Outcome {
    let program = Program::c("refusals").build();
    Run::new(program).images(images).virtual_hosts(hosts).limit(LIMIT).args([case]).finish()
}

/// A case that goes well.
fn goes_well(case: &str, layouts: &[(u32, u32)]) {
    for &(images, hosts) in layouts {
        refusals(case, images, hosts).succeeded().silent();
    }
}

#[test]
fn a_handle_that_one_image_does_not_know_is_refused_by_all() {
    goes_well("handle", &[(2, 1), (4, 1)]);
}

#[test]
fn a_width_and_a_section_that_one_image_cannot_have_are_refused_by_all() {
    goes_well("width", &[(2, 1), (4, 1)]);
}

#[test]
fn an_array_for_which_one_image_lacks_memory_is_made_by_none() {
    goes_well("memory", &[(1, 1), (2, 1), (4, 2)]);
}

#[test]
fn an_array_exposed_in_a_task_can_be_exposed_by_all() {
    goes_well("exposed-twice", &[(1, 1), (3, 1), (4, 2)]);
}

#[test]
fn lengths_beyond_all_addresses_are_refused() {
    goes_well("endless", &[(1, 1), (3, 1), (4, 2)]);
}

#[test]
fn a_range_of_one_index_may_have_any_step() {
    goes_well("extremes", &[(1, 1), (3, 1)]);
}

#[test]
fn gmove_in_and_out_between_overlapping_sections_read_before_they_write() {
    goes_well("overlapping", &[(1, 1)]);
}

#[test]
fn another_collective_in_place_of_reflect_is_detected() {
    goes_well("another-operation", &[(2, 1), (4, 1)]);
}

#[test]
fn another_array_given_to_reflect_is_detected() {
    goes_well("another-array", &[(2, 1), (4, 1)]);
}

/// A case that goes well on several hosts, where images that need nothing of the last one may complete a call.
fn goes_well_on_hosts(case: &str) {
    for (images, hosts) in [(2, 2), (4, 2), (3, 3)] {
        let run = Run::new(Program::c("refusals").build()).images(images).virtual_hosts(hosts);
        run.limit(LIMIT).args([case, "spread"]).finish().succeeded().silent();
    }
}

#[test]
fn images_of_other_hosts_that_need_the_image_get_its_refusal() {
    goes_well_on_hosts("handle");
    goes_well_on_hosts("width");
}

#[test]
fn calls_after_a_refused_one_work() {
    goes_well("again", &[(2, 1), (4, 1)]);
    goes_well_on_hosts("again");
}

#[test]
fn a_call_in_the_background_that_one_image_refuses_ends_on_those_that_need_it() {
    goes_well("background", &[(2, 1), (4, 1)]);
    goes_well_on_hosts("background");
}

#[test]
fn with_xmp_check_a_refusal_is_reported_on_all_hosts() {
    for case in ["handle", "width"] {
        let program = Program::c("refusals").build();
        let run = Run::new(program).images(4).virtual_hosts(2).env("XMP_CHECK", "1").limit(LIMIT);
        run.args([case, "checked"]).finish().succeeded().silent();
    }
}
