//! C programs with directives of XcalableMP, translated and compiled by `xmpcc`.

use serial_test::serial;
use xmp_tests::hosts::mpis_with_plugin;
use xmp_tests::matrix::conforms_program;
use xmp_tests::{Program, Run};

fn conforms(name: &str) {
    conforms_program(&Program::xmp_c(&[name]), name);
}

#[test]
fn a_stencil_with_shadows() {
    conforms("stencil");
}

#[test]
fn margins_of_loops_and_pointers_to_distributed_rows() {
    conforms("margins");
}

#[test]
fn loops_and_moves_over_all_formats() {
    conforms("formats");
}

#[test]
fn arrays_of_other_templates_in_loops_and_assignments() {
    conforms("mappings");
}

#[test]
fn the_nodes_of_an_iteration_are_its_executing_nodes() {
    conforms("iterations");
}

#[test]
fn arrays_of_one_shape_start_in_different_lines_of_a_page() {
    conforms("lines");
}

#[test]
fn loops_that_count_further_variables() {
    conforms("beside");
}

#[test]
fn functions_in_directives_are_called_once() {
    conforms("once");
}

#[test]
fn macros_that_are_a_part_of_the_grammar() {
    conforms("grammar");
}

#[test]
fn pointers_to_distributed_arrays_that_change_places() {
    conforms("swap");
}

#[test]
fn tasks_and_communication() {
    conforms("tasks");
}

#[test]
fn members_static_arrays_and_initial_values() {
    conforms("declared");
}

#[test]
fn arrays_from_themselves_and_aliases() {
    conforms("shifts");
}

#[test]
fn objects_of_procedures() {
    conforms("procedures");
}

#[test]
fn coarrays_and_posts() {
    conforms("coarrays");
}

#[test]
fn sections_of_distributed_arrays_to_and_from_coarrays() {
    conforms("edges");
}

#[test]
fn directives_among_all_that_c_has() {
    conforms("mixture");
}

#[test]
fn threads_of_openmp_in_distributed_loops() {
    conforms("threads");
}

#[test]
fn clauses_of_openmp_in_loops_of_all_formats() {
    conforms("clauses");
}

#[test]
fn files_that_all_nodes_write_are_those_of_a_serial_program() {
    conforms("io");
}

#[test]
fn tasks_with_arrays_periodic_shadows_and_files_of_their_own() {
    conforms("halves");
}

#[test]
fn objects_whose_names_are_those_of_others_with_a_word_behind_them() {
    conforms("names");
}

#[test]
fn a_program_of_two_files() {
    conforms_program(&Program::xmp_c(&["parts_1", "parts_2"]), "parts");
}

#[test]
#[serial]
fn programs_with_directives_under_each_mpi() {
    for name in ["stencil", "tasks", "coarrays", "declared", "shifts"] {
        let program = Program::xmp_c(&[name]).build();
        for mpirun in mpis_with_plugin() {
            for hosts in [1, 2] {
                let run = Run::new(&program).mpirun(&mpirun).images(4).virtual_hosts(hosts);
                run.finish().succeeded().stdout_is("");
            }
        }
    }
}
