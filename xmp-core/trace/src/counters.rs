//! Quantities of each host over time: bytes of transfers that have begun and not ended, and bytes of coarrays.

use crate::event::{Event, Events};
use crate::memory::held;
use crate::operation::Kind;

/// Most values of a counter. Of more, neighbours are joined, and the greatest counts.
const MAX_VALUES: usize = 20_000;

/// A quantity of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// What it counts, with its unit.
    pub name: &'static str,
    /// The host, as a position in the list of clocks.
    pub host: usize,
    /// Times in ns as [`Event::begin`], and the values from then on.
    pub values: Vec<(i64, u64)>,
}

/// The counters of all hosts that have values.
pub fn counters(events: &Events) -> Vec<Counter> {
    let mut counters = Vec::new();
    for host in 0..events.clocks.len() {
        let is_here = |image: u32| {
            let found = events.images.binary_search_by_key(&image, |it| it.image);
            found.is_ok_and(|position| events.images[position].host == host)
        };
        let flights = events.events.iter().filter(|event| is_here(event.image) && moves(event));
        let flights = flights.flat_map(|event| {
            let bytes = event.bytes as i64;
            [(event.begin, bytes), (event.end, -bytes)]
        });
        let memory = held(events).into_iter().filter(|change| is_here(change.image));
        let memory = memory.map(|change| (change.time, change.difference));
        let of_host = [
            ("bytes in flight", sums(flights.collect())),
            ("bytes of coarrays", sums(memory.collect())),
        ];
        let counter = |(name, values)| Counter { name, host, values };
        counters.extend(of_host.map(counter).into_iter().filter(|it| !it.values.is_empty()));
    }
    counters
}

/// Whether an operation moves bytes to or from the memory of another image.
fn moves(event: &Event) -> bool {
    let is_transfer = matches!(event.operation.kind(), Kind::Put | Kind::PutPost | Kind::Get);
    is_transfer && event.bytes > 0 && event.context.partner != event.image
}

/// The values of a quantity that changes at these times by these differences.
fn sums(mut changes: Vec<(i64, i64)>) -> Vec<(i64, u64)> {
    changes.sort_unstable();
    let mut sum = 0_i64;
    let mut values: Vec<(i64, u64)> = Vec::new();
    for (time, difference) in changes {
        sum = sum.saturating_add(difference);
        let value = sum.max(0) as u64;
        match values.last_mut().filter(|last| last.0 == time) {
            Some(last) => last.1 = value,
            None => values.push((time, value)),
        }
    }
    let together = values.len().div_ceil(MAX_VALUES).max(1);
    let greatest = |group: &[(i64, u64)]| {
        let most = group.iter().map(|value| value.1).max().unwrap_or(0);
        (group[0].0, most)
    };
    values.chunks(together).map(greatest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clocks::Clock;
    use crate::event::Image;
    use crate::event::tests::{event, with};
    use crate::operation::Operation::{AllocateAll, DeallocateAll, Get, Put};

    #[test]
    fn transfers_and_coarrays_are_counted_by_host() {
        let image =
            |image| Image { image, host: 0, span: [0, 100], memory: 0, dropped: 0, unsummed: 0 };
        let of = |event: Event, bytes| Event { bytes, ..event };
        let events = Events {
            images: (1..=2).map(image).collect(),
            events: vec![
                of(event(1, AllocateAll, 0, 5), 800),
                of(with(event(1, Put, 10, 40), 2, &[]), 100),
                of(with(event(1, Put, 50, 60), 1, &[]), 100),
                event(1, DeallocateAll, 90, 95),
                of(event(2, AllocateAll, 0, 6), 800),
                of(with(event(2, Get, 20, 50), 1, &[]), 7),
            ],
            clocks: vec![Clock::of_first_host("a")],
            ..Events::default()
        };
        let found = counters(&events);
        assert_eq!(found[0].values, [(10, 100), (20, 107), (40, 7), (50, 0)]);
        assert_eq!(found[1].values, [(5, 800), (6, 1600), (95, 800)]);
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn of_many_values_the_greatest_of_neighbours_remain() {
        let changes = (0..30_000).flat_map(|time| [(2 * time, 8), (2 * time + 1, -8)]).collect();
        let values = sums(changes);
        assert_eq!(values.len(), 20_000);
        assert!(values.iter().all(|value| value.1 == 8));
    }
}
