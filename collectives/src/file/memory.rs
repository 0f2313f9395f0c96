//! The bytes of an image that go to a file or come from it, in the order of the file.

use crate::global::{Storage, StoredSection};
use smallvec::SmallVec;
use xmp_core::Rank;
use xmp_core::global::sequence::{Ordered, ordered};

/// Bytes of this image, numbered in the order in which the file has them.
#[derive(Debug)]
pub enum Memory<'a> {
    /// They are contiguous in memory.
    Plain(*mut u8),
    /// They are elements of a section.
    Part(Box<Part<'a>>),
}

/// The elements that this image has of a section.
#[derive(Debug)]
pub struct Part<'a> {
    stored: StoredSection<'a>,
    /// The part of each dimension that this image has, by dimension.
    parts: SmallVec<[usize; 4]>,
    /// Bytes between elements whose local indices differ by 1, by dimension.
    strides: SmallVec<[i64; 4]>,
    dims: Ordered,
}

/// Elements at a constant distance in memory.
struct Row {
    start: *mut u8,
    /// Bytes between two.
    stride: i64,
    count: i64,
}

impl<'a> Memory<'a> {
    /// Contiguous memory.
    ///
    /// # Safety
    /// As long as this value exists, `start` is valid for reads, and for writes where a file is read, of all bytes that
    /// are asked for, and nothing else accesses them.
    pub unsafe fn plain(start: *mut u8) -> Memory<'a> {
        Memory::Plain(start)
    }

    /// The elements that the image `rank`, this one, has of a section.
    pub fn part(stored: StoredSection<'a>, rank: Rank) -> Memory<'a> {
        let array = stored.storage().array();
        let coords = array.coords(rank);
        let found = coords.and_then(|coords| {
            let dims = ordered(array, stored.section(), &coords)?;
            Some((dims, coords))
        });
        let Some((dims, coords)) = found else {
            return Memory::Part(Box::new(Part {
                stored,
                parts: SmallVec::new(),
                strides: SmallVec::new(),
                dims: SmallVec::new(),
            }));
        };
        let parts = (0..dims.len()).map(|dim| array.part(dim, &coords)).collect();
        let element = stored.storage().element() as i64;
        let strides = array.strides(&coords).into_iter().map(|stride| stride * element).collect();
        Memory::Part(Box::new(Part { stored, parts, strides, dims }))
    }

    /// Copies the bytes from number `from` on to `out`.
    pub fn get(&self, from: i64, out: &mut [u8]) {
        match self {
            // SAFETY: the bytes are there (`Memory::plain`).
            Memory::Plain(start) => unsafe {
                out.as_mut_ptr().copy_from_nonoverlapping(start.offset(from as isize), out.len());
            },
            Memory::Part(part) => {
                let mut to = out.as_mut_ptr();
                part.each(from, out.len() as i64, |start, len| {
                    // SAFETY: `each` passes elements that this image stores (`Storage::new`), and together as many bytes
                    // as `out` has.
                    unsafe {
                        to.copy_from_nonoverlapping(start, len);
                        to = to.add(len);
                    }
                });
            }
        }
    }

    /// Copies `bytes` to those from number `from` on.
    pub fn put(&self, from: i64, bytes: &[u8]) {
        match self {
            // SAFETY: the bytes are there (`Memory::plain`).
            Memory::Plain(start) => unsafe {
                start.offset(from as isize).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            },
            Memory::Part(part) => {
                let mut source = bytes.as_ptr();
                part.each(from, bytes.len() as i64, |start, len| {
                    // SAFETY: `each` passes elements that this image stores (`Storage::new`), and together as many bytes
                    // as `bytes` has.
                    unsafe {
                        start.copy_from_nonoverlapping(source, len);
                        source = source.add(len);
                    }
                });
            }
        }
    }
}

impl Part<'_> {
    /// Calls `visit` with the memory of the `len` bytes from number `from` on, piece by piece. An element may be cut.
    fn each(&self, from: i64, len: i64, mut visit: impl FnMut(*mut u8, usize)) {
        let element = self.stored.storage().element() as i64;
        let (mut next, end) = (from, from + len);
        while next < end {
            let (index, skipped) = (next / element, next % element);
            let row = self.row(index);
            if row.stride == element {
                let bytes = (row.count * element - skipped).min(end - next);
                visit(row.start.wrapping_offset(skipped as isize), bytes as usize);
                next += bytes;
                continue;
            }
            let mut skipped = skipped;
            for k in 0..row.count {
                let bytes = (element - skipped).min(end - next);
                visit(
                    row.start.wrapping_offset((k * row.stride + skipped) as isize),
                    bytes as usize,
                );
                next += bytes;
                skipped = 0;
                if next == end {
                    break;
                }
            }
        }
    }

    /// The elements from one on that are at a constant distance.
    fn row(&self, index: i64) -> Row {
        let storage: &Storage = self.stored.storage();
        let place = |dim: usize, position: i64| {
            let at = self.stored.section().row(dim).at(position);
            storage.array().local_of_owned(dim, self.parts[dim], at) * self.strides[dim]
        };
        let (mut start, mut rest, mut row) = (0, index, (storage.element() as i64, 1));
        for (k, (dim, positions)) in self.dims.iter().enumerate().rev() {
            let within = rest % positions.count();
            rest /= positions.count();
            let position = positions.at(within);
            let here = place(*dim, position);
            start += here;
            if k + 1 == self.dims.len() {
                let count = positions.even(position);
                let stride = match count {
                    1 => storage.element() as i64,
                    _ => place(*dim, positions.at(within + 1)) - here,
                };
                row = (stride, count);
            }
        }
        let (stride, count) = row;
        Row { start: storage.base().wrapping_offset(start as isize), stride, count }
    }
}
