//! ATOMIC_DEFINE and ATOMIC_REF of default integers and logicals.

use super::descriptor::{Coarray, Handle};
use super::images;
use crate::omni::error::{Outcome, done};
use crate::process::instance;
use std::ffi::c_int;
use xmp_coarray::{Location, atomic};
use xmp_core::transport::{AtomicOp, Width};
use xmp_core::{Error, Result};

/// Executes an operation on the word of an image that corresponds to `atom` here; of this image without an index.
///
/// # Safety
/// The descriptor is one of this front end; other accesses to the word are atomic, too.
unsafe fn word(
    handle: Handle,
    index: Option<c_int>,
    atom: *const c_int,
    op: AtomicOp,
    operand: c_int,
) -> Outcome<c_int> {
    let instance = instance();
    // SAFETY: the caller's guarantee.
    let coarray = unsafe { Coarray::of(handle)? };
    let at = || -> Result<Location> {
        let chunk = coarray.chunk()?;
        let within = coarray.within(&chunk, atom.cast(), 0..Width::W4.bytes() as i64)?;
        if within % Width::W4.bytes() != 0 {
            return Err(Error::Invalid(format!("byte {within} is no place of an atomic variable")));
        }
        let rank = match index {
            Some(index) => images::rank_of(instance, coarray, index)?,
            None => instance.image.rank(),
        };
        chunk.location(&instance.image, rank, within)
    };
    let at = at().map_err(|error| coarray.wrong(error))?;
    let operand = u64::from(operand.cast_unsigned());
    // SAFETY: an aligned word of the coarray.
    let old = unsafe { atomic::fetch(&instance.image, op, at, Width::W4, operand)? };
    Ok((old as u32).cast_signed())
}

/// Defines the word of an image that corresponds to `mold` here.
///
/// # Errors
/// When there is no such image, or no such word.
///
/// # Safety
/// As [`word`].
pub unsafe fn define(handle: Handle, index: c_int, mold: *const c_int, value: c_int) -> Outcome {
    // SAFETY: the caller's guarantee.
    unsafe { word(handle, Some(index), mold, AtomicOp::Swap, value) }.map(drop)
}

macro_rules! of_a_type {
    ($($define_self:ident $define:ident $ref_self:ident $ref:ident;)*) => {
        $(
            /// ATOMIC_DEFINE of this image's part.
            ///
            /// # Safety
            /// The arguments are those that the interface says.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $define_self(
                handle: *const Handle,
                atom: *const c_int,
                value: *const c_int,
            ) {
                // SAFETY: the caller's guarantee.
                done("atomic_define", || unsafe { word(*handle, None, atom, AtomicOp::Swap, *value) });
            }

            /// ATOMIC_DEFINE of an image's part.
            ///
            /// # Safety
            /// The arguments are those that the interface says.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $define(
                handle: *const Handle,
                index: *const c_int,
                mold: *const c_int,
                value: *const c_int,
            ) {
                // SAFETY: the caller's guarantee.
                done("atomic_define", || unsafe { define(*handle, *index, mold, *value) });
            }

            /// ATOMIC_REF of this image's part.
            ///
            /// # Safety
            /// The arguments are those that the interface says.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $ref_self(
                handle: *const Handle,
                atom: *const c_int,
                value: *mut c_int,
            ) {
                // SAFETY: the caller's guarantee.
                unsafe { *value = done("atomic_ref", || word(*handle, None, atom, AtomicOp::Load, 0)) };
            }

            /// ATOMIC_REF of an image's part.
            ///
            /// # Safety
            /// The arguments are those that the interface says.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $ref(
                handle: *const Handle,
                index: *const c_int,
                mold: *const c_int,
                value: *mut c_int,
            ) {
                // SAFETY: the caller's guarantee.
                unsafe {
                    *value =
                        done("atomic_ref", || word(*handle, Some(*index), mold, AtomicOp::Load, 0));
                }
            }
        )*
    };
}
of_a_type! {
    xmpf_atomic_define_self_i4_ xmpf_atomic_define_remote_i4_ xmpf_atomic_ref_self_i4_ xmpf_atomic_ref_remote_i4_;
    xmpf_atomic_define_self_l4_ xmpf_atomic_define_remote_l4_ xmpf_atomic_ref_self_l4_ xmpf_atomic_ref_remote_l4_;
}
