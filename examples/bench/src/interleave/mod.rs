//! Running all peers in turn, so that whatever else the machine does falls on all of them.
//!
//! Order: repetition, number of images, group of rows, peer. So the figures that are compared were
//! taken within seconds of each other; and the peer that goes first changes with the repetition.

mod plan;

pub use plan::{Contestant, How, Leg, OwnProgram, Pace, Patience};

use crate::launch::{Ending, Launch, Limits, Processes};
use crate::protocol::{Line, RowKey, Time, selection_argument};
use crate::samples::{Place, Samples, Trouble, Value};
use indicatif::ProgressBar;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

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
    run_all_by(&mut Processes, contestants, legs, pace, bar, samples);
}

/// Does what [`run_all`] does, with programs that `launch` starts.
fn run_all_by(
    launch: &mut dyn Launch,
    contestants: &[Contestant],
    legs: &[Leg],
    pace: &Pace,
    bar: &ProgressBar,
    samples: &mut Samples,
) {
    for repetition in 0..pace.repetitions {
        let mut images = None;
        for leg in legs {
            if images.replace(leg.images) != Some(leg.images) {
                log(repetition, leg.images, pace);
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
                let turn = Turn { contestant, images: leg.images, pace, repetition };
                match leg.how {
                    How::Bench => {
                        let program = Ok(contestant.binaries.bench.clone());
                        turn.take(&program, rows, launch, samples);
                    }
                    How::Group => {
                        let program = contestant.binaries.program(leg.group);
                        turn.take(&program, rows, launch, samples);
                    }
                    How::Programs(program_of) => {
                        for row in rows {
                            let program = program_of(row, contestant.peer.kind);
                            turn.run_program(row, &program, launch, samples);
                        }
                    }
                }
                bar.inc(1);
            }
        }
    }
}

/// Without a terminal, lines at intervals take the place of the bar.
fn log(repetition: u32, images: u32, pace: &Pace) {
    if !io::stderr().is_terminal() {
        eprintln!("repetition {}/{}, {images} images", repetition + 1, pace.repetitions);
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

    /// Notes a time.
    fn add(&self, row: &RowKey, time: Time, samples: &mut Samples) {
        samples.add(self.place(row), Value::of(self.repetition, time));
    }

    /// Measures the rows by a program, or notes why there is none. A row that hangs or kills the program is given up, and
    /// the program is started again for the rows after it.
    fn take(
        &self,
        program: &Result<PathBuf, String>,
        rows: &[RowKey],
        launch: &mut dyn Launch,
        samples: &mut Samples,
    ) {
        let Self { contestant: Contestant { peer, .. }, images, pace, .. } = *self;
        let program = match program {
            Ok(program) => program,
            Err(reason) => {
                for row in rows {
                    samples.trouble(self.place(row), Trouble::Failed(reason.clone()));
                }
                return;
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
                    self.add(&row, time, samples);
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
    }

    /// Runs a row that has its own program, which may take as long as others may be silent, or less ([`Patience`]).
    fn run_program(
        &self,
        row: &RowKey,
        program: &OwnProgram,
        launch: &mut dyn Launch,
        samples: &mut Samples,
    ) {
        let Self { contestant: Contestant { peer, binaries }, images, pace, .. } = *self;
        if self.given_up(row, samples) {
            return;
        }
        if has_been_too_slow(peer.id, images, row, samples) {
            samples.trouble(self.place(row), Trouble::TimedOut);
            return;
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
            Ok(microseconds) => self.add(row, Time::new(microseconds), samples),
            Err(trouble) => samples.trouble(self.place(row), trouble),
        }
    }
}

#[cfg(test)]
mod tests;
