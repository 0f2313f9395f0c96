//! Operands of collective subroutines: a number, or several.

use super::element::for_numbers;
use xmp_collectives::Plain;

/// A number, or an array, slice or vector of values; all of it is one operand of a collective subroutine, which
/// combines or copies it element by element.
pub trait Operand {
    /// The type of its elements.
    type Element: Plain;

    /// Its elements.
    fn elements(&mut self) -> &mut [Self::Element];
}

macro_rules! operands {
    ($($t:ty),*) => {$(
        impl Operand for $t {
            type Element = $t;
            fn elements(&mut self) -> &mut [$t] {
                std::slice::from_mut(self)
            }
        }
    )*};
}

for_numbers!(operands);

impl<T: Plain> Operand for [T] {
    type Element = T;
    fn elements(&mut self) -> &mut [T] {
        self
    }
}

impl<T: Plain, const N: usize> Operand for [T; N] {
    type Element = T;
    fn elements(&mut self) -> &mut [T] {
        self
    }
}

impl<T: Plain> Operand for Vec<T> {
    type Element = T;
    fn elements(&mut self) -> &mut [T] {
        self
    }
}
