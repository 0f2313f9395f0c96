//! The timeline in the trace-event format, which Perfetto and chrome://tracing open: a process for each host, a track
//! for each image, a span for each operation with its waiting inside, and arrows from what ended a wait.

use crate::event::{Event, Events};
use crate::waits::Wait;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Tracks of further threads of an image come behind those of all images.
const THREADS: u64 = 1_000_000;

/// Writes the timeline.
///
/// # Errors
/// Those of the writer.
pub fn write(events: &Events, waits: &[Option<Wait>], to: &mut impl Write) -> io::Result<()> {
    let dropped: u64 = events.images.iter().map(|image| image.dropped).sum();
    let clocks =
        events.clocks.iter().map(|clock| json!({ "host": clock.host, "error_ns": clock.error }));
    let about = json!({
        "images": events.job,
        "dropped_operations": dropped,
        "clocks": clocks.collect::<Vec<Value>>(),
    });
    write!(to, "{{\"displayTimeUnit\":\"ns\",\"otherData\":{about},\"traceEvents\":[")?;
    let mut lines = Lines { to, is_first: true };
    for image in &events.images {
        let host = process(events, image.image);
        let name = |what: &str, thread: u64, name: &str| {
            let name = json!({ "name": name });
            json!({ "ph": "M", "name": what, "pid": host, "tid": thread, "args": name })
        };
        let of_host = format!("host {}", events.clocks[image.host].host);
        lines.write(&name("process_name", 0, &of_host))?;
        lines.write(&name("thread_name", image.image.into(), &format!("image {}", image.image)))?;
    }
    for (number, (event, wait)) in events.events.iter().zip(waits).enumerate() {
        lines.write(&span(events, event))?;
        if let Some(wait) = wait.filter(|wait| wait.until > event.begin) {
            lines.write(&waiting(events, event, wait))?;
            for line in wait.cause.into_iter().flat_map(|cause| arrow(events, number, cause, wait))
            {
                lines.write(&line)?;
            }
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

/// The number of an image's host, from 1.
fn process(events: &Events, image: u32) -> usize {
    let found = events.images.binary_search_by_key(&image, |it| it.image);
    found.map_or(0, |position| events.images[position].host + 1)
}

fn thread(event: &Event) -> u64 {
    u64::from(event.image) + THREADS * u64::from(event.thread)
}

/// Microseconds, the unit of the format.
fn microseconds(time: i64) -> f64 {
    time as f64 / 1000.0
}

fn span(events: &Events, event: &Event) -> Value {
    let mut about = json!({ "at": events.places[event.place] });
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
        about["at"] = events.places[cause.place].clone().into();
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

/// From the operation that ended a wait to the end of the wait.
fn arrow(events: &Events, number: usize, cause: usize, wait: Wait) -> [Value; 2] {
    let point = |phase: &str, event: &Event, time: i64| {
        json!({
            "ph": phase,
            "id": number,
            "name": "ends the wait",
            "cat": "waiting",
            "bp": "e",
            "pid": process(events, event.image),
            "tid": thread(event),
            "ts": microseconds(time),
        })
    };
    let [from, to] = [cause, number].map(|number| &events.events[number]);
    [point("s", from, from.begin), point("f", to, wait.until)]
}
