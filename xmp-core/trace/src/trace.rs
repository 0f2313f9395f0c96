//! A trace of a job: its parts, read and merged.

use crate::arrows::{accesses, of_edges};
use crate::directory::Directory;
use crate::edges::{Edge, edges};
use crate::event::Events;
use crate::part::Part;
use crate::summary::Summary;
use crate::timeline::Layers;
use crate::waits::{Wait, waits};
use crate::{races, timeline, times};
use std::io::{self, Write};

/// What a job has executed, what of it belongs together, and its waits.
#[derive(Debug)]
pub struct Trace {
    events: Events,
    edges: Vec<Edge>,
    waits: Vec<Option<Wait>>,
}

impl Trace {
    /// Reads the parts of a trace; `None` if no image has recorded anything.
    ///
    /// # Errors
    /// When a part cannot be read; the error names its file.
    pub fn read(directory: &Directory) -> io::Result<Option<Trace>> {
        let mut parts: Vec<Part> = Vec::new();
        for image in directory.images()? {
            parts.extend(Part::read(directory, image)?);
        }
        // Those of an older job with more images.
        let job = parts
            .iter()
            .max_by_key(|part| part.pairs[0].time.wrapping_add(part.start[1]))
            .map_or(0, |part| part.images);
        parts.retain(|part| part.images == job);
        if parts.is_empty() {
            return Ok(None);
        }
        times::convert(&mut parts);
        let events = Events::of(&parts, races::read(directory)?);
        let edges = edges(&events.events);
        let waits = waits(&events.events, &edges);
        Ok(Some(Trace { events, edges, waits }))
    }

    /// Writes the timeline.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_timeline(&self, to: &mut impl Write) -> io::Result<()> {
        let accesses = accesses(&self.events);
        let arrows = of_edges(&self.events.events, &self.waits, &self.edges);
        let drawn = Layers { waits: &self.waits, accesses: &accesses, arrows: &arrows };
        timeline::write(&self.events, drawn, to)
    }

    /// The numbers of the job.
    pub fn summary(&self) -> Summary {
        Summary::of(&self.events, &self.waits)
    }

    /// Operations in the timeline.
    pub fn operations(&self) -> usize {
        self.events.events.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::{Buffer, Owner, Rows};
    use crate::format::{HEADER, RECORDS, Record};
    use crate::operation::Operation;
    use crate::page::Page;
    use crate::text::Text;
    use proptest::prelude::*;
    use std::fs;
    use std::path::Path;

    /// Rows of a part.
    const ROWS: usize = 200;

    /// Two images of a job, which execute each operation once, with lists and objects.
    fn record(trace: &Path) {
        for image in 1..=2 {
            let owner = Owner { image, images: 2, start: 1 };
            let buffer = Buffer::create(trace, owner, 64 * ROWS as u64).unwrap();
            let mut rows = Rows::NONE;
            for (number, &operation) in Operation::ALL.iter().enumerate() {
                let begin = 100 * number as u64 + u64::from(image);
                let record = Record {
                    operation,
                    thread: 0,
                    partner: 3 - image as i32,
                    begin,
                    end: begin + 50,
                    address: 0x1234,
                    bytes: 8,
                    team: 0,
                    object: 7,
                    element: 1,
                    list: if operation.lists_images() { vec![1, 2] } else { Vec::new() },
                };
                if rows.push(&record).is_none() {
                    rows = buffer.reserve(&record).unwrap().unwrap();
                    rows.push(&record).unwrap();
                }
                buffer.add(&record, 0);
            }
            buffer.finish();
        }
    }

    /// All that is made of a trace.
    fn read(trace: &Path) -> io::Result<Option<String>> {
        let directory = Directory::open(trace)?.expect("there are parts");
        let Some(read) = Trace::read(&directory)? else { return Ok(None) };
        let mut timeline = Vec::new();
        read.write_timeline(&mut timeline)?;
        let summary = read.summary();
        let page = Page { summary: &summary, program: "a", baseline: None }.to_string();
        let text = Text { summary: &summary, baseline: None };
        Ok(Some(format!("{text} {page}")))
    }

    /// A word of a part: of the header, the sums or the records.
    fn position() -> impl Strategy<Value = usize> {
        let records = RECORDS / 8;
        prop_oneof![0..HEADER, HEADER..records, records..records + 8 * ROWS]
    }

    fn value() -> impl Strategy<Value = u64> {
        let special = [0, 1, u64::MAX, 1 << 63, 1 << 40, 1 << 32, 1 << 31, i64::MAX as u64];
        prop_oneof![prop::sample::select(special.to_vec()), any::<u64>(), 0..200_u64]
    }

    #[test]
    fn damaged_parts_are_read_or_refused() {
        let place = tempfile::tempdir().unwrap();
        let trace = place.path().join("t.json");
        record(&trace);
        assert!(read(&trace).unwrap().is_some());
        let path = Directory::path_of(&trace).join("image-1");
        let whole = fs::read(&path).unwrap();
        let words = RECORDS / 8 + 8 * ROWS;
        let damages = prop::collection::vec((position(), value()), 1..20);
        let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
        proptest!(config, |(damages in damages, end in prop_oneof![Just(words), 0..words])| {
            let mut damaged = whole.clone();
            for (position, value) in damages {
                damaged[8 * position..8 * position + 8].copy_from_slice(&value.to_le_bytes());
            }
            fs::write(&path, &damaged[..8 * end]).unwrap();
            // It ends, with a report or an error, and takes no more memory than the file suggests.
            let _ = read(&trace);
        });
    }
}
