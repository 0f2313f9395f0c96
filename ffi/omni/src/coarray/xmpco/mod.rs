//! The object interface XMPCO_*: coarrays as C functions have them, for layers that are written on top ("Coarray Object
//! Interface", wiki of the Omni compiler). Translated programs do not call them. `include/xmpco.h`
//! declares them.

mod attributes;
mod memory;
mod sections;

use crate::coarray::sync;
use xmp_coarray::front_end::sync_all;
use xmp_core::plugin::Communicator;
use xmp_ffi::process::{communicator_of_nodes, instance};
use xmp_ffi::xmp::error::{DirectiveError, done};

/// SYNC ALL.
#[unsafe(no_mangle)]
pub extern "C" fn XMPCO_sync_all() {
    done("XMPCO_sync_all", sync::all);
}

/// SYNC ALL where the language has one without saying so.
#[unsafe(no_mangle)]
pub extern "C" fn XMPCO_sync_all_auto() {
    done("XMPCO_sync_all_auto", sync::all);
}

/// SYNC ALL of the processes of a communicator: that of the executing images or of all images, as this library
/// gives them out. (An integer or a pointer, according to the MPI; either is a register.)
#[unsafe(no_mangle)]
pub extern "C" fn XMPCO_sync_all_withComm(comm: u64) {
    done("XMPCO_sync_all_withComm", || {
        let instance = instance();
        let image = &instance.image;
        for set in [image.executing(), image.stack().initial()] {
            let Communicator { c, c_size, .. } = communicator_of_nodes(instance, &set)?.0;
            let bits = u64::MAX >> (64 - 8 * c_size.clamp(1, 8));
            if c & bits == comm & bits {
                return Ok(sync_all(image, &set)?);
            }
        }
        Err(DirectiveError::because(
            "not the communicator of the executing images, nor that of all",
        ))
    });
}
