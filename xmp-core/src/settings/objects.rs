//! The settings of coarrays in programs that the Omni compiler has translated. Names that start with XMPF are those of its own
//! runtime.

use super::Setting;
use super::value::{bytes, optional, size, switch};
use crate::error::Result;

/// Their rows of the table.
pub const ROWS: [Setting; 5] = [
    Setting {
        name: "XMPF_COARRAY_POOL",
        default: "40M",
        meaning: "bytes up to which a static coarray of a program translated by Omni shares the memory pool; and of \
                  deallocated coarrays that are kept until younger ones are deallocated (bytes, or K, M, G)",
    },
    Setting {
        name: "XMPF_COARRAY_METHOD",
        default: "rs",
        meaning: "where allocatable coarrays of such programs are: rs (runtime sharing: in the segments), ra (runtime \
                  allocation: in the processes' memory, which others reach through the system)",
    },
    Setting {
        name: "XMPF_COARRAY_SCHEME",
        default: "direct",
        meaning: "how such programs put and get: direct (straight between both sides), buffered (by way of a local buffer, \
                  as for networks that need registered memory on both sides)",
    },
    Setting {
        name: "XMPF_COARRAY_BUF",
        default: "400000",
        meaning: "bytes of that buffer (bytes, or K, M)",
    },
    Setting {
        name: "XMPF_COARRAY_SYNCPUT",
        default: "0",
        meaning: "1: such programs wait until each put is complete; 0: a put is complete at the next image control \
                  statement, or where the program gets what it has put",
    },
];

/// What they say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectSettings {
    /// `XMPF_COARRAY_POOL`, bytes.
    pub threshold: u64,
    /// `XMPF_COARRAY_METHOD` is ra.
    pub allocation: bool,
    /// `XMPF_COARRAY_SCHEME` is buffered.
    pub buffered: bool,
    /// `XMPF_COARRAY_BUF`, bytes.
    pub buffer: u32,
    /// `XMPF_COARRAY_SYNCPUT`.
    pub blocking: bool,
}

/// Reads them.
///
/// # Errors
/// [`crate::Error::Setting`].
pub fn read(get: impl Fn(&'static str) -> Result<Option<String>> + Copy) -> Result<ObjectSettings> {
    let one_of = |name, [no, yes]: [&'static str; 2]| {
        optional(name, get, move |value| match value {
            value if value == no => Ok(false),
            value if value == yes => Ok(true),
            _ => Err(format!("{no} or {yes}")),
        })
    };
    Ok(ObjectSettings {
        threshold: optional("XMPF_COARRAY_POOL", get, size)?.unwrap_or(40 << 20),
        allocation: one_of("XMPF_COARRAY_METHOD", ["rs", "ra"])?.unwrap_or(false),
        buffered: one_of("XMPF_COARRAY_SCHEME", ["direct", "buffered"])?.unwrap_or(false),
        buffer: optional("XMPF_COARRAY_BUF", get, |v| bytes(v, 1..=1 << 30))?.unwrap_or(400_000),
        blocking: optional("XMPF_COARRAY_SYNCPUT", get, switch)?.unwrap_or(false),
    })
}
