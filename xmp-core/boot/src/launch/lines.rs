//! Lines of a stream that arrives in pieces.

use rustix::buffer::spare_capacity;
use std::os::fd::AsFd;

/// The beginnings of lines that follow in a report of the library ([`crate::race_reports::Report`]): in any, and in one about a statement
/// whose place in the source is not known. Such a report begins with the last of these.
const CALLER: &[u8] = b"  called from ";
const PROCEDURE: &[u8] = b"  in ";
const WITHOUT_PLACE: &[u8] = b"xmp: ";

/// Longest line that is kept together, in bytes.
const MAX_LINE_BYTES: usize = 64 << 20;

/// Parts of an output that are passed on together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Unit {
    /// A line.
    #[default]
    Line,
    /// A line, with the lines that follow in a report of the library, which writes all of them by one call.
    Report,
}

/// The output of an image that the launcher has not passed on: complete lines, then the beginning of one.
#[derive(Debug, Default)]
pub(super) struct LineBuffer {
    bytes: Vec<u8>,
    /// Bytes before this index were passed on.
    start: usize,
    /// The index after the last complete line.
    end: usize,
    unit: Unit,
    /// The index of the last complete unit.
    last: usize,
    /// The number of complete units that were not passed on.
    count: usize,
}

impl LineBuffer {
    /// An empty one.
    pub(super) fn of(unit: Unit) -> LineBuffer {
        LineBuffer { unit, ..LineBuffer::default() }
    }

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
            self.last = self.last.saturating_sub(self.start);
            self.start = 0;
        }
        self.bytes.reserve(bytes);
    }

    /// Finds the ends of lines in the bytes from this one on.
    fn find_lines(&mut self, from: usize) {
        let before = self.end;
        let piece = &self.bytes[from..];
        if let Some(at) = piece.iter().rposition(|&byte| byte == b'\n') {
            self.end = from + at + 1;
            match self.unit {
                Unit::Line => self.count += piece.iter().filter(|&&byte| byte == b'\n').count(),
                Unit::Report => self.count_reports(before),
            }
        } else if self.bytes.len() - self.end >= MAX_LINE_BYTES {
            self.end = self.bytes.len();
            self.last = before;
            self.count += 1;
        }
    }

    /// Counts the reports that begin in the complete lines from this index on.
    fn count_reports(&mut self, from: usize) {
        let mut at = from;
        while at < self.end {
            if at == self.start || !self.follows(self.last, at) {
                self.last = at;
                self.count += 1;
            }
            at = self.end_of_line(at);
        }
    }

    /// The index after the complete line at this one.
    fn end_of_line(&self, at: usize) -> usize {
        let newline = self.bytes[at..self.end].iter().position(|&byte| byte == b'\n');
        newline.map_or(self.end, |length| at + length + 1)
    }

    /// Whether the line at an index is of the report that begins at `first`.
    fn follows(&self, first: usize, at: usize) -> bool {
        let line = &self.bytes[at..];
        line.starts_with(CALLER)
            || line.starts_with(PROCEDURE) && self.bytes[first..].starts_with(WITHOUT_PLACE)
    }

    /// The index after the unit at this one.
    fn end_of_unit(&self, first: usize) -> usize {
        let mut at = self.end_of_line(first);
        while self.unit == Unit::Report && at < self.end && self.follows(first, at) {
            at = self.end_of_line(at);
        }
        at
    }

    /// Whether there is a complete line.
    pub(super) fn has_line(&self) -> bool {
        self.start < self.end
    }

    /// The number of complete units.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Whether a line has begun whose end has not arrived.
    pub(super) fn has_beginning(&self) -> bool {
        self.end < self.bytes.len()
    }

    /// Takes the first complete unit; empty when there is none.
    pub(super) fn take_unit(&mut self) -> &[u8] {
        let start = self.start;
        self.start = self.end_of_unit(start);
        self.count = self.count.saturating_sub(1);
        &self.bytes[start..self.start]
    }

    /// Takes the complete units but for the last one.
    pub(super) fn take_all_but_one_unit(&mut self) -> &[u8] {
        let start = self.start;
        self.start = match self.unit {
            Unit::Report => self.last.max(start),
            Unit::Line => {
                let before_end = self.end.saturating_sub(1).max(start);
                let newline = self.bytes[start..before_end].iter().rposition(|&byte| byte == b'\n');
                newline.map_or(start, |at| start + at + 1)
            }
        };
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
        assert_eq!(lines.take_unit(), b"ab\n");
        lines.push(b"e\nf");
        assert_eq!(lines.take_lines(), b"c\nde\n");
        assert!(!lines.has_line() && lines.has_beginning());
        assert_eq!(lines.take_unit(), b"");
        lines.push(b"\ng\nh\ni");
        assert_eq!(lines.count(), 3);
        assert_eq!(lines.take_all_but_one_unit(), b"f\ng\n");
        assert_eq!((lines.count(), lines.take_all_but_one_unit()), (1, &b""[..]));
        assert_eq!(lines.take_unit(), b"h\n");
        assert_eq!((lines.count(), lines.take_all_but_one_unit()), (0, &b""[..]));
        assert_eq!(lines.take_all(), b"i");
        assert!(!lines.has_beginning());
    }

    #[test]
    fn a_report_has_the_lines_that_follow_in_it() {
        let mut lines = LineBuffer::of(Unit::Report);
        lines.push(b"a.f90:1: x\n  called from f\n  called from g\n other\n  called ");
        assert_eq!(
            (lines.count(), lines.take_unit()),
            (2, &b"a.f90:1: x\n  called from f\n  called from g\n"[..])
        );
        assert_eq!((lines.count(), lines.take_unit()), (1, &b" other\n"[..]));
        assert_eq!((lines.count(), lines.take_unit()), (0, &b""[..]));
        // What a line follows was passed on.
        lines.push(b"from h\nxmp: y\n  in k\n");
        lines.push(b"  called from f\n  in f\nb.f90:2: z\n");
        assert_eq!((lines.count(), lines.take_unit()), (3, &b"  called from h\n"[..]));
        let report = b"xmp: y\n  in k\n  called from f\n  in f\n";
        assert_eq!((lines.count(), lines.take_all_but_one_unit()), (2, &report[..]));
        lines.push(b"  in k\n");
        assert_eq!((lines.count(), lines.take_unit()), (2, &b"b.f90:2: z\n"[..]));
        assert_eq!((lines.count(), lines.take_unit()), (1, &b"  in k\n"[..]));
        let mut lines = LineBuffer::default();
        lines.push(b"a.f90:1: x\n  called from f\n");
        assert_eq!((lines.count(), lines.take_unit()), (2, &b"a.f90:1: x\n"[..]));
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
