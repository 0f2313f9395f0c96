//! What debugging information tells of types: how scalars are passed, and which real type of 16 bytes is meant.

/// How a scalar is passed and returned on its own. (System V x86-64, 3.2.3)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// In a general register: integers, logicals, characters, addresses.
    Integer,
    /// In the low half of a vector register: real(4), real(8).
    Vector,
    /// In a whole vector register: real(16).
    Quad,
    /// On the x87 stack: real(10).
    X87,
}

/// The scalars of a value, with their offsets in it.
pub type Scalars = Vec<(u64, Scalar)>;

/// A real type of 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WideReal {
    /// real(10).
    Kind10,
    /// real(16).
    Kind16,
}
