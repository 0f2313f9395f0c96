//! Extreme values and their locations (MPI_MINLOC and MPI_MAXLOC: MPI 4.1, 6.9.4): pairs of a value and a number that the image gives with
//! it.

use super::{Number, OPERATOR, Reduction, UserLoop};
use std::cmp::Ordering;

/// Bytes of a location.
const LOCATION: usize = size_of::<i64>();

/// The reduction of values of a type to the least or greatest ones, with the least of the locations that belong to each. A value is
/// compared as the minimum and maximum of numbers do: of floating-point numbers a NaN is ignored as long as there is another one.
#[derive(Clone, Copy)]
pub struct Located {
    /// Bytes of a value.
    value: usize,
    combine: &'static UserLoop<'static>,
    /// A number of the operation, alike on all images.
    procedure: u32,
}

impl std::fmt::Debug for Located {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Located({} of {} bytes)", self.procedure, self.value)
    }
}

impl Located {
    /// The least values of a type.
    pub fn least<T: Number>() -> Located {
        Located::of::<T>(&extreme::<T, false>, false)
    }

    /// The greatest values of a type.
    pub fn greatest<T: Number>() -> Located {
        Located::of::<T>(&extreme::<T, true>, true)
    }

    fn of<T: Number>(combine: &'static UserLoop<'static>, is_greatest: bool) -> Located {
        // The letter tells signed, unsigned and floating-point numbers apart, and the size of an element the rest.
        let class = u32::from(T::NAME.as_bytes()[0]);
        let procedure = OPERATOR | class << 8 | u32::from(is_greatest);
        Located { value: size_of::<T>(), combine, procedure }
    }

    /// Bytes of a value.
    pub fn value_len(&self) -> usize {
        self.value
    }

    /// Whether this reduction combines values of type `T`.
    pub(crate) fn is_of<T: Number>(&self) -> bool {
        let class = |procedure: u32| procedure >> 8 & 0xff;
        self.value == size_of::<T>() && class(self.procedure) == u32::from(T::NAME.as_bytes()[0])
    }

    /// The reduction of pairs.
    pub fn reduction(&self) -> Reduction<'static> {
        Reduction::user_loop(self.value + LOCATION, self.combine).by_procedure(self.procedure)
    }

    /// The pairs of `count` values and locations, one after the other.
    ///
    /// # Safety
    /// There are as many values and locations.
    pub unsafe fn pairs(&self, values: *const u8, locations: *const i64, count: usize) -> Vec<u8> {
        let mut pairs = Vec::with_capacity(count * (self.value + LOCATION));
        for at in 0..count {
            // SAFETY: there are `count` values and locations (contract above); they need not be aligned.
            let (value, location) = unsafe {
                let value = values.add(at * self.value);
                (std::slice::from_raw_parts(value, self.value), locations.add(at).read_unaligned())
            };
            pairs.extend_from_slice(value);
            pairs.extend_from_slice(&location.to_ne_bytes());
        }
        pairs
    }

    /// Puts the values and locations of pairs into their places.
    ///
    /// # Safety
    /// There is room for as many values and locations as there are pairs.
    pub unsafe fn put(&self, pairs: &[u8], values: *mut u8, locations: *mut i64) {
        for (at, pair) in pairs.chunks_exact(self.value + LOCATION).enumerate() {
            let (value, location) = pair.split_at(self.value);
            // SAFETY: there is room (contract above).
            unsafe {
                values.add(at * self.value).copy_from_nonoverlapping(value.as_ptr(), self.value);
                let location = location.try_into().map_or(0, i64::from_ne_bytes);
                locations.add(at).write_unaligned(location);
            }
        }
    }
}

/// Combines pairs of a value and a location.
fn extreme<T: Number, const GREATEST: bool>(
    dst: *mut u8,
    left: *const u8,
    right: *const u8,
    count: usize,
) {
    let pair = size_of::<T>() + LOCATION;
    for at in (0..count).map(|at| at * pair) {
        // SAFETY: a reduction calls this with vectors of `count` pairs, which need not be aligned.
        unsafe {
            let read = |side: *const u8| {
                let value = side.add(at);
                let location = value.add(size_of::<T>()).cast::<i64>();
                (value.cast::<T>().read_unaligned(), location.read_unaligned())
            };
            let (value, location) = chosen::<T, GREATEST>(read(left), read(right));
            let place = dst.add(at);
            place.cast::<T>().write_unaligned(value);
            place.add(size_of::<T>()).cast::<i64>().write_unaligned(location);
        }
    }
}

/// The more extreme of two pairs; of equal values the left one, with the lesser location.
fn chosen<T: Number, const GREATEST: bool>(left: (T, i64), right: (T, i64)) -> (T, i64) {
    let both = (left.0, left.1.min(right.1));
    let wanted = if GREATEST { Ordering::Greater } else { Ordering::Less };
    let is_nan = |number: T| number.compare(number).is_none();
    match right.0.compare(left.0) {
        Some(Ordering::Equal) => both,
        Some(order) => {
            if order == wanted {
                right
            } else {
                left
            }
        }
        None if is_nan(left.0) && is_nan(right.0) => both,
        None => {
            if is_nan(left.0) {
                right
            } else {
                left
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equal_values_the_least_location_is_taken_and_nans_are_ignored() {
        let least = chosen::<f64, false>;
        let greatest = chosen::<f64, true>;
        assert_eq!(least((2.0, 5), (1.0, 9)), (1.0, 9));
        assert_eq!(least((1.0, 5), (1.0, 3)), (1.0, 3));
        assert_eq!(greatest((2.0, 5), (1.0, 9)), (2.0, 5));
        assert_eq!(least((f64::NAN, 1), (7.0, 2)), (7.0, 2));
        assert_eq!(greatest((7.0, 2), (f64::NAN, 1)), (7.0, 2));
        let (value, location) = greatest((f64::NAN, 4), (f64::NAN, 3));
        assert!(value.is_nan() && location == 3);
        assert_eq!(chosen::<u8, true>((255, 1), (0, 0)), (255, 1));
    }

    #[test]
    fn pairs_hold_values_and_locations_of_any_size() {
        let located = Located::greatest::<i16>();
        let (mut values, mut locations) = ([3_i16, -4, 5], [7_i64, i64::MIN, 9]);
        // SAFETY: three of each.
        unsafe {
            let pairs = located.pairs(values.as_ptr().cast(), locations.as_ptr(), 3);
            let (before, places) = (values, locations);
            (values, locations) = ([0; 3], [0; 3]);
            located.put(&pairs, values.as_mut_ptr().cast(), locations.as_mut_ptr());
            assert_eq!((values, locations), (before, places));
        }
    }
}
