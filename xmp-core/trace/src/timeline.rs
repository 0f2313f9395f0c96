//! The timeline in the trace-event format, which Perfetto and chrome://tracing open: a process for each host with its
//! counters, a track for each image, a span for each procedure and in it for each operation with its waiting inside, a
//! track for the memory of each image that others access, marks of races, and arrows. An arrow is on spans, which viewers must have
//! read before it.

use crate::arrows::{Access, Accesses, Arrow, Point, of_access};
use crate::counters::counters;
use crate::event::{Event, Events};
use crate::races::Race;
use crate::regions::{Region, regions};
use crate::summary::sum;
use crate::waits::Wait;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// The tracks of further threads of an image have numbers after those of all images, those of memory after all threads.
const THREADS: u64 = 1_000_000;
const MEMORY: u64 = 4_000_000_000;

/// What is drawn besides operations.
#[derive(Clone, Copy, Debug)]
pub struct Layers<'a> {
    /// The waits of the events.
    pub waits: &'a [Option<Wait>],
    /// The accesses to the memory of images.
    pub accesses: &'a Accesses,
    /// The arrows between operations.
    pub arrows: &'a [Arrow],
}

/// Writes the timeline.
///
/// # Errors
/// Those of the writer.
pub fn write(events: &Events, drawn: Layers, to: &mut impl Write) -> io::Result<()> {
    let dropped = sum(events.images.iter().map(|image| image.dropped));
    let clocks =
        events.clocks.iter().map(|clock| json!({ "host": clock.host, "error_ns": clock.error }));
    let about = json!({
        "images": events.job,
        "dropped_operations": dropped,
        "transfers_without_arrow": drawn.accesses.left_out,
        "clocks": clocks.collect::<Vec<Value>>(),
    });
    write!(to, "{{\"displayTimeUnit\":\"ns\",\"otherData\":{about},\"traceEvents\":[")?;
    let mut lines = Lines { to, is_first: true };
    let hosts: BTreeSet<usize> = events.images.iter().map(|image| image.host).collect();
    for host in hosts {
        let of_host = format!("host {}", events.clocks[host].host);
        lines.write(&named("process_name", [host as u64 + 1, 0], &of_host))?;
    }
    for [host, track] in tracks(events, drawn.accesses) {
        lines.write(&named("thread_name", [host, track], &name_of_track(track)))?;
        let (image, is_memory) = (track % THREADS, track >= MEMORY);
        let order = json!({ "sort_index": 2 * image + u64::from(is_memory) });
        lines.write(&json!({
            "ph": "M", "name": "thread_sort_index", "pid": host, "tid": track, "args": order
        }))?;
    }
    for counter in counters(events) {
        for (time, value) in counter.values {
            lines.write(&json!({
                "ph": "C",
                "name": counter.name,
                "pid": counter.host as u64 + 1,
                "ts": microseconds(time),
                "args": { "bytes": value },
            }))?;
        }
    }
    for region in regions(events) {
        lines.write(&procedure(events, &region))?;
    }
    for (event, wait) in events.events.iter().zip(drawn.waits) {
        lines.write(&span(events, event))?;
        if let Some(wait) = wait.filter(|wait| wait.until > event.begin) {
            lines.write(&waiting(events, event, wait))?;
        }
    }
    for access in &drawn.accesses.list {
        lines.write(&accessing(events, access))?;
    }
    for race in &events.races {
        lines.write(&found(events, race))?;
    }
    let transfers = drawn.accesses.list.iter().map(|&access| of_access(&events.events, access));
    for (number, arrow) in transfers.chain(drawn.arrows.iter().copied()).enumerate() {
        for line in ends(events, number, arrow) {
            lines.write(&line)?;
        }
    }
    write!(to, "\n]}}\n")
}

struct Lines<'a, W> {
    to: &'a mut W,
    is_first: bool,
}

impl<W: Write> Lines<'_, W> {
    fn write(&mut self, line: &Value) -> io::Result<()> {
        let separator = if std::mem::take(&mut self.is_first) { "" } else { "," };
        write!(self.to, "{separator}\n{line}")
    }
}

fn named(what: &str, [process, track]: [u64; 2], name: &str) -> Value {
    let name = json!({ "name": name });
    json!({ "ph": "M", "name": what, "pid": process, "tid": track, "args": name })
}

/// The number of an image's host, from 1.
fn process(events: &Events, image: u32) -> u64 {
    let found = events.images.binary_search_by_key(&image, |it| it.image);
    found.map_or(0, |position| events.images[position].host as u64 + 1)
}

/// The number of a thread's track.
fn thread(event: &Event) -> u64 {
    u64::from(event.image) + THREADS * u64::from(event.thread)
}

/// All tracks, each with its process: of images, of their further threads, and of their memory.
fn tracks(events: &Events, accesses: &Accesses) -> BTreeSet<[u64; 2]> {
    let track = |image: u32, track: u64| [process(events, image), track];
    let images = events.images.iter().map(|it| track(it.image, it.image.into()));
    let threads = events.events.iter().filter(|event| event.thread > 0);
    let threads = threads.map(|event| track(event.image, thread(event)));
    let memory = accesses.list.iter().map(|it| track(it.image, MEMORY + u64::from(it.image)));
    images.chain(threads).chain(memory).collect()
}

fn name_of_track(track: u64) -> String {
    match (track % THREADS, track / THREADS) {
        (image, 0) => format!("image {image}"),
        (image, _) if track >= MEMORY => format!("image {image}: memory"),
        (image, thread) => format!("image {image}: thread {}", thread + 1),
    }
}

/// Microseconds, the unit of the format.
fn microseconds(time: i64) -> f64 {
    time as f64 / 1000.0
}

fn span(events: &Events, event: &Event) -> Value {
    let mut about = json!({ "at": events.places[event.place].text });
    let context = &event.context;
    if event.bytes > 0 {
        about["bytes"] = event.bytes.into();
    }
    if context.partner > 0 {
        about["partner"] = context.partner.into();
    }
    if !context.list.is_empty() {
        about["images"] = context.list.clone().into();
    }
    if !event.has_returned {
        about["returned"] = false.into();
    }
    json!({
        "ph": "X",
        "name": event.operation.name(),
        "cat": "operation",
        "pid": process(events, event.image),
        "tid": thread(event),
        "ts": microseconds(event.begin),
        "dur": microseconds(event.end - event.begin),
        "args": about,
    })
}

fn procedure(events: &Events, region: &Region) -> Value {
    let [begin, end] = region.span;
    let first = &events.events[region.first];
    json!({
        "ph": "X",
        "name": region.procedure,
        "cat": "procedure",
        "pid": process(events, first.image),
        "tid": thread(first),
        "ts": microseconds(begin),
        "dur": microseconds(end - begin),
    })
}

/// The waiting part of an operation. Viewers colour spans by their names, so the cause is part of it.
fn waiting(events: &Events, event: &Event, wait: Wait) -> Value {
    let operation = event.operation.name();
    let name = match wait.culprit {
        0 => format!("{operation}: waiting"),
        culprit => format!("{operation}: waiting for image {culprit}"),
    };
    let mut about = json!({});
    if let Some(cause) = wait.cause {
        let cause = &events.events[cause];
        about["for"] = cause.operation.name().into();
        about["at"] = events.places[cause.place].text.clone().into();
    }
    json!({
        "ph": "X",
        "name": name,
        "cat": "waiting",
        "pid": process(events, event.image),
        "tid": thread(event),
        "ts": microseconds(event.begin),
        "dur": microseconds(wait.until - event.begin),
        "args": about,
    })
}

/// What another image does to the memory of an image.
fn accessing(events: &Events, access: &Access) -> Value {
    let event = &events.events[access.event];
    let [begin, end] = access.span;
    json!({
        "ph": "X",
        "name": format!("{} of image {}", event.operation.name(), event.image),
        "cat": "access",
        "pid": process(events, access.image),
        "tid": MEMORY + u64::from(access.image),
        "ts": microseconds(begin),
        "dur": microseconds(end - begin),
        "args": { "at": events.places[event.place].text, "bytes": event.bytes },
    })
}

/// The mark of a race, where an image has found it first.
fn found(events: &Events, race: &Race) -> Value {
    let [side, other] = race
        .sides
        .each_ref()
        .map(|side| json!({ "image": side.image, "at": side.place, "does": side.access }));
    let image = race.sides[0].image;
    json!({
        "ph": "i",
        "s": "t",
        "name": format!("race: {}", race.pair()),
        "cat": "race",
        "pid": process(events, image),
        "tid": image,
        "ts": microseconds(race.time),
        "args": { "this": side, "other": other, "times": race.count, "remedy": race.cure },
    })
}

/// The two ends of an arrow.
fn ends(events: &Events, number: usize, arrow: Arrow) -> [Value; 2] {
    let image = |point: Point| {
        let event = &events.events[point.event];
        if point.is_memory { event.context.partner } else { event.image }
    };
    let hosts = [arrow.from, arrow.to].map(|point| process(events, image(point)));
    // Between hosts it is a message.
    let category = if hosts[0] == hosts[1] { "arrow" } else { "message" };
    let end = |phase: &str, point: Point| {
        let event = &events.events[point.event];
        let track = if point.is_memory { MEMORY + u64::from(image(point)) } else { thread(event) };
        json!({
            "ph": phase,
            "id": number,
            "name": events.events[arrow.from.event].operation.name(),
            "cat": category,
            "bp": "e",
            "pid": process(events, image(point)),
            "tid": track,
            "ts": microseconds(point.time),
        })
    };
    [end("s", arrow.from), end("f", arrow.to)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrows::accesses;
    use crate::clocks::Clock;
    use crate::event::Image;
    use crate::event::tests::{event, with};
    use crate::operation::Operation::Put;
    use crate::places::Position;

    #[test]
    fn an_arrow_between_hosts_is_a_message() {
        let image = |image| Image {
            image,
            host: usize::from(image > 2),
            span: [0, 100],
            memory: 0,
            dropped: 0,
            unsummed: 0,
        };
        let puts = vec![with(event(1, Put, 10, 40), 2, &[]), with(event(1, Put, 50, 90), 3, &[])];
        let events = Events {
            images: (1..=3).map(image).collect(),
            events: puts,
            places: vec![Position { text: "a.f90:1".into(), procedure: None }],
            clocks: ["a", "b"].map(Clock::of_first_host).to_vec(),
            ..Events::default()
        };
        let drawn = Layers { waits: &[None; 2], accesses: &accesses(&events), arrows: &[] };
        let mut text = Vec::new();
        write(&events, drawn, &mut text).unwrap();
        let read: Value = serde_json::from_slice(&text).unwrap();
        let ends = read["traceEvents"].as_array().unwrap().iter();
        let ends = ends.filter(|line| line["id"].is_u64()).map(|line| {
            (
                line["cat"].as_str().unwrap(),
                line["pid"].as_u64().unwrap(),
                line["ts"].as_f64().unwrap(),
            )
        });
        assert_eq!(
            ends.collect::<Vec<_>>(),
            [("arrow", 1, 0.01), ("arrow", 1, 0.039), ("message", 1, 0.05), ("message", 2, 0.089),]
        );
    }
}
