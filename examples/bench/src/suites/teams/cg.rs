//! NPB CG (figure 8): programs that measure and check themselves. A row's size is the order of the matrix.
//!
//! The row `cg_teams` of raw MPI is its own form of the same algorithm, with MPI_Allreduce in a communicator for
//! each row of the grid of images.

use crate::interleave::OwnProgram;
use crate::peers::{Kind, Language, Program};
use crate::protocol::RowKey;

/// The group of the rows.
pub const GROUP: &str = "cg";
/// Order of the matrix of class S.
pub const S: u64 = 1400;
/// Of class W.
pub const W: u64 = 7000;
/// Of class A.
pub const A: u64 = 14000;

/// The Fortran 2008 form.
pub const F2008: Program = Program {
    name: "npb_cg",
    sources: &["examples/fortran/npb_cg.f90"],
    language: Language::Fortran,
    options: &["-O3"],
};
/// The forms with teams.
pub const TEAMS: Program = Program {
    name: "npb_cg_teams",
    sources: &["examples/fortran/npb_cg_teams.f90"],
    language: Language::Fortran,
    options: &["-O3"],
};
/// The raw MPI form.
pub const MPI: Program = Program {
    name: "mpi_cg",
    sources: &["examples/bench/programs/mpi_cg.f90", "examples/bench/programs/mpi_images.c"],
    language: Language::Fortran,
    options: &["-O3", "-fcoarray=lib"],
};

/// What runs a row with such a peer.
pub fn program(row: &RowKey, kind: Kind) -> OwnProgram {
    let (name, form) = match row.name.as_str() {
        _ if matches!(kind, Kind::RawMpi | Kind::RawMessages) => (MPI.name, None),
        "cg_f2008" => (F2008.name, None),
        "cg_teams" => (TEAMS.name, Some("steps")),
        _ => (TEAMS.name, Some("sums")),
    };
    let class = match row.size {
        S => "S",
        W => "W",
        _ => "A",
    };
    OwnProgram { name, arguments: [Some(class), form].into_iter().flatten().collect(), time }
}

/// Microseconds of a line `Time in seconds = X`.
fn time(line: &str) -> Option<f64> {
    let seconds: f64 = line
        .trim()
        .strip_prefix("Time in seconds")?
        .trim()
        .strip_prefix('=')?
        .trim()
        .parse()
        .ok()?;
    (seconds > 0.0).then_some(1e6 * seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_read() {
        assert_eq!(time(" Time in seconds = .250"), Some(250_000.0));
        assert_eq!(time(" Time in seconds = 0.000"), None);
        assert_eq!(time(" Iterations      = 15"), None);
    }

    #[test]
    fn every_row_has_its_program_and_arguments() {
        let teams = program(&RowKey::new("cg_sums", W), Kind::Ours);
        assert_eq!((teams.name, teams.arguments), ("npb_cg_teams", vec!["W", "sums"]));
        let mpi = program(&RowKey::new("cg_teams", A), Kind::RawMpi);
        assert_eq!((mpi.name, mpi.arguments), ("mpi_cg", vec!["A"]));
    }
}
