//! Where the parts of images lie in a buffer.

use xmp_core::{Error, Result};

/// Where the parts of the images of a set lie in a buffer: in elements, in [`crate::raw`] in bytes. What is where parts
/// overlap that are received is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts<'a> {
    /// All have this length; one follows the other in the order of the set.
    Equal(usize),
    /// The part of the image at position i has length `lens[i]` and begins at `offsets[i]`: MPI's counts and
    /// displacements (MPI 4.1, 6.5).
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

    /// Where the part of a position begins.
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

    /// Whether there is a part for each of `images` images; `operation` is for the message.
    ///
    /// # Errors
    /// When there is not.
    pub fn check_number(&self, operation: &str, images: usize) -> Result<()> {
        let Parts::Given { lens, offsets } = self else { return Ok(()) };
        for (what, given) in [("lengths", lens.len()), ("offsets", offsets.len())] {
            if given != images {
                return Err(Error::Invalid(format!(
                    "{operation}: {given} {what} for {images} images"
                )));
            }
        }
        Ok(())
    }

    /// Whether there is a part for each image, all within a buffer of `room`.
    ///
    /// # Errors
    /// When there is not.
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
                    "{operation}: the {len} elements from {offset} on of image index {image} are not \
                     within the {room} elements of the buffer"
                )));
            }
        }
        Ok(())
    }

    /// The same in bytes, for elements of `size` bytes of `images` images that are within a buffer.
    pub fn in_bytes(&self, size: usize, images: usize) -> Table {
        let scaled = |of: &dyn Fn(usize) -> usize| (0..images).map(|i| of(i) * size).collect();
        Table { lens: scaled(&|i| self.len(i)), offsets: scaled(&|i| self.offset(i)) }
    }
}

/// [`Parts`] that it owns.
#[derive(Clone, Debug, Default)]
pub struct Table {
    lens: Vec<usize>,
    offsets: Vec<usize>,
}

impl Table {
    /// Parts of these lengths, one after the other; and the length of all.
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

    /// To look at.
    pub fn parts(&self) -> Parts<'_> {
        Parts::Given { lens: &self.lens, offsets: &self.offsets }
    }
}

/// Lengths of the parts of participants, as far as they are known here.
#[derive(Clone, Debug)]
pub enum Lens {
    /// All have this one.
    Equal(usize),
    /// One for each participant.
    Each(Vec<usize>),
}

impl Lens {
    /// The length of a participant's part.
    #[inline]
    pub fn of(&self, participant: usize) -> usize {
        match self {
            Lens::Equal(len) => *len,
            Lens::Each(lens) => lens[participant],
        }
    }

    /// The longest.
    pub fn longest(&self) -> usize {
        match self {
            Lens::Equal(len) => *len,
            Lens::Each(lens) => lens.iter().copied().max().unwrap_or(0),
        }
    }
}

/// Whether a buffer of `room` elements has room for `len` elements of each of `images` images, and no more.
pub(crate) fn check_room(operation: &str, room: usize, len: usize, images: usize) -> Result<()> {
    if len.checked_mul(images) == Some(room) {
        return Ok(());
    }
    let text = format!("{operation}: {room} elements where {images} images have {len} each");
    Err(Error::Invalid(text))
}

/// The error of an image that is given another length than it expects.
pub(crate) fn mismatch(operation: &str, position: usize, given: usize, expected: usize) -> Error {
    let image = position + 1;
    Error::Invalid(format!(
        "{operation}: image index {image} gives {given} bytes where {expected} are expected"
    ))
}

/// 0, first, first + second, ..., the sum of all.
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
/// They are valid for reads, and not written as long as the slice lives.
pub(crate) unsafe fn bytes<'a>(start: *const u8, len: usize) -> &'a [u8] {
    match len {
        0 => &[],
        // SAFETY: there are `len` such bytes (contract above).
        _ => unsafe { std::slice::from_raw_parts(start, len) },
    }
}

/// As [`bytes`], to write.
///
/// # Safety
/// They are valid, and accessed in no other way as long as the slice lives.
pub(crate) unsafe fn bytes_mut<'a>(start: *mut u8, len: usize) -> &'a mut [u8] {
    match len {
        0 => &mut [],
        // SAFETY: there are `len` such bytes (contract above).
        _ => unsafe { std::slice::from_raw_parts_mut(start, len) },
    }
}
