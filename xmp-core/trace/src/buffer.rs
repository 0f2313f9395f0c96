//! The buffer that an image records into: its part of the trace, a file that is mapped. What it has recorded remains
//! when the process is killed.

use crate::format::{HEADER, MAGIC, RECORD, Record, Sum, at};
use std::fs::{self, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::{ptr, slice};

/// Rows of the table of sums: 1 MiB, of which only what is used takes memory.
const SUMS: usize = 1 << 14;

/// Who records.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    /// The image, from 1.
    pub image: u32,
    /// Images of the job.
    pub images: u32,
    /// Monotonic time of the start of the recording.
    pub start: u64,
}

/// The recording of one image.
#[derive(Debug)]
pub struct Buffer {
    words: &'static mut [u64],
    directory: PathBuf,
    image: u32,
}

/// A record that has begun: its position among the records, if there was room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(Option<usize>);

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

/// Time of a clock, in ns.
pub fn time(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes the structure. Both clocks that this crate asks exist on every Linux.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Monotonic and real time.
fn times() -> [u64; 2] {
    [time(libc::CLOCK_MONOTONIC), time(libc::CLOCK_REALTIME)]
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
        let capacity = (size as usize / (8 * RECORD)).max(1);
        let len = HEADER + RECORD * (SUMS + capacity);
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(true).open(&path);
        let file = file.map_err(named)?;
        file.set_len(8 * len as u64).map_err(named)?;
        // SAFETY: a new mapping of a file of this length, at an address of the system's choice.
        let start = unsafe {
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            libc::mmap(ptr::null_mut(), 8 * len, protection, libc::MAP_SHARED, file.as_raw_fd(), 0)
        };
        if start == libc::MAP_FAILED {
            return Err(named(io::Error::last_os_error()));
        }
        // SAFETY: the mapping has this length, is never unmapped, and has no other user in this process. Words have no
        // invalid values.
        let words = unsafe { slice::from_raw_parts_mut(start.cast::<u64>(), len) };
        let mut buffer = Buffer { words, directory, image: owner.image };
        buffer.write_header(owner, capacity);
        buffer.write_maps();
        Ok(buffer)
    }

    fn write_header(&mut self, owner: Owner, capacity: usize) {
        let header = &mut self.words[..HEADER];
        header[at::IMAGE] = owner.image.into();
        header[at::IMAGES] = owner.images.into();
        header[at::PROCESS] = std::process::id().into();
        header[at::SUMS] = SUMS as u64;
        header[at::CAPACITY] = capacity as u64;
        let [monotonic, real] = times();
        header[at::START[0]] = owner.start;
        header[at::START[1]] = real.wrapping_sub(monotonic.wrapping_sub(owner.start));
        let name = host_name();
        for (word, bytes) in header[at::HOST..][..at::HOST_WORDS].iter_mut().zip(name.chunks(8)) {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_le_bytes(padded);
        }
        header[at::MAGIC] = MAGIC;
    }

    /// Keeps what the process has mapped, for the search for source lines. Without it lines stay unknown.
    fn write_maps(&self) {
        let [_, path] = files_of(&self.directory, self.image);
        let _ = fs::read("/proc/self/maps").and_then(|maps| fs::write(path, maps));
    }

    /// Records an operation that has begun or ended, and returns its position.
    pub fn push(&mut self, record: &Record) -> Place {
        let used = self.words[at::USED] as usize;
        let needed = 1 + record.continuations().count();
        if used + needed > self.words[at::CAPACITY] as usize {
            self.words[at::DROPPED] += 1;
            return Place(None);
        }
        self.words[at::USED] = (used + needed) as u64;
        self.row(self.first_record() + used).copy_from_slice(&record.words());
        for (number, words) in record.continuations().enumerate() {
            self.row(self.first_record() + used + 1 + number).copy_from_slice(&words);
        }
        Place(Some(used))
    }

    /// Completes the record of an operation that has ended. A list that only the end of the operation gives is recorded
    /// where no other record has come behind it.
    pub fn complete(&mut self, place: Place, record: &Record) {
        let Place(Some(place)) = place else { return };
        let row = self.first_record() + place;
        let had_list = self.row(row)[0] >> 32 != 0;
        self.row(row).copy_from_slice(&record.words());
        if !had_list && !record.list.is_empty() && !self.extend(place, record) {
            self.row(row)[0] &= u64::from(u32::MAX);
        }
    }

    /// Adds the list of the last record; false if there is no room behind it.
    fn extend(&mut self, place: usize, record: &Record) -> bool {
        let next = place + 1;
        let needed = record.continuations().count();
        if self.words[at::USED] as usize != next
            || next + needed > self.words[at::CAPACITY] as usize
        {
            return false;
        }
        for (number, words) in record.continuations().enumerate() {
            self.row(self.first_record() + next + number).copy_from_slice(&words);
        }
        self.words[at::USED] = (next + needed) as u64;
        true
    }

    /// Adds an operation to the sums. `team` is the handle of the current team.
    pub fn add(&mut self, record: &Record, team: u64) {
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
        for probe in 0..SUMS {
            let row = self.row((first + probe) % SUMS);
            if row[3] == 0 {
                row.copy_from_slice(&new);
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
        self.words[at::UNSUMMED] += 1;
    }

    /// Notes the end of the recording. It may be called again when something was recorded after it.
    pub fn finish(&mut self) {
        let [monotonic, real] = times();
        self.words[at::END[0]] = monotonic;
        self.words[at::END[1]] = real;
        self.words[at::MEMORY] = resident_memory();
        self.write_maps();
    }

    fn first_record(&self) -> usize {
        SUMS
    }

    fn row(&mut self, number: usize) -> &mut [u64] {
        &mut self.words[HEADER + number * RECORD..][..RECORD]
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
