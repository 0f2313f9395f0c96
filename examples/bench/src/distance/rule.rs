//! Which round trips are of the same distance, how long turns are repeated, and at which distance the sides of a row are
//! compared.

use std::fmt;
use std::time::Duration;

/// Two round trips are of different distances if one takes more than so many times the other. Of one distance they were 72
/// to 118 ns, as the clock of the processor changes, and 470 to 720 ns of another.
const APART: f64 = 2.0;

/// Whether these two round trips are of different distances.
pub fn are_apart(one: f64, other: f64) -> bool {
    one.max(other) > APART * one.min(other)
}

/// How long a cache line took there and back before and after something was measured, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundTrips {
    /// Right before it.
    pub before: f64,
    /// Right after it.
    pub after: f64,
}

impl RoundTrips {
    /// Whether the distance changed meanwhile.
    pub fn are_apart(self) -> bool {
        are_apart(self.before, self.after)
    }

    fn least(self) -> f64 {
        self.before.min(self.after)
    }

    fn greatest(self) -> f64 {
        self.before.max(self.after)
    }
}

/// One distance: round trips from the least one on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    least: f64,
}

impl Distance {
    /// Whether both round trips are of this distance.
    pub fn has(self, round_trips: RoundTrips) -> bool {
        round_trips.least() >= self.least && !are_apart(self.least, round_trips.greatest())
    }
}

/// The distance at which the sides of a row are compared, by the round trips of the values of each side: the one at
/// which most sides have values, and the side with the fewest has most; the nearer one of two. Sides that are only
/// `shown` decide where those that are judged do not. `None` without any.
pub fn common(judged: &[Vec<RoundTrips>], shown: &[Vec<RoundTrips>]) -> Option<Distance> {
    let worth = |distance: &Distance| {
        [judged, shown].map(|sides| {
            let of_side =
                |side: &Vec<RoundTrips>| side.iter().filter(|r| distance.has(**r)).count();
            let counts: Vec<usize> = sides.iter().map(of_side).filter(|count| *count > 0).collect();
            (counts.len(), counts.iter().min().copied(), counts.iter().sum::<usize>())
        })
    };
    let all = [judged, shown].into_iter().flatten().flatten();
    let all = all.map(|round_trips| Distance { least: round_trips.least() });
    // Of equals the last is the greatest.
    let by_worth =
        |a: &Distance, b: &Distance| worth(a).cmp(&worth(b)).then(b.least.total_cmp(&a.least));
    all.max_by(by_worth).filter(|distance| worth(distance).iter().any(|(sides, ..)| *sides > 0))
}

/// Whether so many values of all those of a side are enough to compare it by: all, or half of them and two at least. The
/// ranges of fewer seldom overlap.
pub fn are_enough(counting: usize, all: usize) -> bool {
    counting >= all.div_ceil(2).max(all.min(2))
}

/// What became of the values of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Account {
    /// All values.
    pub values: usize,
    /// Those set aside, because their row is compared at another distance or their turn was repeated.
    pub aside: usize,
    /// Rows with values.
    pub rows: usize,
    /// Those compared at another distance than the nearest one.
    pub elsewhere: usize,
    /// Names of those in which the sides have no distance in common, or too few values there.
    pub mixed: Vec<String>,
}

/// The distances that a run has found, and what it did about them.
#[derive(Debug, Default)]
pub struct Distances {
    /// The least and the greatest round trip of all probes.
    range: Option<(f64, f64)>,
    /// Time of the turns, each counted once.
    turns: Duration,
    /// Time that went into repeated turns.
    spent: Duration,
    repeated: usize,
    /// What became of the values.
    pub account: Account,
}

impl Distances {
    /// Notes what a probe found.
    pub fn probed(&mut self, round_trip: f64) {
        let (least, greatest) = self.range.unwrap_or((round_trip, round_trip));
        self.range = Some((least.min(round_trip), greatest.max(round_trip)));
    }

    /// Notes how long a turn took for the first time.
    pub fn taken(&mut self, time: Duration) {
        self.turns += time;
    }

    /// Notes how long a turn took that was repeated.
    pub fn repeated(&mut self, time: Duration) {
        self.repeated += 1;
        self.spent += time;
    }

    /// Time for repeating: in all a quarter of the time of the turns.
    pub fn left(&self) -> Duration {
        (self.turns / 4).saturating_sub(self.spent)
    }

    /// Whether the round trip is of another distance than the nearest that is known.
    fn is_another(&self, round_trip: f64) -> bool {
        self.range.is_some_and(|(least, _)| are_apart(least, round_trip.max(least)))
    }

    /// Whether these values are of another distance than the nearest that is known.
    pub fn is_elsewhere(&self, distance: Distance) -> bool {
        self.is_another(distance.least)
    }

    /// Whether more than one distance was found.
    fn are_several(&self) -> bool {
        self.range.is_some_and(|(_, greatest)| self.is_another(greatest))
    }
}

impl fmt::Display for Distances {
    /// A few sentences; nothing where nothing was measured.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((least, greatest)) = self.range else { return Ok(()) };
        write!(
            f,
            "A cache line took {least:.0} to {greatest:.0} ns there and back between two cores."
        )?;
        if !self.are_several() {
            return Ok(());
        }
        let Account { values, aside, rows, elsewhere, mixed } = &self.account;
        let turns = if self.repeated == 1 { "turn was" } else { "turns were" };
        let are = if *aside == 1 { "is" } else { "are" };
        write!(
            f,
            " These are different distances: {} {turns} repeated, {aside} of {values} values {are} set aside. Rows that \
             compare the sides at the nearest distance: {}; at another one: {elsewhere}.",
            self.repeated,
            rows - elsewhere - mixed.len(),
        )?;
        if !mixed.is_empty() {
            let compare = if mixed.len() == 1 { "row compares" } else { "rows compare" };
            let names = mixed.join(", ");
            write!(f, " {} {compare} sides at several distances: {names}.", mixed.len())?;
        }
        Ok(())
    }
}
