//! One image's part of a trace, as it is read back.

use crate::directory::{Directory, maps_name, named, part_name};
use crate::format::{
    HEADER, LISTED, MAGIC, MAPS, MAX_IMAGES, RECORD, RECORDS, Record, SUMS, Sum, at,
};
use crate::ticks::Pair;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

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
    pub fn read(directory: &Directory, image: u32) -> io::Result<Option<Part>> {
        let name = part_name(image);
        let Some(file) = directory.open_file(&name)? else { return Ok(None) };
        let path = directory.path().join(&name);
        let mut part = Part::of_file(&file, image).map_err(|error| named(&path, error))?;
        if let Some(part) = &mut part
            && let Ok(Some(mut maps)) = directory.open_file(&maps_name(image))
        {
            let mut bytes = Vec::new();
            maps.read_to_end(&mut bytes)?;
            let text = bytes.strip_prefix(MAPS).unwrap_or_default();
            part.maps = String::from_utf8_lossy(text).into_owned();
        }
        Ok(part)
    }

    /// Reads what is used of a file; the rest is a hole. `None` if the process was killed before it had recorded anything.
    fn of_file(file: &File, image: u32) -> io::Result<Option<Part>> {
        let refused = |text: &str| Err(io::Error::new(io::ErrorKind::InvalidData, text));
        let header = words_at(file, 0, HEADER)?;
        if header.is_empty() || header[0] == MAGIC && header.get(at::FIRST[1]) == Some(&0) {
            return Ok(None);
        }
        if header[0] != MAGIC || header.len() < HEADER {
            return refused("it is no part of a trace of this version");
        }
        let images = header[at::IMAGES];
        let image_numbers = u64::from(image)..=MAX_IMAGES;
        if header[at::IMAGE] != u64::from(image) || !image_numbers.contains(&images) {
            return refused("the part of the trace is damaged");
        }
        let sums = if header[at::DROPPED] == 0 { 0 } else { RECORD * SUMS };
        let sums = words_at(file, HEADER, sums)?;
        let used = header[at::USED].min(header[at::CAPACITY]) as usize;
        let records = words_at(file, RECORDS / 8, used.saturating_mul(RECORD))?;
        let host = header[at::HOST..][..at::HOST_WORDS].iter().flat_map(|word| word.to_le_bytes());
        let host: Vec<u8> = host.take_while(|&byte| byte != 0).collect();
        let pair = |[ticks, time]: [usize; 2]| Pair { ticks: header[ticks], time: header[time] };
        Ok(Some(Part {
            image,
            images: images as u32,
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
    // The file may be damaged: its length bounds what is read, and not the number that it holds.
    let left = (file.metadata()?.len() / 8).saturating_sub(start as u64);
    let len = 8 * left.min(count as u64);
    file.seek(SeekFrom::Start(8 * start as u64))?;
    let mut bytes = Vec::with_capacity(len as usize);
    file.take(len).read_to_end(&mut bytes)?;
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
    use crate::buffer::{Buffer, Owner, Rows};
    use crate::operation::Operation;
    use std::fs;
    use std::os::unix::fs::FileExt;
    use std::path::Path;

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

    /// The part of image 1, with room for this many rows.
    fn buffer(place: &Path, rows: u64) -> Buffer {
        let owner = Owner { image: 1, images: 4, start: 99 };
        Buffer::create(&place.join("t.json"), owner, 64 * rows).unwrap()
    }

    fn read(place: &Path) -> Part {
        let directory = Directory::open(&place.join("t.json")).unwrap().unwrap();
        assert!(Part::read(&directory, 2).unwrap().is_none());
        Part::read(&directory, 1).unwrap().unwrap()
    }

    #[test]
    fn what_is_recorded_is_read_back() {
        let directory = tempfile::tempdir().unwrap();
        let buffer = buffer(directory.path(), 1000);
        let first = record(100, (1..=20).collect());
        let mut rows = buffer.reserve(&first).unwrap().unwrap();
        let place = rows.push(&first).unwrap();
        let second = record(200, Vec::new());
        rows.push(&second).unwrap();
        // Of another thread, which has begun earlier.
        let third = Record { thread: 4, ..record(50, Vec::new()) };
        buffer.reserve(&third).unwrap().unwrap().push(&third).unwrap();
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
                rows = buffer.reserve(&record).unwrap()?;
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
        let place = tempfile::tempdir().unwrap();
        let directory = Directory::create(&place.path().join("t.json")).unwrap();
        fs::write(directory.path().join("image-1"), [7; 4096]).unwrap();
        let error = Part::read(&directory, 1).unwrap_err().to_string();
        assert!(error.contains("image-1: it is no part"), "{error}");
    }

    #[test]
    fn numbers_of_a_damaged_part_do_not_decide_how_much_is_read() {
        let place = tempfile::tempdir().unwrap();
        let buffer = buffer(place.path(), 100);
        let record = record(100, Vec::new());
        buffer.reserve(&record).unwrap().unwrap().push(&record).unwrap();
        let path = Directory::path_of(&place.path().join("t.json")).join("image-1");
        let file = fs::File::options().write(true).open(path).unwrap();
        for position in [at::CAPACITY, at::USED, at::DROPPED] {
            file.write_all_at(&u64::MAX.to_le_bytes(), 8 * position as u64).unwrap();
        }
        assert_eq!(read(place.path()).records, [record]);
        file.write_all_at(&u64::MAX.to_le_bytes(), 8 * at::IMAGES as u64).unwrap();
        let directory = Directory::open(&place.path().join("t.json")).unwrap().unwrap();
        let error = Part::read(&directory, 1).unwrap_err().to_string();
        assert!(error.contains("image-1: the part of the trace is damaged"), "{error}");
    }
}
