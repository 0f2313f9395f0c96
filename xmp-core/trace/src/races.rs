//! The races that a job has found (`XMP_CHECK=races`): a file beside the parts of the images, which the image writes that comes to its
//! end last. After the first word it has a line for each race, with fields that tabs separate: how often the race was found; when it
//! was found first, in ns of the monotonic clock; the images, statements and accesses of its two sides, the one that has found it
//! first; what would order them.

use crate::directory::{Directory, RACES};
use crate::format::MAGIC;
use crate::places::Position;
use crate::source_text::{file_and_line, source_lines};
use std::io::{self, Read, Write};

/// Most bytes of the file that are read.
const LONGEST: u64 = 1 << 20;

/// Two accesses to the same memory by different images, one of which writes, that nothing orders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Race {
    /// How often it was found.
    pub count: u64,
    /// When it was found first: in the file in ns of the monotonic clock, then in ns since the first operation of the job.
    pub time: i64,
    /// The two accesses, that of the image which has found it first.
    pub sides: [RaceAccess; 2],
    /// What would order them.
    pub cure: String,
}

/// One of the two accesses of a race.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RaceAccess {
    /// The image, from 1.
    pub image: u32,
    /// The statement, as `file:line`, or a text where it is unknown.
    pub place: String,
    /// The access: `writes x(3)[2]`.
    pub access: String,
    /// The line of the source, if the file can be read.
    pub source: Option<String>,
}

impl Race {
    /// How often it was found, in words.
    pub fn times(&self) -> String {
        if self.count == 1 { "once".into() } else { format!("{} times", self.count) }
    }

    /// The two statements in the order of their lines, as the job has reported them.
    pub fn pair(&self) -> String {
        let mut places = self.sides.each_ref().map(|side| &*side.place);
        places.sort_by_key(|place| file_and_line(place));
        places.join(" and ")
    }

    fn of_line(line: &str) -> Option<Race> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [count, time, first @ .., cure] = &fields[..] else { return None };
        let [image, place, access, other_image, other_place, other_access] = first else {
            return None;
        };
        let side = |image: &str, place: &str, access: &str| {
            let (place, access) = (place.to_owned(), access.to_owned());
            Some(RaceAccess { image: image.parse().ok()?, place, access, source: None })
        };
        Some(Race {
            count: count.parse().ok()?,
            time: time.parse().ok()?,
            sides: [side(image, place, access)?, side(other_image, other_place, other_access)?],
            cure: (*cure).to_owned(),
        })
    }
}

/// Writes the file, unless another image writes it at the same time.
///
/// # Errors
/// When it cannot be written; the error names it.
pub fn write(directory: &Directory, lines: &[u8]) -> io::Result<()> {
    let mut file = match directory.create_file(RACES) {
        Err(error)
            if error.kind() == io::ErrorKind::AlreadyExists && directory.has_recording(RACES) =>
        {
            return Ok(());
        }
        file => file?,
    };
    file.write_all(&MAGIC.to_le_bytes())?;
    file.write_all(lines)
}

/// Reads the file, with the lines of source text; nothing if there is none. Lines that are damaged are left out.
///
/// # Errors
/// When it cannot be read; the error names it.
pub fn read(directory: &Directory) -> io::Result<Vec<Race>> {
    let Some(file) = directory.open_file(RACES)? else { return Ok(Vec::new()) };
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes)?;
    let Some(lines) = bytes.strip_prefix(&MAGIC.to_le_bytes()) else { return Ok(Vec::new()) };
    let mut races: Vec<Race> =
        String::from_utf8_lossy(lines).lines().filter_map(Race::of_line).collect();
    for side in races.iter_mut().flat_map(|race| &mut race.sides) {
        let place = Position { text: side.place.clone(), procedure: None };
        side.source = source_lines(&[place]).pop().flatten();
    }
    Ok(races)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn races_are_read_as_they_were_written_and_damaged_ones_left_out() {
        let place = tempfile::tempdir().unwrap();
        let directory = Directory::create(&place.path().join("t.json")).unwrap();
        assert_eq!(read(&directory).unwrap(), []);
        let line = "32\t1234\t2\ta.f90:8\treads x(1)\t1\ta.f90:7\twrites x(1)[2]\tsynchronise";
        write(&directory, format!("{line}\n32\t1234\nx\t{line}\n").as_bytes()).unwrap();
        let side = |image, place: &str, access: &str| RaceAccess {
            image,
            place: place.into(),
            access: access.into(),
            source: None,
        };
        let race = Race {
            count: 32,
            time: 1234,
            sides: [side(2, "a.f90:8", "reads x(1)"), side(1, "a.f90:7", "writes x(1)[2]")],
            cure: "synchronise".into(),
        };
        assert_eq!(read(&directory).unwrap(), std::slice::from_ref(&race));
        assert_eq!(race.pair(), "a.f90:7 and a.f90:8");
        assert_eq!(directory.remove().unwrap(), None);
    }
}
