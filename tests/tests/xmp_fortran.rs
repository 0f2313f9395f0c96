//! Fortran programs with directives of XcalableMP: the self-checking programs of `fortran-xmp/`.

use serial_test::serial;
use xmp_tests::hosts::{mpis_with_plugin, network};
use xmp_tests::matrix::conforms_program;
use xmp_tests::{Program, Run};

fn conforms(name: &str) {
    conforms_program(&Program::xmp_fortran(&[name]), name);
}

#[test]
fn a_stencil_with_shadows() {
    conforms("stencil.f90");
}

#[test]
fn margins_of_loops() {
    conforms("margins.f90");
}

#[test]
fn loops_and_moves_over_all_formats() {
    conforms("formats.f90");
}

#[test]
fn arrays_of_other_templates_in_loops_and_assignments() {
    conforms("mappings.f90");
}

#[test]
fn array_assignments_to_rows_and_columns_of_blocks_and_cyclic_dimensions() {
    conforms("rows.f90");
}

#[test]
fn the_nodes_of_an_iteration_are_its_executing_nodes() {
    conforms("iterations.f90");
}

#[test]
fn files_that_all_nodes_write_are_those_of_a_serial_program() {
    conforms("io.f90");
}

#[test]
fn arrays_of_as_many_dimensions_as_fortran_has() {
    conforms("ranks.f90");
}

#[test]
fn fixed_form() {
    conforms("fixed.f");
}

#[test]
fn objects_of_one_name_in_a_module_and_in_a_procedure_that_uses_it() {
    conforms("names.f90");
}

#[test]
fn arrays_of_modules_under_other_names() {
    conforms("renames.f90");
}

#[test]
fn directives_among_coarrays() {
    conforms("mixture.f90");
}

#[test]
fn parts_of_arrays_lie_in_segments() {
    conforms("segments.f90");
}

#[test]
fn arrays_of_one_shape_start_in_different_lines_of_a_page() {
    conforms("lines.f90");
}

#[test]
fn local_aliases_pointers_and_components() {
    conforms("aliases.f90");
}

#[test]
fn image_indices_that_are_numbers_of_nodes() {
    conforms("images.f90");
}

#[test]
fn objects_of_block_constructs_and_names_that_hide_others() {
    conforms("blocks.f90");
}

/// Parts are in the segment, and the compiler frees them by `free`.
#[test]
fn a_program_that_nothing_has_launched_frees_its_parts() {
    Run::new(Program::xmp_fortran(&["formats.f90"]).build()).finish().succeeded().silent();
}

/// The module is made of the header in C.
#[test]
fn a_program_that_calls_the_library_by_its_module() {
    let program = Program::xmp_fortran(&["native.f90"]).with_installed("xmprt_global.f90");
    conforms_program(&program, "native.f90");
}

/// Under each MPI, here and on two hosts.
#[test]
#[serial]
fn under_both_mpis() {
    let network = network(2);
    for mpirun in mpis_with_plugin() {
        for source in ["stencil.f90", "formats.f90", "aliases.f90", "images.f90", "segments.f90"] {
            let program = Program::xmp_fortran(&[source]).build();
            for images in [1, 3, 4] {
                let run = Run::new(&program).mpirun(&mpirun).images(images);
                run.finish().succeeded().silent();
            }
            if let Some(network) = &network {
                let run = Run::new(&program).mpirun_on(&mpirun, network, &[2, 2]);
                run.finish().succeeded();
            }
        }
    }
}

#[test]
fn submodules_and_separate_procedures() {
    conforms("submodules.f90");
}

#[test]
fn nests_with_loops_that_are_not_distributed() {
    conforms("nests.f90");
}

#[test]
fn arrays_of_procedures_that_stay() {
    conforms("saved.f90");
}

#[test]
fn components_of_saved_variables_and_components_that_are_allocated() {
    conforms("fields.f90");
}

#[test]
fn statement_functions() {
    conforms("functions.f90");
}

#[test]
fn distributed_arguments_of_generic_procedures() {
    conforms("generic.f90");
}

#[test]
fn arguments_of_assumed_shape_with_dimensions_that_are_not_distributed() {
    conforms("shapes.f90");
}

#[test]
fn returns_from_tasks() {
    conforms("returns.f90");
}

#[test]
fn entries_of_subroutines_with_distributed_arrays() {
    conforms("entries.f90");
}

#[test]
fn arrays_that_are_allocated_by_others() {
    conforms("sources.f90");
}

#[test]
fn distributed_arrays_in_common() {
    conforms("common.f90");
}

#[test]
fn functions_in_directives_are_called_once() {
    conforms("once.f90");
}

#[test]
fn descriptors_as_values_of_their_type() {
    conforms("descriptors.f90");
}

#[test]
fn dummy_arguments_that_may_be_absent() {
    conforms("optional.f90");
}

#[test]
fn modules_with_private_names() {
    conforms("modules.f90");
}

#[test]
fn threads_of_openmp_in_distributed_loops() {
    conforms("threads.f90");
}

#[test]
fn clauses_of_openmp_in_loops_of_all_formats() {
    conforms("clauses.f90");
}

#[test]
fn tasks_with_arrays_periodic_shadows_and_files_of_their_own() {
    conforms("halves.f90");
}

#[test]
fn templates_and_arrays_of_a_module_that_another_file_fixes() {
    conforms_program(&Program::xmp_fortran(&["fixed_1.f90", "fixed_2.f90"]), "fixed");
}

#[test]
fn modules_and_procedures_of_two_files() {
    conforms_program(&Program::xmp_fortran(&["parts_1.f90", "parts_2.F90"]), "parts");
}
