//! The messages that have arrived on a stream: whole short messages, and long ones that go where they belong while they arrive.

use crate::machine::byte_atomic;
use crate::server::Tag;
use std::ops::Range;

/// Bytes before those of the message: their number, and the kind.
pub(super) const HEADER: usize = 8;
/// Those of the number.
const LEN: usize = 6;
/// Room for bytes that have arrived, unless a short message is longer.
const ARRIVAL_ROOM: usize = 64 << 10;
/// Most bytes of a short message. The settings allow a little more than 16 MiB.
const MAX_SHORT_MESSAGE: usize = 64 << 20;

/// What comes next.
#[derive(Debug)]
pub(super) enum Next<'a> {
    /// Nothing as yet.
    None,
    /// A short message: the number of its kind, and its bytes.
    Message(u16, &'a [u8]),
    /// The start of a long message, which has a place from now on ([`Input::begin`]) or is offered again.
    Long {
        /// The number of its kind.
        kind: u16,
        /// Its bytes.
        len: usize,
    },
    /// A long message that is complete.
    Complete(Body),
}

/// The bytes of a long message that arrives.
#[derive(Debug)]
pub(super) struct Body {
    /// The number of its kind.
    pub kind: u16,
    /// Its bytes.
    pub len: usize,
    filled: usize,
    /// Where they go.
    pub place: Place,
}

/// Where a long message goes.
#[derive(Debug)]
pub(super) enum Place {
    /// To the memory of an operation with this number.
    Memory(usize, *mut u8),
    /// To memory of its own: there is no operation for it yet.
    Kept(Vec<u8>),
    /// Its operation was cancelled, or has too little memory.
    Nowhere,
}

// SAFETY: the pointer is that of a receive. The caller that started it guarantees that its memory may be accessed by the thread
// that uses the fabric.
unsafe impl Send for Body {}

/// The bytes.
#[derive(Debug)]
pub(super) struct Input {
    bytes: Vec<u8>,
    /// Those that have arrived and not been taken.
    arrived: Range<usize>,
    body: Option<Body>,
}

impl Input {
    pub fn new() -> Input {
        Input { bytes: vec![0; ARRIVAL_ROOM], arrived: 0..0, body: None }
    }

    /// Room for what arrives next: for at most `most` bytes. None while a long message has no place and the room is used up, or
    /// is complete and was not taken.
    pub fn room(&mut self, most: usize) -> &mut [u8] {
        if self.body.is_none() {
            self.make_room();
        }
        if let Some(body) = &mut self.body {
            let len = most.min(body.len - body.filled);
            return match &mut body.place {
                // SAFETY: memory of a receive that is not over, as long as the message (contract of `begin`).
                Place::Memory(_, at) => unsafe {
                    std::slice::from_raw_parts_mut(at.add(body.filled), len)
                },
                Place::Kept(bytes) => &mut bytes[body.filled..][..len],
                // Nothing has arrived after the part of this message that has.
                Place::Nowhere => {
                    let len = len.min(self.bytes.len());
                    &mut self.bytes[..len]
                }
            };
        }
        let end = self.bytes.len().min(self.arrived.end.saturating_add(most));
        &mut self.bytes[self.arrived.end..end]
    }

    /// So many bytes were written to the start of that room.
    pub fn filled(&mut self, bytes: usize) {
        match &mut self.body {
            Some(body) => body.filled += bytes,
            None => self.arrived.end += bytes,
        }
    }

    /// Whether a long message is arriving.
    pub fn is_filling(&self) -> bool {
        self.body.is_some()
    }

    /// How many bytes of a long message that is arriving have not.
    pub fn missing(&self) -> usize {
        self.body.as_ref().map_or(0, |body| body.len - body.filled)
    }

    /// Whether a long message waits for its place.
    pub fn is_held(&self) -> bool {
        self.body.is_none() && self.header().is_some_and(|(_, kind)| Tag::is_long(kind))
    }

    /// Whether a length has arrived that no process of the job writes.
    pub fn is_broken(&self) -> bool {
        self.body.is_none()
            && self
                .header()
                .is_some_and(|(len, kind)| !Tag::is_long(kind) && len > MAX_SHORT_MESSAGE)
    }

    /// What comes next.
    pub fn next(&mut self) -> Next<'_> {
        if let Some(body) = self.body.take_if(|body| body.filled == body.len) {
            return Next::Complete(body);
        }
        let Some((len, kind)) = self.header().filter(|_| self.body.is_none()) else {
            return Next::None;
        };
        if Tag::is_long(kind) {
            return Next::Long { kind, len };
        }
        if HEADER + len > self.arrived.len() {
            return Next::None;
        }
        let message = self.arrived.start + HEADER..self.arrived.start + HEADER + len;
        self.arrived.start = message.end;
        Next::Message(kind, &self.bytes[message])
    }

    /// Gives the long message that comes next a place.
    ///
    /// # Safety
    /// Memory of `place` is as long as the message, and no other code accesses it until the message is complete or
    /// [`Input::forget`] is called.
    pub unsafe fn begin(&mut self, place: Place) {
        let Some((len, kind)) = self.header() else { return };
        self.arrived.start += HEADER;
        let here = len.min(self.arrived.len());
        let from = self.arrived.start;
        self.arrived.start += here;
        let mut body = Body { kind, len, filled: here, place };
        match &mut body.place {
            // SAFETY: it is as long as the message (contract of this method), and apart from the bytes that have arrived.
            // Images that race, as safe programs may, access it atomically per byte, too.
            Place::Memory(_, at) => unsafe {
                byte_atomic::copy(*at, self.bytes[from..][..here].as_ptr(), here);
            },
            Place::Kept(bytes) => bytes[..here].copy_from_slice(&self.bytes[from..][..here]),
            Place::Nowhere => {}
        }
        self.body = Some(body);
    }

    /// Lets the long message for this operation, if it is arriving, go nowhere.
    pub fn forget(&mut self, operation: usize) {
        if let Some(Body { place, .. }) = &mut self.body
            && matches!(place, Place::Memory(number, _) if *number == operation)
        {
            *place = Place::Nowhere;
        }
    }

    /// The length and the kind of the first message, if its header has arrived.
    fn header(&self) -> Option<(usize, u16)> {
        let header = self.bytes[self.arrived.clone()].first_chunk::<HEADER>()?;
        let len = u64::from_le_bytes(*header) & ((1 << (8 * LEN)) - 1);
        let kind = u16::from_le_bytes([header[LEN], header[LEN + 1]]);
        Some((len as usize, kind))
    }

    /// Makes room after what has arrived: for a byte at least, and for the rest of a short message.
    fn make_room(&mut self) {
        if self.arrived.is_empty() {
            self.arrived = 0..0;
        }
        let frame = match self.header() {
            Some((len, kind)) if !Tag::is_long(kind) => HEADER + len.min(MAX_SHORT_MESSAGE),
            _ => HEADER,
        };
        let ends_within = self.arrived.start + frame <= self.bytes.len();
        if ends_within && self.arrived.end < self.bytes.len() {
            return;
        }
        self.bytes.copy_within(self.arrived.clone(), 0);
        self.arrived = 0..self.arrived.len();
        if frame > self.bytes.len() {
            self.bytes.resize(frame, 0);
        }
    }
}

/// The header of a message.
pub(super) fn header(tag: Tag, len: usize) -> [u8; HEADER] {
    // No memory has more bytes than fit.
    let mut bytes = (len as u64).to_le_bytes();
    bytes[LEN..].copy_from_slice(&tag.get().to_le_bytes());
    bytes
}
