//! A prepared operation.

use crate::global::copy::Arrival;
use crate::global::plans::Plan;
use std::rc::Rc;

/// An operation that moves elements, on one image of the set. `reflect`, `gmove` and the like prepare it.
#[derive(Clone, Debug)]
pub struct Operation<'a> {
    /// Its name.
    pub(in crate::global) name: &'static str,
    /// The transfers of this image.
    pub(in crate::global) plan: Rc<Plan>,
    /// Start of this image's part of the array that is read.
    pub(in crate::global) from: *const u8,
    /// Start of this image's part of the array that is written.
    pub(in crate::global) to: *mut u8,
    /// The treatment of elements that arrive.
    pub(in crate::global) arrival: Arrival<'a>,
    /// Whether elements that are written may be elements that are read, here or on another image.
    pub(in crate::global) overlaps: bool,
}
