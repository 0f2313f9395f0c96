//! Reductions with locations: `firstmax`, `firstmin`, `lastmax`, `lastmin` (XcalableMP 1.4, 4.4.3), maxloc and minloc.
//!
//! The location variables of an image travel with its extreme value. Where several images have the same value, the first
//! or last iteration of the loops decides. The runtime takes the location variables for the loop indices, in the order of
//! the language: the last one belongs to the outermost loop in Fortran, the first one in C.

use super::operator::Element;
use crate::raw::allreduce;
use crate::reduction::{OPERATOR, Reduction};
use crate::signature::hash;
use std::cmp::Ordering;
use xmp_core::global::Order;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// The wanted value, and the choice among equal values.
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

/// A variable with as many elements as there are values.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Address of the first element.
    pub start: *mut u8,
    /// Type of the elements.
    pub element: Element,
}

/// Reduces `count` values to the extreme ones, and leaves these in `values` and the locations of an image that had them
/// in `locations`, on all images of the set. A NaN loses against any other value.
///
/// # Errors
/// [`Error::Invalid`] for types that have no order; when an image of the set has stopped or failed before it took part.
///
/// # Safety
/// All variables are valid for `count` elements, which nothing else accesses meanwhile.
pub unsafe fn reduce_with_locations(
    image: &Image,
    set: &ImageSet,
    extreme: Extreme,
    values: Variable,
    count: usize,
    locations: &[Variable],
    order: Order,
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
    // SAFETY: all variables are valid (contract above); `packed` has room for them.
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
    let reduction = Reduction::user(len, &take).by_procedure(number(extreme, &all, order));
    // SAFETY: `count` packed elements.
    unsafe {
        allreduce(image, set, packed.as_mut_ptr(), count, &reduction)?;
        each(&all, &mut packed, count, |variable, own, size| {
            std::ptr::copy_nonoverlapping(own, variable, size)
        });
    }
    Ok(())
}

/// A number of the reduction of these variables, by which images find that they want another extreme or give other types.
fn number(extreme: Extreme, all: &[Variable], order: Order) -> u32 {
    let class = |element: Element| match element {
        Element::Integer(_) => 1,
        Element::Unsigned(_) => 2,
        _ => 3,
    };
    let first = u64::from(order == Order::Fortran) << 8 | extreme as u64;
    let variable = |before: u64, it: &Variable| {
        u64::from(hash([before, class(it.element) << 8 | it.element.size() as u64]))
    };
    // Not one of the numbers of operators: those have zeros here.
    OPERATOR | 1 << 15 | all.iter().fold(first, variable) as u32 & 0x7fff
}

/// Calls `copy` with the address of each element, its address among the packed ones, and its size.
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

/// The order of packed elements.
struct Better {
    extreme: Extreme,
    value: Element,
    /// Offsets and types of the locations, the most significant first.
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

    /// Whether another element wins.
    ///
    /// # Safety
    /// Both are packed elements.
    unsafe fn is_other(&self, own: *const u8, other: *const u8) -> bool {
        let (greatest, last) = match self.extreme {
            Extreme::FirstMax => (true, false),
            Extreme::FirstMin => (false, false),
            Extreme::LastMax => (true, true),
            Extreme::LastMin => (false, true),
        };
        // SAFETY: both are packed elements (contract above).
        unsafe {
            match compare(self.value, other, own) {
                Some(Ordering::Equal) => {}
                Some(order) => return (order == Ordering::Greater) == greatest,
                // One is a NaN: the other one wins.
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

/// Compares two elements of a type that has an order; `None` if one is a NaN.
///
/// # Safety
/// Both are elements of this type; they need not be aligned.
unsafe fn compare(element: Element, left: *const u8, right: *const u8) -> Option<Ordering> {
    macro_rules! by {
        ($t:ty) => {
            // SAFETY: both are elements of this type (contract above).
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
