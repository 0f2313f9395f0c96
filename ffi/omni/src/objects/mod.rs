//! The objects that descriptors of programs point to, beside nodes, templates and arrays.

mod codes;

pub use codes::{
    DERIVED, Element, element_of, extreme_of, fortran_bytes_of, fortran_element_of, operator_of,
};
pub use xmp_ffi::global::{
    Alignment, ArrayObject, Bytes, CoarrayObject, CoarrayTriplet, Described, Descriptor, Dim,
    Equivalence, GmoveOperand, NodeSet, Object, Subscripts, TemplateObject, Triplets, hand_out,
    sized, subscripts,
};
