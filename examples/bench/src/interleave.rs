//! Running all peers in turn, so that whatever else the machine does falls on all of them.
//!
//! Order: repetition, number of images, group of rows, peer. So the figures that are compared were
//! taken within seconds of each other; and the peer that goes first changes with the repetition.

use crate::launch::{self, Ending};
use crate::peers::{Binaries, Kind, Peer};
use crate::protocol::{Line, RowKey, selection_argument};
use crate::samples::{Place, Samples, Trouble};
use indicatif::ProgressBar;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

/// A peer with its programs.
pub struct Contestant {
    /// Who.
    pub peer: Peer,
    /// What it runs.
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
    /// Otherwise it has so many times the shortest time measured for its row.
    pub times: u32,
}

impl Pace {
    fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Silence after which a run of such a peer is ended.
    fn silence_of(&self, kind: Kind) -> Duration {
        self.patience.filter(|_| !kind.is_ours()).map_or(self.silence, |patience| patience.silence)
    }

    /// What such a peer has for a program that is a row of its own, the fastest run of which took `fastest` microseconds.
    fn whole_of(&self, kind: Kind, fastest: Option<f64>) -> Duration {
        let limit = self.patience.filter(|_| !kind.is_ours()).zip(fastest);
        limit.map_or(self.silence, |(patience, fastest)| {
            let times = f64::from(patience.times) * fastest / 1e6;
            // Not a number of seconds that a duration cannot have: longer than anybody is waited for.
            let times = Duration::try_from_secs_f64(times).unwrap_or(self.silence);
            times.clamp(patience.least.min(self.silence), self.silence)
        })
    }
}

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
                match leg.how {
                    How::Bench => {
                        take_turn(contestant, leg.images, rows, pace, repetition, samples);
                    }
                    How::Programs(program_of) => {
                        for row in rows {
                            let turn = (leg.images, row, program_of(row, contestant.peer.kind));
                            run_program(contestant, turn, pace, repetition, samples);
                        }
                    }
                }
                bar.inc(1);
            }
        }
    }
}

/// Where nobody sees the bar, a line now and then tells that it goes on.
fn log(repetition: u32, images: u32, pace: &Pace) {
    if !io::stderr().is_terminal() {
        eprintln!("repetition {}/{}, {images} images", repetition + 1, pace.repetitions);
    }
}

/// Whether the peer did not end in time with fewer images, or with a smaller size of the row: then it is not tried with more.
fn has_been_too_slow(peer: &str, images: u32, row: &RowKey, samples: &Samples) -> bool {
    samples.troubles().any(|(other, trouble)| {
        let less = other.images <= images && other.row.size <= row.size;
        let same = other.peer == peer && other.row.name == row.name;
        same && less && *trouble == Trouble::TimedOut
    })
}

/// One contestant's turn. A row that hangs or kills the program is given up, and the program is
/// started again for the rows behind it.
fn take_turn(
    contestant: &Contestant,
    images: u32,
    rows: &[RowKey],
    pace: &Pace,
    repetition: u32,
    samples: &mut Samples,
) {
    let peer = &contestant.peer;
    let place = |row: &RowKey| Place { images, row: row.clone(), peer: peer.id };
    for row in rows.iter().filter(|_| pace.patience.is_some() && !peer.kind.is_ours()) {
        if has_been_too_slow(peer.id, images, row, samples) {
            samples.trouble(place(row), Trouble::TimedOut);
        }
    }
    let given_up =
        |row: &RowKey| samples.get(images, row, peer.id).is_some_and(|cell| cell.trouble.is_some());
    let mut remaining: Vec<RowKey> = rows.iter().filter(|row| !given_up(row)).cloned().collect();
    let silence = pace.silence_of(peer.kind);

    while !remaining.is_empty() {
        let mut command = peer.launcher.command(images, &contestant.binaries.bench);
        command.arg(selection_argument(&remaining)).arg(pace.batch_milliseconds.to_string());
        command.args(peer.launcher.partner(images).map(|partner| partner.to_string()));
        let mut begun = None;
        let mut heard = false;
        let mut ended = false;
        let ending = launch::run(&mut command, silence, |text| match Line::parse(text) {
            Some(Line::Begin(row)) => {
                heard = true;
                begun = Some(row);
            }
            Some(Line::Measured(row, microseconds)) => {
                remaining.retain(|other| *other != row);
                begun.take_if(|other| *other == row);
                samples.add(place(&row), repetition, microseconds);
            }
            Some(Line::Wrong(row)) => samples.trouble(place(&row), Trouble::Wrong),
            Some(Line::End) => ended = true,
            None => (),
        });
        let trouble = match ending {
            Ending::Success if ended => return,
            Ending::Success => Trouble::Failed("ended early with status 0".to_owned()),
            Ending::TimedOut => Trouble::TimedOut,
            Ending::Failed(reason) => Trouble::Failed(reason),
        };
        if ended {
            // The figures are good, the end of the program is not.
            samples.unclean(images, peer.id, trouble);
            return;
        }
        if !heard {
            // It never came to a row: no single one is to blame.
            for row in &remaining {
                samples.trouble(place(row), trouble.clone());
            }
            return;
        }
        let culprit = begun.or_else(|| remaining.first().cloned());
        if let Some(row) = culprit {
            remaining.retain(|other| *other != row);
            samples.trouble(place(&row), trouble);
        }
    }
}

/// One run of a row that has its own program, which may take as long as others may be silent, or less (`Patience`).
fn run_program(
    contestant: &Contestant,
    (images, row, program): (u32, &RowKey, OwnProgram),
    pace: &Pace,
    repetition: u32,
    samples: &mut Samples,
) {
    let peer = &contestant.peer;
    let place = || Place { images, row: row.clone(), peer: peer.id };
    if samples.get(images, row, peer.id).is_some_and(|cell| cell.trouble.is_some()) {
        return;
    }
    if has_been_too_slow(peer.id, images, row, samples) {
        samples.trouble(place(), Trouble::TimedOut);
        return;
    }
    let outcome = match contestant.binaries.get(program.name) {
        None => Err(Trouble::Failed(format!("has no program {}", program.name))),
        Some(Err(reason)) => Err(Trouble::Failed(reason.clone())),
        Some(Ok(path)) => {
            let mut command = peer.launcher.command(images, path);
            command.args(&program.arguments);
            let mut time = None;
            let whole = pace.whole_of(peer.kind, samples.shortest(images, row));
            let ending = launch::run_within(&mut command, pace.silence, Some(whole), |line| {
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
        Ok(microseconds) => samples.add(place(), repetition, microseconds),
        Err(trouble) => samples.trouble(place(), trouble),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::Launcher;
    use std::process::Command;

    /// Longer than it takes to start a script, even on a busy machine; shorter than those that hang.
    const SILENCE: Duration = Duration::from_secs(20);

    /// A program that measures every row asked for, but hangs in `hang`, dies in `die` and gets
    /// `lie` wrong.
    const PROGRAM: &str = r#"#!/bin/sh
for item in $(echo "$1" | tr , ' '); do
  row=$(echo "$item" | tr : ,)
  echo "begin,$row"
  case $item in
    hang:*) sleep 1000 ;;
    die:*) echo oops >&2; exit 9 ;;
    lie:*) echo "$row,1.0"; echo "wrong,$row" ;;
    *) echo "$row,1.0" ;;
  esac
done
echo end
"#;

    fn peer() -> Peer {
        let launcher = Launcher::Environment("IMAGES");
        let (id, kind) = ("p", Kind::CafShmem);
        Peer { id, title: id, kind, compiler: None, fortran: None, launcher }
    }

    fn script(directory: &std::path::Path, text: &str) -> std::path::PathBuf {
        let (path, copied) = (directory.join("text"), directory.join("bench"));
        std::fs::write(&path, text).unwrap();
        // By another process: what this one has written may be open still in a child that another test is starting,
        // and what is open for writing cannot be executed.
        let copy = Command::new("install").args(["-m", "755"]).arg(&path).arg(&copied).status();
        assert!(copy.unwrap().success());
        copied
    }

    /// Is slow from size 3 on, fast before.
    const OWN_PROGRAM: &str = "#!/bin/sh\n[ $1 -lt 3 ] || sleep 1000\necho took $1\n";

    #[test]
    fn who_is_too_slow_is_not_tried_with_more() {
        let directory = tempfile::tempdir().unwrap();
        let bench = script(directory.path(), OWN_PROGRAM);
        let binaries = Binaries::only(bench.clone()).with("own", Ok(bench));
        let rows: Vec<RowKey> = [1, 3, 5].map(|size| RowKey::new("a", size)).into();
        let program = |row: &RowKey, _: Kind| OwnProgram {
            name: "own",
            arguments: vec![["1", "3", "5"][row.size as usize / 2]],
            time: |line| line.strip_prefix("took ")?.parse().ok(),
        };
        let how = How::Programs(program);
        let legs = [2, 4].map(|images| Leg { images, group: "g", how, rows: vec![rows.clone()] });
        let pace = Pace {
            repetitions: 2,
            batch_milliseconds: 1,
            silence: SILENCE,
            until: None,
            patience: None,
        };
        let mut samples = Samples::default();
        let contestants = [Contestant { peer: peer(), binaries }];
        run_all(&contestants, &legs, &pace, &ProgressBar::hidden(), &mut samples);
        for images in [2, 4] {
            let cell = |row: usize| samples.get(images, &rows[row], "p").unwrap();
            assert_eq!(cell(0).summary().unwrap().median, 1.0);
            assert_eq!(cell(1).trouble, Some(Trouble::TimedOut));
            assert_eq!(cell(2).trouble, Some(Trouble::TimedOut));
        }
    }

    #[test]
    fn nothing_is_begun_when_time_is_over() {
        let directory = tempfile::tempdir().unwrap();
        let binaries = Binaries::only(script(directory.path(), PROGRAM));
        let rows = vec![RowKey::new("a", 8)];
        let legs = [Leg { images: 2, group: "g", how: How::Bench, rows: vec![rows.clone()] }];
        let until = Some(Instant::now());
        let pace =
            Pace { repetitions: 2, batch_milliseconds: 1, silence: SILENCE, until, patience: None };
        let mut samples = Samples::default();
        let contestants = [Contestant { peer: peer(), binaries }];
        run_all(&contestants, &legs, &pace, &ProgressBar::hidden(), &mut samples);
        assert_eq!(samples.repetitions_when_cut_short(), Some(0));
        assert!(samples.get(2, &rows[0], "p").is_none());
    }

    #[test]
    fn peers_are_waited_for_less_long_than_ours() {
        let [silence, least] = [30, 3].map(Duration::from_secs);
        let patience = Some(Patience { silence: Duration::from_secs(5), least, times: 20 });
        let pace = Pace { repetitions: 1, batch_milliseconds: 1, silence, until: None, patience };
        assert_eq!(pace.silence_of(Kind::Ours), silence);
        assert_eq!(pace.silence_of(Kind::RawMpi), Duration::from_secs(5));
        assert_eq!(pace.whole_of(Kind::Technique, Some(1.0)), silence);
        let whole = |fastest| pace.whole_of(Kind::OpenCoarrays, fastest);
        assert_eq!(whole(None), silence);
        assert_eq!(whole(Some(1e3)), least);
        assert_eq!(whole(Some(1e6)), Duration::from_secs(20));
        assert_eq!(whole(Some(2e6)), silence);
        assert_eq!(whole(Some(1e300)), silence);
        let pace = Pace { patience: None, ..pace };
        assert_eq!(pace.silence_of(Kind::RawMpi), silence);
        assert_eq!(pace.whole_of(Kind::RawMpi, Some(1.0)), silence);
    }

    #[test]
    fn rows_of_a_peer_that_hung_are_not_tried_with_more_images() {
        let directory = tempfile::tempdir().unwrap();
        let bench = script(directory.path(), PROGRAM);
        let row = RowKey::new("hang", 8);
        let leg = |images| {
            let rows = vec![vec![row.clone(), RowKey::new("a", 8)]];
            Leg { images, group: "g", how: How::Bench, rows }
        };
        let patience = Patience { silence: SILENCE, least: SILENCE, times: 20 };
        let pace = Pace {
            repetitions: 1,
            batch_milliseconds: 1,
            silence: SILENCE,
            until: None,
            patience: Some(patience),
        };
        let contestants = [Contestant { peer: peer(), binaries: Binaries::only(bench) }];
        let mut samples = Samples::default();
        run_all(&contestants, &[leg(2), leg(4)], &pace, &ProgressBar::hidden(), &mut samples);
        for images in [2, 4] {
            assert_eq!(samples.get(images, &row, "p").unwrap().trouble, Some(Trouble::TimedOut));
            assert!(samples.summary(images, &RowKey::new("a", 8), "p").is_some());
        }
    }

    #[test]
    fn a_row_in_trouble_is_given_up_and_the_others_go_on() {
        let directory = tempfile::tempdir().unwrap();
        let bench = script(directory.path(), PROGRAM);
        let peer = peer();
        let binaries = Binaries::only(bench);
        let rows: Vec<RowKey> =
            ["a", "hang", "b", "die", "lie", "c"].map(|name| RowKey::new(name, 8)).into();
        let legs = [Leg { images: 2, group: "g", how: How::Bench, rows: vec![rows.clone()] }];
        let pace = Pace {
            repetitions: 2,
            batch_milliseconds: 1,
            silence: SILENCE,
            until: None,
            patience: None,
        };
        let mut samples = Samples::default();
        let bar = ProgressBar::hidden();
        run_all(&[Contestant { peer, binaries }], &legs, &pace, &bar, &mut samples);

        assert_eq!(bar.position(), steps(&legs, &pace));
        let cell = |index: usize| samples.get(2, &rows[index], "p").unwrap();
        for good in [0, 2, 5] {
            assert_eq!(cell(good).summary().unwrap().count, 2, "{}", rows[good]);
        }
        assert_eq!(cell(1).trouble, Some(Trouble::TimedOut));
        assert!(matches!(&cell(3).trouble, Some(Trouble::Failed(why)) if why.contains("oops")));
        assert_eq!(cell(4).trouble, Some(Trouble::Wrong));
        assert_eq!(cell(4).summary(), None);
    }
}
