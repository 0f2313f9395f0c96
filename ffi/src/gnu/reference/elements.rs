//! The elements of an array that a step of a reference selects.

use super::types::{Array, DimensionSelection, mode};
use crate::gnu::token::Shape;
use crate::gnu::transfer::{Section, count, out_of_bounds};
use crate::gnu::types::too_large;
use xmp_core::{Error, Result};

/// Adds the elements that the subscripts choose of an array with these bounds.
///
/// # Errors
/// Subscripts out of bounds.
pub fn choose(subscripts: &Array, shape: &Shape, section: &mut Section) -> Result<()> {
    for (number, dim) in shape.dims.iter().enumerate() {
        let stride = (dim.stride as i64).checked_mul(shape.unit).ok_or_else(too_large)?;
        let (lower, upper) = (dim.lower as i64, dim.upper as i64);
        let check = |subscript: i64| {
            let inside = (lower..=upper).contains(&subscript);
            inside.then_some(()).ok_or_else(|| out_of_bounds(number + 1, subscript, lower, upper))
        };
        let (how, range) = match subscripts.subscript(number) {
            DimensionSelection::Vector(vector) => {
                let at = vector.offsets(lower, stride)?;
                let last = upper.saturating_sub(lower).saturating_mul(stride);
                let (low, high) = (last.min(0), last.max(0));
                if let Some(bad) = at.iter().find(|&&at| upper < lower || at < low || at > high) {
                    let subscript = if stride == 0 { lower } else { bad / stride + lower };
                    return Err(out_of_bounds(number + 1, subscript, lower, upper));
                }
                section.add_list(at);
                continue;
            }
            DimensionSelection::Range(how, range) => (how, range),
        };
        let (start, end, by) = (range.start as i64, range.end as i64, range.stride as i64);
        let (first, last, by) = match how {
            mode::SINGLE => {
                check(start)?;
                section.skip(start - lower, stride)?;
                continue;
            }
            mode::FULL => (lower, upper, if by == 0 { 1 } else { by }),
            mode::RANGE => (start, end, by),
            mode::OPEN_END => (start, upper, by),
            mode::OPEN_START => (lower, end, by),
            other => return Err(unknown(other)),
        };
        let extent = count(first, last, by);
        if extent > 0 {
            check(first)?;
            check(end_of(first, extent, by)?)?;
        }
        section.skip(first.saturating_sub(lower), if extent > 0 { stride } else { 0 })?;
        section.add_range(extent, by.checked_mul(stride).ok_or_else(too_large)?);
    }
    Ok(())
}

/// Adds the elements of an array without a descriptor: the subscripts are positions in array element order.
///
/// # Errors
/// Positions beyond 2^63 bytes.
pub fn positions(subscripts: &Array, item_size: usize, section: &mut Section) -> Result<()> {
    let item = item_size as i64;
    for number in 0..subscripts.mode.iter().take_while(|&&how| how != mode::NONE).count() {
        let (how, range) = match subscripts.subscript(number) {
            DimensionSelection::Vector(vector) => {
                section.add_list(vector.offsets(0, item)?);
                continue;
            }
            DimensionSelection::Range(how, range) => (how, range),
        };
        let (start, end, stride) = (range.start as i64, range.end as i64, range.stride as i64);
        let first = match how {
            mode::SINGLE => {
                section.skip(start, item)?;
                continue;
            }
            mode::RANGE | mode::OPEN_END => start,
            mode::FULL | mode::OPEN_START => 0,
            other => return Err(unknown(other)),
        };
        section.skip(first, item)?;
        let bytes = stride.checked_mul(item).ok_or_else(too_large)?;
        section.add_range(count(first, end, stride), bytes);
    }
    Ok(())
}

/// The last of `extent` subscripts.
fn end_of(first: i64, extent: usize, by: i64) -> Result<i64> {
    let steps = i64::try_from(extent - 1).ok().and_then(|steps| steps.checked_mul(by));
    steps.and_then(|distance| first.checked_add(distance)).ok_or_else(too_large)
}

fn unknown(mode: u8) -> Error {
    Error::Invalid(format!("unknown kind of subscript {mode}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gfortran_abi::{Dim, MAX_RANK};
    use crate::gnu::reference::types::Subscript;
    use crate::gnu::types::{Triplet, Vector};
    use xmp_coarray::front_end::plan::Axis;

    /// How a dimension is subscripted: the mode, and what is given.
    type Dimension = (u8, Subscript);

    fn range(mode: u8, start: isize, end: isize, stride: isize) -> Dimension {
        (mode, Subscript { range: Triplet { start, end, stride } })
    }

    fn single(start: isize) -> Dimension {
        // What is not given is undefined.
        range(mode::SINGLE, start, 1 << 60, 0)
    }

    fn vector(values: &[i16]) -> Dimension {
        let vector = Vector { values: values.as_ptr().cast(), count: values.len(), kind: 2 };
        (mode::VECTOR, Subscript { vector })
    }

    fn subscripts(given: &[Dimension]) -> Array {
        let nothing = range(mode::NONE, -1, -1, -1);
        let of = |n: usize| given.get(n).copied().unwrap_or(nothing);
        Array {
            mode: std::array::from_fn(|n| of(n).0),
            static_type: 0,
            dim: std::array::from_fn::<_, MAX_RANK, _>(|n| of(n).1),
        }
    }

    /// Elements of 4 bytes, with lower bounds of -1 and 2: 5 x 3, every second one of what is there.
    fn shape() -> Shape {
        let dims = [Dim { stride: 2, lower: -1, upper: 3 }, Dim { stride: 10, lower: 2, upper: 4 }];
        Shape { dims: dims.into_iter().collect(), unit: 4 }
    }

    /// Byte offsets of the elements that are chosen, in array element order.
    fn bytes_of(section: &Section) -> Vec<i64> {
        section.axes().iter().fold(vec![section.start()], |inner, axis| {
            let outer: Vec<i64> = match axis {
                Axis::Stride { extent, stride } => {
                    (0..*extent as i64).map(|k| k * stride).collect()
                }
                Axis::Index(offsets) => offsets.to_vec(),
            };
            outer.iter().flat_map(|&far| inner.iter().map(move |&near| near + far)).collect()
        })
    }

    fn chosen(given: &[Dimension]) -> Result<Vec<i64>> {
        let mut section = Section::whole();
        choose(&subscripts(given), &shape(), &mut section)?;
        Ok(bytes_of(&section))
    }

    /// Bytes from the first element to the one with these subscripts.
    fn at(i: i64, j: i64) -> i64 {
        (i + 1) * 8 + (j - 2) * 40
    }

    #[test]
    fn every_form_of_subscript_chooses_its_elements() {
        let column = |given: Dimension| chosen(&[given, single(3)]).unwrap();
        let of = |subscripts: &[i64]| subscripts.iter().map(|&i| at(i, 3)).collect::<Vec<_>>();
        assert_eq!(column(single(2)), of(&[2]));
        assert_eq!(column(range(mode::FULL, 77, 77, 1)), of(&[-1, 0, 1, 2, 3]));
        assert_eq!(column(range(mode::FULL, 77, 77, 0)), of(&[-1, 0, 1, 2, 3]));
        assert_eq!(column(range(mode::RANGE, 0, 3, 2)), of(&[0, 2]));
        assert_eq!(column(range(mode::RANGE, 3, -1, -2)), of(&[3, 1, -1]));
        assert_eq!(column(range(mode::OPEN_END, 1, 77, 1)), of(&[1, 2, 3]));
        assert_eq!(column(range(mode::OPEN_START, 77, 1, 2)), of(&[-1, 1]));
        assert_eq!(column(vector(&[3, -1, 3])), of(&[3, -1, 3]));
        let both = chosen(&[range(mode::RANGE, 0, 1, 1), vector(&[4, 2])]).unwrap();
        assert_eq!(both, [at(0, 4), at(1, 4), at(0, 2), at(1, 2)]);
    }

    #[test]
    fn nothing_is_chosen_by_empty_subscripts_wherever_they_are() {
        for given in [
            range(mode::RANGE, 3, 2, 1),
            range(mode::RANGE, 1000, -1000, 1),
            range(mode::OPEN_END, 1000, 0, 1),
            range(mode::OPEN_START, 0, isize::MIN, 1),
            vector(&[]),
        ] {
            assert_eq!(chosen(&[given, single(2)]).unwrap(), []);
        }
    }

    #[test]
    fn subscripts_out_of_bounds_are_named() {
        for (given, text) in [
            (single(4), "subscript 4 of dimension 1 is not in -1:3"),
            (single(isize::MIN), "is not in -1:3"),
            (range(mode::RANGE, -2, 1, 1), "subscript -2 of"),
            (range(mode::RANGE, 0, 5, 2), "subscript 4 of"),
            (range(mode::OPEN_END, -3, 0, 2), "subscript -3 of"),
            (range(mode::OPEN_START, 0, 9, 1), "subscript 9 of"),
            (vector(&[0, 7]), "subscript 7 of"),
            (vector(&[-2]), "subscript -2 of"),
        ] {
            let error = chosen(&[given, single(2)]).unwrap_err().to_string();
            assert!(error.contains(text), "{error}");
        }
        let error = chosen(&[single(0), single(5)]).unwrap_err().to_string();
        assert!(error.contains("subscript 5 of dimension 2 is not in 2:4"), "{error}");
    }

    #[test]
    fn subscripts_beyond_all_bounds_are_errors_too() {
        for end in [isize::MAX, isize::MAX - 1] {
            assert!(chosen(&[range(mode::RANGE, -1, end, 1), single(2)]).is_err());
        }
        assert!(chosen(&[range(mode::RANGE, 3, isize::MIN, -1), single(2)]).is_err());
        assert!(chosen(&[(99, single(0).1), single(2)]).is_err(), "a form that is none");
    }

    #[test]
    fn an_array_of_size_zero_has_no_elements() {
        let empty =
            Shape { dims: [Dim { stride: 1, lower: 1, upper: 0 }].into_iter().collect(), unit: 8 };
        let choose = |given: Dimension| {
            let mut section = Section::whole();
            choose(&subscripts(&[given]), &empty, &mut section).map(|()| bytes_of(&section))
        };
        assert_eq!(choose(range(mode::FULL, 0, 0, 1)).unwrap(), []);
        assert_eq!(choose(vector(&[])).unwrap(), []);
        assert!(choose(single(1)).is_err());
        assert!(choose(vector(&[1])).is_err());
    }

    #[test]
    fn positions_count_elements() {
        let chosen = |given: &[Dimension], item_size| {
            let mut section = Section::whole();
            positions(&subscripts(given), item_size, &mut section).map(|()| bytes_of(&section))
        };
        // fixed(2, 1:3) of fixed(4, 5).
        let row = [single(1), range(mode::RANGE, 0, 8, 4)];
        assert_eq!(chosen(&row, 8).unwrap(), [8, 40, 72]);
        let backwards = [range(mode::RANGE, 3, 0, -1), single(4)];
        assert_eq!(chosen(&backwards, 2).unwrap(), [14, 12, 10, 8]);
        let open = [range(mode::OPEN_END, 2, 3, 1), range(mode::FULL, 77, 4, 4)];
        assert_eq!(chosen(&open, 1).unwrap(), [2, 3, 6, 7]);
        assert_eq!(chosen(&[vector(&[3, 0])], 4).unwrap(), [12, 0]);
        assert!(chosen(&[single(isize::MAX)], 8).is_err());
        assert!(chosen(&[(99, single(0).1)], 8).is_err());
    }
}
