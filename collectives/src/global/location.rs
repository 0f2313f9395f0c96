//! Reductions with locations: `firstmax`, `firstmin`, `lastmax`, `lastmin` (XcalableMP 1.4, 4.4.3), maxloc and minloc.
//!
//! With the extreme value travel the location variables of the image that has it. Where several have it, the first or
//! last iteration of the loops decides; of that the runtime knows the location variables only. They are taken for the
//! indices of the loops in the order of the language: in Fortran the last one is that of the outermost loop, in C the
//! first.

use super::operator::Element;
use crate::raw::allreduce;
use crate::reduction::Reduction;
use std::cmp::Ordering;
use xmp_core::global::Order;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// Which element is wanted, and which of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// The greatest; the first of them. Also maxloc.
    FirstMax,
    /// The smallest; the first of them. Also minloc.
    FirstMin,
    /// The greatest; the last of them.
    LastMax,
    /// The smallest; the last of them.
    LastMin,
}

/// As many elements as there are values, at an address.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// The first.
    pub start: *mut u8,
    /// Their type.
    pub element: Element,
}

/// Leaves in `values` of all images of the set, for each of `count` values, the extreme one, and in `locations` those
/// of an image that had it. Of reals a NaN is not wanted as long as there is another value.
///
/// # Errors
/// [`Error::Invalid`] for types that have no order; when an image of the set has stopped or failed without taking part.
///
/// # Safety
/// All variables are valid for `count` elements, which no other image accesses meanwhile.
///
/// # Panics
/// When this image is not in the set.
pub unsafe fn reduce_with_locations(
    image: &Image,
    set: &ImageSet,
    extreme: Extreme,
    (values, count): (Variable, usize),
    (locations, order): (&[Variable], Order),
) -> Result<()> {
    for variable in locations.iter().chain([&values]) {
        if !has_order(variable.element) {
            let element = variable.element;
            return Err(Error::Invalid(format!("there is no {extreme:?} of {element}")));
        }
    }
    let all: Vec<Variable> = std::iter::once(values).chain(locations.iter().copied()).collect();
    let len: usize = all.iter().map(|variable| variable.element.size()).sum();
    let mut packed = vec![0_u8; len * count];
    // SAFETY: the value and its variables are valid (contract above); `packed` has room for all.
    unsafe {
        each(&all, &mut packed, count, |variable, own, size| {
            std::ptr::copy_nonoverlapping(variable, own, size)
        })
    };
    let better = Better::new(extreme, &all, order);
    let take = |acc: *mut u8, x: *const u8| {
        // SAFETY: a reduction calls this with two packed elements.
        unsafe {
            if better.is_other(acc, x) {
                std::ptr::copy_nonoverlapping(x, acc, len);
            }
        }
    };
    let reduction = Reduction::user(len, &take);
    // SAFETY: `count` packed elements.
    unsafe {
        allreduce(image, set, packed.as_mut_ptr(), count, &reduction)?;
        each(&all, &mut packed, count, |variable, own, size| {
            std::ptr::copy_nonoverlapping(own, variable, size)
        });
    }
    Ok(())
}

/// Calls `copy(element of a variable, its place in the packed ones, size)` for all.
///
/// # Safety
/// The variables are valid for `count` elements.
unsafe fn each(
    all: &[Variable],
    packed: &mut [u8],
    count: usize,
    copy: impl Fn(*mut u8, *mut u8, usize),
) {
    let mut place = packed.as_mut_ptr();
    for i in 0..count {
        for Variable { start, element } in all {
            let size = element.size();
            copy(start.wrapping_add(i * size), place, size);
            place = place.wrapping_add(size);
        }
    }
}

/// When another element is wanted instead.
struct Better {
    extreme: Extreme,
    value: Element,
    /// Locations and their offsets, the most significant first.
    locations: Vec<(usize, Element)>,
}

impl Better {
    fn new(extreme: Extreme, all: &[Variable], order: Order) -> Better {
        let mut offset = 0;
        let place = |variable: &Variable| {
            let at = offset;
            offset += variable.element.size();
            (at, variable.element)
        };
        let mut locations: Vec<(usize, Element)> = all.iter().map(place).collect();
        let (_, value) = locations.remove(0);
        if order == Order::Fortran {
            locations.reverse();
        }
        Better { extreme, value, locations }
    }

    /// # Safety
    /// Both are packed elements.
    unsafe fn is_other(&self, own: *const u8, other: *const u8) -> bool {
        let (greatest, last) = match self.extreme {
            Extreme::FirstMax => (true, false),
            Extreme::FirstMin => (false, false),
            Extreme::LastMax => (true, true),
            Extreme::LastMin => (false, true),
        };
        // SAFETY: the value and its variables are valid (contract above).
        unsafe {
            match compare(self.value, other, own) {
                Some(Ordering::Equal) => {}
                Some(order) => return (order == Ordering::Greater) == greatest,
                // A NaN: the one that is none.
                None => return compare(self.value, own, own).is_none(),
            }
            for &(at, element) in &self.locations {
                match compare(element, other.add(at), own.add(at)) {
                    Some(Ordering::Greater) => return last,
                    Some(Ordering::Less) => return !last,
                    _ => {}
                }
            }
        }
        false
    }
}

fn has_order(element: Element) -> bool {
    matches!(
        element,
        Element::Integer(1 | 2 | 4 | 8) | Element::Unsigned(1 | 2 | 4 | 8) | Element::Real(4 | 8)
    )
}

/// # Safety
/// Both are elements of this type, which has an order; anywhere.
unsafe fn compare(element: Element, left: *const u8, right: *const u8) -> Option<Ordering> {
    macro_rules! by {
        ($t:ty) => {
            // SAFETY: the value and its variables are valid (contract above).
            unsafe {
                let (left, right) =
                    (left.cast::<$t>().read_unaligned(), right.cast::<$t>().read_unaligned());
                left.partial_cmp(&right)
            }
        };
    }
    match element {
        Element::Integer(1) => by!(i8),
        Element::Integer(2) => by!(i16),
        Element::Integer(4) => by!(i32),
        Element::Integer(_) => by!(i64),
        Element::Unsigned(1) => by!(u8),
        Element::Unsigned(2) => by!(u16),
        Element::Unsigned(4) => by!(u32),
        Element::Unsigned(_) => by!(u64),
        Element::Real(4) => by!(f32),
        _ => by!(f64),
    }
}
