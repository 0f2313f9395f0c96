//! The message of a broadcast.

use crate::array_shape::ArrayShape;
use crate::signature::{Kind, Signature};
use std::ops::Range;
use xmp_core::number::ElemType;

/// The buffer of one image in a broadcast.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    buffer: *mut u8,
    len: usize,
    root: usize,
    kind: Kind,
    element: ElemType,
    shape: ArrayShape,
}

impl Message {
    /// `len` bytes at `buffer` that the image at position `root` sends and the others receive. Positions are those in
    /// the set or in the collective area that the operation is for.
    ///
    /// # Safety
    /// As long as the value is used, `buffer` is valid for reads (root) or writes (others) of `len` bytes, and nothing
    /// else accesses them.
    #[inline(always)]
    pub unsafe fn new(buffer: *mut u8, len: usize, root: usize) -> Message {
        let (element, shape) = (ElemType::Bytes(1), ArrayShape::NONE);
        Message { buffer, len, root, kind: Kind::Broadcast, element, shape }
    }

    /// The message of images that have nothing to broadcast, because it is not allocated: a byte without a meaning, so that they
    /// find out whether all of them have nothing.
    ///
    /// # Safety
    /// That of [`Message::new`], for one byte.
    pub unsafe fn of_nothing(byte: *mut u8, root: usize) -> Message {
        // SAFETY: the contract is the same.
        let message = unsafe { Message::new(byte, 1, root) };
        Message { kind: Kind::BroadcastOfNothing, ..message }
    }

    /// The message with elements of this type, in an array of this shape.
    #[inline(always)]
    #[must_use]
    pub fn of_array(self, element: ElemType, shape: ArrayShape) -> Message {
        Message { element, shape, ..self }
    }

    /// What all images give alike.
    #[inline]
    pub fn signature(&self) -> Signature {
        let call = Signature::of_bytes(self.kind, self.len).root(Some(self.root));
        call.moving(self.element).of_shape(self.shape)
    }

    /// Address of the bytes.
    #[inline(always)]
    pub fn start(&self) -> *mut u8 {
        self.buffer
    }

    /// Number of bytes.
    #[inline(always)]
    pub fn bytes(&self) -> usize {
        self.len
    }

    /// Position of the root.
    #[inline(always)]
    pub fn root(&self) -> usize {
        self.root
    }

    /// Address of a piece.
    #[inline(always)]
    pub fn at(&self, piece: &Range<usize>) -> *mut u8 {
        self.buffer.wrapping_add(piece.start)
    }

    /// The message in pieces of at most `step` bytes.
    pub fn pieces(&self, step: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let len = self.len;
        (0..len).step_by(step).map(move |from| from..len.min(from + step))
    }
}
