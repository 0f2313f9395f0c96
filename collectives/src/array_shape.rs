//! The shape of an array in a word, which images compare.

use std::fmt::{self, Display};

/// The shape of the argument of a collective of Fortran: it is the same on all images (Fortran 2018, 16.9.46 to 16.9.50).
///
/// Extents that do not fit into the word, of large arrays of many dimensions, are there as a hash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArrayShape(u64);

/// Bits of the extents; the rank is above them.
const EXTENTS_BITS: u32 = 59;
/// In the place of the rank: the extents are a hash.
const HASHED: u64 = 31;

impl ArrayShape {
    /// Of scalars and vectors, whose number of elements tells all, of arrays without elements, and where no shape is known.
    pub const NONE: ArrayShape = ArrayShape(0);

    /// The shape of an array with these extents.
    pub fn of(extents: &[usize]) -> ArrayShape {
        if extents.len() < 2 || extents.contains(&0) {
            return ArrayShape::NONE;
        }
        let bits = EXTENTS_BITS / extents.len() as u32;
        let fit = bits > 0 && extents.iter().all(|&extent| extent as u64 >> bits == 0);
        let (rank, word) = if fit {
            let packed = extents.iter().rev().fold(0, |word, &extent| word << bits | extent as u64);
            (extents.len() as u64, packed)
        } else {
            let mixed = |word: u64, extent: &usize| {
                (word.rotate_left(5) ^ *extent as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            };
            (HASHED, extents.iter().fold(0, mixed) >> (64 - EXTENTS_BITS))
        };
        ArrayShape(rank << EXTENTS_BITS | word)
    }

    /// The shape with this word.
    pub(crate) fn from_word(word: u64) -> ArrayShape {
        ArrayShape(word)
    }

    /// The shape as a word.
    #[inline(always)]
    pub(crate) fn word(self) -> u64 {
        self.0
    }
}

impl Display for ArrayShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 >> EXTENTS_BITS {
            0 => f.write_str("a scalar or a vector"),
            HASHED => f.write_str("an array of many dimensions or long extents"),
            rank => {
                let bits = EXTENTS_BITS / rank as u32;
                let extents: Vec<String> = (0..rank as u32)
                    .map(|dimension| self.0 >> (bits * dimension) & ((1 << bits) - 1))
                    .map(|extent| extent.to_string())
                    .collect();
                write!(f, "an array of shape ({})", extents.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn other_shapes_with_as_many_elements_have_other_words() {
        let shapes: [&[usize]; 9] = [
            &[24],
            &[2, 12],
            &[12, 2],
            &[2, 3, 4],
            &[3, 2, 4],
            &[2, 4, 3],
            &[1, 24],
            &[24, 1],
            &[1, 1, 24],
        ];
        let long: [&[usize]; 3] = [&[1 << 21, 2, 2, 2], &[2, 1 << 21, 2, 2], &[2, 2, 1 << 21, 2]];
        for shapes in [&shapes[..], &long] {
            let words: BTreeSet<u64> =
                shapes.iter().map(|extents| ArrayShape::of(extents).word()).collect();
            assert_eq!(words.len(), shapes.len());
        }
    }

    #[test]
    fn a_shape_tells_its_extents() {
        for extents in [&[2, 3][..], &[1 << 28, 2], &[5, 4, 3], &[2; 8], &[1; 15]] {
            let shape = ArrayShape::of(extents);
            let list = format!("{extents:?}").replace('[', "(").replace(']', ")");
            assert_eq!(shape.to_string(), format!("an array of shape {list}"));
            assert_eq!(ArrayShape::from_word(shape.word()), shape);
        }
        assert_eq!(
            ArrayShape::of(&[1 << 40, 2]).to_string(),
            "an array of many dimensions or long extents"
        );
        for extents in [&[][..], &[9], &[0, 3], &[3, 0]] {
            assert_eq!(ArrayShape::of(extents), ArrayShape::NONE, "{extents:?}");
        }
    }
}
