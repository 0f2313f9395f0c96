//! The operation that a wait is part of, in the words of the program's language: the statement of Fortran, the directive of
//! XcalableMP, the function of C.

use crate::wait::WaitKind;

/// The operation that a wait is part of: by the library's functions that the program has called, outermost first, or by the
/// kind of the wait.
pub(super) fn name(functions: &[String], kind: WaitKind) -> String {
    let by_kind = match kind {
        WaitKind::Critical => return "critical".into(),
        WaitKind::Message => "message",
        WaitKind::Barrier => "barrier",
        WaitKind::SyncImages => "sync images",
        WaitKind::Event => "event wait",
        WaitKind::Post => "wait for a post",
        WaitKind::Lock => "lock",
        WaitKind::Value => "wait for a value",
        WaitKind::Background => "wait for an operation in the background",
    };
    // gfortran has the images synchronise at the end of an ALLOCATE.
    if functions.iter().any(|function| function == "complete_allocate") {
        return "allocate".into();
    }
    functions.iter().find_map(|function| of_entry(function)).unwrap_or_else(|| by_kind.into())
}

/// The operation of an entry function; `None` for other functions.
fn of_entry(function: &str) -> Option<String> {
    // `_gfortran_caf_co_sum` jumps to `co_sum_for`.
    let target = function.strip_suffix("_for").filter(|name| name.starts_with("co_"));
    let after =
        |prefixes: &[&str]| prefixes.iter().find_map(|prefix| function.strip_prefix(prefix));
    if let Some(name) = after(&["_gfortran_caf_"]).or(target) {
        return Some(of_fortran(name));
    }
    if let Some(name) = after(&["_QMprifPprif_", "xmp_prif_"]) {
        return Some(of_prif(name));
    }
    if let Some(name) = after(&["_XMP_", "xmpf_", "xmpc_", "xmprt_omni_"]) {
        return Some(of_directive(name).map_or_else(|| of_fortran(name), String::from));
    }
    // Functions that replace directives of Fortran; functions of C have no underscore at their end.
    let of_fortran = function.strip_prefix("xmp_").filter(|name| name.ends_with('_'));
    if let Some(directive) = of_fortran.and_then(of_directive) {
        return Some(directive.into());
    }
    let of_translated = || function.strip_prefix("xmprt_fortran_").and_then(of_fortran_view);
    let of_global = || function.strip_prefix("xmprt_").and_then(of_global_view);
    if let Some(directive) = of_translated().or_else(of_global) {
        return Some(directive.into());
    }
    let is_called =
        ["xmp_", "xmprt_", "XMPCO_", "MPI_", "mpi_"].iter().any(|it| function.starts_with(it));
    is_called.then(|| function.trim_end_matches('_').into())
}

/// A directive or statement, from the name of a function that translated programs in Fortran call, without its prefix.
fn of_fortran_view(name: &str) -> Option<&'static str> {
    Some(match name {
        "array" | "announce" => "align",
        "sync_all" | "sync_all_images" => "sync all",
        "sync_images" => "sync images",
        "file_open" => "open",
        "file_close" => "close",
        "file_sync" => "file_sync_all",
        _ => return of_global_view(name),
    })
}

/// A directive of XcalableMP, from the name of a function of the global view without its prefix.
fn of_global_view(name: &str) -> Option<&'static str> {
    Some(match name {
        "barrier" => "barrier",
        "broadcast" => "bcast",
        "reduce" | "reduce_located" => "reduction",
        "reflect" => "reflect",
        "reduce_shadow" => "reduce_shadow",
        "gmove" | "gmove_to" | "gmove_from" => "gmove",
        "wait_async" => "wait_async",
        "post" => "post",
        "await" => "wait",
        "task_begin" => "task",
        "task_end" => "end task",
        "array_allocate" => "align",
        "template_fix" => "template_fix",
        "program_start" => "start of the program",
        "program_finish" => "end of the program",
        "coarray_create" => "coarray",
        "coarray_lock" => "lock",
        "coarray_unlock" => "unlock",
        _ => return None,
    })
}

/// A statement of Fortran, from its name in an entry function.
fn of_fortran(name: &str) -> String {
    match name {
        "register" => "allocate".into(),
        "deregister" => "deallocate".into(),
        "finalize" => "end program".into(),
        _ if name.starts_with("co_") => name.into(),
        _ => name.trim_end_matches('_').replace('_', " "),
    }
}

/// A statement of Fortran, from the name of its procedure in PRIF.
fn of_prif(name: &str) -> String {
    let variants = ["_indirect", "_cptr", "_character", "_coarray", "_coarrays"];
    let name = variants.iter().fold(name.trim_end_matches('_'), |name, variant| {
        name.strip_suffix(variant).unwrap_or(name)
    });
    of_fortran(name)
}

/// A directive or statement of XcalableMP, from the name of an entry function of Omni without its prefix.
fn of_directive(name: &str) -> Option<&'static str> {
    // The first row that fits counts.
    const BEGINNINGS: [(&str, &str); 29] = [
        ("barrier", "barrier"),
        ("bcast", "bcast"),
        ("reduce_shadow", "reduce_shadow"),
        ("reduce", "reduction"),
        ("reduction", "reduction"),
        ("init_reduce_comm", "reduction"),
        ("reflect", "reflect"),
        ("gmv_", "gmove"),
        ("wait_async", "wait_async"),
        ("wait", "wait"),
        ("post", "post"),
        ("lock_", "lock"),
        ("unlock_", "unlock"),
        ("exec_task", "task"),
        ("task_", "task"),
        ("test_task", "task"),
        ("create_task", "task"),
        ("pop_n", "end task"),
        ("end_task", "end task"),
        ("coarray_alloc", "allocate"),
        ("coarray_dealloc", "deallocate"),
        ("coarray_malloc", "coarray"),
        ("sync_allimages", "sync images"),
        ("sync_images", "sync images"),
        ("sync_image", "sync images"),
        ("sync_all", "sync all"),
        ("start", "start of the program"),
        ("finish", "end of the program"),
        ("alloc_array", "align"),
    ];
    const COLLECTIVES: [&str; 4] = ["co_broadcast", "co_sum", "co_max", "co_min"];
    let collective = || COLLECTIVES.into_iter().find(|it| name.starts_with(it));
    let row = BEGINNINGS.iter().find(|(beginning, _)| name.starts_with(beginning));
    row.map(|&(_, directive)| directive).or_else(collective)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(function: &str) -> String {
        name(&[function.to_owned()], WaitKind::Barrier)
    }

    #[test]
    fn statements_of_gfortran_and_prif_are_those_of_fortran() {
        for (function, expected) in [
            ("_gfortran_caf_sync_all", "sync all"),
            ("_gfortran_caf_event_wait", "event wait"),
            ("_gfortran_caf_co_broadcast", "co_broadcast"),
            ("co_sum_for", "co_sum"),
            ("_gfortran_caf_register", "allocate"),
            ("_gfortran_caf_deregister", "deallocate"),
            ("xmp_prif_sync_all", "sync all"),
            ("_QMprifPprif_form_team", "form team"),
            ("xmp_prif_lock_indirect", "lock"),
            ("xmp_prif_co_max_character", "co_max"),
            ("xmp_prif_allocate_coarray", "allocate"),
            ("xmp_prif_deallocate_coarrays", "deallocate"),
        ] {
            assert_eq!(of(function), expected);
        }
    }

    #[test]
    fn the_synchronisation_of_an_allocate_is_not_a_sync_all() {
        let functions = ["_gfortran_caf_sync_all", "after_allocate", "complete_allocate"];
        assert_eq!(name(&functions.map(String::from), WaitKind::Barrier), "allocate");
        assert_eq!(name(&functions.map(String::from)[..2], WaitKind::Barrier), "sync all");
    }

    #[test]
    fn functions_of_c_have_their_own_names() {
        assert_eq!(of("xmprt_broadcast"), "bcast");
        for function in
            ["xmprt_sync", "xmprt_co_sum", "xmp_sync_all", "xmp_barrier", "MPI_Finalize"]
        {
            assert_eq!(of(function), function);
        }
        assert_eq!(of("xmp_transpose_"), "xmp_transpose");
    }

    #[test]
    fn directives_of_xcalablemp_have_their_names() {
        for (function, expected) in [
            ("_XMP_barrier_EXEC", "barrier"),
            ("xmprt_template_fix", "template_fix"),
            ("xmprt_program_finish", "end of the program"),
            ("xmprt_fortran_reduce", "reduction"),
            ("xmprt_fortran_reduce_located", "reduction"),
            ("xmprt_fortran_broadcast", "bcast"),
            ("xmprt_fortran_gmove_to", "gmove"),
            ("xmprt_fortran_sync_all", "sync all"),
            ("xmprt_fortran_sync_images", "sync images"),
            ("xmpf_barrier__", "barrier"),
            ("xmprt_omni_bcast_nodes", "bcast"),
            ("_XMP_reduce_CLAUSE", "reduction"),
            ("xmpf_reduction__", "reduction"),
            ("_XMP_reduce_shadow__", "reduce_shadow"),
            ("xmpc_gmv_do", "gmove"),
            ("xmpf_gmv_do__", "gmove"),
            ("_XMP_wait_noargs", "wait"),
            ("xmp_wait_node_", "wait"),
            ("_XMP_wait_async__", "wait_async"),
            ("xmpf_sync_all_auto_", "sync all"),
            ("xmpf_sync_allimages_stat_wrap_", "sync images"),
            ("xmpf_co_sum2d_r8_", "co_sum"),
            ("xmpf_coarray_alloc1d_r8_", "allocate"),
            ("xmpf_critical_", "critical"),
        ] {
            assert_eq!(of(function), expected);
        }
    }

    #[test]
    fn the_outermost_entry_function_counts_and_then_the_kind_of_the_wait() {
        let functions = ["xmpf_barrier__", "_XMP_barrier_EXEC", "xmprt_sync"].map(String::from);
        assert_eq!(name(&functions, WaitKind::Lock), "barrier");
        assert_eq!(name(&[], WaitKind::Lock), "lock");
        assert_eq!(name(&["wait_out".into()], WaitKind::Lock), "lock");
        assert_eq!(name(&["_gfortran_caf_lock".into()], WaitKind::Critical), "critical");
    }
}
