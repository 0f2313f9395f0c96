//! Settings of coarrays in programs that the Omni compiler has translated. Their names begin with XMPF, as in Omni's
//! own runtime.

/// The values of `XMPF_COARRAY_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectSettings {
    /// `XMPF_COARRAY_POOL`, bytes.
    pub threshold: u64,
    /// Whether `XMPF_COARRAY_METHOD` is ra.
    pub allocation: bool,
    /// `XMPF_COARRAY_SYNCPUT`.
    pub blocking: bool,
}

impl Default for ObjectSettings {
    fn default() -> Self {
        ObjectSettings { threshold: 40 << 20, allocation: false, blocking: false }
    }
}
