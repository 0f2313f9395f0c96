//! One image's part of a trace, as it is read back.

use crate::buffer::files_of;
use crate::format::{HEADER, LISTED, MAGIC, RECORD, Record, Sum, at};
use std::path::Path;
use std::{fs, io};

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
    /// Monotonic and real time of the start, in ns.
    pub start: [u64; 2],
    /// The same of the end, if the image has ended by itself.
    pub end: Option<[u64; 2]>,
    /// Most resident memory, in KiB; 0 if it is not known.
    pub memory: u64,
    /// Operations without a record: the buffer was full.
    pub dropped: u64,
    /// Operations that are in no sum: the table was full.
    pub unsummed: u64,
    /// The operations, in the order in which they began.
    pub records: Vec<Record>,
    /// All operations, added up.
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
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            bytes => bytes?,
        };
        let words: Vec<u64> =
            bytes.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        let mut part = Part::of_words(&words).ok_or_else(|| {
            let text = format!("{} is no part of a trace of this version", path.display());
            io::Error::new(io::ErrorKind::InvalidData, text)
        })?;
        part.maps = fs::read_to_string(maps).unwrap_or_default();
        Ok(Some(part))
    }

    fn of_words(words: &[u64]) -> Option<Part> {
        let header = words.get(..HEADER).filter(|header| header[at::MAGIC] == MAGIC)?;
        let (sums, rest) = words[HEADER..].split_at_checked(RECORD * header[at::SUMS] as usize)?;
        let records = rest.get(..RECORD * header[at::USED] as usize)?;
        let host = header[at::HOST..][..at::HOST_WORDS].iter().flat_map(|word| word.to_le_bytes());
        let host: Vec<u8> = host.take_while(|&byte| byte != 0).collect();
        let times = |[monotonic, real]: [usize; 2]| [header[monotonic], header[real]];
        Some(Part {
            image: header[at::IMAGE] as u32,
            images: header[at::IMAGES] as u32,
            process: header[at::PROCESS] as u32,
            host: String::from_utf8_lossy(&host).into_owned(),
            start: times(at::START),
            end: Some(times(at::END)).filter(|times| times[0] != 0),
            memory: header[at::MEMORY],
            dropped: header[at::DROPPED],
            unsummed: header[at::UNSUMMED],
            records: records_of(records),
            sums: sums.chunks_exact(RECORD).filter_map(Sum::from_words).collect(),
            maps: String::new(),
        })
    }

    /// When the image was last seen, in ns of its host's monotonic clock.
    pub fn last(&self) -> u64 {
        let ends = self.records.iter().map(|record| record.end.max(record.begin));
        self.end.map_or_else(|| ends.max().unwrap_or(self.start[0]), |end| end[0])
    }
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
    records
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::{Buffer, Owner, directory_of};
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
            list,
        }
    }

    #[test]
    fn what_is_recorded_is_read_back() {
        let directory = tempfile::tempdir().unwrap();
        let trace = directory.path().join("t.json");
        let owner = Owner { image: 2, images: 4, start: 99 };
        let mut buffer = Buffer::create(&trace, owner, 64 * 100).unwrap();
        let first = record(100, (1..=20).collect());
        let place = buffer.push(&first);
        let second = record(200, Vec::new());
        buffer.push(&second);
        let ended = Record { end: 150, ..first };
        buffer.complete(place, &ended);
        for count in 0..3 {
            buffer.add(&Record { end: 150 + 10 * count, ..ended.clone() }, 5);
        }
        let read = || Part::read(&directory_of(&trace), 2).unwrap().unwrap();
        assert_eq!(read().end, None);
        assert_eq!(read().last(), 200);
        buffer.finish();
        let part = read();
        assert_eq!((part.image, part.images, part.dropped, part.start[0]), (2, 4, 0, 99));
        assert_eq!(part.records, [ended, second]);
        let [sum] = &part.sums[..] else { panic!("one sum") };
        assert_eq!((sum.count, sum.time, sum.longest, sum.bytes, sum.team), (3, 180, 70, 120, 5));
        assert!(part.memory > 0 && part.maps.contains("/") && !part.host.is_empty());
        assert!(Part::read(&directory_of(&trace), 1).unwrap().is_none());
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let directory = tempfile::tempdir().unwrap();
        let trace = directory.path().join("t.json");
        let owner = Owner { image: 1, images: 1, start: 0 };
        let mut buffer = Buffer::create(&trace, owner, 64 * 3).unwrap();
        let places: Vec<bool> = (0..5)
            .map(|n| buffer.push(&record(n, Vec::new())) == buffer.push(&record(n, vec![1])))
            .collect();
        assert!(places.contains(&true));
        let part = Part::read(&directory_of(&trace), 1).unwrap().unwrap();
        assert_eq!((part.records.len() as u64 + part.dropped, part.dropped), (10, 8));
    }

    #[test]
    fn other_files_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("image-1"), [7; 4096]).unwrap();
        let error = Part::read(directory.path(), 1).unwrap_err();
        assert!(error.to_string().contains("image-1 is no part"), "{error}");
    }
}
