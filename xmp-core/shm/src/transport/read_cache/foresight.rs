//! Descriptors that are got ahead, with the messages of a synchronisation of all images.
//!
//! Programs allocate a coarray in each step, point its components somewhere, synchronise, and follow the components: each image fetches
//! a descriptor right after the barrier, which takes a round trip. What it is when all images have arrived it is in the segment after
//! the barrier, too, so it may come with the barrier's messages ([`crate::transport::AheadTransport`]).
//!
//! Which ones is foreseen as processors foresee branches (two-level adaptive prediction, Yeh and Patt 1991): the last 8 barriers, each
//! with or without a descriptor fetched after it, are an index into a table of what was fetched next. What was fetched twice is requested,
//! one barrier before where that is possible. Then the bytes come with the other image's message of their barrier. A block that is known
//! to follow ([`super::blocks_ahead`]) comes along.

use crate::rank::Rank;
use std::ops::Range;

/// Most descriptors that are requested before a barrier.
const MAX_DESCRIPTORS: usize = 8;

/// What an image foresees.
#[derive(Debug)]
pub(super) struct Foresight {
    /// A bit for each of the last barriers: whether descriptors were fetched after it.
    history: u8,
    /// By history: what was fetched next the last time.
    table: Box<[Outcome]>,
    /// What was fetched since the last barrier.
    fetched: Vec<Piece>,
    /// What was requested for the time after it.
    asked: Vec<Asked>,
    /// What was requested for the time after the next one, and the number of that.
    asked_for_next: (Vec<Asked>, u32),
    /// The generation that begins after it; `None` during a barrier, and once another one has begun.
    generation: Option<u64>,
}

/// What was fetched after a barrier.
#[derive(Clone, Debug, Default)]
struct Outcome {
    pieces: Vec<Piece>,
    /// Whether that has happened twice.
    is_certain: bool,
}

/// The bytes around a descriptor that were fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub image: Rank,
    /// Where the descriptor is.
    pub descriptor: u64,
    pub at: Range<u64>,
}

/// What to request at a barrier.
#[derive(Debug, Default)]
pub(super) struct Foreseen {
    /// For the time after this barrier.
    pub present: Vec<Piece>,
    /// For the time after the next one.
    pub next: Vec<Piece>,
}

/// What was requested: a piece, and the block that comes with it.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub piece: Piece,
    pub block: Option<Range<u64>>,
}

impl Default for Foresight {
    fn default() -> Foresight {
        Foresight {
            history: 0,
            table: vec![Outcome::default(); 1 << u8::BITS].into(),
            fetched: Vec::new(),
            asked: Vec::new(),
            asked_for_next: (Vec::new(), 0),
            generation: None,
        }
    }
}

impl Foresight {
    /// Before the barrier with this number: what to request.
    pub(super) fn arrive(&mut self, number: u32) -> Foreseen {
        let pieces = std::mem::take(&mut self.fetched);
        let then = after(self.history, &pieces);
        let outcome = &mut self.table[usize::from(self.history)];
        outcome.is_certain = outcome.pieces == pieces;
        outcome.pieces = pieces;
        self.history = then;
        self.generation = None;
        let (asked, of) = &mut self.asked_for_next;
        self.asked = std::mem::take(asked);
        if *of != number {
            self.asked.clear();
        }
        *of = number.wrapping_add(1);
        // An image keeps the reply to one request. Another request would drop what may be taken after this barrier.
        if !self.asked.is_empty() {
            return Foreseen::default();
        }
        let Some(present) = self.certain(self.history) else { return Foreseen::default() };
        let next = self.certain(after(self.history, present)).unwrap_or_default();
        Foreseen { present: present.to_vec(), next: next.to_vec() }
    }

    /// What was fetched after this history, if that has happened twice.
    fn certain(&self, history: u8) -> Option<&[Piece]> {
        let outcome = &self.table[usize::from(history)];
        outcome.is_certain.then_some(&outcome.pieces)
    }

    /// Whether it has seen nothing yet.
    #[cfg(all(test, not(loom)))]
    pub(super) fn is_new(&self) -> bool {
        self.history == 0 && self.generation.is_none() && self.fetched.is_empty()
    }

    /// This was requested for the time after the present barrier.
    pub(super) fn asked(&mut self, asked: Asked) {
        self.asked.push(asked);
    }

    /// This was requested for the time after the next barrier.
    pub(super) fn asked_for_next(&mut self, asked: Asked) {
        self.asked_for_next.0.push(asked);
    }

    /// After the barrier.
    pub(super) fn met(&mut self, generation: u64) {
        self.generation = Some(generation);
    }

    /// The image has to fetch these bytes, which have a descriptor in them: takes what was requested, if they are among that.
    pub(super) fn fetches(&mut self, piece: Piece, generation: u64) -> Option<Asked> {
        if self.generation != Some(generation) {
            return None;
        }
        let place = self.asked.iter().position(|asked| {
            let has = &asked.piece.at;
            asked.piece.image == piece.image
                && has.start <= piece.at.start
                && piece.at.end <= has.end
        });
        let is_first = self.fetched.iter().all(|fetched| fetched.image != piece.image);
        if is_first && self.fetched.len() < MAX_DESCRIPTORS {
            self.fetched.push(piece);
        }
        place.map(|place| self.asked.swap_remove(place))
    }

    /// This image defines bytes of `image`.
    pub(super) fn forget(&mut self, image: Rank, bytes: &Range<u64>) {
        let overlaps = |at: &Range<u64>| bytes.start < at.end && at.start < bytes.end;
        let stays = |asked: &Asked| {
            let is_touched =
                overlaps(&asked.piece.at) || asked.block.as_ref().is_some_and(overlaps);
            asked.piece.image != image || !is_touched
        };
        self.asked.retain(stays);
        self.asked_for_next.0.retain(stays);
    }
}

/// The history after one more barrier, when these pieces were fetched before it.
fn after(history: u8, pieces: &[Piece]) -> u8 {
    history << 1 | u8::from(!pieces.is_empty())
}
