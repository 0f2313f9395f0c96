//! The object interface XMPCO_*: coarrays as C functions have them, for layers that are written on top ("Coarray Object
//! Interface", wiki of the Omni compiler). Translated programs do not call them. `ffi/omni/include/xmpco.h`
//! declares them.

mod attributes;
mod memory;
mod sections;
mod synchronisation;
