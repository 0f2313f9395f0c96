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
        arguments_of_intrinsics
        between_images
        character_codes
        character_kinds
        character_lengths
        characters_of_host
        complex_parts
        convert_complex
        convert_integer
        convert_logical
        convert_real
        coranks
        derived_components
        derived_whole
        dummy_coarrays
        few_of_many
        get_array
        get_scalar
        get_with_stat
        in_expressions
        in_statements
        large
        local_operands
        lower_bounds
        many_dimensions
        module_coarrays
        neighbouring_bytes
        nested_types
        one_element
        order
        overlap
        own_image
        own_operand
        procedure_arguments
        pure_functions_in_subscripts
        put_array
        put_scalar
        reshaped_dummies
        saved_coarrays
        scalar_to_array
        strides
        subscripts_of_functions
        transpose_all
        vector_constructors
        vector_subscripts
        zero_size
    }
    sync {
        end_of_program
        images_of_expressions
        in_sequence
        memory_between_puts
        pipeline
        sync_all
        sync_images_counts
        sync_images_ring
        sync_images_star
        sync_images_trivial
        sync_memory_flag
        sync_mixed
        sync_with_stat
        two_hemispheres
    }
    atomics {
        add
        bitwise
        compare_and_swap
        define_ref
        extremes
        fetching_bits
        places
        spin_barrier
        value_kinds
    }
    locks {
        acquired
        again
        critical_counter
        critical_orders
        critical_places
        lock_counter
        lock_orders
        lock_stat
        locks_are_distinct
        places
        ring
    }
    events {
        again
        counts
        many_to_one
        ping_pong
        places
        producer_consumer
        query
        tree
        until_zero
        with_stat
    }
    collectives {
        arguments
        co_broadcast_allocatable_components
        co_broadcast_character_kinds
        co_broadcast_components_of_coarrays
        co_broadcast_derived
        co_broadcast_nested_components
        broadcast_to_undefined
        co_broadcast_sizes
        co_broadcast_types
        co_min_max_characters
        co_min_max_integers
        co_min_max_real10
        co_min_max_real16
        co_min_max_reals
        co_reduce_by_value
        co_reduce_equal_reals
        co_reduce_characters
        co_reduce_derived
        co_reduce_integer_kinds
        co_reduce_logicals
        co_reduce_long_characters
        co_reduce_nested_types
        co_reduce_numbers
        co_reduce_operations
        co_reduce_real_kinds
        co_reduce_same_everywhere
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
        from_many_procedures
        mixed
        no_side_effects_between
        of_coarrays
        result_images
        sections
        with_stat
        zero_size
    }
    allocation {
        automatic
        barriers
        basics
        huge_request
        in_procedures
        many_at_once
        many_times
        moved
        polymorphic
        resized
        sources
        uneven_work
        with_errmsg
        zero_sized
    }
    components {
        allocatable_components
        allocated_anyhow
        between_images
        chains
        characters
        consecutive
        conversions
        copies
        deferred_length
        from_other_images
        given_back
        in_expressions
        in_procedures
        in_teams
        into_allocatable
        kinds
        large
        life
        linked_list
        many_dimensions
        moved
        parts
        pointer_sections
        pointers
        polymorphic
        scalars
        subscripts
        targets
        teams_within_teams
        unallocated_here
        vector_subscripts
        whole_objects
        zero_size
    }
    declarations {
        attributes
        blocks
        coarray_components
        deferred_length
        dummies
        finalizers
        initial_values
        many
        names
        parameterized_kinds
        replacements
        submodules
        type_bound
    }
    intrinsics {
        cobounds
        coshape
        cosubscripts_15
        ended_images
        image_indices
        images
        inquiries
        random_numbers
        random_seeds
        this_image_of_coarrays
    }
    ended {
        failed_allocate
        failed_and_stopped
        failed_collectives
        failed_image_of_awaited_lock
        failed_images_list
        failed_in_team
        failed_locks
        failed_new_index
        failed_sync_all
        failed_sync_images
        failed_transfers
        stopped_allocate
        stopped_collectives
        stopped_still_there
        stopped_sync_all
        stopped_sync_images
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
    teams_2018 {
        association
        collectives_in_siblings
        critical_with_stat
        get_team
        inquiries
        names_and_exits
        new_index
        team_number_selector
        team_selector_reads
        with_stat
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
