//! The families of MPI.

use std::fmt;

/// The families of MPI: libraries of one family understand each other's launchers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Open MPI and its derivatives: Fujitsu MPI.
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
        let open = ["Open MPI", "FUJITSU MPI"].iter().any(|name| text.contains(name));
        if open { Flavour::OpenMpi } else { Flavour::Mpich }
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

#[cfg(test)]
mod tests {
    use super::Flavour;

    #[test]
    fn the_text_of_the_library_names_its_family() {
        for (text, family) in [
            ("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4", Flavour::OpenMpi),
            // An Open MPI that does not say so.
            ("FUJITSU MPI Library 4.0.0 (4.0.1fj4.0.0)", Flavour::OpenMpi),
            ("MPICH Version:\t4.0.2", Flavour::Mpich),
            ("Intel(R) MPI Library 2021.11 for Linux* OS", Flavour::Mpich),
            ("MVAPICH2 Version      :\t2.3.7", Flavour::Mpich),
        ] {
            assert_eq!(Flavour::of_library(text), family, "{text}");
        }
    }
}
