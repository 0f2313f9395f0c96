//! How long the rest of the runs will take, by what was run so far.

use super::plan::Leg;
use std::time::Duration;

/// One contestant's turn with one leg, and its repetitions.
#[derive(Clone, Debug, Default)]
struct Planned {
    /// How often it is still to be run.
    pending: u32,
    /// How long it took the last time.
    took: Option<Duration>,
}

/// An estimate of the time that is left.
pub struct Forecast {
    /// By leg and contestant.
    turns: Vec<Vec<Planned>>,
}

impl Forecast {
    /// Of these legs, each run so often.
    pub fn new(legs: &[Leg], repetitions: u32) -> Self {
        let planned = |rows: &Vec<_>| Planned {
            pending: if rows.is_empty() { 0 } else { repetitions },
            took: None,
        };
        Self { turns: legs.iter().map(|leg| leg.rows.iter().map(planned).collect()).collect() }
    }

    /// Notes how long a turn took.
    pub fn took(&mut self, leg: usize, contestant: usize, time: Duration) {
        let turn = &mut self.turns[leg][contestant];
        turn.pending = turn.pending.saturating_sub(1);
        turn.took = Some(time);
    }

    /// The time that is left: a turn takes as long as it took before, or as its contestant's turns took on average, or
    /// as all turns did. `None` before the first turn has ended.
    pub fn left(&self) -> Option<Duration> {
        let all = mean(self.turns.iter().flatten())?;
        let contestants = self.turns.first().map_or(0, Vec::len);
        let left = (0..contestants).map(|contestant| {
            let turns = || self.turns.iter().map(|leg| &leg[contestant]);
            let usual = mean(turns()).unwrap_or(all);
            turns().map(|turn| turn.pending * turn.took.unwrap_or(usual)).sum::<Duration>()
        });
        Some(left.sum())
    }
}

/// The mean of the times that are known.
fn mean<'a>(turns: impl Iterator<Item = &'a Planned>) -> Option<Duration> {
    let times: Vec<Duration> = turns.filter_map(|turn| turn.took).collect();
    let count = u32::try_from(times.len()).ok().filter(|count| *count > 0)?;
    Some(times.iter().sum::<Duration>() / count)
}

#[cfg(test)]
mod tests {
    use super::super::How;
    use super::*;
    use crate::protocol::RowKey;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_remaining_time_is_estimated_from_the_elapsed_time() {
        let some = || vec![RowKey::new("a", 8)];
        let leg = |rows| Leg { images: 2, group: "g", how: How::Bench, rows };
        let legs = [leg(vec![some(), some()]), leg(vec![some(), Vec::new()])];
        let mut forecast = Forecast::new(&legs, 2);
        assert_eq!(forecast.left(), None);
        // The first contestant twice as long again in the other leg, the second unknown: 1 + 2 + 2.
        forecast.took(0, 0, SECOND);
        assert_eq!(forecast.left(), Some(5 * SECOND));
        forecast.took(0, 1, 10 * SECOND);
        assert_eq!(forecast.left(), Some(13 * SECOND));
        forecast.took(1, 0, 4 * SECOND);
        assert_eq!(forecast.left(), Some(15 * SECOND));
        for (leg, contestant) in [(0, 0), (0, 1), (1, 0)] {
            forecast.took(leg, contestant, SECOND);
        }
        assert_eq!(forecast.left(), Some(Duration::ZERO));
    }
}
