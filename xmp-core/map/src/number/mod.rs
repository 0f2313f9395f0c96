//! Formats of numbers: the types of elements that coarrays can have, and the real numbers that Rust
//! does not know.
//!
//! | to find | open |
//! |---|---|
//! | type and kind of an element, its size | [`ElemType`] |
//! | a real number of any format, taken apart; rounding | [`Real`] |
//! | `real(10)`: x87 extended precision | [`F80`] |
//! | `real(16)`: IEEE binary128 | [`F128`] |
//!
//! [`F80`] and [`F128`] add, multiply and compare, as reductions need. What is rounded is rounded to nearest,
//! ties to even.

mod elem_type;
mod f128;
mod f80;
mod product;
mod real;
mod sum;
#[cfg(all(test, not(loom)))]
mod tests;
#[cfg(all(test, not(loom)))]
mod vectors;

pub use elem_type::ElemType;
pub use f80::F80;
pub use f128::F128;
pub use real::{Format, Magnitude, Real};
