//! Whole programs in two forms, with coarrays and with MPI, after the patterns of public ones: ours and each MPI.
//!
//! Both forms of a pair share the module that computes, so that they differ in their communication alone. Each
//! tells what it has computed, and the forms must agree.

mod cold;
mod programs;
mod rows;

pub use cold::run as run_cold;

use crate::contest::{Contest, progress};
use crate::error::Error;
use crate::interleave::{self, How, Pace, Patience};
use crate::machine;
use crate::options::RunOptions;
use crate::output::Output;
use crate::peers::{self, Kind, Programs};
use crate::report::{Ahead, Report};
use crate::rows::{Row, choose};
use crate::samples::Samples;
use crate::values;
use programs::PROGRAMS;
use rows::ROWS;
use std::time::Duration;

/// Greatest number of images when none are asked for.
const MOST_IMAGES: u32 = 16;

/// What a suite of pairs measures.
struct Pairs {
    title: &'static str,
    heading: &'static str,
    rows: &'static [Row],
    programs: Programs,
    how: How,
    /// The last line of the output.
    last_line: fn(Ahead) -> String,
}

/// Runs the programs, and writes and prints their results. False if ours is absent or failed somewhere; a missed target
/// is a result, not a failure.
pub fn run(options: &RunOptions) -> Result<bool, Error> {
    let pairs = Pairs {
        title: "Suite of programs",
        heading: "Programs",
        rows: ROWS,
        programs: PROGRAMS,
        how: How::Group,
        last_line,
    };
    pairs.run(options, |_| ())
}

impl Pairs {
    /// Runs the suite; `note` adds what is to be known of the run to its report.
    fn run(&self, options: &RunOptions, note: impl FnOnce(&mut Report)) -> Result<bool, Error> {
        let rows = choose(self.rows, &options.rows, options.quick)?;
        let images = options.images(&default_images(machine::cores()));
        let mut output = Output::new(options.out_dir())?;
        let build = output.directory().join("build");
        let sides = peers::find(options).into_iter().filter(|side| {
            let kind = side.as_ref().map_or_else(|gone| gone.kind, |peer| peer.kind);
            matches!(kind, Kind::Ours | Kind::RawMpi)
        });
        let contest = Contest::new(sides.collect(), &self.programs, options, &build)?;

        let pace = Pace { patience: Some(patience(options)), ..options.pace() };
        let legs = |&count: &u32| contest.legs(&rows, count, |_| self.how, |_| true);
        let legs: Vec<_> = images.iter().flat_map(legs).collect();
        let peers = contest.peers();
        let mut report = Report::new(self.title, options, &contest.absent);
        note(&mut report);
        let mut samples = Samples::default();
        let bar = progress(interleave::steps(&legs, &pace));
        interleave::run_all(&contest.contestants, &legs, &pace, &bar, &mut samples);
        bar.finish_and_clear();

        report.heading(self.heading);
        for &count in &images {
            report.rows(&rows, count, &samples, &peers);
        }
        let summary = report.finish(&samples, &mut output)?;
        values::write(&samples, &mut output)?;
        println!("All tables: {}", output.finish()?.display());
        contest.warn_if_ours_is_absent();
        println!("{}", (self.last_line)(summary.ahead));
        Ok(summary.clean)
    }
}

/// Two images, and one for each core.
fn default_images(cores: usize) -> Vec<u32> {
    let most = u32::try_from(cores).unwrap_or(MOST_IMAGES).clamp(2, MOST_IMAGES);
    let mut images = vec![2, most];
    images.dedup();
    images
}

/// An MPI whose processes do not yield takes milliseconds for a message where images share cores.
fn patience(options: &RunOptions) -> Patience {
    let silence = options.timeout.div_ceil(3);
    Patience { silence: Duration::from_secs(silence), least: Duration::from_secs(3), times: 20 }
}

fn last_line(ahead: Ahead) -> String {
    let Ahead { ahead, rows } = ahead;
    format!("{ahead} of {rows} programs ahead of MPI")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_images_and_one_for_each_core_are_the_default() {
        assert_eq!(default_images(1), [2]);
        assert_eq!(default_images(2), [2]);
        assert_eq!(default_images(4), [2, 4]);
        assert_eq!(default_images(16), [2, 16]);
        assert_eq!(default_images(192), [2, 16]);
    }

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
