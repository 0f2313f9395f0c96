//! The distance of the cores that the images use.
//!
//! A virtual machine's processors may lie on different dies of the machine below: then a cache line takes several times as
//! long between them, and so does what an image waits for. The system below moves them now and then; they stay where
//! they are for a turn or for a minute, and nothing here can move them. So a run repeats a turn in which the distance
//! changed, and compares the sides of a row by values of one distance.

mod probe;
mod rule;
#[cfg(test)]
mod tests;

pub use probe::{Cores, Probe};
pub use rule::{Distances, RoundTrips, are_apart, are_enough, common};

/// Attempts of a turn.
const ATTEMPTS: u32 = 3;

/// Takes a turn between two probes, again if the distance changed meanwhile, as long as there is time. What each attempt
/// measured, and its round trips, `None` where there is only one core.
pub fn attempt<T>(
    probe: &mut dyn Probe,
    distances: &mut Distances,
    is_over: impl Fn() -> bool,
    mut turn: impl FnMut() -> T,
) -> Vec<(T, Option<RoundTrips>)> {
    let mut outcomes = Vec::new();
    for attempt in 0..ATTEMPTS {
        let Some(before) = probe_into(probe, distances) else {
            outcomes.push((turn(), None));
            break;
        };
        let begun = probe.now();
        let outcome = turn();
        let took = probe.now().saturating_sub(begun);
        let after = probe_into(probe, distances).unwrap_or(before);
        let round_trips = RoundTrips { before, after };
        outcomes.push((outcome, Some(round_trips)));
        if attempt == 0 {
            distances.taken(took);
        } else {
            distances.repeated(took);
        }
        if !round_trips.are_apart() || is_over() || distances.left() < took {
            break;
        }
    }
    outcomes
}

/// Probes and notes the round trip.
fn probe_into(probe: &mut dyn Probe, distances: &mut Distances) -> Option<f64> {
    let round_trip = probe.round_trip()?;
    distances.probed(round_trip);
    Some(round_trip)
}
