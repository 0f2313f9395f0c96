//! Broadcasts between the members of a collective area. One algorithm a file.
//!
//! | algorithm | data lies | steps | for |
//! |---|---|---|---|
//! | [`slots`] | in the step's cache line | one for 56 bytes | few bytes |
//! | [`large`], staged | in the root's staging | one a chunk | everything else |
//! | [`large`], direct | where it is: the root's buffer is in a segment | two | large |

pub mod large;
pub mod slots;

/// A broadcast as one member sees it.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// What the root sends, and where the others want it.
    pub buffer: *mut u8,
    /// Bytes, at least one.
    pub len: usize,
    /// Position in the collective area of the root.
    pub root: usize,
}

impl Message {
    /// First byte of a piece.
    #[inline(always)]
    fn at(&self, piece: &std::ops::Range<usize>) -> *mut u8 {
        self.buffer.wrapping_add(piece.start)
    }
}
