//! Opening, synchronising and closing a file by all images of a set.

use super::failure::{Failure, Outcome, agree};
use crate::broadcast;
use std::fs::{File, OpenOptions};
use std::os::fd::IntoRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;
use xmp_core::Image;
use xmp_core::image_set::ImageSet;

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct How {
    /// For reading.
    pub read: bool,
    /// For writing.
    pub write: bool,
    /// Created if it is not there.
    pub create: bool,
    /// Created; an error if it is there.
    pub new: bool,
    /// Emptied.
    pub truncate: bool,
}

/// Opens a file that all images see. The first image of the set creates it. All images of the set call it.
///
/// # Errors
/// That of the first image, in the order of the set, that cannot open it, on all images; ESTALE when an image finds
/// another file under that name.
pub fn open(image: &Image, set: &ImageSet, path: &Path, how: How) -> Outcome<File> {
    let is_first = set.position() == Some(0);
    let mut first = if is_first { Some(opened(path, how)) } else { None };
    let mut head = match &first {
        Some(Ok((_, file))) => [0, *file as i64],
        Some(Err(Failure::System(number))) => [i64::from(*number), 0],
        _ => [0, 0],
    };
    broadcast(image, set, 0, &mut head)?;
    let [number, same] = head;
    if number != 0 {
        return Err(Failure::System(number as i32));
    }
    let how = How { create: false, new: false, truncate: false, ..how };
    let mine = first.take().unwrap_or_else(|| {
        let (file, found) = opened(path, how)?;
        if found as i64 == same { Ok((file, found)) } else { Err(Failure::System(libc::ESTALE)) }
    });
    let (mine, file) = match mine {
        Ok((file, _)) => (Ok(()), Some(file)),
        Err(failure) => (Err(failure), None),
    };
    agree(image, set, mine)?;
    Ok(file.expect("no image has failed"))
}

/// A file, and its number in its file system.
fn opened(path: &Path, how: How) -> Outcome<(File, u64)> {
    let How { read, write, create, new, truncate } = how;
    let file = OpenOptions::new()
        .read(read)
        .write(write)
        .create(create && !new)
        .create_new(new)
        .truncate(truncate && !new)
        .open(path)?;
    let found = file.metadata()?;
    // A directory can be opened for reading, and a pipe has no positions.
    if found.is_dir() {
        return Err(Failure::System(libc::EISDIR));
    }
    if found.file_type().is_fifo() || found.file_type().is_socket() {
        return Err(Failure::System(libc::ESPIPE));
    }
    Ok((file, found.ino()))
}

/// Bytes of a file; of a device, which has no end, as many as there can be.
///
/// # Errors
/// Those of the system.
pub fn size(file: &File) -> Outcome<i64> {
    let found = file.metadata()?;
    Ok(if found.is_file() { found.len() as i64 } else { i64::MAX })
}

/// Waits until all images have written, and the storage device has what they have written. All images of the set call
/// it.
///
/// # Errors
/// Those of the system, the same on all images.
pub fn sync(image: &Image, set: &ImageSet, file: &File) -> Outcome {
    agree(image, set, Ok(()))?;
    let synced = match file.sync_all() {
        // A device that cannot be synchronised.
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => Ok(()),
        other => other.map_err(Failure::from),
    };
    agree(image, set, synced)
}

/// Closes the file on all images of the set, which all call it.
///
/// # Errors
/// Those of the system, the same on all images; the file is closed all the same.
pub fn close(image: &Image, set: &ImageSet, file: File) -> Outcome {
    // SAFETY: the descriptor is owned, and not used any more.
    let closed = match unsafe { libc::close(file.into_raw_fd()) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error().into()),
    };
    agree(image, set, closed)
}
