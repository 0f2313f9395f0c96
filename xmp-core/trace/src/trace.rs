//! A trace of a job: its parts, read and merged.

use crate::arrows::{accesses, of_edges};
use crate::buffer::directory_of;
use crate::edges::{Edge, edges};
use crate::event::Events;
use crate::part::Part;
use crate::summary::Summary;
use crate::timeline::Drawn;
use crate::waits::{Wait, waits};
use crate::{timeline, times};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// What a job has executed, what of it belongs together, and its waits.
#[derive(Debug)]
pub struct Trace {
    events: Events,
    edges: Vec<Edge>,
    waits: Vec<Option<Wait>>,
}

impl Trace {
    /// Reads the parts of the trace `path`; `None` if no image has recorded anything.
    ///
    /// # Errors
    /// When a part cannot be read; the error names its file.
    pub fn read(path: &Path) -> io::Result<Option<Trace>> {
        let directory = directory_of(path);
        let mut parts: Vec<Part> = Vec::new();
        for image in images_in(&directory)? {
            parts.extend(Part::read(&directory, image)?);
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
        let events = Events::of(&parts);
        let edges = edges(&events.events);
        let waits = waits(&events.events, &edges);
        Ok(Some(Trace { events, edges, waits }))
    }

    /// Writes the timeline into a file.
    ///
    /// # Errors
    /// When the file cannot be written; the error names it.
    pub fn write_timeline(&self, path: &Path) -> io::Result<()> {
        let write = || {
            let mut file = BufWriter::new(File::create(path)?);
            let accesses = accesses(&self.events);
            let arrows = of_edges(&self.events.events, &self.waits, &self.edges);
            let drawn = Drawn { waits: &self.waits, accesses: &accesses, arrows: &arrows };
            timeline::write(&self.events, drawn, &mut file)?;
            file.flush()
        };
        write().map_err(|error| named(path, &error))
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

/// Removes the parts of a trace.
///
/// # Errors
/// When there are some that cannot be removed.
pub fn remove_parts(path: &Path) -> io::Result<()> {
    let directory = directory_of(path);
    match fs::remove_dir_all(&directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(named(&directory, &error)),
        _ => Ok(()),
    }
}

/// The images that have a part in a directory, in order.
fn images_in(directory: &Path) -> io::Result<Vec<u32>> {
    let files: Vec<PathBuf> = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        files => files
            .and_then(|files| files.map(|file| file.map(|file| file.path())).collect())
            .map_err(|error| named(directory, &error))?,
    };
    let image = |file: &PathBuf| file.file_name()?.to_str()?.strip_prefix("image-")?.parse().ok();
    let mut images: Vec<u32> = files.iter().filter_map(image).collect();
    images.sort_unstable();
    Ok(images)
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
