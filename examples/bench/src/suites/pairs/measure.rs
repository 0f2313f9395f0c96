//! The measurement of pairs: of all rows, on this host or on those of a network, and its results.

use crate::contest::{Contest, progress};
use crate::error::Error;
use crate::interleave::{self, How, Pace, Patience};
use crate::machine;
use crate::options::RunOptions;
use crate::output::Output;
use crate::peers::{self, Absent, Kind, Peer, Programs};
use crate::report::{Ahead, Report};
use crate::rows::{Row, choose};
use crate::samples::Samples;
use crate::values;
use std::time::Duration;

/// Greatest number of images when none are asked for.
const MAX_IMAGES: u32 = 16;

/// What a suite of pairs measures.
pub struct Pairs {
    pub title: &'static str,
    pub heading: &'static str,
    pub rows: &'static [Row],
    pub programs: Programs,
    /// The sides on one host.
    pub sides: &'static [Kind],
    pub how: How,
    /// The last line of the output.
    pub last_line: fn(Ahead) -> String,
}

/// What a side is to the comparison, installed or not.
pub fn kind(side: &Result<Peer, Absent>) -> Kind {
    side.as_ref().map_or_else(|gone| gone.kind, |peer| peer.kind)
}

/// The measurements of a run, and where they go.
pub struct Measured {
    rows: Vec<Row>,
    images: Vec<u32>,
    pub contest: Contest,
    samples: Samples,
    pub report: Report,
    output: Output,
}

impl Pairs {
    /// Runs the suite on this host; `note` adds what is to be known of the run to its report.
    pub fn run(&self, options: &RunOptions, note: impl FnOnce(&mut Report)) -> Result<bool, Error> {
        let output = Output::new(options.out_dir())?;
        let images = options.images(&default_images(machine::cores()));
        let is_side = |side: &_| self.sides.contains(&kind(side));
        let sides = peers::find(options).into_iter().filter(is_side).collect();
        let mut measured = self.measure(options, sides, images, output)?;
        note(&mut measured.report);
        measured.report.heading(self.heading);
        measured.tell(&measured.contest.peers());
        self.finish(measured)
    }

    /// Measures all rows of these sides.
    pub fn measure(
        &self,
        options: &RunOptions,
        sides: Vec<Result<Peer, Absent>>,
        images: Vec<u32>,
        output: Output,
    ) -> Result<Measured, Error> {
        let rows = choose(self.rows, &options.rows, options.quick)?;
        let build = output.directory().join("build");
        let contest = Contest::new(sides, &self.programs, options, &build)?;
        let pace = Pace { patience: Some(patience(options)), ..Pace::of(options) };
        let legs = |&count: &u32| contest.legs(&rows, count, |_| self.how, |_| true);
        let legs: Vec<_> = images.iter().flat_map(legs).collect();
        let mut report = Report::new(self.title, options, &contest.absent);
        report.compare_with(Kind::RawMpi);
        let mut samples = Samples::default();
        let bar = progress(interleave::steps(&legs, &pace));
        interleave::run_all(&contest.contestants, &legs, &pace, &bar, &mut samples);
        bar.finish_and_clear();
        Ok(Measured { rows, images, contest, samples, report, output })
    }

    /// Writes the results. False if ours is absent or failed somewhere.
    pub fn finish(&self, measured: Measured) -> Result<bool, Error> {
        let summary = measured.report.finish(&measured.samples, &measured.output)?;
        values::write(&measured.samples, &measured.output)?;
        println!("All tables: {}", measured.output.directory().display());
        measured.contest.warn_if_ours_is_absent();
        println!("{}", (self.last_line)(summary.ahead));
        Ok(summary.clean)
    }
}

impl Measured {
    /// Adds the tables of these sides to the report.
    pub fn tell(&mut self, peers: &[Peer]) {
        for &count in &self.images {
            self.report.rows(&self.rows, count, &self.samples, peers);
        }
    }
}

/// Two images, and one for each core.
fn default_images(cores: usize) -> Vec<u32> {
    let most = u32::try_from(cores).unwrap_or(MAX_IMAGES).clamp(2, MAX_IMAGES);
    let mut images = vec![2, most];
    images.dedup();
    images
}

/// An MPI whose processes do not yield takes milliseconds for a message where images share cores.
fn patience(options: &RunOptions) -> Patience {
    let silence = options.timeout.div_ceil(3);
    Patience { silence: Duration::from_secs(silence), least: Duration::from_secs(3), times: 20 }
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
}
