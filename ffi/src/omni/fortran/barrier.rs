//! `barrier` (XcalableMP 1.4, 4.5.6).

use super::reference::nodes_on;
use crate::omni::error::done;
use crate::omni::objects::Descriptor;
use crate::process::instance;
use xmp_collectives::barrier;

/// `barrier [on ...]`.
///
/// # Safety
/// `on` is valid and holds 0 or describes a reference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_barrier__(on: *const Descriptor) {
    done("barrier", || {
        let image = &instance().image;
        // SAFETY: the caller's guarantee.
        let Some(nodes) = (unsafe { nodes_on(on)? }) else { return Ok(()) };
        match nodes.set(image)? {
            Some(set) => Ok(barrier(image, &set)?),
            None => Ok(()),
        }
    });
}
