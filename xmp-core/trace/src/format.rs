//! The file that holds one image's part of a trace: words of 8 bytes in the machine's order, a header, a table of sums,
//! and rows of records. Threads reserve rows in blocks. A row whose begin is 0 holds nothing.

use crate::operation::Operation;

/// Words of a record and of a row of sums.
pub const RECORD: usize = 8;
/// Words of the header.
pub const HEADER: usize = 64;
/// Rows of the table of sums: 1 MiB, which takes room on the disk once an operation has no record.
pub const SUMS: usize = 1 << 14;
/// Rows that a thread reserves at a time.
pub const BLOCK: usize = 64;
/// First word of a part, which includes the version of this format.
pub const MAGIC: u64 = u64::from_le_bytes(*b"xmptrc04");
/// Bytes in front of the records.
pub const RECORDS: usize = 8 * (HEADER + RECORD * SUMS);
/// Rows that the file grows by: 1 MiB.
pub const GROWTH_ROWS: usize = 1 << 14;
/// First line of the file that lists what a process had mapped.
pub const MAPS: &[u8] = b"xmptrc maps\n";
/// Most images of a job in a part that is not damaged.
pub const MAX_IMAGES: u64 = 1 << 20;
/// Operation number of a record that continues the image list of the record before it.
pub const LIST: u16 = u16::MAX;
/// Handle of the initial team: `XMPRT_INITIAL` of `xmprt.h`.
pub const INITIAL: u64 = u64::MAX;
/// Handle of the parent of the current team: `XMPRT_PARENT`.
pub const PARENT: u64 = u64::MAX - 1;
/// Handle of a team that is not known, or that does not execute the operation together.
pub const UNKNOWN: u64 = u64::MAX - 2;
/// Image indices in a record that continues a list.
pub const LISTED: usize = 2 * (RECORD - 1);

/// Positions of words in the header.
pub mod at {
    /// [`super::MAGIC`].
    pub const MAGIC: usize = 0;
    /// This image, from 1.
    pub const IMAGE: usize = 1;
    /// Images of the job.
    pub const IMAGES: usize = 2;
    /// Process id.
    pub const PROCESS: usize = 3;
    /// Rows of records.
    pub const CAPACITY: usize = 5;
    /// Rows that threads have reserved; it may exceed the capacity.
    pub const USED: usize = 6;
    /// Operations without a record.
    pub const DROPPED: usize = 7;
    /// Operations that are in no sum.
    pub const UNSUMMED: usize = 8;
    /// Start in ticks, and what is added to monotonic time to get real time, in ns.
    pub const START: [usize; 2] = [9, 10];
    /// End in ticks; 0 if the image has not ended by itself.
    pub const END: usize = 11;
    /// Most resident memory, in KiB.
    pub const MEMORY: usize = 12;
    /// A moment at the start, in ticks and in ns of the monotonic clock.
    pub const FIRST: [usize; 2] = [13, 14];
    /// A moment at the end, or shortly before it.
    pub const LAST: [usize; 2] = [15, 16];
    /// Name of the host, in 8 words.
    pub const HOST: usize = 24;
    /// Words of the name of the host.
    pub const HOST_WORDS: usize = 8;
}

/// One operation that an image has executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What.
    pub operation: Operation,
    /// Number of the thread in its image, from 0.
    pub thread: u16,
    /// Index of the image that it communicates with, in the team that executes; 0: none, or not known.
    pub partner: i32,
    /// When it began: in a file in ticks, then in ns of the host's monotonic clock.
    pub begin: u64,
    /// When it returned; 0 if it has not.
    pub end: u64,
    /// Return address of the call.
    pub address: u64,
    /// Bytes that it transfers, or allocates.
    pub bytes: u64,
    /// Handle of the team it names; 0 is the current one. Of CHANGE TEAM: the index of the image in the new team.
    pub team: u64,
    /// What it works on: the handle of the new team, the token or address of a variable.
    pub object: u64,
    /// Which element of the variable, if it is an array of events or locks: an index or an offset, equal on all images.
    pub element: u32,
    /// Images of SYNC IMAGES in the team that executes, or, in the initial team, of a task or of the nodes that are named
    /// by `team` for the first time; halves of further objects that DEALLOCATE frees; UNTIL_COUNT of EVENT WAIT, if it is
    /// not 1.
    pub list: Vec<i32>,
}

/// The operations without a record of one kind from one address with one partner, added up. Times are in ticks, as those
/// of [`Record`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    /// What.
    pub operation: Operation,
    /// Index of the partner in the team that executes.
    pub partner: i32,
    /// Return address of the calls.
    pub address: u64,
    /// Handle of the current team; 0 is the initial one.
    pub team: u64,
    /// Number of operations.
    pub count: u64,
    /// Time of all.
    pub time: u64,
    /// Time of the longest.
    pub longest: u64,
    /// Bytes of all.
    pub bytes: u64,
}

impl Record {
    /// Positions of the words that only the end of an operation gives: end, bytes, team, object.
    pub const KNOWN_AT_END: [usize; 4] = [2, 4, 5, 6];

    /// Words of the record; a list follows in records of its own.
    #[inline]
    pub fn words(&self) -> [u64; RECORD] {
        let listed = self.list.len().min(usize::from(u16::MAX)) as u64;
        [
            self.operation as u64 | u64::from(self.thread) << 16 | listed << 32,
            self.begin,
            self.end,
            self.address,
            self.bytes,
            self.team,
            self.object,
            u64::from(self.partner as u32) | u64::from(self.element) << 32,
        ]
    }

    /// The objects that it works on, with those of the list.
    pub fn objects(&self) -> Vec<u64> {
        let halves = if self.operation == Operation::DeallocateAll { &self.list[..] } else { &[] };
        let whole = |&[low, high]: &[i32; 2]| u64::from(low as u32) | u64::from(high as u32) << 32;
        std::iter::once(self.object).chain(halves.as_chunks().0.iter().map(whole)).collect()
    }

    /// Records that follow for the list.
    pub fn continuations(&self) -> impl Iterator<Item = [u64; RECORD]> + '_ {
        self.list.chunks(LISTED).map(|images| {
            let mut words = [0; RECORD];
            words[0] = LIST.into();
            for (number, &image) in images.iter().enumerate() {
                words[1 + number / 2] |= u64::from(image as u32) << (32 * (number % 2));
            }
            words
        })
    }

    /// The record of these words, and the number of images in the list that follows.
    pub fn from_words(words: &[u64]) -> Option<(Record, usize)> {
        let operation = Operation::from_number(words[0] as u16).filter(|_| words[1] != 0)?;
        let record = Record {
            operation,
            thread: (words[0] >> 16) as u16,
            partner: words[7] as u32 as i32,
            begin: words[1],
            end: words[2],
            address: words[3],
            bytes: words[4],
            team: words[5],
            object: words[6],
            element: (words[7] >> 32) as u32,
            list: Vec::new(),
        };
        Some((record, (words[0] >> 32) as u16 as usize))
    }

    /// Image indices of a record that continues a list.
    pub fn listed(words: &[u64]) -> Option<[i32; LISTED]> {
        (words[0] as u16 == LIST).then(|| {
            std::array::from_fn(|number| {
                (words[1 + number / 2] >> (32 * (number % 2))) as u32 as i32
            })
        })
    }
}

impl Sum {
    /// Its row.
    pub fn words(&self) -> [u64; RECORD] {
        [
            self.address,
            self.operation as u64 | u64::from(self.partner as u32) << 32,
            self.team,
            self.count,
            self.time,
            self.longest,
            self.bytes,
            0,
        ]
    }

    /// The sum in a row, if there is one.
    pub fn from_words(words: &[u64]) -> Option<Sum> {
        let operation = Operation::from_number(words[1] as u16)?;
        (words[3] != 0).then_some(Sum {
            operation,
            partner: (words[1] >> 32) as u32 as i32,
            address: words[0],
            team: words[2],
            count: words[3],
            time: words[4],
            longest: words[5],
            bytes: words[6],
        })
    }
}
