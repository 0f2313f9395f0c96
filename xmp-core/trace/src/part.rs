//! One image's part of a trace, as it is read back.

use crate::buffer::files_of;
use crate::format::{HEADER, LISTED, MAGIC, RECORD, Record, SUMS, Sum, at};
use crate::ticks::Pair;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// What one image has recorded.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// The image, from 1.
    pub image: u32,
    /// Images of its job.
    pub images: u32,
    /// Process id.
    pub process: u32,
    /// Name of its host.
    pub host: String,
    /// Monotonic and real time of the start, in ns; as it is read, in ticks, and what is added to get real time.
    pub start: [u64; 2],
    /// End, as the start, if the image has ended by itself.
    pub end: Option<u64>,
    /// A moment at the start and one at the end, in ticks and as times.
    pub pairs: [Pair; 2],
    /// Most resident memory, in KiB; 0 if it is not known.
    pub memory: u64,
    /// Operations without a record: the buffer was full.
    pub dropped: u64,
    /// Operations that are in no sum: the table was full.
    pub unsummed: u64,
    /// The operations, in the order in which they began.
    pub records: Vec<Record>,
    /// The operations without a record, added up.
    pub sums: Vec<Sum>,
    /// What the process had mapped: lines of `/proc/PID/maps`.
    pub maps: String,
}

impl Part {
    /// Reads the part of an image; `None` if there is none.
    ///
    /// # Errors
    /// When the file cannot be read, or is none of this version.
    pub fn read(directory: &Path, image: u32) -> io::Result<Option<Part>> {
        let [path, maps] = files_of(directory, image);
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let mut part = Part::of_file(&file)?.ok_or_else(|| {
            let text = format!("{} is no part of a trace of this version", path.display());
            io::Error::new(io::ErrorKind::InvalidData, text)
        })?;
        part.maps = fs::read_to_string(maps).unwrap_or_default();
        Ok(Some(part))
    }

    /// Reads what is used of a file; the rest is a hole.
    fn of_file(file: &File) -> io::Result<Option<Part>> {
        let header = words_at(file, 0, HEADER)?;
        if header.first() != Some(&MAGIC) || header.len() < HEADER {
            return Ok(None);
        }
        let sums = if header[at::DROPPED] == 0 { 0 } else { RECORD * SUMS };
        let sums = words_at(file, HEADER, sums)?;
        let used = header[at::USED].min(header[at::CAPACITY]) as usize;
        let records = words_at(file, HEADER + RECORD * SUMS, RECORD * used)?;
        let host = header[at::HOST..][..at::HOST_WORDS].iter().flat_map(|word| word.to_le_bytes());
        let host: Vec<u8> = host.take_while(|&byte| byte != 0).collect();
        let pair = |[ticks, time]: [usize; 2]| Pair { ticks: header[ticks], time: header[time] };
        Ok(Some(Part {
            image: header[at::IMAGE] as u32,
            images: header[at::IMAGES] as u32,
            process: header[at::PROCESS] as u32,
            host: String::from_utf8_lossy(&host).into_owned(),
            start: at::START.map(|position| header[position]),
            end: Some(header[at::END]).filter(|&end| end != 0),
            pairs: [at::FIRST, at::LAST].map(pair),
            memory: header[at::MEMORY],
            dropped: header[at::DROPPED],
            unsummed: header[at::UNSUMMED],
            records: records_of(&records),
            sums: sums.chunks_exact(RECORD).filter_map(Sum::from_words).collect(),
            maps: String::new(),
        }))
    }

    /// When the image was last seen, in ns of its host's monotonic clock.
    pub fn last(&self) -> u64 {
        let ends = self.records.iter().map(|record| record.end.max(record.begin));
        self.end.unwrap_or_else(|| ends.max().unwrap_or(self.start[0]))
    }
}

/// Words of a file, as many as there are of these.
fn words_at(file: &File, start: usize, count: usize) -> io::Result<Vec<u64>> {
    let mut file = file;
    file.seek(SeekFrom::Start(8 * start as u64))?;
    let mut bytes = Vec::with_capacity(8 * count);
    file.take(8 * count as u64).read_to_end(&mut bytes)?;
    Ok(bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect())
}

fn records_of(words: &[u64]) -> Vec<Record> {
    let mut rows = words.chunks_exact(RECORD);
    let mut records = Vec::new();
    while let Some(row) = rows.next() {
        // A record that was not complete when the process was killed.
        let Some((mut record, listed)) = Record::from_words(row) else { continue };
        for row in rows.by_ref().take(listed.div_ceil(LISTED)) {
            record.list.extend(Record::listed(row).into_iter().flatten());
        }
        record.list.truncate(listed);
        records.push(record);
    }
    // Blocks of threads are in the order of their reservation.
    records.sort_by_key(|record| record.begin);
    records
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::{Buffer, Owner, Rows, directory_of};
    use crate::operation::Operation;

    fn record(begin: u64, list: Vec<i32>) -> Record {
        Record {
            operation: Operation::SyncImages,
            thread: 3,
            partner: -1,
            begin,
            end: 0,
            address: 0x1234,
            bytes: 40,
            team: u64::MAX,
            object: 7,
            element: 5,
            list,
        }
    }

    /// The part of image 1, with room for so many rows.
    fn buffer(directory: &Path, rows: u64) -> Buffer {
        let owner = Owner { image: 1, images: 4, start: 99 };
        Buffer::create(&directory.join("t.json"), owner, 64 * rows).unwrap()
    }

    fn read(directory: &Path) -> Part {
        Part::read(&directory_of(&directory.join("t.json")), 1).unwrap().unwrap()
    }

    #[test]
    fn what_is_recorded_is_read_back() {
        let directory = tempfile::tempdir().unwrap();
        let buffer = buffer(directory.path(), 1000);
        let first = record(100, (1..=20).collect());
        let mut rows = buffer.reserve(&first).unwrap();
        let place = rows.push(&first).unwrap();
        let second = record(200, Vec::new());
        rows.push(&second).unwrap();
        // Of another thread, which has begun earlier.
        let third = Record { thread: 4, ..record(50, Vec::new()) };
        buffer.reserve(&third).unwrap().push(&third).unwrap();
        let ended = Record { end: 150, ..first };
        place.complete(&ended);
        rows.push(&record(300, Vec::new())).unwrap().clear();
        let part = read(directory.path());
        assert_eq!((part.end, part.last()), (None, 200));
        buffer.finish();
        let part = read(directory.path());
        assert_eq!((part.image, part.images, part.dropped, part.start[0]), (1, 4, 0, 99));
        assert_eq!(part.records, [third, ended, second]);
        assert!(part.sums.is_empty() && part.pairs[0].ticks < part.pairs[1].ticks);
        assert!(part.memory > 0 && part.maps.contains("/") && !part.host.is_empty());
        let directory = directory_of(&directory.path().join("t.json"));
        assert!(Part::read(&directory, 2).unwrap().is_none());
    }

    #[test]
    fn what_does_not_fit_is_added_up() {
        let directory = tempfile::tempdir().unwrap();
        let buffer = buffer(directory.path(), 100);
        let mut kept = 0;
        let mut rows = Rows::NONE;
        for number in 0..105 {
            let record = Record { end: 20 + number, ..record(10, Vec::new()) };
            let place = rows.push(&record).or_else(|| {
                rows = buffer.reserve(&record)?;
                rows.push(&record)
            });
            match place {
                Some(_) => kept += 1,
                None => buffer.add(&record, 5),
            }
        }
        let part = read(directory.path());
        assert_eq!((kept, part.records.len(), part.dropped), (100, 100, 5));
        let [sum] = &part.sums[..] else { panic!("one sum") };
        // Times of 110 to 114.
        assert_eq!((sum.count, sum.time, sum.longest, sum.bytes, sum.team), (5, 560, 114, 200, 5));
    }

    #[test]
    fn other_files_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("image-1"), [7; 4096]).unwrap();
        let error = Part::read(directory.path(), 1).unwrap_err();
        assert!(error.to_string().contains("image-1 is no part"), "{error}");
    }
}
