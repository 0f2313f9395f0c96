//! The buffer that an image records into: its part of the trace, a file that is mapped. What it has recorded remains
//! when the process is killed.
//!
//! Each thread takes [`Rows`] of the file in blocks and writes them alone, so recording an operation takes no lock and no
//! atomic operation. Operations for which no row is left are added up in a table, under a lock.

use crate::format::{BLOCK, HEADER, LISTED, MAGIC, RECORD, Record, SUMS, Sum, at};
use crate::ticks::{self, Pair};
use std::fs::{self, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Who records.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    /// The image, from 1.
    pub image: u32,
    /// Images of the job.
    pub images: u32,
    /// Start of the recording, in [`ticks::now`].
    pub start: u64,
}

/// The words of a record.
type Row = [u64; RECORD];

/// The recording of one image.
#[derive(Debug)]
pub struct Buffer {
    /// The header of the mapping, which lives as long as the process.
    header: &'static [AtomicU64; HEADER],
    sums: Mutex<&'static mut [Row]>,
    records: *mut Row,
    capacity: usize,
    directory: PathBuf,
    image: u32,
}

// SAFETY: each row of `records` is written by the one thread that has reserved it.
unsafe impl Send for Buffer {}
// SAFETY: as above; the rest is atomic or locked.
unsafe impl Sync for Buffer {}

/// Rows that one thread writes.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    next: *mut Row,
    left: usize,
}

/// The row of an operation that has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(NonNull<Row>);

/// The directory of the parts of a trace.
pub fn directory_of(trace: &Path) -> PathBuf {
    let mut name = trace.as_os_str().to_owned();
    name.push(".parts");
    name.into()
}

/// The file of an image's part, and of its list of mapped files.
pub fn files_of(directory: &Path, image: u32) -> [PathBuf; 2] {
    [directory.join(format!("image-{image}")), directory.join(format!("image-{image}.maps"))]
}

impl Buffer {
    /// Makes the part of an image of the trace `trace`, of at most about `size` bytes.
    ///
    /// # Errors
    /// When the file cannot be made or mapped; the text says which.
    pub fn create(trace: &Path, owner: Owner, size: u64) -> io::Result<Buffer> {
        let directory = directory_of(trace);
        let [path, _] = files_of(&directory, owner.image);
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        fs::create_dir_all(&directory).map_err(named)?;
        let capacity = (size as usize / size_of::<Row>()).max(1);
        let len = 8 * HEADER + size_of::<Row>() * (SUMS + capacity);
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(true).open(&path);
        let file = file.map_err(named)?;
        file.set_len(len as u64).map_err(named)?;
        // SAFETY: a new mapping of a file of this length, at an address of the system's choice.
        let start = unsafe {
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            libc::mmap(ptr::null_mut(), len, protection, libc::MAP_SHARED, file.as_raw_fd(), 0)
        };
        if start == libc::MAP_FAILED {
            return Err(named(io::Error::last_os_error()));
        }
        let sums = start.wrapping_byte_add(8 * HEADER).cast::<Row>();
        // SAFETY: the mapping has header, sums and records in this order, is never unmapped, and has no other user in
        // this process. It is aligned to a page, and its words have no invalid values.
        let (header, table) = unsafe {
            (&*start.cast::<[AtomicU64; HEADER]>(), std::slice::from_raw_parts_mut(sums, SUMS))
        };
        let records = sums.wrapping_add(SUMS);
        let (sums, image) = (Mutex::new(table), owner.image);
        let buffer = Buffer { header, sums, records, capacity, directory, image };
        buffer.write_header(owner);
        buffer.write_maps();
        Ok(buffer)
    }

    fn set(&self, position: usize, value: u64) {
        self.header[position].store(value, Ordering::Relaxed);
    }

    fn write_header(&self, owner: Owner) {
        self.set(at::IMAGE, owner.image.into());
        self.set(at::IMAGES, owner.images.into());
        self.set(at::PROCESS, std::process::id().into());
        self.set(at::CAPACITY, self.capacity as u64);
        let [monotonic, real] = ticks::times();
        let pair = Pair::take();
        self.set(at::START[0], owner.start);
        self.set(at::START[1], real.wrapping_sub(monotonic));
        self.set(at::FIRST[0], pair.ticks);
        self.set(at::FIRST[1], pair.time);
        self.note_time(pair);
        let name = host_name();
        for (number, bytes) in name.chunks(8).take(at::HOST_WORDS).enumerate() {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            self.set(at::HOST + number, u64::from_le_bytes(padded));
        }
        self.set(at::MAGIC, MAGIC);
    }

    /// Keeps what the process has mapped, for the search for source lines. Without it lines stay unknown.
    fn write_maps(&self) {
        let [_, path] = files_of(&self.directory, self.image);
        let _ = fs::read("/proc/self/maps").and_then(|maps| fs::write(path, maps));
    }

    /// Keeps a relation of ticks and time. The last one is that at the end, also when the process is killed.
    fn note_time(&self, pair: Pair) {
        self.set(at::LAST[0], pair.ticks);
        self.set(at::LAST[1], pair.time);
    }

    /// Rows for a thread: a block, or more if the record needs more. `None` when the file is full.
    #[cold]
    pub fn reserve(&self, record: &Record) -> Option<Rows> {
        let wanted = BLOCK.max(rows_of(record));
        // Relaxed: the rows are read when the process has ended.
        let start = self.header[at::USED].fetch_add(wanted as u64, Ordering::Relaxed) as usize;
        if start >= self.capacity {
            // So that the number of rows in use does not overflow.
            self.header[at::USED].fetch_sub(wanted as u64, Ordering::Relaxed);
            return None;
        }
        self.note_time(Pair::take());
        let left = wanted.min(self.capacity - start);
        Some(Rows { next: self.records.wrapping_add(start), left })
    }

    /// Adds an operation without a row to the sums. `team` is the handle of the current team.
    #[cold]
    pub fn add(&self, record: &Record, team: u64) {
        // Relaxed: read when the process has ended.
        self.header[at::DROPPED].fetch_add(1, Ordering::Relaxed);
        let time = record.end.saturating_sub(record.begin);
        let sum = Sum {
            operation: record.operation,
            partner: record.partner,
            address: record.address,
            team,
            count: 1,
            time,
            longest: time,
            bytes: record.bytes,
        };
        let new = sum.words();
        let hash = (new[0] ^ new[1].rotate_left(21) ^ new[2].rotate_left(42))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let first = (hash >> 50) as usize;
        let mut sums = self.sums.lock().unwrap_or_else(PoisonError::into_inner);
        for probe in 0..SUMS {
            let row = &mut sums[(first + probe) % SUMS];
            if row[3] == 0 {
                *row = new;
                return;
            }
            if row[..3] == new[..3] {
                row[3] += 1;
                row[4] += time;
                row[5] = row[5].max(time);
                row[6] += record.bytes;
                return;
            }
        }
        self.header[at::UNSUMMED].fetch_add(1, Ordering::Relaxed);
    }

    /// Notes the end of the recording. It may be called again when something was recorded after it.
    pub fn finish(&self) {
        let pair = Pair::take();
        self.note_time(pair);
        self.set(at::END, pair.ticks);
        self.set(at::MEMORY, resident_memory());
        self.write_maps();
    }
}

/// Rows that a record and its list take.
fn rows_of(record: &Record) -> usize {
    1 + record.list.len().div_ceil(LISTED)
}

impl Rows {
    /// No rows.
    pub const NONE: Rows = Rows { next: ptr::null_mut(), left: 0 };

    /// Records an operation; `None` when there are not enough rows.
    #[inline]
    pub fn push(&mut self, record: &Record) -> Option<Place> {
        let rows = rows_of(record);
        if rows > self.left {
            return None;
        }
        let row = self.next;
        // SAFETY: `left` rows from `next` on are of this thread alone, in a mapping that is never unmapped.
        unsafe { row.write(record.words()) };
        if rows > 1 {
            self.push_list(record);
        }
        self.next = row.wrapping_add(rows);
        self.left -= rows;
        NonNull::new(row).map(Place)
    }

    #[cold]
    fn push_list(&self, record: &Record) {
        for (number, words) in record.continuations().enumerate() {
            // SAFETY: as in `push`, which has counted these rows.
            unsafe { self.next.add(1 + number).write(words) };
        }
    }
}

impl Place {
    /// Completes the record of an operation that has ended: what is known of it only then.
    #[inline]
    pub fn complete(self, record: &Record) {
        let words = record.words();
        // SAFETY: a row that this thread has reserved and written.
        let row = unsafe { &mut *self.0.as_ptr() };
        for position in Record::KNOWN_AT_END {
            row[position] = words[position];
        }
    }

    /// Removes the record: it is written again in another row.
    pub fn clear(self) {
        // SAFETY: a row that this thread has reserved and written.
        unsafe { self.0.as_ptr().write([0; RECORD]) };
    }
}

/// The name of this host as the system has it, cut to what the header has room for.
fn host_name() -> Vec<u8> {
    let mut name = [0; 8 * at::HOST_WORDS];
    // SAFETY: the length of the array, less one for the zero at its end.
    unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    name.split(|&byte| byte == 0).next().unwrap_or_default().to_vec()
}

/// Most resident memory of this process so far, in KiB.
fn resident_memory() -> u64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: writes the structure, which is valid with zeros, too.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        usage.assume_init()
    };
    usage.ru_maxrss as u64
}
