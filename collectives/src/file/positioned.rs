//! Reads and writes of one image through its view.

use super::buffer::Buffer;
use super::failure::{Failure, Outcome};
use super::memory::Memory;
use super::view::View;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// Writes the bytes with these numbers in the view, the first of which is byte 0 of `memory`, with at most `buffer`
/// bytes at a time.
///
/// # Errors
/// Those of writes; EINVAL for bytes that the view does not have.
pub fn write(
    file: &File,
    view: View<'_>,
    numbers: Range<i64>,
    memory: &Memory<'_>,
    buffer: usize,
) -> Outcome {
    check(view, &numbers)?;
    let mut bytes = Vec::new();
    let mut next = numbers.start;
    while next < numbers.end {
        let stretch = view.stretch(next);
        let len = stretch.len.min(numbers.end - next).min(buffer as i64);
        bytes.resize(len as usize, 0);
        memory.get(next - numbers.start, &mut bytes);
        file.write_all_at(&bytes, stretch.offset as u64)?;
        next += len;
    }
    Ok(())
}

/// Reads the bytes with these numbers in the view. Returns their number, which is less at the end of the file.
///
/// # Errors
/// Those of reads; EINVAL for bytes that no view can have.
pub fn read(
    file: &File,
    view: View<'_>,
    numbers: Range<i64>,
    memory: &Memory<'_>,
    buffer: usize,
) -> Outcome<i64> {
    if view.is_empty() {
        return Ok(0);
    }
    check(view, &numbers)?;
    let end = numbers.end.min(view.before(super::open::size(file)?)).max(numbers.start);
    read_before_end(file, view, numbers.start..end, memory, buffer)?;
    Ok(end - numbers.start)
}

/// Reads the bytes with these numbers, which are before the end of the file.
///
/// # Errors
/// Those of reads.
pub(super) fn read_before_end(
    file: &File,
    view: View<'_>,
    numbers: Range<i64>,
    memory: &Memory<'_>,
    buffer: usize,
) -> Outcome {
    let (mut next, end) = (numbers.start, numbers.end);
    while next < end {
        let from = view.stretch(next).offset;
        let last = view.stretch(end - 1).offset;
        let to = (from + buffer as i64).min(last + 1);
        let mut piece = Buffer::new(from..to);
        piece.read(file)?;
        let up_to = view.before(to).min(end);
        each_stretch(view, next..up_to, |number, place, len| {
            memory.put(number - numbers.start, piece.at(place, len));
        });
        next = up_to;
    }
    Ok(())
}

/// Checks that the view has these bytes.
pub(super) fn check(view: View<'_>, numbers: &Range<i64>) -> Outcome {
    let last = if numbers.is_empty() { numbers.start } else { numbers.end - 1 };
    let is_seen = numbers.is_empty() || !view.is_empty();
    match view.place(last).filter(|_| is_seen) {
        Some(_) => Ok(()),
        None => Err(Failure::System(libc::EINVAL)),
    }
}

/// Calls `visit` for the contiguous bytes among those with these numbers: the number of the first one, its place in the
/// file, and how many there are.
pub(super) fn each_stretch(
    view: View<'_>,
    numbers: Range<i64>,
    mut visit: impl FnMut(i64, i64, i64),
) {
    let mut next = numbers.start;
    while next < numbers.end {
        let stretch = view.stretch(next);
        let len = stretch.len.min(numbers.end - next);
        visit(next, stretch.offset, len);
        next += len;
    }
}
