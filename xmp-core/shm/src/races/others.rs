//! The accesses that an image finds in slots beside its own one.

use super::access::{Access, SLOTS, without_bytes};

/// The accesses of other images that are known while one access to several granules is entered: the words of
/// neighbouring granules mostly are equal, or differ in their bytes only.
#[derive(Debug)]
pub struct Others<'a, B> {
    mine: &'a Access,
    is_before: &'a B,
    /// For each slot, and for its former word, the last word that is no race whatever its bytes are.
    harmless: [u64; SLOTS + 1],
}

impl<'a, B: Fn(&Access) -> bool> Others<'a, B> {
    /// For an access of this image, the segment and the kind of `mine`.
    pub fn new(mine: &'a Access, is_before: &'a B) -> Others<'a, B> {
        Others { mine, is_before, harmless: [0; SLOTS + 1] }
    }

    /// The access of a word in a slot, if it is a race with the access of this image to these bytes.
    #[inline]
    pub fn racing(&mut self, slot: usize, word: u64, bytes: u8) -> Option<Access> {
        if word == 0 || without_bytes(word) == self.harmless[slot] {
            return None;
        }
        self.look(slot, word).filter(|other| other.bytes & bytes != 0)
    }

    #[cold]
    fn look(&mut self, slot: usize, word: u64) -> Option<Access> {
        let other = Access::from_word(word)?;
        let mine = self.mine;
        let may_race = other.image != mine.image && other.kind.conflicts(mine.kind);
        if may_race && !(self.is_before)(&other) {
            return Some(other);
        }
        self.harmless[slot] = without_bytes(word);
        None
    }
}
