//! `libxmprt`: the front ends as the shared and the static library that programs are linked with.

// Its entry functions are the library.
use xmp_ffi as _;
