//! Sections of arrays: the operands of an assignment.

use super::array::Array;
use super::error::{MappingError, Result};
use super::progression::Progression;
use super::runs::Runs;
use smallvec::SmallVec;

/// The subscript of one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pick {
    /// One index; the dimension is dropped.
    At(i64),
    /// Indices in this order.
    Row(Progression),
    /// All, in ascending order.
    All,
}

/// A section of an array with resolved subscripts, which are within its bounds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Section {
    /// Subscripts, and whether the dimension stays.
    rows: SmallVec<[(Progression, bool); 4]>,
}

impl Section {
    /// The section of `array` with these subscripts.
    ///
    /// # Errors
    /// [`MappingError::Rank`] for another number of them; [`MappingError::Outside`]; [`MappingError::ZeroStep`].
    pub fn new(array: &Array, picks: &[Pick]) -> Result<Section> {
        let dims = array.dims();
        if picks.len() != dims.len() {
            let (what, given) = ("subscript", picks.len());
            return Err(MappingError::Rank { what, given, needed: dims.len() });
        }
        let mut rows = SmallVec::new();
        for (dim, (pick, align)) in picks.iter().zip(dims).enumerate() {
            let (row, stays) = match *pick {
                Pick::At(index) => (Progression::one(index), false),
                Pick::Row(row) => (row, true),
                Pick::All => {
                    (Progression { first: align.lower, step: 1, count: align.extent() }, true)
                }
            };
            if row.count > 1 && row.step == 0 {
                return Err(MappingError::ZeroStep);
            }
            if !row.is_within(align.lower, align.upper) {
                return Err(MappingError::Outside {
                    dim: dim + 1,
                    first: row.first,
                    last: row.last(),
                    lower: align.lower,
                    upper: align.upper,
                });
            }
            // The step of a single index is never used, but it must not be 0, and equal sections must be equal.
            let step = if row.count > 1 { row.step } else { 1 };
            rows.push((Progression { step, ..row }, stays));
        }
        Ok(Section { rows })
    }

    /// The whole array.
    pub fn all(array: &Array) -> Section {
        Section::new(array, &vec![Pick::All; array.dims().len()]).expect("all is within")
    }

    /// The indices in each dimension of the array.
    pub fn row(&self, dim: usize) -> Progression {
        self.rows[dim].0
    }

    /// Dimensions of the array that are not given by one index.
    pub fn dims(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.rows.len()).filter(|&dim| self.rows[dim].1)
    }

    /// Extents of these dimensions.
    pub fn shape(&self) -> SmallVec<[i64; 4]> {
        self.dims().map(|dim| self.rows[dim].0.count).collect()
    }

    /// Pairs of dimensions of two sections that correspond when one is assigned to the other: those that are not given
    /// by one index, in their order. Where their number differs, those with one element only are omitted; a scalar (one
    /// element) is assigned to all.
    ///
    /// # Errors
    /// [`MappingError::ShapeMismatch`].
    pub fn pairs(&self, right: &Section) -> Result<Pairs> {
        let (mut mine, mut others): (Pairs1, Pairs1) =
            (self.dims().collect(), right.dims().collect());
        if mine.len() != others.len() {
            mine.retain(|dim| self.row(*dim).count != 1);
            others.retain(|dim| right.row(*dim).count != 1);
        }
        if others.is_empty() {
            return Ok(mine.into_iter().map(|dim| (dim, None)).collect());
        }
        let same = mine.len() == others.len()
            && mine.iter().zip(&others).all(|(&l, &r)| self.row(l).count == right.row(r).count);
        if !same {
            return Err(MappingError::ShapeMismatch {
                left: shown(&self.shape()),
                right: shown(&right.shape()),
            });
        }
        Ok(mine.into_iter().zip(others.into_iter().map(Some)).collect())
    }

    /// [`Section::pairs`] for a transposed right side: its dimensions in reverse order.
    ///
    /// # Errors
    /// [`MappingError::ShapeMismatch`].
    pub fn pairs_transposed(&self, right: &Section) -> Result<Pairs> {
        let (mine, mut others) = (self.shape(), right.shape());
        others.reverse();
        if mine != others {
            return Err(MappingError::ShapeMismatch { left: shown(&mine), right: shown(&others) });
        }
        let mut dims: Pairs1 = right.dims().collect();
        dims.reverse();
        Ok(self.dims().zip(dims.into_iter().map(Some)).collect())
    }

    /// Positions in the subscript of a dimension of the indices that a part of it has.
    pub fn positions(&self, array: &Array, dim: usize, part: usize) -> Vec<Runs> {
        let mut positions = Vec::new();
        for runs in array.owned(dim, part) {
            runs.positions(&self.rows[dim].0, &mut positions);
        }
        positions
    }
}

type Pairs1 = SmallVec<[usize; 4]>;

/// Dimensions of the left side with those of the right side.
pub type Pairs = SmallVec<[(usize, Option<usize>); 4]>;

fn shown(shape: &[i64]) -> String {
    let extents: Vec<String> = shape.iter().map(i64::to_string).collect();
    format!("({})", extents.join(","))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::array::tests::any_array;
    use super::*;
    use crate::global::nodes::{Kind, Nodes, Order};
    use crate::members::Members;
    use proptest::prelude::*;
    use std::rc::Rc;

    fn local(bounds: &[(i64, i64)]) -> Array {
        let nodes = Nodes::row(&Members::all(2), Order::Fortran, Kind::Executing);
        Array::whole(Rc::new(nodes), bounds, Order::Fortran).unwrap()
    }

    fn row(first: i64, last: i64, step: i64) -> Pick {
        Pick::Row(Progression::from_bounds(first, last, step).unwrap())
    }

    #[test]
    fn shapes_must_agree() {
        let (a, b) = (local(&[(1, 10), (0, 4)]), local(&[(1, 5), (1, 1), (1, 3)]));
        let all = Section::all(&a);
        let of_a = |picks: &[Pick]| Section::new(&a, picks).unwrap();
        let of_b = |picks: &[Pick]| Section::new(&b, picks).unwrap();
        let pairs = of_a(&[row(2, 10, 2), Pick::At(3)])
            .pairs(&of_b(&[Pick::All, Pick::All, Pick::At(1)]))
            .unwrap();
        assert_eq!(pairs.as_slice(), [(0, Some(0))]);
        let pairs =
            of_a(&[row(3, 1, -1), Pick::All]).pairs(&of_b(&[row(1, 3, 1), Pick::All, Pick::All]));
        assert_eq!(
            pairs.unwrap_err().of("gmove").to_string(),
            "gmove: shape (3,5) is assigned from shape (3,1,3)"
        );
        let scalar = of_b(&[Pick::At(2), Pick::At(1), Pick::At(3)]);
        assert_eq!(all.pairs(&scalar).unwrap().as_slice(), [(0, None), (1, None)]);
        let turned = of_a(&[row(2, 6, 2), Pick::All]).pairs_transposed(&of_b(&[
            Pick::All,
            Pick::At(1),
            Pick::All,
        ]));
        assert_eq!(turned.unwrap().as_slice(), [(0, Some(2)), (1, Some(0))]);
        assert!(all.pairs_transposed(&all).is_err());
        let one = of_a(&[Pick::At(1), Pick::At(1)]);
        assert!(one.pairs(&scalar).unwrap().is_empty());
        assert!(one.pairs(&all).is_err());
    }

    #[test]
    fn bad_subscripts_are_named() {
        let a = local(&[(1, 10), (0, 4)]);
        let text = |picks: &[Pick]| Section::new(&a, picks).unwrap_err().of("a").to_string();
        assert_eq!(text(&[Pick::At(0), Pick::All]), "a: dimension 1: 0:0 is not within 1:10");
        assert_eq!(text(&[Pick::All, row(0, 8, 4)]), "a: dimension 2: 0:8 is not within 0:4");
        assert_eq!(text(&[Pick::All]), "a: 1 subscript for 2 dimensions");
        let stuck = Pick::Row(Progression { first: 1, step: 0, count: 2 });
        assert_eq!(text(&[stuck, Pick::All]), "a: a step of 0");
        let nothing = Section::new(&a, &[row(30, 20, 1), Pick::All]).unwrap();
        assert_eq!(nothing.shape().as_slice(), [0, 5]);
    }

    proptest! {
        #[test]
        fn positions_are_those_of_owned_indices(
            case in any_array(8), dice in any::<[u8; 3]>(), dim in 0usize..3,
        ) {
            let array = &case.array;
            let dim = dim % array.dims().len();
            let align = array.dims()[dim];
            let [a, b, step] = dice.map(i64::from);
            let (first, last) = (align.lower + a % align.extent(), align.lower + b % align.extent());
            let step = (step % 4 + 1) * if last < first { -1 } else { 1 };
            let picked = Progression::from_bounds(first, last, step).unwrap();
            let mut picks = vec![Pick::All; array.dims().len()];
            picks[dim] = Pick::Row(picked);
            let section = Section::new(array, &picks).unwrap();
            let mut all = Vec::new();
            for part in 0..array.parts(dim) {
                let positions = section.positions(array, dim, part);
                for k in positions.iter().flat_map(Runs::iter) {
                    prop_assert!(array.local(dim, part, picked.at(k)).is_some());
                    all.push(k);
                }
            }
            all.sort_unstable();
            prop_assert_eq!(all, (0..picked.count).collect::<Vec<_>>());
        }
    }
}
