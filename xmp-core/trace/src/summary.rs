//! The numbers of a report: operations by statement, images, waiting, and traffic between images.

use crate::event::{Event, Events, Total};
use crate::memory::{Allocation, allocations};
use crate::operation::{Kind, Operation};
use crate::phases::{Parts, phases};
use crate::places::Place;
use crate::races::Race;
use crate::source_text::source_lines;
use crate::units::time;
use crate::waits::Wait;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use xmp_map::counted::counted;

/// The operations of one kind of one statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What.
    pub operation: Operation,
    /// The statement.
    pub place: Place,
    /// Number of operations of all images.
    pub count: u64,
    /// Time of all, in ns.
    pub time: u64,
    /// Time of the longest, in ns.
    pub longest: u64,
    /// Bytes of all.
    pub bytes: u64,
    /// Time of all that was waiting, in ns.
    pub waiting: u64,
    /// The part of it that was for each image, in ns.
    pub waited_for: BTreeMap<u32, u64>,
}

impl Row {
    /// The image that was waited for longest, and how long, in ns.
    pub fn culprit(&self) -> Option<(u32, u64)> {
        let longest = self.waited_for.iter().max_by_key(|&(&image, &time)| (time, Reverse(image)));
        longest.map(|(&image, &time)| (image, time))
    }
}

/// An image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageRow {
    /// The image, from 1.
    pub image: u32,
    /// How long after the first image it begins, in ns.
    pub begins: u64,
    /// From its first operation to its end, in ns.
    pub elapsed: u64,
    /// Its start, until all images have met, in ns.
    pub starting: u64,
    /// Time in other operations of all its threads, in ns.
    pub operations: u64,
    /// Waiting, in ns.
    pub waiting: u64,
    /// Waiting of other images for it, in ns.
    pub waited_for: u64,
    /// Most resident memory, in KiB; 0 if it is not known.
    pub memory: u64,
    /// Operations that are not in the timeline.
    pub dropped: u64,
}

impl ImageRow {
    /// Time outside of operations, in ns.
    pub fn computing(&self) -> u64 {
        self.elapsed.saturating_sub(self.starting).saturating_sub(self.operations)
    }

    /// All but its start, in ns: what shares of its time are of.
    pub fn after_start(&self) -> u64 {
        self.elapsed.saturating_sub(self.starting)
    }

    /// Time in operations without waiting, in ns.
    pub fn communicating(&self) -> u64 {
        self.operations.saturating_sub(self.waiting)
    }
}

/// The time of all images by its use, in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Until all images have met.
    pub starting: u64,
    /// Outside of operations.
    pub computing: u64,
    /// In operations without waiting.
    pub communicating: u64,
    /// Waiting for other images.
    pub waiting: u64,
}

impl Totals {
    /// All but the start.
    pub fn after_start(&self) -> u64 {
        sum([self.computing, self.communicating, self.waiting].into_iter())
    }
}

/// The bytes that one image puts to another and gets from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Puts.
    pub puts: u64,
    /// Their bytes.
    pub put_bytes: u64,
    /// Gets.
    pub gets: u64,
    /// Their bytes.
    pub get_bytes: u64,
}

impl Traffic {
    /// Bytes in both directions.
    pub fn bytes(&self) -> u64 {
        self.put_bytes.saturating_add(self.get_bytes)
    }
}

/// The numbers of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Images of the job.
    pub job: u32,
    /// The statements, those that take most time first.
    pub rows: Vec<Row>,
    /// The images that have recorded, in order.
    pub images: Vec<ImageRow>,
    /// What all images do over time.
    pub phases: Vec<Parts>,
    /// Waiting of an image for another one, in ns: (waiting image, image that it waits for).
    pub waiting: BTreeMap<(u32, u32), u64>,
    /// Traffic: (image that executes, partner).
    pub traffic: BTreeMap<(u32, u32), Traffic>,
    /// Coarrays by statement.
    pub allocations: Vec<Allocation>,
    /// The races that the job has found.
    pub races: Vec<Race>,
    /// The statements' texts.
    pub places: Vec<String>,
    /// Their lines of source text, where the files can be read.
    pub sources: Vec<Option<String>>,
    /// When the first image began, in ns of real time.
    pub started: u64,
    /// The hosts, the first one first.
    pub hosts: Vec<String>,
    /// For each host but the first: its name, and the error of its clock in ns, if it is known.
    pub clocks: Vec<(String, Option<u64>)>,
    /// Operations in no sum.
    pub unsummed: u64,
    /// Processors that all images of the job share; 0 if that is not known.
    pub processors: usize,
    /// What the launcher adds: names of properties of the job, and their values.
    pub properties: Vec<(&'static str, String)>,
}

/// Adds to a total. Numbers of a part that is damaged may be too large for it.
fn add(total: &mut u64, number: u64) {
    *total = total.saturating_add(number);
}

/// The sum of such numbers.
pub fn sum(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0, u64::saturating_add)
}

impl Summary {
    /// The numbers of these events, which have these waits.
    pub fn of(events: &Events, waits: &[Option<Wait>]) -> Summary {
        let mut summary = Summary {
            job: events.job,
            allocations: allocations(events),
            places: events.places.iter().map(|it| it.text.clone()).collect(),
            sources: source_lines(&events.places),
            phases: phases(events, waits),
            races: events.races.clone(),
            started: events.started,
            hosts: events.clocks.iter().map(|clock| clock.host.clone()).collect(),
            unsummed: sum(events.images.iter().map(|image| image.unsummed)),
            ..Summary::default()
        };
        let others = events.clocks.iter().skip(1);
        summary.clocks = others.map(|clock| (clock.host.clone(), clock.error)).collect();
        summary.add_images(events);
        let mut rows = summary.add_totals(events);
        for (event, wait) in events.events.iter().zip(waits) {
            if let Some(wait) = wait {
                summary.add_wait(&mut rows, event, *wait);
            }
        }
        summary.rows = rows.into_values().collect();
        summary.rows.sort_by_key(|row| (Reverse(row.time), row.operation, row.place));
        summary
    }

    fn add_images(&mut self, events: &Events) {
        let first = events.images.iter().map(|image| image.span[0]).min().unwrap_or(0);
        self.images = events
            .images
            .iter()
            .map(|image| ImageRow {
                image: image.image,
                begins: image.span[0].saturating_sub(first) as u64,
                elapsed: (image.span[1] - image.span[0]).max(0) as u64,
                memory: image.memory,
                dropped: image.dropped,
                ..ImageRow::default()
            })
            .collect();
    }

    fn image(&mut self, image: u32) -> Option<&mut ImageRow> {
        self.images.iter_mut().find(|row| row.image == image)
    }

    fn add_totals(&mut self, events: &Events) -> BTreeMap<(Operation, Place), Row> {
        let mut rows: BTreeMap<(Operation, Place), Row> = BTreeMap::new();
        // What ends the image takes no time of it; other operations that have not returned were waiting.
        let counts = |event: &&Event| event.has_returned || event.operation.kind().may_wait();
        let counted = events.events.iter().filter(counts).map(Total::of);
        for total in events.totals.iter().copied().chain(counted) {
            let (operation, place) = (total.operation, total.place);
            let row = rows.entry((operation, place)).or_insert(Row {
                operation,
                place,
                count: 0,
                time: 0,
                longest: 0,
                bytes: 0,
                waiting: 0,
                waited_for: BTreeMap::new(),
            });
            add(&mut row.count, total.count);
            add(&mut row.time, total.time);
            row.longest = row.longest.max(total.longest);
            add(&mut row.bytes, total.bytes);
            if let Some(image) = self.image(total.image) {
                let is_start = operation == Operation::Start;
                let sum = if is_start { &mut image.starting } else { &mut image.operations };
                add(sum, total.time);
            }
            let traffic = || (total.image, total.partner);
            match operation.kind() {
                Kind::Put | Kind::PutPost if total.partner > 0 => {
                    let traffic = self.traffic.entry(traffic()).or_default();
                    add(&mut traffic.puts, total.count);
                    add(&mut traffic.put_bytes, total.bytes);
                }
                Kind::Get if total.partner > 0 => {
                    let traffic = self.traffic.entry(traffic()).or_default();
                    add(&mut traffic.gets, total.count);
                    add(&mut traffic.get_bytes, total.bytes);
                }
                _ => {}
            }
        }
        rows
    }

    fn add_wait(
        &mut self,
        rows: &mut BTreeMap<(Operation, Place), Row>,
        event: &Event,
        wait: Wait,
    ) {
        let time = (wait.until - event.begin).max(0) as u64;
        if let Some(row) = rows.get_mut(&(event.operation, event.place)) {
            add(&mut row.waiting, time);
            if wait.culprit > 0 {
                add(row.waited_for.entry(wait.culprit).or_default(), time);
            }
        }
        // It is another part of the images' time.
        if event.operation == Operation::Start {
            return;
        }
        if let Some(image) = self.image(event.image) {
            add(&mut image.waiting, time);
        }
        if let Some(image) = self.image(wait.culprit) {
            add(&mut image.waited_for, time);
            add(self.waiting.entry((event.image, wait.culprit)).or_default(), time);
        }
    }

    /// The time of all images by its use.
    pub fn totals(&self) -> Totals {
        let all = |part: fn(&ImageRow) -> u64| sum(self.images.iter().map(part));
        Totals {
            starting: all(|image| image.starting),
            computing: all(ImageRow::computing),
            communicating: all(ImageRow::communicating),
            waiting: all(|image| image.waiting),
        }
    }

    /// The rows of statements, without those that start and end the program.
    pub fn statements(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| !row.operation.is_start_or_end())
    }

    /// The rows of the start and the end of the program.
    pub fn start_and_end(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.operation.is_start_or_end())
    }

    /// The text of a row's statement. The start is before the first one, whatever it was called from.
    pub fn statement_of(&self, row: &Row) -> &str {
        if row.operation == Operation::Start { "" } else { &self.places[row.place] }
    }

    /// The source text of a row's statement, if it is known.
    pub fn source_of(&self, row: &Row) -> Option<&str> {
        self.source(row.place).filter(|_| row.operation != Operation::Start)
    }

    /// The source text of a statement, if it is known.
    pub fn source(&self, place: Place) -> Option<&str> {
        self.sources.get(place)?.as_deref()
    }

    /// The longest elapsed time of an image, in ns.
    pub fn elapsed(&self) -> u64 {
        self.images.iter().map(|image| image.elapsed).max().unwrap_or(0)
    }

    /// From the beginning of the first image to the end of the last one, in ns.
    pub fn length(&self) -> u64 {
        let ends = self.images.iter().map(|image| image.begins.saturating_add(image.elapsed));
        ends.max().unwrap_or(0)
    }

    /// The image that computes longest, and by how much of the mean its computing time exceeds it; `None` for one
    /// image.
    pub fn imbalance(&self) -> Option<(u32, f64)> {
        let most = self.images.iter().max_by_key(|image| image.computing())?;
        let computing = sum(self.images.iter().map(ImageRow::computing));
        let mean = computing as f64 / self.images.len() as f64;
        (self.images.len() > 1 && mean > 0.0)
            .then(|| (most.image, most.computing() as f64 / mean - 1.0))
    }

    /// The limits of the report, a sentence each.
    pub fn limits(&self) -> Vec<String> {
        let dropped = sum(self.images.iter().map(|image| image.dropped));
        let missing = (self.job as usize).saturating_sub(self.images.len());
        let mut limits = Vec::new();
        if missing > 0 {
            limits.push(format!("no record of {}", counted(missing, "image")));
        }
        if dropped > 0 {
            limits.push(format!(
                "{dropped} operations are not in the timeline, and their waiting is not known: the buffers \
                 (XMP_TRACE_BUFFER) or the disk were full"
            ));
        }
        if self.unsummed > 0 {
            limits.push(format!(
                "{} operations are in no sum: the table or the disk was full",
                self.unsummed
            ));
        }
        limits.extend(self.clocks.iter().map(|(host, error)| match error {
            Some(error) => format!("clock of host {host}: error at most {}", time(*error)),
            None => format!("clock of host {host}: by its real time, error not known"),
        }));
        limits
    }
}
