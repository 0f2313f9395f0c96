//! The requests of the images of the model, and the messages on its connections.

/// What an image asks of the server of another host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    /// A put of a section, whose bytes follow it. It has no reply.
    Put,
    /// A get of a section, whose reply is gathered.
    Get,
    /// A request to a handler, whose bytes follow it; its reply is gathered, too.
    Call,
}

pub(super) const KINDS: [Kind; 3] = [Kind::Put, Kind::Get, Kind::Call];

impl Kind {
    pub(super) fn has_bytes(self) -> bool {
        self != Kind::Get
    }

    pub(super) fn has_reply(self) -> bool {
        self != Kind::Put
    }
}

/// What travels on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    Request(Kind),
    /// The bytes of the request before.
    Bytes,
    /// A reply and its bytes.
    Reply,
}

impl Frame {
    /// Requests without their bytes are short.
    pub(super) fn is_long(self) -> bool {
        matches!(self, Frame::Bytes | Frame::Reply)
    }
}

pub(super) const FRAMES: [Frame; 5] = [
    Frame::Request(Kind::Put),
    Frame::Request(Kind::Get),
    Frame::Request(Kind::Call),
    Frame::Bytes,
    Frame::Reply,
];

/// Frames in their order: four bits for each, one more than its place in [`FRAMES`].
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Queue(pub(super) u32);

impl Queue {
    pub(super) fn len(self) -> usize {
        (u32::BITS - self.0.leading_zeros()).div_ceil(4) as usize
    }

    pub(super) fn push(&mut self, frame: Frame) {
        let code = FRAMES.iter().position(|&it| it == frame).expect("all are there") as u32 + 1;
        let len = self.len();
        assert!(len < 8, "a longer queue does not fit");
        self.0 |= code << (4 * len);
    }

    pub(super) fn first(self) -> Option<Frame> {
        self.iter().next()
    }

    pub(super) fn remove_first(&mut self) {
        self.0 >>= 4;
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Frame> {
        (0..self.len()).map(move |at| FRAMES[(self.0 >> (4 * at) & 15) as usize - 1])
    }
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
