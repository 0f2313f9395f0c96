//! The procedures that images are in, as far as their operations show it: from the first of several operations in a row of
//! one procedure to the last one.

use crate::event::{Event, Events};

/// Operations in a row of a thread whose statements are in one procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The first of them, as a position in the list of all events.
    pub first: usize,
    /// The procedure.
    pub procedure: String,
    /// From the begin of the first operation to the end of the last one, in ns as [`Event::begin`].
    pub span: [i64; 2],
}

/// The regions of all threads.
pub fn regions(events: &Events) -> Vec<Region> {
    let mut order: Vec<usize> = (0..events.events.len()).collect();
    let key = |event: &Event| (event.image, event.thread, event.begin);
    order.sort_by_key(|&number| key(&events.events[number]));
    let mut regions: Vec<Region> = Vec::new();
    for number in order {
        let event = &events.events[number];
        let procedure = events.places[event.place].procedure.as_deref();
        let Some(procedure) = procedure.filter(|_| !event.operation.is_start_or_end()) else {
            continue;
        };
        let is_same = |region: &&mut Region| {
            let first = &events.events[region.first];
            region.procedure == procedure
                && (first.image, first.thread) == (event.image, event.thread)
        };
        match regions.last_mut().filter(is_same) {
            Some(region) => region.span[1] = region.span[1].max(event.end),
            None => regions.push(Region {
                first: number,
                procedure: procedure.to_string(),
                span: [event.begin, event.end],
            }),
        }
    }
    regions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::tests::event;
    use crate::operation::Operation::{Finish, Put, SyncAll};
    use crate::places::Position;

    #[test]
    fn operations_in_a_row_of_one_procedure_are_a_region() {
        let position = |procedure: &str| Position {
            text: "a.f90:1".into(),
            procedure: Some(procedure.to_string()),
        };
        let of = |event: Event, place| Event { place, ..event };
        let events = Events {
            events: vec![
                of(event(1, Put, 10, 20), 1),
                of(event(1, SyncAll, 40, 70), 1),
                event(1, SyncAll, 80, 90),
                event(1, Finish, 95, 99),
                of(event(2, Put, 15, 25), 1),
            ],
            places: vec![position("main program"), position("exchange")],
            ..Events::default()
        };
        let found: Vec<_> =
            regions(&events).into_iter().map(|it| (it.first, it.procedure, it.span)).collect();
        let region = |first, name: &str, span| (first, name.to_string(), span);
        assert_eq!(
            found,
            [
                region(0, "exchange", [10, 70]),
                region(2, "main program", [80, 90]),
                region(4, "exchange", [15, 25]),
            ]
        );
    }
}
