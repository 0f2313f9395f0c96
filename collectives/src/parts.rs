//! The places of the parts of images in a buffer.

use xmp_core::counted::counted;
use xmp_core::{Error, Result};

/// The places of the parts of the images of a set in a buffer: in elements, in [`crate::raw`] in bytes. Where received
/// parts overlap, the contents are undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts<'a> {
    /// All parts have this length, and follow one another in the order of the set.
    Equal(usize),
    /// The part of the image at position i has length `lens[i]` and begins at `offsets[i]`: the counts and displacements
    /// of MPI (MPI 4.1, 6.5).
    Given {
        /// Lengths by position in the set.
        lens: &'a [usize],
        /// Offsets by position in the set.
        offsets: &'a [usize],
    },
}

impl Parts<'_> {
    /// Length of the part of a position.
    #[inline(always)]
    pub fn len(&self, position: usize) -> usize {
        match self {
            Parts::Equal(len) => *len,
            Parts::Given { lens, .. } => lens[position],
        }
    }

    /// Beginning of the part of a position.
    #[inline(always)]
    pub fn offset(&self, position: usize) -> usize {
        match self {
            Parts::Equal(len) => len * position,
            Parts::Given { offsets, .. } => offsets[position],
        }
    }

    /// Length of the longest of `n` parts.
    pub fn longest(&self, n: usize) -> usize {
        match self {
            Parts::Equal(len) => *len,
            Parts::Given { lens, .. } => lens[..n].iter().copied().max().unwrap_or(0),
        }
    }

    /// Checks that there is a part for each of `images` images.
    ///
    /// # Errors
    /// [`Error::Invalid`], which names the operation, when there is not.
    pub fn check_number(&self, operation: &str, images: usize) -> Result<()> {
        let Parts::Given { lens, offsets } = self else { return Ok(()) };
        for (what, given) in [("length", lens.len()), ("offset", offsets.len())] {
            if given != images {
                return Err(Error::Invalid(format!(
                    "{operation}: {} for {}",
                    counted(given, what),
                    counted(images, "image")
                )));
            }
        }
        Ok(())
    }

    /// Checks that there is a part for each image, and that all are within a buffer of `room` elements.
    ///
    /// # Errors
    /// [`Error::Invalid`], which names the operation and the image, when it is not so.
    pub fn check(&self, operation: &str, images: usize, room: usize) -> Result<()> {
        self.check_number(operation, images)?;
        for position in 0..images {
            let (offset, len) = (self.offset(position), self.len(position));
            let end = match self {
                Parts::Equal(len) => len.checked_mul(images),
                Parts::Given { .. } => offset.checked_add(len),
            };
            if end.is_none_or(|end| end > room) {
                let image = position + 1;
                return Err(Error::Invalid(format!(
                    "{operation}: the part of image index {image}, {} from {offset} on, is not within the \
                     {} of the buffer",
                    counted(len, "element"),
                    counted(room, "element")
                )));
            }
        }
        Ok(())
    }

    /// The parts in bytes, for elements of `size` bytes of `images` images.
    pub fn in_bytes(&self, size: usize, images: usize) -> Table {
        let scaled = |of: &dyn Fn(usize) -> usize| (0..images).map(|i| of(i) * size).collect();
        Table { lens: scaled(&|i| self.len(i)), offsets: scaled(&|i| self.offset(i)) }
    }
}

/// [`Parts`] with their own memory.
#[derive(Clone, Debug, Default)]
pub struct Table {
    lens: Vec<usize>,
    offsets: Vec<usize>,
}

impl Table {
    /// Parts of these lengths, one after the other, and the length of all together.
    pub fn packed(lens: impl Iterator<Item = usize>) -> (Table, usize) {
        let lens: Vec<usize> = lens.collect();
        let mut offsets = prefix_sums(lens.iter().copied());
        let total = offsets.pop().expect("a sum");
        (Table { lens, offsets }, total)
    }

    /// A part of `len` for one position of `n`, and empty ones for the others; all begin at 0.
    pub fn only(position: usize, len: usize, n: usize) -> Table {
        let mut lens = vec![0; n];
        lens[position] = len;
        Table { lens, offsets: vec![0; n] }
    }

    /// The parts of these positions, in their order.
    pub fn of(parts: &Parts<'_>, positions: &[usize]) -> Table {
        Table {
            lens: positions.iter().map(|&i| parts.len(i)).collect(),
            offsets: positions.iter().map(|&i| parts.offset(i)).collect(),
        }
    }

    /// The parts.
    pub fn parts(&self) -> Parts<'_> {
        Parts::Given { lens: &self.lens, offsets: &self.offsets }
    }
}

/// Lengths of the parts of participants, as far as this image knows them.
#[derive(Clone, Debug)]
pub enum Lens {
    /// All have this length.
    Equal(usize),
    /// Each participant has its own.
    Each(Vec<usize>),
}

impl Lens {
    /// Length of the part of a participant.
    #[inline]
    pub fn of(&self, participant: usize) -> usize {
        match self {
            Lens::Equal(len) => *len,
            Lens::Each(lens) => lens[participant],
        }
    }

    /// Length of the longest part.
    pub fn longest(&self) -> usize {
        match self {
            Lens::Equal(len) => *len,
            Lens::Each(lens) => lens.iter().copied().max().unwrap_or(0),
        }
    }
}

/// Checks that a buffer of `room` elements is as long as `len` elements of each of `images` images.
pub(crate) fn check_room(operation: &str, room: usize, len: usize, images: usize) -> Result<()> {
    if len.checked_mul(images) == Some(room) {
        return Ok(());
    }
    let (room, len) = (counted(room, "element"), counted(len, "element"));
    let text = format!("{operation}: {room} where each of {} has {len}", counted(images, "image"));
    Err(Error::Invalid(text))
}

/// The error of an image that gets another length than it expects.
pub(crate) fn mismatch(operation: &str, position: usize, given: usize, expected: usize) -> Error {
    let image = position + 1;
    Error::Invalid(format!(
        "{operation}: image index {image} gives {} where {expected} {} expected",
        counted(given, "byte"),
        if expected == 1 { "is" } else { "are" }
    ))
}

/// The prefix sums of lengths: 0, the first, the first and the second, ..., all.
pub(crate) fn prefix_sums(lens: impl Iterator<Item = usize>) -> Vec<usize> {
    let sums = lens.scan(0, |sum, len| {
        *sum += len;
        Some(*sum)
    });
    std::iter::once(0).chain(sums).collect()
}

/// The `len` bytes at `start`, which may be anything when there are none.
///
/// # Safety
/// They are valid for reads, and nothing writes them as long as the slice lives.
pub(crate) unsafe fn bytes<'a>(start: *const u8, len: usize) -> &'a [u8] {
    match len {
        0 => &[],
        // SAFETY: `start` has `len` bytes (contract above).
        _ => unsafe { std::slice::from_raw_parts(start, len) },
    }
}

/// The `len` bytes at `start`, to write them; `start` may be anything when there are none.
///
/// # Safety
/// They are valid, and nothing else accesses them as long as the slice lives.
pub(crate) unsafe fn bytes_mut<'a>(start: *mut u8, len: usize) -> &'a mut [u8] {
    match len {
        0 => &mut [],
        // SAFETY: `start` has `len` bytes (contract above).
        _ => unsafe { std::slice::from_raw_parts_mut(start, len) },
    }
}
