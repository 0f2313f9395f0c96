//! Converts the ticks of recordings to times, after the job has ended.

use crate::part::Part;
use crate::ticks::Pair;
use std::collections::BTreeMap;

/// Where ticks become times: a line through two pairs.
#[derive(Clone, Copy, Debug)]
struct Line {
    from: Pair,
    /// ns for each tick.
    rate: f64,
}

impl Line {
    fn through(first: Pair, last: Pair) -> Line {
        let (ticks, time) =
            (last.ticks.saturating_sub(first.ticks), last.time.saturating_sub(first.time));
        // Pairs of one moment: nothing was recorded between them.
        let rate = if ticks == 0 { 1.0 } else { time as f64 / ticks as f64 };
        Line { from: first, rate }
    }

    fn span(self, ticks: u64) -> u64 {
        (ticks as f64 * self.rate).round() as u64
    }

    fn time(self, ticks: u64) -> u64 {
        let distance = ticks.wrapping_sub(self.from.ticks) as i64;
        self.from.time.wrapping_add_signed((distance as f64 * self.rate).round() as i64)
    }
}

/// Makes times of the ticks of all parts. The images of a host have one counter, so they get one line.
pub fn convert(parts: &mut [Part]) {
    let mut lines: BTreeMap<String, (Pair, Pair)> = BTreeMap::new();
    for part in parts.iter() {
        let [first, last] = part.pairs;
        let known = lines.entry(part.host.clone()).or_insert((first, last));
        known.0 = if first.ticks < known.0.ticks { first } else { known.0 };
        known.1 = if last.ticks > known.1.ticks { last } else { known.1 };
    }
    for part in parts {
        let Some(&(first, last)) = lines.get(&part.host) else { continue };
        let line = Line::through(first, last);
        part.start[0] = line.time(part.start[0]);
        part.start[1] = part.start[1].wrapping_add(part.start[0]);
        part.end = part.end.map(|end| line.time(end));
        for record in &mut part.records {
            record.begin = line.time(record.begin);
            record.end = if record.end == 0 { 0 } else { line.time(record.end) };
        }
        for sum in &mut part.sums {
            (sum.time, sum.longest) = (line.span(sum.time), line.span(sum.longest));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_become_times_by_the_pairs_of_their_host() {
        let pair = |ticks, time| Pair { ticks, time };
        // 2.5 ticks for each ns; the second image of host a has begun earlier.
        let part = |image, host: &str, pairs, start| Part {
            image,
            host: host.into(),
            pairs,
            start: [start, 7],
            end: Some(start + 2500),
            ..Part::default()
        };
        let mut parts = [
            part(1, "a", [pair(2500, 2000), pair(5000, 3000)], 2500),
            part(2, "a", [pair(0, 1000), pair(2500, 2000)], 250),
            part(3, "b", [pair(10, 10), pair(10, 10)], 20),
        ];
        convert(&mut parts);
        assert_eq!((parts[0].start, parts[0].end), ([2000, 2007], Some(3000)));
        assert_eq!((parts[1].start[0], parts[1].end), (1100, Some(2100)));
        assert_eq!(parts[2].start[0], 20);
    }
}
