//! The families of MPI.

use std::fmt;

/// The families of MPI: libraries of one family understand each other's launchers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Open MPI.
    OpenMpi,
    /// MPICH and its derivatives: MVAPICH, Intel MPI, Cray MPI.
    Mpich,
}

impl Flavour {
    /// All of them.
    pub const ALL: [Flavour; 2] = [Flavour::OpenMpi, Flavour::Mpich];

    /// The word in the names of files and in settings.
    pub fn word(self) -> &'static str {
        match self {
            Flavour::OpenMpi => "openmpi",
            Flavour::Mpich => "mpich",
        }
    }

    /// The option by which srun starts processes for it.
    pub fn option_of_srun(self) -> &'static str {
        match self {
            Flavour::OpenMpi => "--mpi=pmix",
            Flavour::Mpich => "--mpi=pmi2",
        }
    }

    /// The family by the text of MPI_Get_library_version.
    pub fn of_library(text: &str) -> Flavour {
        if text.contains("Open MPI") { Flavour::OpenMpi } else { Flavour::Mpich }
    }
}

impl fmt::Display for Flavour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Flavour::OpenMpi => "Open MPI",
            Flavour::Mpich => "MPICH",
        })
    }
}
