//! The recording of this process: it begins when the first operation has returned, for then the process is an image,
//! and ends with the process.

use crate::runtime::{self, INITIAL};
use crate::tool;
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use xmp_core::hash;
use xmp_core::launch::report;
use xmp_core::settings::Settings;
use xmp_trace::buffer::{Buffer, Owner, Place, Rows};
use xmp_trace::directory::Directory;
use xmp_trace::format::Record;
use xmp_trace::operation::Operation;
use xmp_trace::{races, ticks};

/// What the environment asks for.
#[derive(Debug, Default)]
pub struct RecordingRequest {
    /// The trace.
    pub trace: Option<PathBuf>,
    /// Most bytes of a part.
    pub size: u64,
    /// The tool.
    pub tool: Option<PathBuf>,
    /// The number of the first image in C programs with coarrays.
    pub first_image_in_c: i32,
}

/// The settings of this library. Those that are wrong are reported by `libxmprt.so`, which reads the same ones.
pub fn wanted() -> &'static RecordingRequest {
    static WANTED: OnceLock<RecordingRequest> = OnceLock::new();
    WANTED.get_or_init(|| {
        let settings = Settings::from_env().unwrap_or_default();
        RecordingRequest {
            trace: settings.trace,
            size: settings.trace_buffer,
            tool: settings.tool,
            first_image_in_c: settings.first_image_in_c,
        }
    })
}

/// Prepares for the first operation of a thread: attaches the tool, which gets times instead of ticks.
pub fn prepare() {
    static PREPARED: OnceLock<()> = OnceLock::new();
    PREPARED.get_or_init(|| {
        if let Some(tool) = &wanted().tool {
            ticks::be_monotonic();
            tool::attach(tool);
        }
    });
}

/// The buffer of this process, which lives as long as it; null before it has one, and in processes that it forks.
static BUFFER: AtomicPtr<Buffer> = AtomicPtr::new(std::ptr::null_mut());

/// Handles of the teams and tasks that have been entered, the current one last.
static TEAMS: Mutex<Vec<u64>> = Mutex::new(Vec::new());

#[inline]
fn buffer() -> Option<&'static Buffer> {
    // SAFETY: null, or the address of a buffer that was leaked after it had been made.
    unsafe { BUFFER.load(Ordering::Acquire).as_ref() }
}

/// The number that identifies a task in sums: the same images have the same number.
pub fn handle_of_task(images: &[i32]) -> u64 {
    /// Bits that no other handle has.
    const TASK: u64 = 0x7a5c << 48;
    TASK | hash::of(images) >> 16
}

/// Has a record be of the images of some nodes, which it lists where they are named for the first time.
pub fn name_nodes(record: &mut Record, images: Vec<i32>) {
    static KNOWN: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());
    record.team = handle_of_task(&images);
    if KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(record.team) {
        record.list = images;
    }
}

/// Records an operation that has begun, in rows of this thread.
#[inline]
pub fn begin(record: &Record, rows: &mut Rows) -> Option<Place> {
    let buffer = buffer()?;
    rows.push(record).or_else(|| push_into_new(buffer, record, rows))
}

#[cold]
fn push_into_new(buffer: &Buffer, record: &Record, rows: &mut Rows) -> Option<Place> {
    *rows = buffer.reserve(record).unwrap_or_else(|error| {
        report_failure("the recording stops here, and the program goes on", &error);
        None
    })?;
    rows.push(record)
}

/// Reports that the program is not recorded, or not any more.
fn report_failure(consequence: &str, error: &io::Error) {
    let image = runtime::this_image(INITIAL);
    report(format_args!("image {image}: trace: {error}: {consequence}"));
}

/// Records an operation that has ended. `place` is what [`begin`] has returned.
#[inline]
pub fn end(record: &Record, place: Option<Place>, rows: &mut Rows) {
    match place {
        // Only the end of a statement that enters a task gives a list, which takes further rows.
        Some(place) if record.operation != Operation::TaskBegin || record.list.is_empty() => {
            place.complete(record);
        }
        _ => end_slowly(record, place, rows),
    }
    match record.operation {
        Operation::ChangeTeam => enter(record.object),
        Operation::TaskBegin if record.object != 0 => enter(record.object),
        Operation::EndTeam | Operation::TaskEnd => _ = teams().pop(),
        _ => {}
    }
}

/// The end of an operation whose row cannot be completed: there is none, or it does not suffice.
#[cold]
fn end_slowly(record: &Record, place: Option<Place>, rows: &mut Rows) {
    let Some(buffer) = buffer().or_else(|| start(record.begin)) else { return };
    if let Some(place) = place {
        place.clear();
    }
    if rows.push(record).or_else(|| push_into_new(buffer, record, rows)).is_none() {
        let team = teams().last().copied().unwrap_or(0);
        buffer.add(record, if record.team == 0 { team } else { record.team });
    }
}

fn teams() -> std::sync::MutexGuard<'static, Vec<u64>> {
    TEAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn enter(team: u64) {
    teams().push(team);
}

/// Starts the recording; once. `None` when nothing is to be recorded.
#[cold]
fn start(start: u64) -> Option<&'static Buffer> {
    static STARTED: OnceLock<()> = OnceLock::new();
    STARTED.get_or_init(|| {
        let wanted = wanted();
        let Some(trace) = &wanted.trace else { return };
        let [image, images] = [runtime::this_image(INITIAL), runtime::num_images(INITIAL)];
        match Buffer::create(trace, Owner { image, images, start }, wanted.size) {
            Ok(buffer) => {
                BUFFER.store(Box::into_raw(Box::new(buffer)), Ordering::Release);
                // SAFETY: the handlers are functions of this library, which is never unloaded.
                unsafe {
                    libc::atexit(finish);
                    libc::pthread_atfork(None, None, Some(forget));
                }
            }
            Err(error) => report_failure("nothing is recorded, and the program goes on", &error),
        }
    });
    buffer()
}

/// Keeps the races of the job, lines in the form of [`xmp_trace::races`].
#[cold]
pub fn keep_races(lines: &[u8]) {
    let Some(trace) = &wanted().trace else { return };
    let kept = Directory::open(trace)
        .and_then(|directory| directory.map_or(Ok(()), |it| races::write(&it, lines)));
    if let Err(error) = kept {
        report_failure("timeline and report have no races, and the program goes on", &error);
    }
}

extern "C" fn finish() {
    if let Some(buffer) = buffer() {
        buffer.finish();
    }
}

/// In a process that the image has forked, which shares the file: nothing is recorded.
extern "C" fn forget() {
    BUFFER.store(std::ptr::null_mut(), Ordering::Release);
}
