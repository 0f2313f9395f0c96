//! Sections that leave a dimension of their array and not the array: what a call tells of them.
//!
//! gfortran 12 to 14 pass vector subscripts as they are, beside the strides of the whole array, so each is compared with its
//! dimension. A section without them comes as an address and strides. It is suspicious if an axis goes on in the next line of
//! the coarray. Only a suspicion: a dummy argument of explicit shape, `d(100)[*]` for `a(10, 10)[*]`, does so by right.

use super::section::{Section, Span};
use crate::gfortran_abi::{Descriptor, Dim};
use crate::gnu::token::Shape;
use crate::gnu::types::{Subscript, SubscriptValue};
use xmp_core::{Error, Result};

/// Whether each subscript is in its dimension, where a vector subscript is among them. `section` is what they choose, and
/// the descriptor has the strides of the whole array. The last dimension ends with the coarray, which is compared elsewhere.
///
/// # Errors
/// The first subscript outside of its dimension.
pub fn check(descriptor: &Descriptor, subscripts: &[Subscript], section: &Section) -> Result<()> {
    let unit = descriptor.unit();
    for (number, pair) in descriptor.dims().windows(2).enumerate() {
        let [Dim { stride, lower, .. }, Dim { stride: line, .. }] = pair else { continue };
        let (Some(subscript), Some(stride), Some(line)) = (
            subscripts.get(number),
            (*stride as i64).checked_mul(unit).filter(|&stride| stride > 0),
            (*line as i64).checked_mul(unit),
        ) else {
            continue;
        };
        // The strides of an array without elements say nothing.
        if line < stride {
            continue;
        }
        let span = section.span(number);
        let from = match subscript.given() {
            SubscriptValue::Vector(_) => 0,
            SubscriptValue::Triplet(triplet) => {
                (triplet.start as i64).saturating_sub(*lower as i64).saturating_mul(stride)
            }
        };
        let Some(Span { least, greatest }) = span else { continue };
        let outside = [least, greatest].map(|offset| from.saturating_add(offset));
        let Some(outside) = outside.into_iter().find(|offset| !(0..line).contains(offset)) else {
            continue;
        };
        let lower = *lower as i64;
        let (subscript, upper) = (lower + outside.div_euclid(stride), lower + line / stride - 1);
        return Err(out_of_bounds(number + 1, subscript, lower, upper));
    }
    Ok(())
}

/// Whether no vector subscript has a value twice, which is wrong where elements are put (Fortran 2018, 9.5.3.3.3).
///
/// # Errors
/// The first value that is there twice.
pub fn check_distinct(subscripts: &[Subscript]) -> Result<()> {
    for (number, subscript) in subscripts.iter().enumerate() {
        let SubscriptValue::Vector(vector) = subscript.given() else { continue };
        let mut values = vector.offsets(0, 1)?;
        values.sort_unstable();
        if let Some(pair) = values.windows(2).find(|pair| pair[0] == pair[1]) {
            let value = pair[0];
            let dimension = number + 1;
            return Err(Error::Invalid(format!(
                "the vector subscript of dimension {dimension} has the value {value} more than once, so what is there afterwards is not defined"
            )));
        }
    }
    Ok(())
}

/// The error of a subscript outside of its dimension, which is counted from 1.
pub fn out_of_bounds(dimension: usize, subscript: i64, lower: i64, upper: i64) -> Error {
    Error::Invalid(format!(
        "subscript {subscript} of dimension {dimension} is not in {lower}:{upper}"
    ))
}

/// Whether an axis of a section, whose base is at byte `offset` of an array of this shape, goes on in another line of the
/// array. Costs a division for each axis.
pub fn leaves_line(shape: &Shape, offset: usize, section: &Section) -> bool {
    let Some((_, inner)) = shape.dims.split_last() else { return false };
    let start = (offset as i64).wrapping_add(section.start());
    (0..section.rank()).any(|axis| {
        let (Some(stride), Some(span)) = (section.stride(axis), section.span(axis)) else {
            return false;
        };
        let length = |dim: &Dim| {
            let strides = (dim.stride as i64).wrapping_mul(dim.extent() as i64);
            strides.wrapping_mul(shape.unit)
        };
        // Of an array without elements there is none.
        let line = inner.iter().map(length).find(|&line| stride.abs() < line);
        line.is_some_and(|line| {
            let at = start.rem_euclid(line);
            at.saturating_add(span.least) < 0 || at.saturating_add(span.greatest) >= line
        })
    })
}

/// Whether a section of a component, whose base is at byte `offset` of an array of objects of this many bytes, leaves its object. Its
/// elements have `element` bytes.
pub fn leaves_object(object: i64, offset: usize, section: &Section, element: i64) -> bool {
    let start = (offset as i64).wrapping_add(section.start()).rem_euclid(object);
    let (mut least, mut greatest) = (start, start);
    for axis in 0..section.rank() {
        let (Some(stride), Some(span)) = (section.stride(axis), section.span(axis)) else {
            return false;
        };
        // Other axes lead from object to object.
        if stride.abs() < object {
            least = least.saturating_add(span.least);
            greatest = greatest.saturating_add(span.greatest);
        }
    }
    least < 0 || greatest.saturating_add(element) > object
}

/// The same for an array whose shape is not known: whether an axis reaches the next element of the axis after it.
pub fn reaches_next_line(section: &Section) -> bool {
    (1..section.rank()).any(|axis| {
        let (Some(stride), Some(span)) = (section.stride(axis), section.span(axis - 1)) else {
            return false;
        };
        let has_more = section.span(axis).is_some_and(|outer| outer.least < outer.greatest);
        has_more && span.greatest - span.least >= stride.abs()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Elements of 4 bytes: `a(10, 5, 2)`.
    fn shape() -> Shape {
        let dim = |stride, upper| Dim { stride, lower: 1, upper };
        Shape { dims: [dim(1, 10), dim(10, 5), dim(50, 2)].into_iter().collect(), unit: 4 }
    }

    /// A section from the element with these positions on: extents, and strides in elements.
    fn leaves(from: [usize; 3], axes: &[(usize, i64)]) -> bool {
        let mut section = Section::whole();
        for &(extent, stride) in axes {
            section.add_range(extent, 4 * stride);
        }
        let [i, j, k] = from;
        leaves_line(&shape(), 4 * (i + 10 * j + 50 * k), &section)
    }

    #[test]
    fn a_section_within_its_dimensions_leaves_no_line() {
        assert!(!leaves([0, 0, 0], &[(10, 1), (5, 10), (2, 50)]));
        assert!(!leaves([9, 3, 1], &[(10, -1)]));
        assert!(!leaves([0, 0, 0], &[(4, 3)]));
        assert!(!leaves([7, 4, 1], &[(5, -10), (2, -50)]));
        assert!(!leaves([9, 4, 1], &[]));
        assert!(!leaves([9, 4, 1], &[(1, 1000), (1, 1)]));
        assert!(!leaves([9, 4, 0], &[(0, 1)]));
        // Along the last dimension the coarray ends.
        assert!(!leaves([9, 4, 0], &[(7, 50)]));
    }

    #[test]
    fn a_section_that_goes_on_in_the_next_line_leaves_it() {
        assert!(leaves([0, 2, 0], &[(12, 1)]));
        assert!(leaves([9, 1, 0], &[(4, 1)]));
        assert!(leaves([3, 1, 0], &[(5, -1)]));
        assert!(leaves([0, 0, 0], &[(5, 3)]));
        assert!(leaves([2, 0, 0], &[(6, 10)]));
        assert!(leaves([2, 0, 0], &[(2, 1), (6, 10)]));
    }

    #[test]
    fn a_section_of_a_component_stays_in_its_object() {
        // Objects of 20 bytes, with an array of 4 elements from byte 4 on.
        let leaves = |offset, axes: &[(usize, i64)]| {
            let mut section = Section::whole();
            axes.iter().for_each(|&(extent, stride)| section.add_range(extent, stride));
            leaves_object(20, offset, &section, 4)
        };
        assert!(!leaves(4, &[(4, 4)]));
        assert!(!leaves(44, &[(4, 4), (3, 20)]));
        assert!(!leaves(16, &[(3, -4)]));
        assert!(!leaves(4, &[(7, 40)]));
        assert!(!leaves(8, &[(0, 4)]));
        assert!(leaves(8, &[(4, 4)]));
        assert!(leaves(4, &[(3, 8)]));
        assert!(leaves(28, &[(4, -4)]));
        assert!(leaves(4, &[(2, 4), (2, 12), (2, 20)]));
    }

    #[test]
    fn without_a_shape_an_axis_is_compared_with_the_next_one() {
        let reaches = |axes: &[(usize, i64)]| {
            let mut section = Section::whole();
            axes.iter().for_each(|&(extent, stride)| section.add_range(extent, stride));
            reaches_next_line(&section)
        };
        assert!(reaches(&[(12, 4), (3, 40)]));
        assert!(!reaches(&[(10, 4), (3, 40)]));
        assert!(!reaches(&[(4, 12), (3, 40)]));
        assert!(reaches(&[(4, -16), (3, -40)]));
        assert!(!reaches(&[(12, 4), (1, 40)]));
        assert!(!reaches(&[(100, 4)]));
    }
}
