//! The elements that one node has of a section, in the sequence of all its elements: the order in which a file has
//! them. Offsets and lengths are in bytes.

use super::array::Array;
use super::error::{MappingError, Result};
use super::positions::Positions;
use super::section::Section;
use smallvec::SmallVec;

/// The bytes that a node has of a section. They ascend, so a byte is named by the number of them before it (its *own
/// offset*) or by its offset in the whole section.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sequence {
    /// Outermost first, without the innermost ones of which the node has everything.
    dims: SmallVec<[Dim; 4]>,
    /// Contiguous bytes of a position of the last dimension.
    unit: i64,
    own: i64,
    whole: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Dim {
    positions: Positions,
    /// Bytes that the node has of a position.
    own: i64,
    /// Bytes of a position.
    whole: i64,
}

/// Contiguous bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Offset of the first one.
    pub offset: i64,
    /// Number of bytes.
    pub len: i64,
}

/// Positions of the subscripts of a section that a node has, the dimension that runs slowest in memory first.
pub type Ordered = SmallVec<[(usize, Positions); 4]>;

/// The dimensions of `section` in the order of its elements, with the positions that the node with these coordinates
/// has; none where the node has no element.
pub fn ordered(array: &Array, section: &Section, coords: &[usize]) -> Option<Ordered> {
    if !array.has_elements(coords) {
        return None;
    }
    let ndims = array.dims().len();
    let mut dims: Ordered = array
        .order()
        .dims(ndims)
        .map(|dim| {
            let runs = section.positions(array, dim, array.part(dim, coords));
            (dim, Positions::new(&runs, section.row(dim).count))
        })
        .collect();
    dims.reverse();
    dims.iter().all(|(_, positions)| positions.count() > 0).then_some(dims)
}

impl Sequence {
    /// Bytes without a mapping: the node has all of them.
    pub fn all(len: i64) -> Sequence {
        Sequence { dims: SmallVec::new(), unit: len, own: len, whole: len }
    }

    /// What the node with these coordinates has of a section of elements of `element` bytes; nothing without
    /// coordinates.
    ///
    /// # Errors
    /// [`MappingError::Dimension`] for more bytes than can be counted.
    pub fn new(
        array: &Array,
        section: &Section,
        coords: Option<&[usize]>,
        element: usize,
    ) -> Result<Sequence> {
        let mut whole = element as i64;
        for dim in 0..array.dims().len() {
            let extent = section.row(dim).count;
            whole = whole.checked_mul(extent).ok_or_else(|| MappingError::Dimension {
                dim: dim + 1,
                why: format!("{extent} elements times {whole} bytes are too many"),
            })?;
        }
        let Some(given) = coords.and_then(|coords| ordered(array, section, coords)) else {
            return Ok(Sequence { dims: SmallVec::new(), unit: 0, own: 0, whole });
        };
        let (mut unit, mut dims) = (element as i64, SmallVec::<[Dim; 4]>::new());
        let (mut own_bytes, mut all_bytes) = (unit, unit);
        for (_, positions) in given.into_iter().rev() {
            let (own, whole) = (own_bytes, all_bytes);
            own_bytes *= positions.count();
            all_bytes *= positions.extent();
            if dims.is_empty() && positions.is_all() {
                unit = all_bytes;
            } else {
                dims.push(Dim { positions, own, whole });
            }
        }
        dims.reverse();
        Ok(Sequence { dims, unit, own: own_bytes, whole })
    }

    /// Bytes that the node has.
    pub fn own(&self) -> i64 {
        self.own
    }

    /// Bytes of the section.
    pub fn whole(&self) -> i64 {
        self.whole
    }

    /// Bytes of the node before an offset in the section.
    pub fn before(&self, offset: i64) -> i64 {
        if offset >= self.whole {
            return self.own;
        }
        let (mut own, mut rest) = (0, offset.max(0));
        for dim in &self.dims {
            let position = rest / dim.whole;
            rest %= dim.whole;
            own += dim.positions.before(position) * dim.own;
            if !dim.positions.contains(position) {
                return own;
            }
        }
        own + rest.min(self.unit)
    }

    /// The bytes that are contiguous in the section from an own offset on, which is less than [`Sequence::own`].
    pub fn stretch(&self, own: i64) -> Stretch {
        let (mut offset, mut rest, mut len) = (0, own, self.unit);
        for dim in &self.dims {
            let position = dim.positions.at(rest / dim.own);
            rest %= dim.own;
            offset += position * dim.whole;
            if dim.whole == self.unit {
                len = dim.positions.stretch(position) * self.unit;
            }
        }
        Stretch { offset: offset + rest, len: len - rest }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::array::tests::any_array;
    use super::super::progression::Progression;
    use super::super::section::Pick;
    use super::*;
    use crate::global::nodes::Order;
    use crate::rank::Rank;
    use proptest::prelude::*;

    /// All indices of a section, in the order of its elements.
    fn elements(array: &Array, section: &Section) -> Vec<Vec<i64>> {
        let ndims = array.dims().len();
        let mut all = vec![vec![0; ndims]];
        // The dimension that is treated last runs fastest.
        let mut dims: Vec<usize> = (0..ndims).collect();
        if array.order() == Order::Fortran {
            dims.reverse();
        }
        for dim in dims {
            let longer = |index: &Vec<i64>| {
                let with = |value| {
                    let mut index = index.clone();
                    index[dim] = value;
                    index
                };
                section.row(dim).iter().map(with).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }

    proptest! {
        #[test]
        fn bytes_are_those_of_the_owned_elements_in_the_serial_order(
            case in any_array(8), dice in any::<[[u8; 3]; 3]>(), element in 1usize..5,
        ) {
            let array = &case.array;
            let picks: Vec<Pick> = array.dims().iter().zip(dice).map(|(align, [a, b, step])| {
                let at = |k: u8| align.lower + i64::from(k) % align.extent();
                let (first, last) = (at(a), at(b));
                let step = (i64::from(step) % 4 + 1) * if last < first { -1 } else { 1 };
                Pick::Row(Progression::from_bounds(first, last, step).unwrap())
            }).collect();
            let section = Section::new(array, &picks).unwrap();
            let serial = elements(array, &section);
            for rank in (0..8).map(Rank::new) {
                let coords = array.coords(rank);
                let sequence = Sequence::new(array, &section, coords.as_deref(), element).unwrap();
                prop_assert_eq!(sequence.whole(), (serial.len() * element) as i64);
                let has = |index: &[i64]| coords.as_ref().is_some_and(|coords| {
                    array.has_elements(coords) && index.iter().enumerate().all(|(dim, &index)| {
                        array.local(dim, array.part(dim, coords), index).is_some()
                    })
                });
                let mut expected = Vec::new();
                for (k, index) in serial.iter().enumerate() {
                    prop_assert_eq!(sequence.before((k * element) as i64), expected.len() as i64);
                    if has(index) {
                        expected.extend((0..element).map(|byte| (k * element + byte) as i64));
                    }
                }
                prop_assert_eq!(sequence.own(), expected.len() as i64);
                prop_assert_eq!(sequence.before(sequence.whole() + 7), sequence.own());
                for (own, &offset) in expected.iter().enumerate() {
                    let stretch = sequence.stretch(own as i64);
                    prop_assert_eq!(stretch.offset, offset);
                    prop_assert!(stretch.len >= 1);
                    let end = own + stretch.len as usize;
                    prop_assert!(end <= expected.len(), "{} of {}", end, expected.len());
                    prop_assert_eq!(expected[end - 1], offset + stretch.len - 1);
                    prop_assert_eq!(sequence.before(offset), own as i64);
                    prop_assert_eq!(sequence.before(offset + 1), own as i64 + 1);
                }
            }
        }
    }

    #[test]
    fn bytes_without_a_mapping_are_contiguous() {
        let all = Sequence::all(100);
        assert_eq!((all.own(), all.whole(), all.before(30)), (100, 100, 30));
        assert_eq!(all.stretch(30), Stretch { offset: 30, len: 70 });
    }
}
