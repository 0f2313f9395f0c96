//! Arguments of PRIF that cannot be: each procedure says which argument it is and what its value is, with `stat` and
//! without, and nothing is written. The calls are in `fortran/prif/bad_arguments.f90`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use xmp_tests::toolchain::toolchain;
use xmp_tests::{Program, Run};

/// Which arguments for the outcome a call has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `stat` and the messages.
    Statement,
    /// `stat` alone.
    Stat,
    /// None; or the error of one image, for which the others wait, ends the job in any case.
    Ends,
}

/// Procedure and case, the arguments for the outcome, and how the message goes on after the name of the procedure.
const CASES: &[(&str, Form, &str)] = &[
    ("get/image", Form::Statement, "image index 99 is not in 1:2"),
    ("get/handle", Form::Statement, "coarray_handle is null: no coarray was allocated with it"),
    ("get/freed", Form::Statement, "coarray_handle 0x"),
    ("get/offset", Form::Statement, "bytes 25 to 32 are not within the coarray of 32 bytes"),
    ("get/size", Form::Statement, "size overflow: size_in_bytes 18446744073709551615"),
    ("get/buffer", Form::Statement, "current_image_buffer is null"),
    ("get_indirect/image", Form::Statement, "image index 99 is not in 1:2"),
    ("get_indirect/pointer", Form::Statement, "remote_ptr 0x40 is not within"),
    ("get_indirect/buffer", Form::Statement, "current_image_buffer is null"),
    ("put/image", Form::Statement, "image index 99 is not in 1:2"),
    ("put/handle", Form::Statement, "coarray_handle is null: no coarray was allocated with it"),
    ("put/freed", Form::Statement, "coarray_handle 0x"),
    ("put/offset", Form::Statement, "bytes 25 to 32 are not within the coarray of 32 bytes"),
    ("put/size", Form::Statement, "size overflow: size_in_bytes 18446744073709551615"),
    ("put/buffer", Form::Statement, "current_image_buffer is null"),
    ("put_indirect/image", Form::Statement, "image index 99 is not in 1:2"),
    ("put_indirect/pointer", Form::Statement, "remote_ptr 0x40 is not within"),
    ("put_indirect/buffer", Form::Statement, "current_image_buffer is null"),
    ("put_with_notify/image", Form::Statement, "image index 99 is not in 1:2"),
    (
        "put_with_notify/notify_handle",
        Form::Statement,
        "notify_coarray_handle is null: no coarray was allocated with it",
    ),
    (
        "put_with_notify/notify_offset",
        Form::Statement,
        "bytes 8 to 15 are not within the coarray of 8 bytes",
    ),
    (
        "put_with_notify/alignment",
        Form::Statement,
        "byte 4 of notify_coarray_handle is not aligned",
    ),
    ("put_with_notify_indirect/handle", Form::Statement, "coarray_handle 0x"),
    ("put_with_notify_indirect/notify_ptr", Form::Statement, "notify_ptr 0x40 is not within"),
    ("put_indirect_with_notify/pointer", Form::Statement, "remote_ptr 0x40 is not within"),
    (
        "put_indirect_with_notify/notify_handle",
        Form::Statement,
        "notify_coarray_handle is null: no coarray was allocated with it",
    ),
    ("put_indirect_with_notify_indirect/pointer", Form::Statement, "remote_ptr 0x40 is not within"),
    (
        "put_indirect_with_notify_indirect/notify_ptr",
        Form::Statement,
        "notify_ptr 0x40 is not within",
    ),
    ("get_strided/image", Form::Statement, "image index 99 is not in 1:2"),
    (
        "get_strided/handle",
        Form::Statement,
        "coarray_handle is null: no coarray was allocated with it",
    ),
    ("get_strided/extent", Form::Statement, "bytes 0 to 39 are not within the coarray of 32 bytes"),
    (
        "get_strided/negative",
        Form::Statement,
        "bytes -8 to 15 are not within the coarray of 32 bytes",
    ),
    ("get_strided/remote_stride", Form::Statement, "remote_stride has 1 element, and extent 2"),
    (
        "get_strided/local_stride",
        Form::Statement,
        "current_image_stride has 2 elements, and extent 1",
    ),
    ("get_strided/overflow", Form::Statement, "size overflow: "),
    ("get_strided/size", Form::Statement, "size overflow: "),
    ("get_strided/buffer", Form::Statement, "current_image_buffer is null"),
    ("get_strided_indirect/image", Form::Statement, "image index 99 is not in 1:2"),
    ("get_strided_indirect/pointer", Form::Statement, "remote_ptr 0x40 is not within"),
    ("put_strided/image", Form::Statement, "image index 99 is not in 1:2"),
    (
        "put_strided/handle",
        Form::Statement,
        "coarray_handle is null: no coarray was allocated with it",
    ),
    ("put_strided/extent", Form::Statement, "bytes 0 to 39 are not within the coarray of 32 bytes"),
    (
        "put_strided/negative",
        Form::Statement,
        "bytes -8 to 15 are not within the coarray of 32 bytes",
    ),
    ("put_strided/remote_stride", Form::Statement, "remote_stride has 1 element, and extent 2"),
    (
        "put_strided/local_stride",
        Form::Statement,
        "current_image_stride has 2 elements, and extent 1",
    ),
    ("put_strided/overflow", Form::Statement, "size overflow: "),
    ("put_strided/size", Form::Statement, "size overflow: "),
    ("put_strided/buffer", Form::Statement, "current_image_buffer is null"),
    ("put_strided_indirect/image", Form::Statement, "image index 99 is not in 1:2"),
    ("put_strided_indirect/pointer", Form::Statement, "remote_ptr 0x40 is not within"),
    ("put_strided_with_notify/image", Form::Statement, "image index 99 is not in 1:2"),
    ("put_strided_with_notify/notify_handle", Form::Statement, "notify_coarray_handle 0x"),
    (
        "put_strided_with_notify_indirect/handle",
        Form::Statement,
        "coarray_handle is null: no coarray was allocated with it",
    ),
    (
        "put_strided_with_notify_indirect/notify_ptr",
        Form::Statement,
        "notify_ptr 0x40 is not within",
    ),
    ("put_strided_indirect_with_notify/pointer", Form::Statement, "remote_ptr 0x40 is not within"),
    (
        "put_strided_indirect_with_notify/notify_handle",
        Form::Statement,
        "notify_coarray_handle is null: no coarray was allocated with it",
    ),
    (
        "put_strided_indirect_with_notify_indirect/pointer",
        Form::Statement,
        "remote_ptr 0x40 is not within",
    ),
    (
        "put_strided_indirect_with_notify_indirect/notify_ptr",
        Form::Statement,
        "notify_ptr 0x40 is not within",
    ),
    ("sync_images/index", Form::Statement, "image index 0 is not in 1:2"),
    ("sync_images/far", Form::Statement, "image index 99 is not in 1:2"),
    ("sync_images/twice", Form::Statement, "image index 2 is given more than once"),
    ("sync_team/team", Form::Statement, "team is not defined"),
    ("lock/image", Form::Statement, "image index 99 is not in 1:2"),
    ("lock/handle", Form::Statement, "coarray_handle is null: no coarray was allocated with it"),
    ("lock/offset", Form::Statement, "bytes 8 to 15 are not within the coarray of 8 bytes"),
    ("lock/alignment", Form::Statement, "byte 4 of coarray_handle is not aligned"),
    ("lock_indirect/image", Form::Statement, "image index 99 is not in 1:2"),
    ("lock_indirect/pointer", Form::Statement, "lock_var_ptr 0x40 is not within"),
    ("unlock/image", Form::Statement, "image index 99 is not in 1:2"),
    ("unlock/unlocked", Form::Statement, "the lock variable is not locked"),
    ("unlock_indirect/pointer", Form::Statement, "lock_var_ptr 0x40 is not within"),
    ("unlock_indirect/unlocked", Form::Statement, "the lock variable is not locked"),
    (
        "critical/handle",
        Form::Statement,
        "critical_coarray is null: no coarray was allocated with it",
    ),
    (
        "critical/alignment",
        Form::Statement,
        "critical_coarray is an alias that is not aligned to 8 bytes",
    ),
    ("end_critical/handle", Form::Ends, "critical_coarray 0x"),
    ("end_critical/not_entered", Form::Ends, "the lock variable is not locked"),
    ("event_post/image", Form::Statement, "image index 99 is not in 1:2"),
    (
        "event_post/handle",
        Form::Statement,
        "coarray_handle is null: no coarray was allocated with it",
    ),
    ("event_post/alignment", Form::Statement, "byte 4 of coarray_handle is not aligned"),
    ("event_post_indirect/pointer", Form::Statement, "event_var_ptr 0x40 is not within"),
    ("event_wait/pointer", Form::Statement, "event_var_ptr 0x"),
    ("event_query/pointer", Form::Stat, "event_var_ptr 0x0 is in no coarray of this image"),
    ("notify_wait/pointer", Form::Statement, "notify_var_ptr 0x0 is in no coarray of this image"),
    ("form_team/number", Form::Statement, "team number 0"),
    ("form_team/new_index", Form::Statement, "team 1: "),
    ("get_team/level", Form::Ends, "level 17 is none of PRIF_CURRENT_TEAM"),
    ("team_number/team", Form::Ends, "team is not defined"),
    ("change_team/team", Form::Statement, "team is not defined"),
    ("end_team/initial", Form::Statement, ""),
    ("co_broadcast/source", Form::Statement, "source_image: image index 0 is not in 1:2"),
    ("co_broadcast_cptr/source", Form::Statement, "source_image: image index 99 is not in 1:2"),
    ("co_sum/result", Form::Statement, "result_image: image index 99 is not in 1:2"),
    ("co_sum/type", Form::Statement, "there is no "),
    ("co_min/result", Form::Statement, "result_image: image index 99 is not in 1:2"),
    ("co_min/type", Form::Statement, "there is no "),
    ("co_max/result", Form::Statement, "result_image: image index 99 is not in 1:2"),
    ("co_max/type", Form::Statement, "there is no "),
    ("co_min_character/result", Form::Statement, "result_image: image index 99 is not in 1:2"),
    ("co_max_character/result", Form::Statement, "result_image: image index 99 is not in 1:2"),
    ("co_reduce/result", Form::Statement, "result_image: image index 99 is not in 1:2"),
    ("co_reduce_cptr/result", Form::Statement, "result_image: image index 99 is not in 1:2"),
    ("co_reduce/operation", Form::Ends, "operation_wrapper is not associated"),
    ("co_reduce_cptr/operation", Form::Ends, "operation_wrapper is not associated"),
    ("co_reduce_cptr/pointer", Form::Ends, "the argument is not allocated on this image"),
    ("co_broadcast_cptr/pointer", Form::Ends, "the argument is not allocated on this image"),
    ("atomic_add/image", Form::Stat, "image index 99 is not in 1:2"),
    ("atomic_add_indirect/pointer", Form::Stat, "atom_remote_ptr 0x40 is not within"),
    ("atomic_fetch_add/alignment", Form::Stat, "byte 4 of coarray_handle is not aligned"),
    ("atomic_fetch_add_indirect/image", Form::Stat, "image index 99 is not in 1:2"),
    ("atomic_and/image", Form::Stat, "image index 99 is not in 1:2"),
    ("atomic_and_indirect/pointer", Form::Stat, "atom_remote_ptr 0x40 is not within"),
    ("atomic_fetch_and/alignment", Form::Stat, "byte 4 of coarray_handle is not aligned"),
    ("atomic_fetch_and_indirect/image", Form::Stat, "image index 99 is not in 1:2"),
    ("atomic_or/image", Form::Stat, "image index 99 is not in 1:2"),
    ("atomic_or_indirect/pointer", Form::Stat, "atom_remote_ptr 0x40 is not within"),
    ("atomic_fetch_or/alignment", Form::Stat, "byte 4 of coarray_handle is not aligned"),
    ("atomic_fetch_or_indirect/image", Form::Stat, "image index 99 is not in 1:2"),
    ("atomic_xor/image", Form::Stat, "image index 99 is not in 1:2"),
    ("atomic_xor_indirect/pointer", Form::Stat, "atom_remote_ptr 0x40 is not within"),
    ("atomic_fetch_xor/alignment", Form::Stat, "byte 4 of coarray_handle is not aligned"),
    ("atomic_fetch_xor_indirect/image", Form::Stat, "image index 99 is not in 1:2"),
    (
        "atomic_define_int/handle",
        Form::Stat,
        "coarray_handle is null: no coarray was allocated with it",
    ),
    ("atomic_define_int_indirect/pointer", Form::Stat, "atom_remote_ptr 0x40 is not within"),
    ("atomic_ref_int/offset", Form::Stat, "bytes 32 to 39 are not within the coarray of 32 bytes"),
    ("atomic_ref_int_indirect/image", Form::Stat, "image index 99 is not in 1:2"),
    ("atomic_cas_int/image", Form::Stat, "image index 99 is not in 1:2"),
    ("atomic_cas_int_indirect/pointer", Form::Stat, "atom_remote_ptr 0x40 is not within"),
    (
        "atomic_define_logical/handle",
        Form::Stat,
        "coarray_handle is null: no coarray was allocated with it",
    ),
    ("atomic_define_logical_indirect/pointer", Form::Stat, "atom_remote_ptr 0x40 is not within"),
    (
        "atomic_ref_logical/offset",
        Form::Stat,
        "bytes 32 to 39 are not within the coarray of 32 bytes",
    ),
    ("atomic_ref_logical_indirect/image", Form::Stat, "image index 99 is not in 1:2"),
    ("atomic_cas_logical/image", Form::Stat, "image index 99 is not in 1:2"),
    ("atomic_cas_logical_indirect/pointer", Form::Stat, "atom_remote_ptr 0x40 is not within"),
    ("allocate_coarray/lcobounds", Form::Statement, "lcobounds has 0 elements"),
    ("allocate_coarray/ucobounds", Form::Statement, "ucobounds has 0 elements"),
    (
        "allocate_coarray/places",
        Form::Statement,
        "lcobounds and ucobounds have 1 place for 2 images",
    ),
    (
        "allocate_coarray/bounds",
        Form::Statement,
        "lcobounds and ucobounds: codimension 2 has the bounds 3 and 2",
    ),
    ("allocate_coarray/size", Form::Statement, "out of memory: 15.9 EiB requested"),
    ("allocate/size", Form::Statement, "out of memory: 15.9 EiB requested"),
    (
        "deallocate_coarray/handle",
        Form::Statement,
        "coarray_handle is null: no coarray was allocated with it",
    ),
    ("deallocate_coarray/alias", Form::Statement, "coarray_handle is an alias"),
    ("deallocate_coarrays/handle", Form::Statement, "coarray_handles 0x"),
    ("deallocate_coarrays/twice", Form::Statement, "element 2 of coarray_handles is there before"),
    ("deallocate/pointer", Form::Statement, "mem 0x"),
    ("deallocate/null", Form::Statement, "mem 0x0 is no memory of prif_allocate on this image"),
    ("deallocate/coarray", Form::Statement, "mem 0x"),
    ("alias_create/handle", Form::Ends, "source_handle is null: no coarray was allocated with it"),
    ("alias_create/bounds", Form::Ends, "alias_lcobounds has 0 elements"),
    (
        "alias_create/offset",
        Form::Ends,
        "data_pointer_offset 33 is beyond the 32 bytes of the coarray",
    ),
    ("alias_destroy/handle", Form::Ends, "alias_handle is null: no coarray was allocated with it"),
    ("alias_destroy/coarray", Form::Ends, "alias_handle is a coarray and no alias"),
    (
        "set_context_data/handle",
        Form::Ends,
        "coarray_handle is null: no coarray was allocated with it",
    ),
    ("get_context_data/handle", Form::Ends, "coarray_handle 0x"),
    ("size_bytes/handle", Form::Ends, "coarray_handle is null: no coarray was allocated with it"),
    (
        "local_data_pointer/handle",
        Form::Ends,
        "coarray_handle is null: no coarray was allocated with it",
    ),
    (
        "lcobound_no_dim/handle",
        Form::Ends,
        "coarray_handle is null: no coarray was allocated with it",
    ),
    ("lcobound_no_dim/size", Form::Ends, "lcobounds has 3 elements, and not 2"),
    (
        "lcobound_with_dim/handle",
        Form::Ends,
        "coarray_handle is null: no coarray was allocated with it",
    ),
    ("lcobound_with_dim/dim", Form::Ends, "dim 3 is not in 1:2"),
    (
        "ucobound_no_dim/handle",
        Form::Ends,
        "coarray_handle is null: no coarray was allocated with it",
    ),
    ("ucobound_no_dim/size", Form::Ends, "ucobounds has 3 elements, and not 2"),
    (
        "ucobound_with_dim/handle",
        Form::Ends,
        "coarray_handle is null: no coarray was allocated with it",
    ),
    ("ucobound_with_dim/dim", Form::Ends, "dim 3 is not in 1:2"),
    ("coshape/handle", Form::Ends, "coarray_handle 0x"),
    ("coshape/size", Form::Ends, "sizes has 3 elements, and not 2"),
    ("image_index/handle", Form::Ends, "coarray_handle is null: no coarray was allocated with it"),
    ("image_index/sub", Form::Ends, "sub has 2 elements for 1 codimension"),
    ("image_index_with_team/team", Form::Ends, "team is not defined"),
    ("image_index_with_team_number/number", Form::Ends, "team 44"),
    (
        "initial_team_index/handle",
        Form::Stat,
        "coarray_handle is null: no coarray was allocated with it",
    ),
    ("initial_team_index/sub", Form::Stat, "sub [3]: no image of the 2 has these cosubscripts"),
    ("initial_team_index_with_team/team", Form::Stat, "team is not defined"),
    ("initial_team_index_with_team_number/number", Form::Stat, "team 44"),
    ("num_images_with_team/team", Form::Ends, "team is not defined"),
    ("num_images_with_team_number/number", Form::Ends, "team 44: the initial team has no siblings"),
    ("this_image_no_coarray/team", Form::Ends, "team is not defined"),
    (
        "this_image_with_coarray/handle",
        Form::Ends,
        "coarray_handle is null: no coarray was allocated with it",
    ),
    ("this_image_with_coarray/size", Form::Ends, "cosubscripts has 3 elements, and not 2"),
    ("this_image_with_coarray/team", Form::Ends, "team is not defined"),
    (
        "this_image_with_dim/handle",
        Form::Ends,
        "coarray_handle is null: no coarray was allocated with it",
    ),
    ("this_image_with_dim/dim", Form::Ends, "dim 0 is not in 1:2"),
    ("failed_images/team", Form::Ends, "team is not defined"),
    ("stopped_images/team", Form::Ends, "team is not defined"),
    ("image_status/image", Form::Ends, "image index 99 is not in 1:2"),
    ("image_status/team", Form::Ends, "team is not defined"),
    ("register_stop_callback/callback", Form::Ends, "callback is not associated"),
];

/// Procedures without an argument that could be wrong.
const NOTHING_WRONG: [&str; 7] =
    ["init", "stop", "error_stop", "fail_image", "num_images", "sync_memory", "sync_all"];

/// The number of images, which messages name.
const IMAGES: u32 = 2;

fn program() -> PathBuf {
    Program::fortran("prif/bad_arguments").with("with_prif").build()
}

fn procedure(case: &str) -> &str {
    case.split_once('/').expect("a procedure and a case").0
}

#[test]
fn every_wrong_argument_is_named_with_its_value_where_a_call_has_stat() {
    let with_stat: Vec<_> = CASES.iter().filter(|(_, form, _)| *form != Form::Ends).collect();
    let names = with_stat.iter().map(|(case, ..)| *case);
    let outcome = Run::new(program()).images(IMAGES).args(["stat"]).args(names).finish();
    outcome.succeeded();
    let lines = outcome.stdout.lines().filter_map(|line| line.trim_end().split_once(' '));
    let said: BTreeMap<&str, &str> = lines.collect();
    for (case, form, text) in with_stat {
        let expected = format!("prif_{}: {text}", procedure(case));
        let found = said.get(case).copied().unwrap_or_default();
        match form {
            Form::Statement => assert!(found.starts_with(&expected), "{case}: {found}"),
            _ => assert_eq!(found, "none", "{case}"),
        }
    }
}

#[test]
fn a_wrong_argument_ends_the_program_where_a_call_has_no_stat() {
    let program = program();
    // What a call with `stat` does without it is the same for all procedures.
    let samples = ["put/image", "form_team/number", "allocate_coarray/size", "atomic_add/image"];
    for (case, form, text) in CASES {
        if *form == Form::Ends || samples.contains(case) {
            let outcome = Run::new(&program).images(IMAGES).args(["end", case]).finish();
            let expected = format!("prif_{}: {text}", procedure(case));
            outcome.exited_with(1).stderr_line_with(&[&expected]);
        }
    }
}

#[test]
fn every_procedure_has_a_case() {
    let module = toolchain().prefix().join("share/xmprt/prif.F90");
    let module = fs::read_to_string(module).expect("the module");
    let interfaces = ["    subroutine prif_", "  interface prif_"];
    let names = module.lines().filter_map(|line| {
        let rest = interfaces.iter().find_map(|begin| line.strip_prefix(begin))?;
        rest.split('(').next()
    });
    let procedures: Vec<&str> = names.filter(|name| !name.ends_with("_interface")).collect();
    assert_eq!(procedures.len(), 109);
    for name in procedures {
        let has_case = CASES.iter().any(|(case, ..)| procedure(case) == name);
        assert!(has_case != NOTHING_WRONG.contains(&name), "{name}");
    }
}
