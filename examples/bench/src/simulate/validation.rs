//! The error of the simulator: times measured on this machine beside simulated ones.

use crate::machine;
use crate::protocol::RowKey;
use crate::samples::Samples;
use crate::table::{Table, short};
use xmp_simulate::{Costs, Layout, Simulation};

/// The most images: with more on a core, what is measured is the scheduler.
const MAX_IMAGES: u32 = 8;

/// A table of measured and simulated times, and how far they are apart in the middle and at worst. `peer` is the
/// short name of ours on this many virtual hosts.
pub fn report(
    samples: &Samples,
    costs: &Costs,
    images: &[u32],
    hosts: &[(u32, &'static str)],
) -> Option<String> {
    let mut table = Table::new([
        "images",
        "hosts",
        "row",
        "size",
        "measured",
        "simulated",
        "simulated/measured",
    ]);
    let mut factors = Vec::new();
    for &images in images.iter().filter(|&&images| images <= MAX_IMAGES) {
        for &(hosts, peer) in hosts.iter().filter(|&&(hosts, _)| hosts <= images) {
            let here = samples.iter().filter(|(p, _)| p.images == images && p.peer == peer);
            for (place, cell) in here {
                let layout =
                    Layout::virtual_hosts(images as usize, hosts as usize, machine::cores());
                let simulation = Simulation { costs: *costs, ..Simulation::new(layout) };
                let (Some(summary), Some(simulated)) =
                    (cell.summary(), simulated(&simulation, &place.row, images))
                else {
                    continue;
                };
                let factor = simulated / summary.median;
                factors.push(factor);
                table.push(vec![
                    images.to_string(),
                    hosts.to_string(),
                    place.row.name.clone(),
                    place.row.size.to_string(),
                    short(summary.median),
                    short(simulated),
                    short(factor),
                ]);
            }
        }
    }
    let (typical, worst) = errors(&mut factors)?;
    Some(format!(
        "{}\nIn half of the rows the simulator is off by a factor of at most {}, at worst by {}.\n",
        table.markdown(),
        short(typical),
        short(worst)
    ))
}

/// Whether there are rows that the simulator knows.
pub fn is_possible(samples: &Samples) -> bool {
    let two = Simulation::new(Layout::blocks(2, 1));
    samples.iter().any(|(place, _)| simulated(&two, &place.row, place.images).is_some())
}

/// Microseconds of a row that the simulator knows.
fn simulated(simulation: &Simulation, row: &RowKey, images: u32) -> Option<f64> {
    let size = usize::try_from(row.size).ok()?;
    let outcome = match row.name.as_str() {
        "sync_all" => simulation.barrier(),
        "sync_team" if row.size == u64::from(images) => simulation.barrier(),
        "team_sum" => simulation.allreduce(size / 8, 8),
        "team_broadcast" => simulation.broadcast(size),
        _ => return None,
    };
    Some(outcome.time)
}

/// The middle and the greatest factor by which a ratio is away from 1, in either direction.
fn errors(ratios: &mut [f64]) -> Option<(f64, f64)> {
    ratios.iter_mut().for_each(|ratio| *ratio = ratio.max(1.0 / *ratio));
    ratios.sort_by(f64::total_cmp);
    Some((*ratios.get((ratios.len().max(1) - 1) / 2)?, *ratios.last()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{Place, Value};

    #[test]
    fn errors_count_in_both_directions() {
        assert_eq!(errors(&mut [0.5, 1.0, 1.25]), Some((1.25, 2.0)));
        assert_eq!(errors(&mut []), None);
    }

    #[test]
    fn rows_that_it_knows_are_compared() {
        let mut samples = Samples::default();
        for (name, size) in [("sync_team", 4), ("sync_team", 2), ("team_sum", 64), ("cg_teams", 7)]
        {
            let place = Place { images: 4, row: RowKey::new(name, size), peer: "ours" };
            samples.add(place, Value::new(0, 2.0));
        }
        assert!(is_possible(&samples));
        let text = report(&samples, &Costs::default(), &[4, 16], &[(1, "ours"), (2, "ours/2h")]);
        let text = text.unwrap();
        assert_eq!(text.matches("sync_team").count() + text.matches("team_sum").count(), 2);
        assert!(report(&samples, &Costs::default(), &[2], &[(1, "ours")]).is_none());
    }
}
