//! Lines of a stream that arrives in pieces.

/// Longest line that is kept together, in bytes.
const MAX_LINE_BYTES: usize = 64 << 20;

/// What an image has written and the launcher has not passed on: complete lines, then the beginning of one.
#[derive(Debug, Default)]
pub(super) struct LineBuffer {
    bytes: Vec<u8>,
    /// What lies before this index was passed on.
    start: usize,
    /// The index behind the last complete line.
    end: usize,
}

impl LineBuffer {
    /// Adds a piece.
    pub(super) fn push(&mut self, piece: &[u8]) {
        self.bytes.drain(..self.start);
        self.end -= self.start;
        self.start = 0;
        let before = self.bytes.len();
        self.bytes.extend_from_slice(piece);
        if let Some(at) = piece.iter().rposition(|&byte| byte == b'\n') {
            self.end = before + at + 1;
        } else if self.bytes.len() >= MAX_LINE_BYTES {
            self.end = self.bytes.len();
        }
    }

    /// Whether there is a complete line.
    pub(super) fn has_line(&self) -> bool {
        self.start < self.end
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
        &self.bytes[start..self.start]
    }

    /// Takes all complete lines.
    pub(super) fn take_lines(&mut self) -> &[u8] {
        let start = self.start;
        self.start = self.end;
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
        assert_eq!(lines.take_all(), b"f");
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
