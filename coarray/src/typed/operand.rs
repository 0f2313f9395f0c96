//! Operands of collective subroutines: a number, or several.

use bytemuck::Pod;

/// A number, or an array, slice or vector of values; all of it is one operand of a collective subroutine, which
/// combines or copies it element by element.
pub trait Operand {
    /// The type of its elements.
    type Element: Pod;

    /// Its elements.
    fn elements(&mut self) -> &mut [Self::Element];
}

macro_rules! numbers {
    ($($t:ty),*) => {$(
        impl Operand for $t {
            type Element = $t;
            fn elements(&mut self) -> &mut [$t] {
                std::slice::from_mut(self)
            }
        }
    )*};
}

numbers!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64);

impl<T: Pod> Operand for [T] {
    type Element = T;
    fn elements(&mut self) -> &mut [T] {
        self
    }
}

impl<T: Pod, const N: usize> Operand for [T; N] {
    type Element = T;
    fn elements(&mut self) -> &mut [T] {
        self
    }
}

impl<T: Pod> Operand for Vec<T> {
    type Element = T;
    fn elements(&mut self) -> &mut [T] {
        self
    }
}
