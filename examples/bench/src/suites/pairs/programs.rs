//! The programs: for each pair the sources of its two forms.

use crate::peers::{Language, Program, Programs};

/// Functions and loops begin at a cache line on all sides: a computation that both forms share took 1.15 times as long on an AMD
/// Zen 5 where its loop lay in two lines.
const OPTIONS: &[&str] = &["-O3", "-falign-functions=64", "-falign-loops=64"];

/// The programs of one form, `caf` or `mpi`: a name and the sources that both forms share.
macro_rules! programs {
    ($form:literal: $($name:literal [$($shared:literal),*])*) => {
        &[$(Program {
            name: $name,
            sources: &[
                "examples/bench/programs/row_timing.f90",
                "examples/bench/programs/pairs/pair_timing.f90",
                concat!("examples/bench/programs/pairs/", $form, "_pair.f90"),
                $(concat!("examples/bench/programs/", $shared),)*
                concat!("examples/bench/programs/pairs/", $name, "_", $form, ".f90"),
            ],
            language: Language::Fortran,
            options: OPTIONS,
        }),*]
    };
}

/// All programs of a form.
macro_rules! pairs {
    ($form:literal) => {
        programs! { $form:
            "halo" ["pairs/halo_mesh.f90"]
            "volume" ["pairs/volume_mesh.f90"]
            "pipeline" ["pairs/pipeline_grid.f90"]
            "transpose" ["pairs/transpose_matrix.f90"]
            "gradient" ["pairs/gradient_matrix.f90"]
            "tiles" ["pairs/tiles_air.f90"]
            "particles" ["pairs/particles_domain.f90"]
            "queue" ["pairs/queue_tasks.f90"]
            "himeno" ["himeno_problem.f90", "pairs/himeno_air.f90"]
        }
    };
}

/// The program of the first operations.
macro_rules! cold {
    ($form:literal) => {
        programs! { $form:
            "cold" ["pairs/cold_sizes.f90"]
        }
    };
}

/// Both forms of the first operations.
pub const COLD: Programs = Programs { coarray: cold!("caf"), mpi: cold!("mpi"), messages: &[] };

/// Both forms.
pub const PROGRAMS: Programs =
    Programs { coarray: pairs!("caf"), mpi: pairs!("mpi"), messages: &[] };
