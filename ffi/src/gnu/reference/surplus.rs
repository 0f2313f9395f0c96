//! Puts to sections of components whose source has more elements than there is place for.
//!
//! Fortran wants equal shapes, and the compiler cannot always see that they differ. OpenCoarrays and the accessors of
//! gfortran 15 and later take as many elements as the section has, and programs that were only ever run with those
//! have come to rely on it: so it is a warning here. A section that wants more elements than there are stays an
//! error, and so does a whole component, which cannot change its shape.

use super::types::{DimensionSelection, Reference, Step, mode};
use crate::gnu::transfer::Resolved;
use crate::process::Instance;
use std::sync::Once;
use xmp_core::launch::report;

/// Leaves of the source what the section that the steps lead to has place for.
pub fn drop_surplus(
    instance: &Instance,
    steps: Option<&Reference<'_>>,
    dst: &Resolved,
    src: &mut Resolved,
) {
    let (to, from) = (dst.section.shape(), src.section.shape());
    if to == from || !ends_with_section(steps) || !src.section.cut(&to) {
        return;
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let image = instance.image.rank().image();
        report(format_args!(
            "image {image}: warning: put: the shapes do not conform: {to:?} at the destination, {from:?} at the source, \
             whose surplus elements are not put"
        ));
    });
}

/// Whether the last array on the way is subscripted otherwise than by `:` alone.
fn ends_with_section(steps: Option<&Reference<'_>>) -> bool {
    let (mut section, mut next) = (false, steps);
    while let Some(reference) = next {
        if let Step::Array(array) | Step::StaticArray(array) = reference.step() {
            let rank = array.mode.iter().take_while(|how| **how != mode::NONE).count();
            section = (0..rank).any(|number| match array.subscript(number) {
                DimensionSelection::Vector(_) => true,
                DimensionSelection::Range(how, range) => how != mode::FULL || range.stride > 1,
            });
        }
        next = reference.next;
    }
    section
}
