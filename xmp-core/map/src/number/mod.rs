//! Formats of numbers: the types of elements that coarrays can have, and the real numbers that Rust
//! does not know.
//!
//! | to find | open |
//! |---|---|
//! | type and kind of an element, its size | [`ElemType`] |
//! | `real(10)`: x87 extended precision | [`F80`] |
//! | `real(16)`: IEEE binary128 | [`F128`] |
//!
//! [`F80`] and [`F128`] add, multiply and compare, as reductions need. What is rounded is rounded to nearest,
//! ties to even.

mod elem_type;
#[cfg(all(test, not(loom)))]
mod tests;
#[cfg(all(test, not(loom)))]
mod vectors;
mod wide;

pub use elem_type::ElemType;
pub use wide::{F80, F128};
