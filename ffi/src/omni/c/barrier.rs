//! `barrier` (XcalableMP 1.4, 4.5.6).

use crate::omni::error::done;
use crate::omni::objects::{Descriptor, NodeSet, Object};
use crate::process::{Instance, instance};
use std::ffi::c_int;
use xmp_collectives::barrier;

/// `barrier`: of the executing nodes. Programs that have ended may still ask for one, which does nothing.
///
/// The last call of a translated `main`, which is a function of another name there: where the program has no `return`, what
/// this function returns becomes the exit status. So that is 0.
#[unsafe(no_mangle)]
pub extern "C" fn _XMP_barrier_EXEC() -> c_int {
    done("barrier", || {
        let Instance { image, .. } = instance();
        Ok(barrier(image, &image.executing())?)
    });
    0
}

/// `xmp_barrier()`.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_barrier() {
    _XMP_barrier_EXEC();
}

/// `barrier on p`: of its nodes, whoever executes. In tasks beside one another all of them may come to it.
///
/// # Safety
/// `nodes` describes nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_barrier_NODES_ENTIRE(nodes: Descriptor) {
    done("barrier", || {
        let Instance { image, .. } = instance();
        // SAFETY: the caller's guarantee.
        let nodes = unsafe { Object::<NodeSet>::of(nodes)? };
        match nodes.coords {
            Some(_) => Ok(barrier(image, &*image.set(nodes.nodes.members().clone())?)?),
            None => Ok(()),
        }
    });
}
