//! Types of coarray elements.

use xmp_collectives::Plain;

/// A type of which every pattern of bits is a value: elements come from memory that other images write, and
/// start as zeros. All numbers are such types, and arrays of them.
///
/// ```
/// use xmp_coarray::prelude::*;
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// #[repr(C)]
/// struct Particle {
///     position: [f64; 3],
///     charge: i64,
/// }
///
/// // SAFETY: numbers without padding between them and without a pointer.
/// unsafe impl Plain for Particle {}
/// // SAFETY: numbers only.
/// unsafe impl Element for Particle {}
///
/// run_on_threads(2, |image| {
///     let particles = Coarray::<Particle>::new(image, 10)?;
///     assert_eq!(particles.get_one(2, 9)?, Particle { position: [0.0; 3], charge: 0 });
///     particles.free()
/// })?;
/// # Ok::<(), Error>(())
/// ```
///
/// # Safety
/// Implementors promise the above. (That there is no padding is part of [`Plain`].)
pub unsafe trait Element: Plain {}

/// Calls a macro with the types that are numbers (all that implement [`xmp_collectives::Number`]; a blanket
/// implementation would exclude arrays).
macro_rules! for_numbers {
    ($apply:ident) => {
        $apply!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64);
    };
}
pub(super) use for_numbers;

macro_rules! elements {
    ($($t:ty),*) => {$(
        // SAFETY: a primitive number.
        unsafe impl Element for $t {}
    )*};
}

for_numbers!(elements);

// SAFETY: nothing but its elements.
unsafe impl<T: Element, const N: usize> Element for [T; N] {}
