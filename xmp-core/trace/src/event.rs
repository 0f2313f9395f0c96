//! The operations of a whole job, on one clock.

use crate::clocks::{Clock, clocks};
use crate::operation::Operation;
use crate::part::Part;
use crate::places::{Place, Places, Position};
use crate::races::Race;
use crate::teams::{Context, Teams};

/// An operation that an image has executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The image, from 1.
    pub image: u32,
    /// Its thread, from 0.
    pub thread: u16,
    /// What.
    pub operation: Operation,
    /// When it began, in ns since the first operation of the job.
    pub begin: i64,
    /// When it returned, or was last seen.
    pub end: i64,
    /// Whether it has returned.
    pub has_returned: bool,
    /// Bytes that it transfers, or allocates.
    pub bytes: u64,
    /// What it works on, as the image knows it; of DEALLOCATE more than one.
    pub objects: Vec<u64>,
    /// Its statement.
    pub place: Place,
    /// Its partners.
    pub context: Context,
}

/// An image as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The image, from 1.
    pub image: u32,
    /// The position of its host in the list of clocks.
    pub host: usize,
    /// When it began and when it was last seen, in ns as [`Event::begin`].
    pub span: [i64; 2],
    /// Most resident memory, in KiB; 0 if it is not known.
    pub memory: u64,
    /// Operations without an event.
    pub dropped: u64,
    /// Operations in no sum.
    pub unsummed: u64,
}

/// Operations of one kind from one statement to one partner, added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Total {
    /// The image.
    pub image: u32,
    /// What.
    pub operation: Operation,
    /// The statement.
    pub place: Place,
    /// The partner; 0: none, or not known.
    pub partner: u32,
    /// Number of operations.
    pub count: u64,
    /// Time of all, in ns.
    pub time: u64,
    /// Time of the longest, in ns.
    pub longest: u64,
    /// Bytes of all.
    pub bytes: u64,
}

impl Total {
    /// One operation.
    pub fn of(event: &Event) -> Total {
        let time = (event.end - event.begin).max(0) as u64;
        Total {
            image: event.image,
            operation: event.operation,
            place: event.place,
            partner: event.context.partner,
            count: 1,
            time,
            longest: time,
            bytes: event.bytes,
        }
    }
}

/// The operations that a job has executed.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// Images of the job.
    pub job: u32,
    /// The images that have recorded, in order.
    pub images: Vec<Image>,
    /// Their operations: by image, and in the order in which they began.
    pub events: Vec<Event>,
    /// The operations that are not in `events`, because a buffer was full, added up.
    pub totals: Vec<Total>,
    /// The statements.
    pub places: Vec<Position>,
    /// The races that the job has found.
    pub races: Vec<Race>,
    /// The clocks of the hosts.
    pub clocks: Vec<Clock>,
    /// When the first image began, in ns of real time.
    pub started: u64,
}

impl Events {
    /// The events of these parts, which are in the order of their images, and these races.
    pub fn of(parts: &[Part], races: Vec<Race>) -> Events {
        let (teams, contexts) = Teams::of(parts);
        let clocks = clocks(parts, &contexts);
        let mut places = Places::new();
        let mut all = Events {
            job: parts.first().map_or(0, |part| part.images),
            started: parts.iter().map(|part| part.start[1]).min().unwrap_or(0),
            ..Events::default()
        };
        // Every host has a clock.
        let host =
            |part: &Part| clocks.iter().position(|clock| clock.host == part.host).unwrap_or(0);
        let convert = |part: &Part, time| clocks[host(part)].convert(time);
        let origin = parts.iter().map(|part| convert(part, part.start[0])).min().unwrap_or(0);
        for (number, (part, contexts)) in parts.iter().zip(contexts).enumerate() {
            places.enter(part);
            let (time, last) = (|time| convert(part, time) - origin, part.last());
            all.images.push(Image {
                image: part.image,
                host: host(part),
                span: [time(part.start[0]), time(last)],
                memory: part.memory,
                dropped: part.dropped,
                unsummed: part.unsummed,
            });
            for (record, context) in part.records.iter().zip(contexts) {
                let has_returned = record.end != 0;
                all.events.push(Event {
                    image: part.image,
                    thread: record.thread,
                    operation: record.operation,
                    begin: time(record.begin),
                    end: time(if has_returned { record.end } else { last.max(record.begin) }),
                    has_returned,
                    bytes: record.bytes,
                    objects: record.objects(),
                    place: places.find(record.address),
                    context,
                });
            }
            all.totals.extend(part.sums.iter().map(|sum| Total {
                image: part.image,
                operation: sum.operation,
                place: places.find(sum.address),
                partner: teams.image_by_handle(number, sum.team, sum.partner),
                count: sum.count,
                time: sum.time,
                longest: sum.longest,
                bytes: sum.bytes,
            }));
        }
        let found = races.into_iter().filter_map(|race| {
            let part = parts.iter().find(|part| part.image == race.sides[0].image)?;
            let time = u64::try_from(race.time).ok()?;
            Some(Race { time: convert(part, time) - origin, ..race })
        });
        all.races = found.collect();
        all.places = places.into_positions();
        all.clocks = clocks;
        all
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::teams::{Call, Team};

    /// An event of an image, whose collective operations are all the same one.
    pub fn event(image: u32, operation: Operation, begin: i64, end: i64) -> Event {
        let call =
            operation.is_collective().then_some(Call { team: Team::INITIAL, before: 0, operation });
        Event {
            image,
            thread: 0,
            operation,
            begin,
            end,
            has_returned: true,
            bytes: 0,
            objects: vec![0],
            place: 0,
            context: Context { call, ..Context::default() },
        }
    }

    /// An event with a partner and a list of images.
    pub fn with(event: Event, partner: u32, list: &[u32]) -> Event {
        let context = Context { partner, list: list.to_vec(), ..event.context };
        Event { context, ..event }
    }
}
