//! Whole programs in two forms, with coarrays and with MPI, after the patterns of public ones: ours, OpenCoarrays and each MPI.
//!
//! Both forms of a pair share the module that computes, so that they differ in their communication alone. Each
//! tells what it has computed, and the forms must agree.

mod cold;
mod hosts;
mod measure;
mod programs;
mod rows;

pub use cold::run as run_cold;

use crate::error::Error;
use crate::interleave::How;
use crate::options::ProgramsOptions;
use crate::peers::Kind;
use crate::report::Ahead;
use measure::Pairs;
use programs::PROGRAMS;
use rows::ROWS;

/// Runs the programs, and writes and prints their results. False if ours is absent or failed somewhere; a missed target
/// is a result, not a failure.
pub fn run(options: &ProgramsOptions) -> Result<bool, Error> {
    let pairs = Pairs {
        title: "Suite of programs",
        heading: "Programs",
        rows: ROWS,
        programs: PROGRAMS,
        sides: &[Kind::Ours, Kind::OpenCoarrays, Kind::RawMpi],
        how: How::Group,
        last_line,
    };
    match options.hosts {
        1 => pairs.run(&options.run, |_| ()),
        hosts => hosts::run(&pairs, hosts, &options.run),
    }
}

fn last_line(ahead: Ahead) -> String {
    let Ahead { ahead, rows } = ahead;
    format!("{ahead} of {rows} programs ahead of MPI")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine;

    #[test]
    fn the_last_line_says_in_how_many_programs_ours_is_ahead() {
        let line = last_line(Ahead { ahead: 3, rows: 8 });
        assert_eq!(line, "3 of 8 programs ahead of MPI");
    }

    #[test]
    fn each_group_of_rows_has_a_program_of_its_name_in_both_forms() {
        for form in [PROGRAMS.coarray, PROGRAMS.mpi] {
            for row in ROWS {
                assert!(form.iter().any(|program| program.name == row.group), "{}", row.group);
            }
            for program in form {
                assert!(ROWS.iter().any(|row| row.group == program.name), "{}", program.name);
                for source in program.sources {
                    assert!(machine::checkout().join(source).is_file(), "{source}");
                }
            }
        }
    }
}
