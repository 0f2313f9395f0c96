//! The parts of gfortran's ABI that several front ends share: array descriptors and their elements, and how outcomes reach
//! `stat=` and `errmsg=`.
//! (GCC `libgfortran.h`, versions 12 to 16, x86-64 and LP64)

mod descriptor;
mod elements;
mod stack_descriptor;
mod status;

pub use crate::entry::elements::{Elements, Packed};
pub use descriptor::{DType, Descriptor, Dim, FullDescriptor, MAX_RANK, basic};
pub use elements::{allocate, planned};
pub(crate) use stack_descriptor::StackDescriptor;
pub use status::{ErrMsg, NamedError, Outcome, set_ok, stat};
