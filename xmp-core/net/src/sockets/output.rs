//! The bytes that a stream has to send: its own, and those that a caller has lent.

use std::collections::VecDeque;
use std::io::{self, IoSlice, Write};

/// Bytes in the order in which they are sent. A position counts all bytes of the stream from its start.
#[derive(Debug, Default)]
pub(super) struct Output {
    pieces: VecDeque<Piece>,
    /// Bytes of the first piece that the system has taken.
    taken: usize,
    /// The position where the first piece starts, and the one after the last.
    start: u64,
    end: u64,
    /// Memory for the next piece.
    spare: Vec<u8>,
}

#[derive(Debug)]
enum Piece {
    Own(Vec<u8>),
    Lent(*const [u8]),
}

// SAFETY: the pointers are those of sends. The caller that started one guarantees that its memory may be read by the thread that
// uses the fabric.
unsafe impl Send for Output {}

impl Piece {
    fn bytes(&self) -> &[u8] {
        match self {
            Piece::Own(bytes) => bytes,
            // SAFETY: valid and unchanged until it is sent or copied (contract of `Output::lend`).
            Piece::Lent(bytes) => unsafe { &**bytes },
        }
    }
}

impl Output {
    /// Copies bytes after all others.
    pub fn add(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if !matches!(self.pieces.back(), Some(Piece::Own(_))) {
            self.pieces.push_back(Piece::Own(std::mem::take(&mut self.spare)));
        }
        if let Some(Piece::Own(own)) = self.pieces.back_mut() {
            own.extend_from_slice(bytes);
        }
        self.end += bytes.len() as u64;
    }

    /// Adds bytes after all others, where they are.
    ///
    /// # Safety
    /// They stay valid and unchanged until they are sent ([`Output::has_sent`]), copied ([`Output::copy`]) or dropped
    /// ([`Output::clear`]).
    pub unsafe fn lend(&mut self, bytes: *const [u8]) {
        if bytes.len() > 0 {
            self.pieces.push_back(Piece::Lent(bytes));
            self.end += bytes.len() as u64;
        }
    }

    /// The position after all bytes.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Whether the system has taken all bytes up to a position.
    pub fn has_sent(&self, end: u64) -> bool {
        self.start + self.taken as u64 >= end
    }

    /// Whether the system has taken everything.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Gives the system up to `room` bytes.
    ///
    /// # Errors
    /// Those of `to`.
    pub fn write(&mut self, to: &mut impl Write, mut room: usize) -> io::Result<usize> {
        // A lent message has its header before it, and maybe a short message after it.
        let mut slices = [IoSlice::new(&[]); 3];
        let (mut count, mut taken) = (0, self.taken);
        for (slice, piece) in slices.iter_mut().zip(&self.pieces) {
            let rest = &piece.bytes()[taken..];
            let part = &rest[..rest.len().min(room)];
            if part.is_empty() {
                break;
            }
            (taken, room) = (0, room - part.len());
            *slice = IoSlice::new(part);
            count += 1;
        }
        let written = match &slices[..count] {
            [only] => to.write(only)?,
            several => to.write_vectored(several)?,
        };
        self.advance(written);
        Ok(written)
    }

    fn advance(&mut self, written: usize) {
        self.taken += written;
        while let Some(first) = self.pieces.front().map(|piece| piece.bytes().len())
            && self.taken >= first
        {
            self.taken -= first;
            self.start += first as u64;
            if let Some(Piece::Own(mut bytes)) = self.pieces.pop_front() {
                bytes.clear();
                self.spare = bytes;
            }
        }
    }

    /// Copies the lent bytes that end at this position, so that their memory may be reused.
    pub fn copy(&mut self, end: u64) {
        let mut at = self.start;
        for piece in &mut self.pieces {
            at += piece.bytes().len() as u64;
            if at == end {
                *piece = Piece::Own(piece.bytes().to_vec());
                return;
            }
        }
    }

    /// Drops all bytes, as if they were sent.
    pub fn clear(&mut self) {
        self.pieces.clear();
        (self.start, self.taken) = (self.end, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Most bytes that are offered at once.
    const MAX_OFFERED: usize = 64;

    /// Takes this many bytes at a time.
    struct Slow<'a>(&'a mut dyn Iterator<Item = usize>, Vec<u8>);

    impl Write for Slow<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(self.0.next().unwrap_or(1));
            self.1.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }

        fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
            let all: Vec<u8> = slices.iter().flat_map(|slice| slice.iter().copied()).collect();
            assert!(all.len() <= MAX_OFFERED);
            self.write(&all)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    proptest! {
        #[test]
        fn bytes_leave_in_their_order_however_many_the_system_takes(
            pieces in proptest::collection::vec((0usize..3, 0usize..50), 1..20),
            taken in proptest::collection::vec(1usize..70, 1..40),
        ) {
            let mut number = 0u8;
            let mut bytes = |len| (0..len).map(|_| { number = number.wrapping_add(1); number }).collect::<Vec<u8>>();
            let pieces: Vec<(usize, Vec<u8>)> =
                pieces.into_iter().map(|(kind, len)| (kind, bytes(len))).collect();
            let mut lent: Vec<Option<Vec<u8>>> =
                pieces.iter().map(|(kind, bytes)| (*kind > 0).then(|| bytes.clone())).collect();
            let (mut output, mut ends) = (Output::default(), Vec::new());
            for ((_, bytes), lent) in pieces.iter().zip(&lent) {
                match lent {
                    None => output.add(bytes),
                    // SAFETY: `lent` outlives the writes, but for what is copied before.
                    Some(bytes) => unsafe { output.lend(&raw const bytes[..]) },
                }
                ends.push(output.end());
            }
            for (index, (kind, _)) in pieces.iter().enumerate() {
                if *kind == 2 {
                    output.copy(ends[index]);
                    if let Some(bytes) = &mut lent[index] {
                        bytes.fill(0);
                    }
                }
            }
            let mut taken = taken.into_iter();
            let mut slow = Slow(&mut taken, Vec::new());
            while !output.is_empty() {
                output.write(&mut slow, MAX_OFFERED).unwrap();
                let sent = slow.1.len() as u64;
                prop_assert!(ends.iter().all(|&end| output.has_sent(end) == (end <= sent)));
            }
            prop_assert_eq!(slow.1, pieces.into_iter().flat_map(|(_, bytes)| bytes).collect::<Vec<u8>>());
        }
    }
}
