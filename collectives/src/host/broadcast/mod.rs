//! Broadcasts between the members of a board. One algorithm a file.
//!
//! | algorithm | data lies | steps | for |
//! |---|---|---|---|
//! | [`slots`] | in the step's cache line | one for 56 bytes | few bytes |
//! | [`staged`] | in the root's staging | one a chunk | everything else |
//! | [`direct`] | where it is: the root's buffer is in a segment | two | large |

pub mod direct;
pub mod slots;
pub mod staged;

/// A broadcast as one member sees it.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// What the root sends, and where the others want it.
    pub buffer: *mut u8,
    /// Bytes, at least one.
    pub len: usize,
    /// Board position of the root.
    pub root: usize,
}
