//! Running all peers in turn, so that whatever else the machine does falls on all of them.
//!
//! Order: repetition, number of images, group of rows, peer. So the figures that are compared were
//! taken within seconds of each other; and the peer that goes first changes with the repetition. Each turn is taken
//! between two looks at the distance of the cores, and again if that changed ([`distance`]).

mod forecast;
mod plan;

pub use plan::{Contestant, How, Leg, OwnProgram, Pace, Patience};

use crate::distance::{self, Cores, Distances, Probe};
use crate::launch::{Ending, Launch, Limits, Processes};
use crate::protocol::{Line, RowKey, Time, selection_argument};
use crate::samples::{Place, Samples, Trouble, Value};
use forecast::Forecast;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::mem;
use std::path::PathBuf;
use std::time::Instant;

/// Steps that [`run_all`] advances its progress bar by.
pub fn steps(legs: &[Leg], pace: &Pace) -> u64 {
    let turns = legs.iter().flat_map(|leg| &leg.rows).filter(|rows| !rows.is_empty()).count();
    turns as u64 * u64::from(pace.repetitions)
}

/// Runs everything, as long as there is time, and collects the values.
pub fn run_all(
    contestants: &[Contestant],
    legs: &[Leg],
    pace: &Pace,
    bar: &ProgressBar,
    samples: &mut Samples,
) {
    let mut distances = mem::take(&mut samples.distances);
    let cores = &mut Cores::new();
    let mut means = Means { launch: &mut Processes, cores, distances: &mut distances };
    run_all_by(&mut means, contestants, legs, pace, bar, samples);
    samples.distances = distances;
    samples.compare_at_one_distance(|place| judges(contestants, legs, place));
}

/// Whether the row is judged by the side there, if these legs measure it.
fn judges(contestants: &[Contestant], legs: &[Leg], place: &Place) -> Option<bool> {
    let index = contestants.iter().position(|other| other.peer.id == place.peer)?;
    let has = |leg: &Leg| leg.images == place.images && leg.rows[index].contains(&place.row);
    legs.iter().any(has).then(|| contestants[index].peer.kind.is_judged())
}

/// What starts the programs, what measures the distance of the cores, and the distances so far.
struct Means<'a> {
    launch: &'a mut dyn Launch,
    cores: &'a mut dyn Probe,
    distances: &'a mut Distances,
}

/// Does what [`run_all`] does, by these means.
fn run_all_by(
    means: &mut Means,
    contestants: &[Contestant],
    legs: &[Leg],
    pace: &Pace,
    bar: &ProgressBar,
    samples: &mut Samples,
) {
    let style = ProgressStyle::with_template("{bar:20} {pos}/{len} {elapsed}{prefix} {wide_msg}");
    bar.set_style(style.expect("the template is well formed"));
    let mut forecast = Forecast::new(legs, pace.repetitions);
    for repetition in 0..pace.repetitions {
        let mut images = None;
        for (number, leg) in legs.iter().enumerate() {
            if images.replace(leg.images) != Some(leg.images) {
                log(repetition, leg.images, pace, &forecast);
            }
            for turn in 0..contestants.len() {
                let index = (turn + repetition as usize) % contestants.len();
                let (contestant, rows) = (&contestants[index], &leg.rows[index]);
                if rows.is_empty() {
                    continue;
                }
                if pace.is_over() {
                    samples.cut_short(repetition);
                    return;
                }
                bar.set_message(format!(
                    "repetition {}/{}, {} images, {}: {}",
                    repetition + 1,
                    pace.repetitions,
                    leg.images,
                    contestant.peer.title,
                    leg.group
                ));
                let begun = Instant::now();
                let turn = Turn { contestant, images: leg.images, pace, repetition };
                match leg.how {
                    How::Bench => {
                        turn.attempt(means, rows, samples, |turn, rows, launch, samples| {
                            turn.take(&Ok(contestant.binaries.bench.clone()), rows, launch, samples)
                        })
                    }
                    How::Group => {
                        let program = contestant.binaries.program(leg.group);
                        turn.attempt(means, rows, samples, |turn, rows, launch, samples| {
                            turn.take(&program, rows, launch, samples)
                        });
                    }
                    How::Programs(program_of) => {
                        for row in rows.chunks(1) {
                            let program = program_of(&row[0], contestant.peer.kind);
                            turn.attempt(means, row, samples, |turn, row, launch, samples| {
                                turn.run_program(&row[0], &program, launch, samples)
                            });
                        }
                    }
                }
                forecast.took(number, index, begun.elapsed());
                bar.set_prefix(time_left(&forecast, pace));
                bar.inc(1);
            }
        }
    }
}

/// `, 3 minutes left`, at most until [`Pace::until`]; empty while nothing is known.
fn time_left(forecast: &Forecast, pace: &Pace) -> String {
    let Some(left) = forecast.left() else { return String::new() };
    let most = pace.until.map(|until| until.saturating_duration_since(Instant::now()));
    format!(", {} left", HumanDuration(most.map_or(left, |most| left.min(most))))
}

/// Without a terminal, lines at intervals take the place of the bar.
fn log(repetition: u32, images: u32, pace: &Pace, forecast: &Forecast) {
    if !io::stderr().is_terminal() {
        let left = time_left(forecast, pace);
        eprintln!("repetition {}/{}, {images} images{left}", repetition + 1, pace.repetitions);
    }
}

/// Whether the peer did not end in time with fewer images, or with a smaller size of the row: then it is not tried with
/// more.
fn has_been_too_slow(peer: &str, images: u32, row: &RowKey, samples: &Samples) -> bool {
    samples.troubles().any(|(other, trouble)| {
        let less = other.images <= images && other.row.size <= row.size;
        let same = other.peer == peer && other.row.name == row.name;
        same && less && *trouble == Trouble::TimedOut
    })
}

/// Rows and their times.
type Measured = Vec<(RowKey, Time)>;

/// One contestant's turn with a group of rows.
struct Turn<'a> {
    contestant: &'a Contestant,
    images: u32,
    pace: &'a Pace,
    repetition: u32,
}

impl Turn<'_> {
    fn place(&self, row: &RowKey) -> Place {
        Place { images: self.images, row: row.clone(), peer: self.contestant.peer.id }
    }

    /// Whether the row has had trouble before.
    fn given_up(&self, row: &RowKey, samples: &Samples) -> bool {
        let cell = samples.get(self.images, row, self.contestant.peer.id);
        cell.is_some_and(|cell| cell.trouble.is_some())
    }

    /// Has the rows measured by `measure`, again if the distance of the cores changed.
    fn attempt(
        &self,
        means: &mut Means,
        rows: &[RowKey],
        samples: &mut Samples,
        measure: impl Fn(&Self, &[RowKey], &mut dyn Launch, &mut Samples) -> Measured,
    ) {
        if rows.iter().all(|row| self.given_up(row, samples)) {
            return;
        }
        let Means { launch, cores, distances } = means;
        let is_over = || self.pace.is_over();
        let turn = || measure(self, rows, *launch, samples);
        for (measured, round_trips) in distance::attempt(*cores, distances, is_over, turn) {
            for (row, time) in measured {
                let value = Value { round_trips, ..Value::of(self.repetition, time) };
                samples.add(self.place(&row), value);
            }
        }
    }

    /// Measures the rows by a program, or notes why there is none. A row that hangs or kills the program is given up, and
    /// the program is started again for the rows after it.
    fn take(
        &self,
        program: &Result<PathBuf, String>,
        rows: &[RowKey],
        launch: &mut dyn Launch,
        samples: &mut Samples,
    ) -> Measured {
        let Self { contestant: Contestant { peer, .. }, images, pace, .. } = *self;
        let mut measured = Measured::new();
        let program = match program {
            Ok(program) => program,
            Err(reason) => {
                for row in rows {
                    samples.trouble(self.place(row), Trouble::Failed(reason.clone()));
                }
                return measured;
            }
        };
        for row in rows.iter().filter(|_| pace.patience.is_some() && !peer.kind.is_ours()) {
            if has_been_too_slow(peer.id, images, row, samples) {
                samples.trouble(self.place(row), Trouble::TimedOut);
            }
        }
        let mut remaining: Vec<RowKey> =
            rows.iter().filter(|row| !self.given_up(row, samples)).cloned().collect();
        let limits = Limits { silence: pace.silence_of(peer.kind), whole: None };

        while !remaining.is_empty() {
            let mut command = peer.launcher.command(images, program);
            command.arg(selection_argument(&remaining)).arg(pace.batch_milliseconds.to_string());
            command.args(peer.launcher.partner(images).map(|partner| partner.to_string()));
            let mut begun = None;
            let mut heard = false;
            let mut ended = false;
            let ending = launch.run(&mut command, limits, &mut |text| match Line::parse(text) {
                Some(Line::Begin(row)) => {
                    heard = true;
                    begun = Some(row);
                }
                Some(Line::Measured(row, time)) => {
                    remaining.retain(|other| *other != row);
                    begun.take_if(|other| *other == row);
                    measured.push((row, time));
                }
                Some(Line::Check(row, value)) => samples.check(&self.place(&row), value),
                Some(Line::Wrong(row)) => samples.trouble(self.place(&row), Trouble::Wrong),
                Some(Line::Unwritten(row)) => {
                    samples.trouble(self.place(&row), Trouble::Unwritten);
                }
                Some(Line::End) => ended = true,
                None => (),
            });
            let trouble = match ending {
                Ending::Success if ended => {
                    for row in &remaining {
                        let reason = "told no time".to_owned();
                        samples.trouble(self.place(row), Trouble::Failed(reason));
                    }
                    break;
                }
                Ending::Success => Trouble::Failed("ended early with status 0".to_owned()),
                Ending::TimedOut => Trouble::TimedOut,
                Ending::Failed(reason) => Trouble::Failed(reason),
            };
            if ended {
                // The figures are good, the end of the program is not.
                samples.unclean(images, peer.id, trouble);
                break;
            }
            if !heard {
                // It never came to a row: no single one is to blame.
                for row in &remaining {
                    samples.trouble(self.place(row), trouble.clone());
                }
                break;
            }
            let culprit = begun.or_else(|| remaining.first().cloned());
            if let Some(row) = culprit {
                remaining.retain(|other| *other != row);
                samples.trouble(self.place(&row), trouble);
            }
        }
        measured
    }

    /// Runs a row that has its own program, which may take as long as others may be silent, or less ([`Patience`]).
    fn run_program(
        &self,
        row: &RowKey,
        program: &OwnProgram,
        launch: &mut dyn Launch,
        samples: &mut Samples,
    ) -> Measured {
        let Self { contestant: Contestant { peer, binaries }, images, pace, .. } = *self;
        if self.given_up(row, samples) {
            return Measured::new();
        }
        if has_been_too_slow(peer.id, images, row, samples) {
            samples.trouble(self.place(row), Trouble::TimedOut);
            return Measured::new();
        }
        let outcome = match binaries.program(program.name) {
            Err(reason) => Err(Trouble::Failed(reason)),
            Ok(path) => {
                let mut command = peer.launcher.command(images, &path);
                command.args(&program.arguments);
                let mut time = None;
                let whole = Some(pace.whole_of(peer.kind, samples.shortest(images, row)));
                let limits = Limits { silence: pace.silence, whole };
                let ending = launch.run(&mut command, limits, &mut |line| {
                    time = time.or_else(|| (program.time)(line));
                });
                match (ending, time) {
                    (Ending::Success, Some(time)) => Ok(time),
                    (Ending::Success, None) => Err(Trouble::Failed("told no time".to_owned())),
                    (Ending::TimedOut, _) => Err(Trouble::TimedOut),
                    (Ending::Failed(reason), _) => Err(Trouble::Failed(reason)),
                }
            }
        };
        match outcome {
            Ok(microseconds) => vec![(row.clone(), Time::new(microseconds))],
            Err(trouble) => {
                samples.trouble(self.place(row), trouble);
                Measured::new()
            }
        }
    }
}

#[cfg(test)]
mod tests;
