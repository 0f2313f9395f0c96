//! Data of any type and rank.

use crate::c::argument::Data;
use crate::entry::cfi::Descriptor;
use std::ffi::c_uint;
use xmp_core::number::ElemType;

/// Contiguous data.
#[derive(Clone, Copy, Debug)]
pub struct Values {
    pub start: Data,
    pub count: usize,
    /// The type (`xmprt_type`), or 0 for one that cannot be combined.
    pub element: c_uint,
}

impl Values {
    /// The data of a descriptor. A count that overflows becomes the largest count.
    pub fn of(data: &Descriptor) -> Values {
        let start = Data::at(data.base.get());
        Values {
            start,
            count: data.elements().unwrap_or(usize::MAX),
            element: code_of(data.element()),
        }
    }
}

/// The number of a type.
pub fn code_of(element: ElemType) -> c_uint {
    match element {
        ElemType::Integer(1) => 1,
        ElemType::Integer(2) => 2,
        ElemType::Integer(4) => 3,
        ElemType::Integer(8) => 4,
        ElemType::Real(4) => 9,
        ElemType::Real(8) => 10,
        ElemType::Real(10) => 11,
        ElemType::Real(16) => 16,
        ElemType::Complex(4) => 12,
        ElemType::Complex(8) => 13,
        ElemType::Complex(10) => 14,
        ElemType::Logical(1) => 15,
        ElemType::Logical(2) => 17,
        ElemType::Logical(4) => 18,
        ElemType::Logical(8) => 19,
        _ => 0,
    }
}
