//! The clocks of hosts, brought together.
//!
//! Every host has a monotonic clock of its own. A collective operation that all images need ends on no image before it
//! has begun on every image. Each one therefore bounds the difference of two hosts' clocks on both sides, and many of
//! them bound it to the time of one message. What is stated as the error is half of what remains.

use crate::format::Record;
use crate::operation::{Kind, Needs};
use crate::part::Part;
use crate::teams::{Call, Context};
use std::collections::{BTreeMap, HashMap};

/// The latest time, in ns: 36 years.
const LATEST: f64 = (1_u64 << 60) as f64;

/// The clock of a host in relation to that of image 1's host.
#[derive(Clone, Debug, PartialEq)]
pub struct Clock {
    /// Name of the host.
    pub host: String,
    /// What is added to its times, in ns, at two times of its own: it changes evenly.
    points: [(f64, f64); 2],
    /// The largest error, in ns; `None` where only the hosts' real-time clocks are known, and nothing bounds it.
    pub error: Option<u64>,
}

impl Clock {
    /// The clock of image 1's host.
    pub fn of_first_host(host: &str) -> Clock {
        Clock { host: host.to_string(), points: [(0.0, 0.0); 2], error: Some(0) }
    }

    /// A time of this clock by the clock of image 1's host, in ns.
    pub fn convert(&self, time: u64) -> i64 {
        let [(t, a), (u, b)] = self.points;
        let time = time as f64;
        let share = if u > t { (time - t) / (u - t) } else { 0.0 };
        // Differences of times of a part that is damaged fit, too.
        (time + a + (b - a) * share).clamp(-LATEST, LATEST) as i64
    }
}

/// What bounds a difference: the host's own time, and the least and greatest value, in ns.
#[derive(Clone, Copy, Debug)]
struct Bound {
    time: u64,
    least: i64,
    most: i64,
}

/// The clocks of the hosts of these parts, the one of the first part first.
pub fn clocks(parts: &[Part], contexts: &[Vec<Context>]) -> Vec<Clock> {
    let mut hosts: Vec<&Part> = Vec::new();
    for part in parts {
        if !hosts.iter().any(|known| known.host == part.host) {
            hosts.push(part);
        }
    }
    let Some(first) = hosts.first() else { return Vec::new() };
    let bounds = bounds(parts, contexts, &first.host);
    let clock = |host: &&Part| match bounds.get(&*host.host) {
        _ if host.host == first.host => Clock::of_first_host(&host.host),
        Some(bounds) => bounded(&host.host, bounds),
        None => {
            let [here, there] =
                [first, host].map(|part| part.start[1].wrapping_sub(part.start[0]) as i64);
            let offset = there.wrapping_sub(here) as f64;
            Clock { host: host.host.clone(), points: [(0.0, offset); 2], error: None }
        }
    };
    hosts.iter().map(clock).collect()
}

/// For each other host, what each collective operation says of its clock.
fn bounds<'a>(
    parts: &'a [Part],
    contexts: &[Vec<Context>],
    first: &str,
) -> HashMap<&'a str, Vec<Bound>> {
    /// Of one call on one host: the last begin, the first end, and the number of images.
    type Extremes<'a> = BTreeMap<&'a str, (u64, u64)>;
    let mut calls: BTreeMap<Call, Extremes<'a>> = BTreeMap::new();
    for (part, contexts) in parts.iter().zip(contexts) {
        for (record, context) in part.records.iter().zip(contexts) {
            if let (Some(call), true) = (context.call, waits_for_all(record)) {
                let extremes = calls.entry(call).or_default();
                let (begin, end) = extremes.entry(&part.host).or_insert((0, u64::MAX));
                *begin = record.begin.max(*begin);
                *end = record.end.min(*end);
            }
        }
    }
    let mut bounds: HashMap<&str, Vec<Bound>> = HashMap::new();
    for extremes in calls.values() {
        let Some(&(begin, end)) = extremes.get(first) else { continue };
        for (host, &(begin_there, end_there)) in extremes {
            if *host != first {
                bounds.entry(host).or_default().push(Bound {
                    time: begin_there,
                    least: begin.wrapping_sub(end_there) as i64,
                    most: end.wrapping_sub(begin_there) as i64,
                });
            }
        }
    }
    bounds
}

/// Whether an operation has ended and needed all images.
fn waits_for_all(record: &Record) -> bool {
    let needs_all = match record.operation.kind() {
        Kind::Collective(Needs::All) => true,
        Kind::Collective(Needs::AtRoot) => record.partner == 0,
        _ => false,
    };
    needs_all && record.end != 0
}

/// The clock of a host by what bounds it: one difference where one fits all of the run, otherwise one at each end.
fn bounded(host: &str, bounds: &[Bound]) -> Clock {
    let clock = |points, error| Clock { host: host.to_string(), points, error: Some(error) };
    if let Some((offset, error)) = middle(bounds) {
        return clock([(0.0, offset); 2], error);
    }
    let mut by_time = bounds.to_vec();
    by_time.sort_by_key(|bound| bound.time);
    let quarter = by_time.len().div_ceil(4);
    let ends = [&by_time[..quarter], &by_time[by_time.len() - quarter..]];
    let points = ends.map(|part| {
        let time = part.iter().map(|bound| bound.time as f64).sum::<f64>() / part.len() as f64;
        // A clock that drifts by more than a message takes within a quarter of the run: its first bound counts.
        let (offset, error) = middle(part).or_else(|| middle(&part[..1])).unwrap_or((0.0, 0));
        ((time, offset), error)
    });
    clock(
        points.map(|(point, _)| point),
        points.map(|(_, error)| error).into_iter().max().unwrap_or(0),
    )
}

/// The middle of what all bounds allow, and half of its width; `None` if they contradict one another.
fn middle(bounds: &[Bound]) -> Option<(f64, u64)> {
    let least = bounds.iter().map(|bound| bound.least).max()?;
    let most = bounds.iter().map(|bound| bound.most).min()?;
    let width = u64::try_from(most.checked_sub(least)?).ok()?;
    Some((least as f64 + width as f64 / 2.0, width.div_ceil(2)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Operation;
    use crate::teams::Teams;

    /// An image whose barriers begin and end at these times of its host's clock.
    fn part(image: u32, host: &str, barriers: &[(u64, u64)]) -> Part {
        let record = |&(begin, end): &(u64, u64)| Record {
            operation: Operation::SyncAll,
            thread: 0,
            partner: 0,
            begin,
            end,
            address: 1,
            bytes: 0,
            team: 0,
            object: 0,
            element: 0,
            list: Vec::new(),
        };
        let start = [0, 5_000_000 + 1000 * u64::from(image)];
        let records = barriers.iter().map(record).collect();
        Part { image, images: 2, host: host.into(), start, records, ..Part::default() }
    }

    fn clocks_of(parts: &[Part]) -> Vec<Clock> {
        clocks(parts, &Teams::of(parts).1)
    }

    #[test]
    fn images_of_one_host_have_one_clock() {
        let clocks = clocks_of(&[part(1, "a", &[(1, 2)]), part(2, "a", &[(1, 2)])]);
        assert_eq!((clocks.len(), clocks[0].error, clocks[0].convert(77)), (1, Some(0), 77));
    }

    #[test]
    fn barriers_bound_the_difference_of_two_clocks() {
        // The second clock is 1,000,000 behind. One barrier is late here, the next one there.
        let late_here = ((500, 520), (1_000_100, 1_000_530));
        let late_there = ((600, 890), (1_000_880, 1_000_895));
        let here = part(1, "a", &[late_here.0, late_there.0]);
        let there = part(2, "b", &[late_here.1, late_there.1]);
        let clocks = clocks_of(&[here, there]);
        let error = clocks[1].error.unwrap();
        assert!(error <= 20, "{error}");
        assert!(clocks[1].convert(1_000_880).abs_diff(880) <= error);
    }

    #[test]
    fn a_clock_that_drifts_is_followed() {
        // 100 barriers, 1 ms apart; the second clock gains 1 us in each.
        let times: Vec<(u64, u64)> =
            (1..=100u64).map(|n| (n * 1_000_000, n * 1_000_000 + 100)).collect();
        let drifting: Vec<(u64, u64)> =
            (1..=100u64).map(|n| (n * 1_001_000, n * 1_001_000 + 100)).collect();
        let clocks = clocks_of(&[part(1, "a", &times), part(2, "b", &drifting)]);
        for n in [20u64, 50, 80] {
            let converted = clocks[1].convert(n * 1_001_000);
            assert!(converted.abs_diff((n * 1_000_000) as i64) < 15_000, "{n}: {converted}");
        }
    }

    #[test]
    fn without_a_common_operation_only_the_real_time_is_known() {
        let clocks = clocks_of(&[part(1, "a", &[]), part(2, "b", &[])]);
        assert_eq!((clocks[1].error, clocks[1].convert(0)), (None, 1000));
    }
}
