//! `xmp_transpose`.

use super::Caller;
use crate::global::Storage;
use crate::global::gmove::{Kind, assign};
use xmp_core::Result;
use xmp_core::global::Section;

/// Assigns the transpose of `a` to `x`, whatever the mappings of both: each element goes straight to where it belongs.
/// Of arrays with more than two dimensions, they are all reversed. `a` stays as it is.
///
/// # Errors
/// As [`crate::global::gmove()`]; the shape of `x` has to be that of `a` reversed.
///
/// # Safety
/// As [`crate::global::gmove()`].
pub unsafe fn transpose(caller: Caller<'_>, x: &Storage, a: &Storage) -> Result<()> {
    let (to, from) = (Section::all(&x.array), Section::all(&a.array));
    let kind = Kind { name: "transpose", transposed: true };
    // SAFETY: both storages are valid (contract above).
    unsafe { assign(caller.image, caller.set, caller.plans, ((x, &to), (a, &from)), kind) }
}
