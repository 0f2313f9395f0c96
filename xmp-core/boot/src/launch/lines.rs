//! Lines of a stream that arrives in pieces.

use rustix::buffer::spare_capacity;
use std::os::fd::AsFd;

/// Longest line that is kept together, in bytes.
const MAX_LINE_BYTES: usize = 64 << 20;

/// The output of an image that the launcher has not passed on: complete lines, then the beginning of one.
#[derive(Debug, Default)]
pub(super) struct LineBuffer {
    bytes: Vec<u8>,
    /// Bytes before this index were passed on.
    start: usize,
    /// The index after the last complete line.
    end: usize,
    /// The number of complete lines that were not passed on.
    count: usize,
}

impl LineBuffer {
    /// Adds the bytes that one read can get, at most `room`. Returns their number.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn read(&mut self, from: impl AsFd, room: usize) -> rustix::io::Result<usize> {
        self.make_room(room);
        let before = self.bytes.len();
        let count = rustix::io::read(from, spare_capacity(&mut self.bytes))?;
        self.find_lines(before);
        Ok(count)
    }

    /// Adds a piece.
    #[cfg(test)]
    fn push(&mut self, piece: &[u8]) {
        self.make_room(piece.len());
        let before = self.bytes.len();
        self.bytes.extend_from_slice(piece);
        self.find_lines(before);
    }

    /// Makes room for this many bytes.
    fn make_room(&mut self, bytes: usize) {
        // Not each time: the remaining bytes are moved.
        if self.start > self.bytes.len() / 2 || self.start == self.bytes.len() {
            self.bytes.drain(..self.start);
            self.end -= self.start;
            self.start = 0;
        }
        self.bytes.reserve(bytes);
    }

    /// Finds the ends of lines in the bytes from this one on.
    fn find_lines(&mut self, from: usize) {
        let piece = &self.bytes[from..];
        if let Some(at) = piece.iter().rposition(|&byte| byte == b'\n') {
            self.end = from + at + 1;
            self.count += piece.iter().filter(|&&byte| byte == b'\n').count();
        } else if self.bytes.len() - self.end >= MAX_LINE_BYTES {
            self.end = self.bytes.len();
            self.count += 1;
        }
    }

    /// Whether there is a complete line.
    pub(super) fn has_line(&self) -> bool {
        self.start < self.end
    }

    /// The number of complete lines.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Whether a line has begun whose end has not arrived.
    pub(super) fn has_beginning(&self) -> bool {
        self.end < self.bytes.len()
    }

    /// Takes the first complete line; empty when there is none.
    pub(super) fn take_line(&mut self) -> &[u8] {
        let complete = &self.bytes[self.start..self.end];
        let len =
            complete.iter().position(|&byte| byte == b'\n').map_or(complete.len(), |at| at + 1);
        let start = self.start;
        self.start += len;
        self.count = self.count.saturating_sub(1);
        &self.bytes[start..self.start]
    }

    /// Takes the complete lines but for the last one.
    pub(super) fn take_all_but_one_line(&mut self) -> &[u8] {
        let start = self.start;
        let before_end = self.end.saturating_sub(1).max(start);
        let newline = self.bytes[start..before_end].iter().rposition(|&byte| byte == b'\n');
        self.start = newline.map_or(start, |at| start + at + 1);
        self.count = self.count.min(1);
        &self.bytes[start..self.start]
    }

    /// Takes all complete lines.
    pub(super) fn take_lines(&mut self) -> &[u8] {
        let start = self.start;
        self.start = self.end;
        self.count = 0;
        &self.bytes[start..self.end]
    }

    /// Takes everything, also the beginning of a line.
    pub(super) fn take_all(&mut self) -> &[u8] {
        self.end = self.bytes.len();
        self.take_lines()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_complete_when_their_end_has_arrived() {
        let mut lines = LineBuffer::default();
        lines.push(b"a");
        assert!(!lines.has_line() && lines.has_beginning());
        lines.push(b"b\nc\nd");
        assert!(lines.has_line());
        assert_eq!(lines.take_line(), b"ab\n");
        lines.push(b"e\nf");
        assert_eq!(lines.take_lines(), b"c\nde\n");
        assert!(!lines.has_line() && lines.has_beginning());
        assert_eq!(lines.take_line(), b"");
        lines.push(b"\ng\nh\ni");
        assert_eq!(lines.count(), 3);
        assert_eq!(lines.take_all_but_one_line(), b"f\ng\n");
        assert_eq!((lines.count(), lines.take_all_but_one_line()), (1, &b""[..]));
        assert_eq!(lines.take_line(), b"h\n");
        assert_eq!((lines.count(), lines.take_all_but_one_line()), (0, &b""[..]));
        assert_eq!(lines.take_all(), b"i");
        assert!(!lines.has_beginning());
    }

    #[test]
    fn endless_lines_do_not_fill_the_memory() {
        let mut lines = LineBuffer::default();
        let piece = vec![b'x'; MAX_LINE_BYTES / 2];
        for _ in 0..5 {
            lines.push(&piece);
            lines.take_lines();
        }
        assert!(lines.bytes.len() - lines.start <= MAX_LINE_BYTES);
    }
}
