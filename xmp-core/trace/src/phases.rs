//! The states of all images over time: the parts of their time in intervals of equal length.

use crate::event::Events;
use crate::operation::Operation;
use crate::waits::Wait;

/// Intervals of a job.
pub const INTERVALS: usize = 120;

/// The parts of the time of all images in an interval, in ns: the start, computing, communicating, waiting.
pub type Parts = [u64; 4];

const START: usize = 0;
const COMPUTING: usize = 1;
const COMMUNICATING: usize = 2;
const WAITING: usize = 3;

/// The intervals of a job.
struct Intervals {
    /// When the first one begins, and how long each of them is, in ns.
    begin: i64,
    length: i64,
    parts: Vec<Parts>,
}

impl Intervals {
    /// Adds the time from `begin` to `end` to a part, or takes it away.
    fn add(&mut self, part: usize, [begin, end]: [i64; 2], is_added: bool) {
        let mut from = begin.max(self.begin);
        while from < end {
            let number = ((from - self.begin) / self.length) as usize;
            let Some(parts) = self.parts.get_mut(number) else { return };
            let next = (self.begin + (number as i64 + 1) * self.length).min(end);
            let time = (next - from) as u64;
            let sum = &mut parts[part];
            *sum = if is_added { sum.saturating_add(time) } else { sum.saturating_sub(time) };
            from = next;
        }
    }
}

/// The parts by interval, from the operations of the first thread of each image; none where operations are missing or
/// nothing was recorded.
pub fn phases(events: &Events, waits: &[Option<Wait>]) -> Vec<Parts> {
    let begin = events.images.iter().map(|image| image.span[0]).min();
    let end = events.images.iter().map(|image| image.span[1]).max();
    let (Some(begin), Some(end)) = (begin, end) else { return Vec::new() };
    let is_complete = events.images.iter().all(|image| image.dropped == 0);
    let length = end.checked_sub(begin).filter(|&length| length > 0);
    let Some(length) = length.filter(|_| is_complete) else { return Vec::new() };
    let length = (length as u64).div_ceil(INTERVALS as u64) as i64;
    let mut intervals = Intervals { begin, length, parts: vec![[0; 4]; INTERVALS] };
    for image in &events.images {
        intervals.add(COMPUTING, image.span, true);
    }
    let first_threads = events.events.iter().zip(waits).filter(|(event, _)| event.thread == 0);
    for (event, wait) in first_threads {
        let span @ [begin, end] = [event.begin, event.end];
        intervals.add(COMPUTING, span, false);
        let until = wait.map_or(begin, |wait| wait.until.clamp(begin, end.max(begin)));
        match event.operation {
            Operation::Start => intervals.add(START, span, true),
            _ => {
                intervals.add(WAITING, [begin, until], true);
                intervals.add(COMMUNICATING, [until, end], true);
            }
        }
    }
    intervals.parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::tests::event;
    use crate::event::{Event, Image};
    use crate::operation::Operation::{Put, Start, SyncAll};

    fn job(dropped: u64) -> Vec<Parts> {
        let image =
            |image| Image { image, host: 0, span: [0, 1200], memory: 0, dropped, unsummed: 0 };
        let list: Vec<Event> =
            vec![event(1, Start, 0, 10), event(1, SyncAll, 15, 40), event(2, Put, 1195, 1200)];
        let events =
            Events { images: (1..=2).map(image).collect(), events: list, ..Events::default() };
        let wait = Wait { until: 30, culprit: 2, cause: None };
        phases(&events, &[None, Some(wait), None])
    }

    #[test]
    fn each_interval_has_the_parts_of_all_images() {
        let found = job(0);
        assert_eq!(found.len(), INTERVALS);
        // Intervals of 10 ns; two images.
        assert_eq!(found[..4], [[10, 10, 0, 0], [0, 15, 0, 5], [0, 10, 0, 10], [0, 10, 10, 0]]);
        assert_eq!(found[50], [0, 20, 0, 0]);
        assert_eq!(found[INTERVALS - 1], [0, 15, 5, 0]);
    }

    #[test]
    fn without_all_operations_there_are_none() {
        assert!(job(1).is_empty());
    }
}
