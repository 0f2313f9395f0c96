//! LFortran's own array descriptors. In the C descriptor of an assumed-rank argument LFortran 0.67 leaves the dimensions
//! undefined, so the module for LFortran (`prif_lfortran.F90`) asks here.

use crate::entry::cfi::{Descriptor, Dim};
use crate::entry::entries;

/// A descriptor of LFortran 0.67.
#[repr(C)]
#[derive(Debug)]
pub struct LfortranDescriptor {
    header: Descriptor,
    offset: i64,
    /// Lower bound, extent, and elements from one to the next; as many as the rank says.
    dims: [Dim; 0],
}

entries! {
    /// Gives the C descriptor of an argument the dimensions of LFortran's own.
    fn xmp_prif_lfortran_dims(list: &Descriptor, own: &LfortranDescriptor) {
        let elem_len = list.elem_len.get() as i64;
        // As in `Descriptor::dims`: memory that comes from the program is exposed.
        let first = std::ptr::with_exposed_provenance::<Dim>((&raw const own.dims).addr());
        for (at, place) in list.dims().iter().enumerate() {
            // SAFETY: the contract of entries: LFortran's descriptor has as many dimensions as the C descriptor.
            let Dim { lower, extent, stride } = unsafe { *first.add(at) };
            place.set(Dim { lower, extent, stride: stride.saturating_mul(elem_len) });
        }
    }
}
