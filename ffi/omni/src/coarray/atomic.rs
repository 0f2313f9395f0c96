//! ATOMIC_DEFINE and ATOMIC_REF of default integers and logicals.

use super::descriptor::Coarray;
use super::images;
use std::cell::Cell;
use std::ffi::c_int;
use xmp_coarray::front_end::{Location, atomic};
use xmp_core::transport::{AtomicOp, Width};
use xmp_core::{Error, Result};
use xmp_ffi::process::instance;
use xmp_ffi::xmp::entry::{Memory, for_fortran};
use xmp_ffi::xmp::error::Outcome;

/// Executes an operation on the word of an image that corresponds to `atom` here; of this image without an index.
fn word(
    coarray: &Coarray,
    index: Option<c_int>,
    atom: Memory,
    op: AtomicOp,
    operand: c_int,
) -> Outcome<c_int> {
    let instance = instance();
    let at = || -> Result<Location> {
        let chunk = coarray.chunk()?;
        let within = coarray.within(&chunk, atom.start(), 0..Width::W4.bytes() as i64)?;
        if within % Width::W4.bytes() != 0 {
            let why = format!("offset {within} does not address an atomic variable");
            return Err(Error::Invalid(why));
        }
        let rank = match index {
            Some(index) => images::rank_of(instance, coarray, index)?,
            None => instance.image.rank(),
        };
        chunk.location(&instance.image, rank, within)
    };
    let at = at().map_err(|error| coarray.wrong(error))?;
    let operand = u64::from(operand.cast_unsigned());
    // SAFETY: an aligned word of the coarray; the contract of entries: other accesses to it are atomic, too.
    let old = unsafe { atomic::fetch(&instance.image, op, at, Width::W4, operand)? };
    Ok((old as u32).cast_signed())
}

/// Defines the word of an image that corresponds to `mold` here.
///
/// # Errors
/// When there is no such image, or no such word.
pub fn define(coarray: &Coarray, index: c_int, mold: Memory, value: c_int) -> Outcome {
    word(coarray, Some(index), mold, AtomicOp::Swap, value).map(drop)
}

/// Declares the procedures for a type of 4 bytes.
macro_rules! of_a_type {
    ($($define_self:ident $define:ident $ref_self:ident $ref:ident;)*) => { for_fortran! { $(
        /// ATOMIC_DEFINE of this image's part.
        "atomic_define" fn $define_self(coarray: &Coarray, atom: Memory, value: c_int) {
            word(coarray, None, atom, AtomicOp::Swap, value).map(drop)
        }
        /// ATOMIC_DEFINE of an image's part.
        "atomic_define" fn $define(coarray: &Coarray, index: c_int, mold: Memory, value: c_int) {
            define(coarray, index, mold, value)
        }
        /// ATOMIC_REF of this image's part.
        "atomic_ref" fn $ref_self(coarray: &Coarray, atom: Memory, value: &Cell<c_int>) {
            value.set(word(coarray, None, atom, AtomicOp::Load, 0)?);
            Ok(())
        }
        /// ATOMIC_REF of an image's part.
        "atomic_ref" fn $ref(coarray: &Coarray, index: c_int, mold: Memory, value: &Cell<c_int>) {
            value.set(word(coarray, Some(index), mold, AtomicOp::Load, 0)?);
            Ok(())
        }
    )* } };
}

of_a_type! {
    xmpf_atomic_define_self_i4_ xmpf_atomic_define_remote_i4_ xmpf_atomic_ref_self_i4_ xmpf_atomic_ref_remote_i4_;
    xmpf_atomic_define_self_l4_ xmpf_atomic_define_remote_l4_ xmpf_atomic_ref_self_l4_ xmpf_atomic_ref_remote_l4_;
}
