//! The real numbers that Rust does not know: `real(10)` and `real(16)`.

use super::Number;
use xmp_core::number::{F80, F128};

macro_rules! wide_reals {
    ($($t:ty),*) => {$(
        // SAFETY: sixteen bytes of which every pattern is valid.
        unsafe impl Number for $t {
            #[inline]
            fn sum(self, other: Self) -> Self {
                self + other
            }
            // A NaN is not even equal to itself.
            #[inline]
            #[expect(clippy::eq_op, reason = "asks for a NaN")]
            fn least(self, other: Self) -> Self {
                if other < self || self != self { other } else { self }
            }
            #[inline]
            #[expect(clippy::eq_op, reason = "asks for a NaN")]
            fn greatest(self, other: Self) -> Self {
                if other > self || self != self { other } else { self }
            }
        }
    )*};
}

wide_reals!(F80, F128);
