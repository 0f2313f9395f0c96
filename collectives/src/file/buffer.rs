//! A piece of a file in memory, and which of its bytes are known.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// A piece of a file.
#[derive(Debug)]
pub struct Buffer {
    /// Place of the first byte in the file.
    start: i64,
    bytes: Vec<u8>,
    /// A bit for each byte that is known.
    known: Vec<u64>,
}

impl Buffer {
    /// A piece of a file of which nothing is known.
    pub fn new(piece: Range<i64>) -> Buffer {
        let len = (piece.end - piece.start) as usize;
        Buffer { start: piece.start, bytes: vec![0; len], known: vec![0; len.div_ceil(64)] }
    }

    /// Enters bytes at a place in the file.
    pub fn enter(&mut self, place: i64, bytes: &[u8]) {
        let from = (place - self.start) as usize;
        self.bytes[from..from + bytes.len()].copy_from_slice(bytes);
        let (mut bit, end) = (from, from + bytes.len());
        while bit < end {
            let within = bit % 64;
            let count = (64 - within).min(end - bit);
            self.known[bit / 64] |= (u64::MAX >> (64 - count)) << within;
            bit += count;
        }
    }

    /// Writes what is known, each contiguous run at once.
    ///
    /// # Errors
    /// Those of writes.
    pub fn write(&self, file: &File) -> io::Result<()> {
        let mut from = self.next(0, true);
        while from < self.bytes.len() {
            let to = self.next(from, false);
            file.write_all_at(&self.bytes[from..to], self.start as u64 + from as u64)?;
            from = self.next(to, true);
        }
        Ok(())
    }

    /// The next byte, from one on, that is known, or is not; the end where there is none.
    fn next(&self, from: usize, is_known: bool) -> usize {
        let len = self.bytes.len();
        let mut at = from;
        while at < len {
            let word = if is_known { self.known[at / 64] } else { !self.known[at / 64] };
            let rest = word >> (at % 64);
            if rest != 0 {
                return len.min(at + rest.trailing_zeros() as usize);
            }
            at += 64 - at % 64;
        }
        len
    }

    /// Reads the whole piece; what is after the end of the file stays 0.
    ///
    /// # Errors
    /// Those of reads.
    pub fn read(&mut self, file: &File) -> io::Result<()> {
        let mut done = 0;
        while done < self.bytes.len() {
            let place = self.start as u64 + done as u64;
            match file.read_at(&mut self.bytes[done..], place) {
                Ok(0) => break,
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The bytes at a place in the file.
    pub fn at(&self, place: i64, len: i64) -> &[u8] {
        let from = (place - self.start) as usize;
        &self.bytes[from..from + len as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_of_known_bytes_are_found(pieces in prop::collection::vec((0usize..300, 1usize..90), 0..6)) {
            let mut buffer = Buffer::new(1000..1300);
            let mut known = vec![false; 300];
            for (from, len) in pieces {
                let len = len.min(300 - from);
                buffer.enter(1000 + from as i64, &vec![7; len]);
                known[from..from + len].fill(true);
            }
            for from in 0..300 {
                for is_known in [true, false] {
                    let expected = (from..300).find(|&at| known[at] == is_known).unwrap_or(300);
                    prop_assert_eq!(buffer.next(from, is_known), expected);
                }
            }
        }
    }
}
