//! Which gfortran has compiled the program, as far as calls differ. (GNU-LIBCAF section 10)
//!
//! gfortran 16 passes other arguments to functions of the same names, and nothing in a call says so. Whoever links
//! says it: `xmpfc` looks at the compiler's version and, from 16 on, defines the symbol `xmp_gfortran_abi`; by hand,
//! `pkg-config --libs xmp-gfortran16` has the option, `-Wl,--defsym=xmp_gfortran_abi=16`.

use super::weak::weak;

/// What a program has to be linked with that gfortran 16 or a later version compiles.
pub const OPTION: &str = "-Wl,--defsym=xmp_gfortran_abi=16";

/// A convention for the arguments of team calls, THIS_IMAGE and NUM_IMAGES.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convention {
    /// That of gfortran 12 to 15.
    Until15,
    /// That of gfortran 16.
    Since16,
}

/// The convention of this program.
#[inline]
pub fn convention() -> Convention {
    // The "address" is the number that the symbol was defined as.
    match weak!("xmp_gfortran_abi").addr() {
        0..16 => Convention::Until15,
        _ => Convention::Since16,
    }
}
