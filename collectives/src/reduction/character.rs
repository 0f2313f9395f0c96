//! Minimum and maximum of character strings, in the order of the character codes (Fortran 2018, 16.9.46: the collating
//! sequence of the processor).

use std::cmp::Ordering;

/// The kinds of character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CharacterKind {
    /// One byte a character.
    One,
    /// ISO 10646, four bytes a character.
    Four,
}

impl CharacterKind {
    /// Bytes of a character.
    pub fn bytes(self) -> usize {
        match self {
            CharacterKind::One => 1,
            CharacterKind::Four => 4,
        }
    }
}

/// `dst[i]` = the smaller or greater of `left[i]` and `right[i]`, strings of `len` bytes.
///
/// # Safety
/// Those of [`super::Reduction::two`].
pub unsafe fn two(
    kind: CharacterKind,
    greatest: bool,
    len: usize,
    dst: *mut u8,
    left: *const u8,
    right: *const u8,
    count: usize,
) {
    let wanted = if greatest { Ordering::Greater } else { Ordering::Less };
    for at in (0..count).map(|i| i * len) {
        // SAFETY: all are valid for `count` strings (contract above). The slices end before `dst`, which may be left or
        // right, is written.
        unsafe {
            let order = {
                let left = std::slice::from_raw_parts(left.add(at), len);
                let right = std::slice::from_raw_parts(right.add(at), len);
                compare(kind, right, left)
            };
            let winner = if order == wanted { right } else { left };
            std::ptr::copy(winner.add(at), dst.add(at), len);
        }
    }
}

fn compare(kind: CharacterKind, a: &[u8], b: &[u8]) -> Ordering {
    match kind {
        CharacterKind::One => a.cmp(b),
        CharacterKind::Four => codes(a).cmp(codes(b)),
    }
}

fn codes(text: &[u8]) -> impl Iterator<Item = u32> + '_ {
    text.chunks_exact(4).map(|c| u32::from_ne_bytes([c[0], c[1], c[2], c[3]]))
}
