//! Atomic subroutines on variables of 8 bytes.
//!
//! The contract of entries here: the variable that is named is an integer or a logical of 8 bytes that only atomic
//! subroutines access.

use super::dummies::{AtomicInteger, AtomicLogical};
use super::handle::Handle;
use super::place::{Target, local_word};
use super::table::procedures;
use crate::process::{enter, instance};
use std::cell::Cell;
use std::ffi::c_int;
use xmp_coarray::front_end::{atomic, races};
use xmp_core::Result;
use xmp_core::races::Kind;
use xmp_core::transport::{AtomicOp, Width, compare_swap_word, fetch_word};

/// The former value of a variable of a coarray after an operation on it.
#[inline(always)]
fn direct(
    op: AtomicOp,
    image_num: c_int,
    handle: Handle,
    offset: usize,
    operand: i64,
) -> Result<i64> {
    if let Some((own, word)) = local_word(&image_num, handle, &offset)
        // On several hosts, a change may have to complete puts first.
        && if op == AtomicOp::Load { own.polled_fast() } else { own.one_host() }
    {
        // SAFETY: mapped and aligned, as found; accessed atomically by the contract.
        return Ok(unsafe { fetch_word(op, word, Width::W8, operand as u64) } as i64);
    }
    any(op, image_num, Target::Direct(handle, "coarray_handle", offset), operand)
}

/// The same of a variable at an address.
fn at_address(op: AtomicOp, image_num: c_int, address: isize, operand: i64) -> Result<i64> {
    any(op, image_num, Target::Indirect(address, "atom_remote_ptr"), operand)
}

/// The slow path: any variable.
#[inline(never)]
fn any(op: AtomicOp, image_num: c_int, variable: Target<'_>, operand: i64) -> Result<i64> {
    let _entered = enter();
    let image = &instance().image;
    let at = variable.place_of_word(image_num)?;
    if op == AtomicOp::Load {
        image.polled();
    }
    let kind = if op == AtomicOp::Load { Kind::AtomicRead } else { Kind::AtomicWrite };
    let found = races::atomic(image, at, Width::W8, kind, || {
        // SAFETY: in a coarray and aligned, as found; accessed atomically by the contract.
        unsafe { atomic::fetch(image, op, at, Width::W8, operand as u64) }
    })?;
    Ok(found as i64)
}

/// The former value of a variable of a coarray, which becomes `new` if it is `compare`.
#[inline(always)]
fn swapped(
    image_num: c_int,
    handle: Handle,
    offset: usize,
    [compare, new]: [i64; 2],
) -> Result<i64> {
    if let Some((own, word)) = local_word(&image_num, handle, &offset)
        && own.polled_fast()
    {
        // SAFETY: mapped and aligned, as found; accessed atomically by the contract.
        return Ok(unsafe { compare_swap_word(word, Width::W8, compare as u64, new as u64) } as i64);
    }
    any_swapped(image_num, Target::Direct(handle, "coarray_handle", offset), [compare, new])
}

/// The same of any variable.
#[inline(never)]
fn any_swapped(image_num: c_int, variable: Target<'_>, [compare, new]: [i64; 2]) -> Result<i64> {
    let _entered = enter();
    let image = &instance().image;
    let at = variable.place_of_word(image_num)?;
    image.polled();
    let found = races::atomic(image, at, Width::W8, Kind::AtomicWrite, || {
        // SAFETY: in a coarray and aligned, as found; accessed atomically by the contract.
        unsafe { atomic::compare_swap(image, at, Width::W8, compare as u64, new as u64) }
    })?;
    Ok(found as i64)
}

/// Declares the subroutines of an operation: without and with the former value, of a coarray and at an address.
macro_rules! operations {
    ($(
        $op:ident $doc:literal $fetch_doc:literal:
        $direct:ident $indirect:ident $fetch:ident $fetch_indirect:ident
    )+) => { procedures! {$(
        #[doc = $doc]
        fast fn $direct(image_num: &c_int, coarray_handle: &Handle, offset: &usize, value: &AtomicInteger) [_: stat] {
            direct(AtomicOp::$op, *image_num, *coarray_handle, *offset, value.0).map(drop)
        }

        #[doc = $doc]
        entered fn $indirect(image_num: &c_int, atom_remote_ptr: &isize, value: &AtomicInteger) [_: stat] {
            at_address(AtomicOp::$op, *image_num, *atom_remote_ptr, value.0).map(drop)
        }

        #[doc = $fetch_doc]
        fast fn $fetch(
            image_num: &c_int,
            coarray_handle: &Handle,
            offset: &usize,
            value: &AtomicInteger,
            old: &Cell<AtomicInteger>,
        ) [_: stat] {
            old.set(AtomicInteger(direct(AtomicOp::$op, *image_num, *coarray_handle, *offset, value.0)?));
            Ok(())
        }

        #[doc = $fetch_doc]
        entered fn $fetch_indirect(
            image_num: &c_int,
            atom_remote_ptr: &isize,
            value: &AtomicInteger,
            old: &Cell<AtomicInteger>,
        ) [_: stat] {
            old.set(AtomicInteger(at_address(AtomicOp::$op, *image_num, *atom_remote_ptr, value.0)?));
            Ok(())
        }
    )+} };
}

/// Arithmetic and bitwise operations.
pub(super) mod operations {
    use super::*;

    operations! {
        Add " ATOMIC_ADD." " ATOMIC_FETCH_ADD.":
            atomic_add atomic_add_indirect atomic_fetch_add atomic_fetch_add_indirect
        And " ATOMIC_AND." " ATOMIC_FETCH_AND.":
            atomic_and atomic_and_indirect atomic_fetch_and atomic_fetch_and_indirect
        Or " ATOMIC_OR." " ATOMIC_FETCH_OR.":
            atomic_or atomic_or_indirect atomic_fetch_or atomic_fetch_or_indirect
        Xor " ATOMIC_XOR." " ATOMIC_FETCH_XOR.":
            atomic_xor atomic_xor_indirect atomic_fetch_xor atomic_fetch_xor_indirect
    }
}

/// Declares the subroutines of a type: define, reference, compare and swap.
macro_rules! accesses {
    ($(
        $type:ident: $define:ident $define_indirect:ident $reference:ident $reference_indirect:ident
        $swap:ident $swap_indirect:ident
    )+) => { procedures! {$(
        /// ATOMIC_DEFINE.
        fast fn $define(image_num: &c_int, coarray_handle: &Handle, offset: &usize, value: &$type) [_: stat] {
            direct(AtomicOp::Swap, *image_num, *coarray_handle, *offset, value.0).map(drop)
        }

        /// ATOMIC_DEFINE.
        entered fn $define_indirect(image_num: &c_int, atom_remote_ptr: &isize, value: &$type) [_: stat] {
            at_address(AtomicOp::Swap, *image_num, *atom_remote_ptr, value.0).map(drop)
        }

        /// ATOMIC_REF.
        fast fn $reference(image_num: &c_int, coarray_handle: &Handle, offset: &usize, value: &Cell<$type>) [_: stat] {
            value.set($type(direct(AtomicOp::Load, *image_num, *coarray_handle, *offset, 0)?));
            Ok(())
        }

        /// ATOMIC_REF.
        entered fn $reference_indirect(image_num: &c_int, atom_remote_ptr: &isize, value: &Cell<$type>) [_: stat] {
            value.set($type(at_address(AtomicOp::Load, *image_num, *atom_remote_ptr, 0)?));
            Ok(())
        }

        /// ATOMIC_CAS.
        fast fn $swap(
            image_num: &c_int,
            coarray_handle: &Handle,
            offset: &usize,
            old: &Cell<$type>,
            compare: &$type,
            new: &$type,
        ) [_: stat] {
            old.set($type(swapped(*image_num, *coarray_handle, *offset, [compare.0, new.0])?));
            Ok(())
        }

        /// ATOMIC_CAS.
        entered fn $swap_indirect(
            image_num: &c_int,
            atom_remote_ptr: &isize,
            old: &Cell<$type>,
            compare: &$type,
            new: &$type,
        ) [_: stat] {
            let variable = Target::Indirect(*atom_remote_ptr, "atom_remote_ptr");
            old.set($type(any_swapped(*image_num, variable, [compare.0, new.0])?));
            Ok(())
        }
    )+} };
}

/// Accesses to integers and logicals.
pub(super) mod accesses {
    use super::*;

    accesses! {
        AtomicInteger: atomic_define_int atomic_define_int_indirect atomic_ref_int atomic_ref_int_indirect
            atomic_cas_int atomic_cas_int_indirect
        AtomicLogical: atomic_define_logical atomic_define_logical_indirect
            atomic_ref_logical atomic_ref_logical_indirect atomic_cas_logical atomic_cas_logical_indirect
    }
}
