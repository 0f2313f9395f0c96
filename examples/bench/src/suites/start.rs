//! The cost of an empty program: its time from the start of the launcher to its end, and its memory.

use crate::contest::Contest;
use crate::interleave::Pace;
use crate::launch::{self, Ending};
use crate::memory::size_of_line;
use crate::rows::Row;
use crate::samples::{Place, Samples, Trouble, Value};
use std::time::Instant;

/// Measures these rows, all sides in turn.
pub fn measure(
    contest: &Contest,
    rows: &[Row],
    images: &[u32],
    pace: &Pace,
    samples: &mut Samples,
) {
    for repetition in 0..pace.repetitions {
        for &count in images {
            for contestant in &contest.contestants {
                let peer = &contestant.peer;
                let place = |row: &Row| Place { images: count, row: row.key(), peer: peer.id };
                let mut command = peer.launcher.command(count, &contestant.binaries.bench);
                let mut sizes = Vec::new();
                let started = Instant::now();
                let ending = launch::run(&mut command, pace.silence, |line| {
                    sizes.extend(size_of_line(line))
                });
                let microseconds = 1e6 * started.elapsed().as_secs_f64();
                let trouble = match ending {
                    Ending::Success if sizes.len() == count as usize => None,
                    Ending::Success => {
                        Some(Trouble::Failed(format!("{} of {count} told a size", sizes.len())))
                    }
                    Ending::TimedOut => Some(Trouble::TimedOut),
                    Ending::Failed(reason) => Some(Trouble::Failed(reason)),
                };
                let most = sizes.into_iter().fold(0.0, f64::max);
                for row in rows {
                    match &trouble {
                        Some(trouble) => samples.trouble(place(row), trouble.clone()),
                        None if row.name == "start" => {
                            samples.add(place(row), Value::new(repetition, microseconds));
                        }
                        None => samples.add(place(row), Value::new(repetition, most)),
                    }
                }
            }
        }
    }
}
