//! The plan of the runs: the peers, the groups of rows, and the time that they get.

use crate::options::RunOptions;
use crate::peers::{Binaries, Kind, Peer};
use crate::protocol::RowKey;
use std::time::{Duration, Instant};

/// A peer with its programs.
pub struct Contestant {
    /// The peer.
    pub peer: Peer,
    /// Its programs.
    pub binaries: Binaries,
}

/// One group of rows for one number of images.
pub struct Leg {
    /// Number of images.
    pub images: u32,
    /// Name of the group.
    pub group: &'static str,
    /// How its rows are run.
    pub how: How,
    /// Per contestant the rows that it runs, in the order of its program; may be empty.
    pub rows: Vec<Vec<RowKey>>,
}

/// How the rows of a leg are run.
#[derive(Clone, Copy)]
pub enum How {
    /// By the benchmark, which repeats each operation and says how long it took (`protocol`).
    Bench,
    /// By the program that has the name of the group, in the same way.
    Group,
    /// By programs of their own, one run a row; which, depends on the row and on the kind of the peer.
    Programs(fn(&RowKey, Kind) -> OwnProgram),
}

/// A program that is a row of its own: it measures and checks itself.
pub struct OwnProgram {
    /// Its name among the [`Binaries`].
    pub name: &'static str,
    /// Its arguments.
    pub arguments: Vec<&'static str>,
    /// The microseconds that a line of its output tells, if it does.
    pub time: fn(&str) -> Option<f64>,
}

/// How the runs are done.
pub struct Pace {
    /// How often everything is run.
    pub repetitions: u32,
    /// Least duration of a batch, passed to the programs.
    pub batch_milliseconds: u32,
    /// Silence after which a run is ended.
    pub silence: Duration,
    /// When no further run is begun.
    pub until: Option<Instant>,
    /// What peers get instead, where it is not the same for all.
    pub patience: Option<Patience>,
}

/// How long a peer is waited for. One that is slower than that is not the one to beat.
#[derive(Clone, Copy)]
pub struct Patience {
    /// Silence after which its run is ended.
    pub silence: Duration,
    /// What a program that is a row of its own has at least.
    pub least: Duration,
    /// The multiple of the shortest time measured for its row that it has otherwise.
    pub times: u32,
}

impl Pace {
    /// The pace that these options ask for, from now on.
    pub fn of(options: &RunOptions) -> Pace {
        let minutes = options.minutes.map(|minutes| Duration::from_secs(60 * minutes));
        Pace {
            repetitions: options.repetitions(),
            batch_milliseconds: options.batch_milliseconds(),
            silence: Duration::from_secs(options.timeout),
            patience: None,
            until: minutes.map(|minutes| Instant::now() + minutes),
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Silence after which a run of such a peer is ended.
    pub(super) fn silence_of(&self, kind: Kind) -> Duration {
        self.patience.filter(|_| !kind.is_ours()).map_or(self.silence, |patience| patience.silence)
    }

    /// What such a peer has for a program that is a row of its own, the fastest run of which took `fastest`
    /// microseconds.
    pub(super) fn whole_of(&self, kind: Kind, fastest: Option<f64>) -> Duration {
        let limit = self.patience.filter(|_| !kind.is_ours()).zip(fastest);
        limit.map_or(self.silence, |(patience, fastest)| {
            let times = f64::from(patience.times) * fastest / 1e6;
            // Not a number of seconds that a duration cannot have: longer than any contestant is waited for.
            let times = Duration::try_from_secs_f64(times).unwrap_or(self.silence);
            times.clamp(patience.least.min(self.silence), self.silence)
        })
    }
}
