//! The rules of the trace-event format, by which Perfetto and chrome://tracing read a timeline. An event that breaks one is left out
//! there, or drawn at another place, without a message.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A track: a process and a thread of it.
type Track = [u64; 2];

/// Spans of a track, in nanoseconds.
type Spans = BTreeMap<Track, Vec<[i64; 2]>>;

/// Checks a timeline.
///
/// # Panics
/// With the event that breaks a rule.
pub fn check(timeline: &Value) {
    let unit = timeline["displayTimeUnit"].as_str();
    assert!(matches!(unit, Some("ns" | "ms")), "displayTimeUnit: {unit:?}");
    let events = timeline["traceEvents"].as_array().expect("events");
    let mut names: BTreeSet<(&str, Track)> = BTreeSet::new();
    let (mut spans, mut points, mut flows) = (Spans::new(), Vec::new(), BTreeMap::new());
    for event in events {
        let phase = text(event, "ph");
        text(event, "name");
        let process = number(event, "pid");
        assert!(process > 0, "process 0 is that of the kernel: {event}");
        // Counters are of a process.
        let track = [process, if phase == "C" { 0 } else { number(event, "tid") }];
        if phase != "M" && phase != "C" {
            text(event, "cat");
        }
        match phase {
            "M" => check_metadata(event, track, &mut names),
            "C" => {
                nanoseconds(event, "ts");
                let values = event["args"].as_object().expect("the values of a counter");
                assert!(!values.is_empty() && values.values().all(Value::is_number), "{event}");
            }
            "X" => {
                let (begin, duration) = (nanoseconds(event, "ts"), nanoseconds(event, "dur"));
                assert!(duration >= 0, "{event}");
                spans.entry(track).or_default().push([begin, begin + duration]);
            }
            "i" => {
                assert!(matches!(text(event, "s"), "t" | "p" | "g"), "{event}");
                nanoseconds(event, "ts");
            }
            "s" | "f" => {
                // Without `bp`, the end of an arrow is on the next span of its track.
                assert!(phase == "s" || event["bp"] == "e", "{event}");
                let key = (number(event, "id"), text(event, "name"), text(event, "cat"));
                let ends: &mut [Option<i64>; 2] = flows.entry(key).or_default();
                let end = &mut ends[usize::from(phase == "f")];
                assert_eq!(end.replace(nanoseconds(event, "ts")), None, "twice: {event}");
                points.push((event, track));
            }
            _ => panic!("no phase of the format that timelines have: {event}"),
        }
    }
    let mut outermost = Spans::new();
    for (track, of_track) in &mut spans {
        outermost.insert(*track, nested(*track, of_track));
        assert!(names.contains(&("thread_name", *track)), "track {track:?} has no name");
        assert!(names.contains(&("process_name", [track[0], 0])), "track {track:?} has no process");
    }
    for (key, ends) in flows {
        let [Some(from), Some(to)] = ends else { panic!("arrow {key:?} has one end: {ends:?}") };
        assert!(from <= to, "arrow {key:?} ends before it begins: {ends:?}");
    }
    for (event, track) in points {
        let at = nanoseconds(event, "ts");
        let all = outermost.get(&track).map_or(&[][..], Vec::as_slice);
        let before = all.partition_point(|[begin, _]| *begin <= at);
        let on_span = all[..before].last().is_some_and(|[_, end]| at <= *end);
        assert!(on_span, "the end of an arrow is on no span: {event}");
    }
}

fn text<'a>(event: &'a Value, field: &str) -> &'a str {
    let text = event[field].as_str().filter(|text| !text.is_empty());
    text.unwrap_or_else(|| panic!("{field} is a text: {event}"))
}

fn number(event: &Value, field: &str) -> u64 {
    event[field].as_u64().unwrap_or_else(|| panic!("{field} is a number from 0: {event}"))
}

/// A time of the format, which has microseconds.
fn nanoseconds(event: &Value, field: &str) -> i64 {
    let time = event[field].as_f64().filter(|time| time.is_finite());
    (1000.0 * time.unwrap_or_else(|| panic!("{field} is a time: {event}"))).round() as i64
}

fn check_metadata<'a>(event: &'a Value, track: Track, names: &mut BTreeSet<(&'a str, Track)>) {
    let what = text(event, "name");
    match what {
        "process_name" | "thread_name" => drop(text(&event["args"], "name")),
        "process_sort_index" | "thread_sort_index" => {
            assert!(event["args"]["sort_index"].is_i64(), "{event}");
        }
        _ => panic!("no metadata of the format: {event}"),
    }
    let of = if what.starts_with("process") { [track[0], 0] } else { track };
    assert!(names.insert((what, of)), "twice: {event}");
}

/// Checks that of two spans of a track either one is within the other, or they have no time in common. Returns those that are in no
/// other one, by time.
fn nested(track: Track, spans: &mut [[i64; 2]]) -> Vec<[i64; 2]> {
    spans.sort_by_key(|&[begin, end]| (begin, -end));
    let (mut around, mut outermost): (Vec<[i64; 2]>, Vec<[i64; 2]>) = Default::default();
    for &mut [begin, end] in spans {
        while around.last().is_some_and(|outer| outer[1] <= begin) {
            around.pop();
        }
        let outer = around.last().copied().unwrap_or([i64::MIN, i64::MAX]);
        assert!(end <= outer[1], "on track {track:?}, {:?} ends within {outer:?}", [begin, end]);
        if around.is_empty() {
            outermost.push([begin, end]);
        }
        around.push([begin, end]);
    }
    outermost
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn timeline(events: &[Value]) -> Value {
        let named = |what: &str, tid: u64| json!({ "ph": "M", "name": what, "pid": 1, "tid": tid, "args": { "name": "a" } });
        let all = [named("process_name", 0), named("thread_name", 2)].into_iter();
        let all: Vec<Value> = all.chain(events.iter().cloned()).collect();
        json!({ "displayTimeUnit": "ns", "traceEvents": all })
    }

    fn span(begin: f64, duration: f64) -> Value {
        json!({ "ph": "X", "name": "put", "cat": "operation", "pid": 1, "tid": 2, "ts": begin, "dur": duration })
    }

    fn arrow(phase: &str, at: f64) -> Value {
        json!({ "ph": phase, "name": "put", "cat": "arrow", "bp": "e", "id": 7, "pid": 1, "tid": 2, "ts": at })
    }

    fn is_refused(events: &[Value]) -> bool {
        let timeline = timeline(events);
        std::panic::catch_unwind(|| check(&timeline)).is_err()
    }

    #[test]
    fn a_timeline_by_the_rules_is_accepted() {
        check(&timeline(&[
            span(1.0, 5.0),
            span(1.0, 2.5),
            span(3.5, 2.5),
            span(6.0, 1.0),
            json!({ "ph": "C", "name": "bytes", "pid": 1, "ts": 2, "args": { "bytes": 3 } }),
            arrow("s", 1.0),
            arrow("f", 7.0),
        ]));
    }

    #[test]
    fn what_viewers_leave_out_is_refused() {
        let without = |field: &str| {
            let mut event = span(1.0, 2.0);
            event.as_object_mut().expect("an object").remove(field);
            event
        };
        for field in ["ph", "name", "cat", "pid", "tid", "ts", "dur"] {
            assert!(is_refused(&[without(field)]), "{field}");
        }
        let mut elsewhere = span(1.0, 2.0);
        elsewhere["tid"] = 3.into();
        for (why, events) in [
            ("a track without a name", vec![elsewhere]),
            ("spans that overlap", vec![span(1.0, 2.0), span(2.0, 2.0)]),
            ("a negative duration", vec![span(1.0, -2.0)]),
            ("one end", vec![span(1.0, 2.0), arrow("s", 1.0)]),
            ("an end twice", vec![span(1.0, 2.0), arrow("s", 1.0), arrow("s", 1.0)]),
            ("a late start", vec![span(1.0, 2.0), arrow("s", 2.0), arrow("f", 1.0)]),
            ("an end on no span", vec![span(1.0, 2.0), arrow("s", 2.0), arrow("f", 5.0)]),
        ] {
            assert!(is_refused(&events), "{why}");
        }
    }
}
