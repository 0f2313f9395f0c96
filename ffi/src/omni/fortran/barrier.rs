//! `barrier` (XcalableMP 1.4, 4.5.6). Of the nodes that it names, whoever executes: in tasks beside one another all of them
//! may come to it.

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
        match nodes.coords {
            Some(_) => Ok(barrier(image, &*image.set(nodes.nodes.members().clone())?)?),
            None => Ok(()),
        }
    });
}
