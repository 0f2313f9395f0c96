//! The recording of this process: it begins when the first operation has returned, for then the process is an image,
//! and ends with the process.

use crate::runtime::{self, INITIAL};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use xmp_core::settings::Settings;
use xmp_trace::buffer::{Buffer, Owner, Place, time};
use xmp_trace::format::Record;
use xmp_trace::operation::Operation;

/// What the environment asks for.
#[derive(Debug, Default)]
pub struct Wanted {
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
pub fn wanted() -> &'static Wanted {
    static WANTED: OnceLock<Wanted> = OnceLock::new();
    WANTED.get_or_init(|| {
        let settings = Settings::from_env().unwrap_or_default();
        Wanted {
            trace: settings.trace,
            size: settings.trace_buffer,
            tool: settings.tool,
            first_image_in_c: settings.first_image_in_c,
        }
    })
}

/// The state of the recording.
#[derive(Debug)]
enum Recording {
    /// The process is no image yet.
    New,
    /// It records.
    On(Recorder),
    /// Nothing is recorded.
    Off,
}

#[derive(Debug)]
struct Recorder {
    buffer: Buffer,
    /// Handles of the teams and tasks that have been entered, the current one last.
    teams: Vec<u64>,
    process: u32,
}

static RECORDING: Mutex<Recording> = Mutex::new(Recording::New);

fn recording() -> MutexGuard<'static, Recording> {
    RECORDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Now, in ns of the monotonic clock.
pub fn now() -> u64 {
    time(libc::CLOCK_MONOTONIC)
}

/// What stands for a task in sums: the same number for the same images.
pub fn handle_of_task(images: &[i32]) -> u64 {
    /// Bits that no other handle has.
    const TASK: u64 = 0x7a5c << 48;
    let mut hasher = DefaultHasher::new();
    images.hash(&mut hasher);
    TASK | hasher.finish() >> 16
}

/// Records an operation that begins now.
pub fn begin(record: &mut Record) -> Option<Place> {
    let mut recording = recording();
    record.begin = now();
    match &mut *recording {
        Recording::On(recorder) => Some(recorder.buffer.push(record)),
        Recording::New | Recording::Off => None,
    }
}

/// Records an operation that has ended. `place` is what [`begin`] has returned.
pub fn end(record: &Record, place: Option<Place>) {
    let mut recording = recording();
    if let Recording::New = *recording {
        *recording = start(record.begin);
    }
    let Recording::On(recorder) = &mut *recording else { return };
    let place = place.unwrap_or_else(|| recorder.buffer.push(record));
    recorder.buffer.complete(place, record);
    let team = recorder.teams.last().copied().unwrap_or(0);
    recorder.buffer.add(record, if record.team == 0 { team } else { record.team });
    match record.operation {
        Operation::ChangeTeam => recorder.teams.push(record.object),
        Operation::TaskBegin if record.object != 0 => recorder.teams.push(record.object),
        Operation::EndTeam | Operation::TaskEnd => _ = recorder.teams.pop(),
        _ => {}
    }
}

#[cold]
fn start(start: u64) -> Recording {
    let wanted = wanted();
    let Some(trace) = &wanted.trace else { return Recording::Off };
    let [image, images] = [runtime::this_image(INITIAL), runtime::num_images(INITIAL)];
    match Buffer::create(trace, Owner { image, images, start }, wanted.size) {
        Ok(buffer) => {
            // SAFETY: the handler is a function of this library, which is never unloaded.
            unsafe { libc::atexit(finish) };
            Recording::On(Recorder { buffer, teams: Vec::new(), process: std::process::id() })
        }
        Err(error) => {
            eprintln!("xmp: image {image}: XMP_TRACE: nothing is recorded: {error}");
            Recording::Off
        }
    }
}

extern "C" fn finish() {
    if let Recording::On(recorder) = &mut *recording()
        // A process that the image has forked shares the file, and has recorded nothing.
        && recorder.process == std::process::id()
    {
        recorder.buffer.finish();
    }
}
