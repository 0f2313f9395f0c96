//! Puts to sections of components whose source has more elements than there is place for.
//!
//! Fortran wants equal shapes, and the compiler cannot always see that they differ. OpenCoarrays and the accessors of
//! gfortran 15 and later take as many elements as the section has, and programs that were only ever run with those
//! have come to rely on it: so it is a warning here. A section that wants more elements than there are stays an
//! error, and so does a whole component, which cannot change its shape.

use super::types::{Reference, mode, step};
use crate::gnu::transfer::Resolved;
use crate::process::Instance;
use std::sync::Once;

/// Leaves of the source what the section that the steps lead to has place for.
///
/// # Safety
/// The compiler made the steps.
pub unsafe fn drop_surplus(
    instance: &Instance,
    steps: *const Reference,
    dst: &Resolved,
    src: &mut Resolved,
) {
    let (to, from) = (dst.section.shape(), src.section.shape());
    // SAFETY: the caller's guarantee.
    if to == from || !unsafe { ends_with_section(steps) } || !src.section.cut(&to) {
        return;
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let image = instance.image.rank().image();
        eprintln!(
            "xmp: image {image}: warning: put: the shapes do not conform: {to:?} at the destination, {from:?} at the \
             source, whose surplus elements are not put"
        );
    });
}

/// Whether the last array on the way is subscripted otherwise than by `:` alone.
unsafe fn ends_with_section(steps: *const Reference) -> bool {
    let (mut section, mut step) = (false, steps);
    // SAFETY: the compiler made the steps, each of which ends the list or leads on; the mode says what is given.
    while let Some(here) = unsafe { step.as_ref() } {
        if here.kind != step::COMPONENT {
            // SAFETY: as above.
            let array = unsafe { &here.u.array };
            let subscripts = array.mode.iter().zip(&array.dim);
            section = subscripts.take_while(|(how, _)| **how != mode::NONE).any(|(how, given)| {
                // SAFETY: as above.
                *how != mode::FULL || unsafe { given.range.stride } > 1
            });
        }
        step = here.next;
    }
    section
}
