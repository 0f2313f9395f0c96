//! The language, chapter by chapter: self-checking Fortran programs under every number of images and hosts.

use std::collections::BTreeSet;
use std::fs;
use xmp_tests::matrix::conforms;
use xmp_tests::toolchain::crate_dir;

/// Chapters with their programs: a test for each, and [`LISTED`].
macro_rules! chapters {
    ($($chapter:ident { $($program:ident)* })*) => {
        $(mod $chapter {
            $(#[test]
            fn $program() {
                super::conforms(concat!(stringify!($chapter), "/", stringify!($program)));
            })*
        })*

        /// Every chapter with its programs.
        const LISTED: &[(&str, &[&str])] =
            &[$((stringify!($chapter), &[$(stringify!($program)),*])),*];
    };
}

chapters! {
    transfers {
        between_images
        character_kinds
        character_lengths
        complex_parts
        convert_complex
        convert_integer
        convert_logical
        convert_real
        coranks
        derived_components
        derived_whole
        dummy_coarrays
        get_array
        get_scalar
        get_with_stat
        in_expressions
        large
        local_operands
        lower_bounds
        many_dimensions
        module_coarrays
        neighbouring_bytes
        order
        overlap
        put_array
        put_scalar
        saved_coarrays
        scalar_to_array
        strides
        transpose_all
        vector_subscripts
        zero_size
    }
    sync {
        pipeline
        sync_all
        sync_images_counts
        sync_images_ring
        sync_images_star
        sync_images_trivial
        sync_memory_flag
        sync_mixed
        sync_with_stat
    }
    atomics {
        add
        bitwise
        compare_and_swap
        define_ref
    }
    locks {
        critical_counter
        lock_counter
        lock_orders
        lock_stat
        locks_are_distinct
    }
    events {
        counts
        many_to_one
        ping_pong
        producer_consumer
        until_zero
    }
    collectives {
        co_broadcast_derived
        co_broadcast_sizes
        co_broadcast_types
        co_min_max_characters
        co_min_max_integers
        co_min_max_real10
        co_min_max_real16
        co_min_max_reals
        co_reduce_characters
        co_reduce_derived
        co_reduce_numbers
        co_reduce_small_derived
        co_reduce_wide_reals
        co_sum_complex
        co_sum_complex10
        co_sum_complex16
        co_sum_integers
        co_sum_large
        co_sum_real10
        co_sum_real16
        co_sum_reals
        co_sum_same_everywhere
        mixed
        of_coarrays
        sections
        with_stat
    }
    allocation {
        automatic
        barriers
        basics
        huge_request
        many_at_once
        many_times
        moved
        polymorphic
        sources
        uneven_work
        zero_sized
    }
    components {
        allocatable_components
        chains
        characters
        conversions
        copies
        deferred_length
        from_other_images
        given_back
        in_expressions
        in_teams
        into_allocatable
        life
        moved
        parts
        pointer_sections
        pointers
        polymorphic
        subscripts
        targets
        teams_within_teams
        vector_subscripts
        zero_size
    }
    intrinsics {
        ended_images
        images
        random_numbers
    }
    teams {
        allocatable_components
        allocation_differs
        atomics_in_teams
        automatic
        bounds
        collectives_in_teams
        components
        critical_in_teams
        derived_and_characters
        distances
        end_team_deallocates
        events_in_teams
        in_procedures
        initial_team_again
        large_collectives
        left_behind
        locks_in_teams
        many_cycles
        moved
        nested
        numbers
        odd_counts
        outer_coarrays
        put_with_team
        random_teams
        rows_and_columns
        siblings_do_not_wait
        static_coarrays
        sync_images_in_teams
        sync_team_variables
        team_variables
        teams_of_one
        zero_sized
    }
}

#[test]
fn every_program_of_a_chapter_is_listed() {
    for (chapter, programs) in LISTED {
        let there: BTreeSet<String> = fs::read_dir(crate_dir().join("fortran").join(chapter))
            .expect("the chapter is a directory")
            .map(|entry| entry.expect("it can be read").path())
            .filter(|path| path.extension().is_some_and(|end| end == "f90"))
            .map(|path| path.file_stem().expect("it has a name").to_string_lossy().into_owned())
            .collect();
        let listed: BTreeSet<String> = programs.iter().map(|name| name.to_string()).collect();
        assert_eq!(there, listed, "programs of {chapter}");
    }
}
