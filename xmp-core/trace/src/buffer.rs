//! The buffer that an image records into: its part of the trace, a file that is mapped. What it has recorded remains
//! when the process is killed.
//!
//! Each thread takes [`Rows`] of the file in blocks and writes them alone, so recording an operation takes no lock and no
//! atomic operation. Operations for which no row is left are added up in a table, under a lock.

use crate::directory::{Directory, maps_name, named, part_name};
use crate::format::{
    BLOCK, GROWTH_ROWS, HEADER, LISTED, MAGIC, MAPS, RECORD, RECORDS, Record, SUMS, Sum, at,
};
use crate::ticks::{self, Pair};
use rustix::process::{Resource, getrlimit};
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
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
    sums: Mutex<Sums>,
    records: *mut Row,
    capacity: usize,
    /// Rows for which the file has room on the disk.
    allocated: AtomicUsize,
    /// Set, under the lock of `file`, when the disk was full.
    has_stopped: AtomicBool,
    file: Mutex<File>,
    path: PathBuf,
    /// The list of mapped files.
    maps: File,
}

/// The table of sums.
#[derive(Debug)]
struct Sums {
    rows: &'static mut [Row],
    room: DiskSpace,
}

/// Whether there is room on the disk for a part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DiskSpace {
    /// No record has needed it yet.
    Unknown,
    Allocated,
    Missing,
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

impl Buffer {
    /// Makes the part of an image of the trace `trace`, of at most about `size` bytes.
    ///
    /// # Errors
    /// When the file cannot be made or mapped, or there is no room for it; the text says which.
    pub fn create(trace: &Path, owner: Owner, size: u64) -> io::Result<Buffer> {
        let directory = Directory::create(trace)?;
        let name = part_name(owner.image);
        let path = directory.path().join(&name);
        let capacity = (size as usize / size_of::<Row>()).max(1);
        let file = directory.create_file(&name)?;
        let start = map(&file, RECORDS + size_of::<Row>() * capacity)
            .map_err(|error| named(&path, error))?;
        let sums = start.wrapping_byte_add(8 * HEADER).cast::<Row>();
        // SAFETY: the mapping has header, sums and records in this order, is never unmapped, and has no other user in
        // this process. It is aligned to a page, and its words have no invalid values. The header has room in the file;
        // sums and records are accessed once they have.
        let (header, rows) = unsafe {
            (&*start.cast::<[AtomicU64; HEADER]>(), std::slice::from_raw_parts_mut(sums, SUMS))
        };
        let buffer = Buffer {
            path,
            header,
            sums: Mutex::new(Sums { rows, room: DiskSpace::Unknown }),
            records: sums.wrapping_add(SUMS),
            capacity,
            allocated: AtomicUsize::new(0),
            has_stopped: AtomicBool::new(false),
            file: Mutex::new(file),
            maps: directory.create_file(&maps_name(owner.image))?,
        };
        buffer.make_room(1)?;
        buffer.write_maps();
        // The part counts from here on.
        buffer.write_header(owner);
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
        let _ = fs::read("/proc/self/maps").and_then(|maps| {
            let text = [MAPS, &maps].concat();
            allocate(&self.maps, 0, text.len())?;
            self.maps.write_all_at(&text, 0)?;
            self.maps.set_len(text.len() as u64)
        });
    }

    /// Keeps a relation of ticks and time. The last one is that at the end, also when the process is killed.
    fn note_time(&self, pair: Pair) {
        self.set(at::LAST[0], pair.ticks);
        self.set(at::LAST[1], pair.time);
    }

    /// Rows for a thread: a block, or more if the record needs more. `None` when the buffer is full.
    ///
    /// # Errors
    /// When the disk is full, once; `None` from then on.
    #[cold]
    pub fn reserve(&self, record: &Record) -> io::Result<Option<Rows>> {
        let wanted = BLOCK.max(rows_of(record));
        // Relaxed: the rows are read when the process has ended.
        let start = self.header[at::USED].fetch_add(wanted as u64, Ordering::Relaxed) as usize;
        let end = start.saturating_add(wanted).min(self.capacity);
        let room = if start < self.capacity { self.make_room(end) } else { Ok(false) };
        if !matches!(room, Ok(true)) {
            // So that the number of rows in use does not overflow.
            self.header[at::USED].fetch_sub(wanted as u64, Ordering::Relaxed);
            return room.map(|_| None);
        }
        self.note_time(Pair::take());
        Ok(Some(Rows { next: self.records.wrapping_add(start), left: end - start }))
    }

    /// Makes sure that the file has room for the rows before `end`: a write into a mapped file for which the disk has no
    /// room kills the process. False when room was missing before.
    fn make_room(&self, end: usize) -> io::Result<bool> {
        // Relaxed: the number is all that threads exchange here.
        if end <= self.allocated.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let allocated = self.allocated.load(Ordering::Relaxed);
        if end <= allocated {
            return Ok(true);
        }
        if self.has_stopped.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let rows = (end - allocated).max(GROWTH_ROWS).min(self.capacity - allocated);
        let start = RECORDS + size_of::<Row>() * allocated;
        match allocate(&file, start, size_of::<Row>() * rows) {
            Ok(()) => {
                self.allocated.store(allocated + rows, Ordering::Relaxed);
                Ok(true)
            }
            Err(error) => {
                self.has_stopped.store(true, Ordering::Relaxed);
                Err(named(&self.path, error))
            }
        }
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
        if sums.room == DiskSpace::Unknown {
            let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            let is_there = allocate(&file, 8 * HEADER, RECORDS - 8 * HEADER).is_ok();
            sums.room = if is_there { DiskSpace::Allocated } else { DiskSpace::Missing };
        }
        let probed = if sums.room == DiskSpace::Allocated { SUMS } else { 0 };
        for probe in 0..probed {
            let row = &mut sums.rows[(first + probe) % SUMS];
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

/// Maps a file, which has room for the header then, with `len` bytes; it may be shorter.
fn map(file: &File, len: usize) -> io::Result<*mut libc::c_void> {
    allocate(file, 0, 8 * HEADER)?;
    // From here on it is known as a file of a recording.
    file.write_all_at(&MAGIC.to_le_bytes(), 0)?;
    // SAFETY: a new mapping, at an address of the system's choice.
    let start = unsafe {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        libc::mmap(ptr::null_mut(), len, protection, libc::MAP_SHARED, file.as_raw_fd(), 0)
    };
    if start == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(start) }
}

/// Makes room on the disk for these bytes of a file, which becomes longer if need be.
fn allocate(file: &File, start: usize, len: usize) -> io::Result<()> {
    // Beyond the limit of the process (`ulimit -f`) the system sends SIGXFSZ.
    let limit = getrlimit(Resource::Fsize).current;
    if limit.is_some_and(|limit| (start + len) as u64 > limit) {
        return Err(io::Error::from_raw_os_error(libc::EFBIG));
    }
    // SAFETY: a descriptor that is open; no memory is passed.
    match unsafe {
        libc::posix_fallocate(file.as_raw_fd(), start as libc::off_t, len as libc::off_t)
    } {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
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
