//! Atomic subroutines. (GNU-LIBCAF section 6)

use super::status::Outcome;
use super::token::{Token, TokenHandle, near_word};
use super::transfer::set_ok;
use crate::process::{Instance, enter, instance};
use std::ffi::{c_int, c_void};
use xmp_coarray::{Location, atomic};
use xmp_core::transport::{AtomicOp, Width, compare_swap_word, fetch_word};
use xmp_core::{Error, Image, Result};

/// The word that an atomic subroutine names, and its width.
///
/// # Safety
/// The token is one of a coarray of integers or logicals.
#[inline]
unsafe fn word(
    instance: &Instance,
    token: TokenHandle,
    offset: usize,
    image: c_int,
    kind: c_int,
) -> Result<(Location, Width)> {
    let (width, len) = match kind {
        4 => (Width::W4, 4),
        8 => (Width::W8, 8),
        other => {
            return Err(Error::Invalid(format!("atomics of kind {other} do not exist: 4 or 8")));
        }
    };
    // SAFETY: the caller's guarantee.
    let at = unsafe { Token::of(token)?.place(instance, image, offset, len)? };
    if !at.offset.is_multiple_of(len as u64) {
        return Err(Error::Invalid(format!(
            "the variable at byte {offset} of the coarray is not aligned to {len} bytes"
        )));
    }
    Ok((at, width))
}

/// Bytes of the words that compilers know.
const LEN: usize = Width::W4.bytes() as usize;

/// The address of the word in few steps, and this image; `None` if anything about it needs a closer look.
///
/// # Safety
/// As [`word`].
#[inline(always)]
unsafe fn near(
    token: TokenHandle,
    offset: usize,
    image: c_int,
    kind: c_int,
) -> Option<(&'static Image, *mut u8)> {
    if kind != LEN as c_int || !offset.is_multiple_of(LEN) {
        return None;
    }
    // SAFETY: the caller's guarantee.
    unsafe { near_word::<LEN>(token, offset / LEN, image) }
}

/// # Safety
/// `value` is valid for `width`.
#[inline(always)]
unsafe fn read(value: *const c_void, width: Width) -> u64 {
    // SAFETY: the caller's guarantee.
    unsafe {
        match width {
            Width::W4 => u64::from(value.cast::<u32>().read_unaligned()),
            Width::W8 => value.cast::<u64>().read_unaligned(),
        }
    }
}

/// # Safety
/// `target` is valid for `width`.
#[inline(always)]
unsafe fn write(target: *mut c_void, width: Width, value: u64) {
    // SAFETY: the caller's guarantee.
    unsafe {
        match width {
            Width::W4 => target.cast::<u32>().write_unaligned(value as u32),
            Width::W8 => target.cast::<u64>().write_unaligned(value),
        }
    }
}

/// ATOMIC_DEFINE.
///
/// # Safety
/// The token is a coarray's; `value` is of `kind`; `stat` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_atomic_define(
    token: TokenHandle,
    offset: usize,
    image: c_int,
    value: *const c_void,
    stat: *mut c_int,
    _type: c_int,
    kind: c_int,
) {
    // SAFETY: the caller's guarantee.
    unsafe {
        if let Some((_, word)) = near(token, offset, image, kind) {
            fetch_word(AtomicOp::Swap, word, Width::W4, read(value, Width::W4));
            return set_ok(stat);
        }
    }
    // SAFETY: the caller's guarantee.
    unsafe { general_define(token, offset, image, value, stat, kind) };
}

/// Any other; the same arguments.
///
/// # Safety
/// As above.
#[cold]
#[inline(never)]
unsafe fn general_define(
    token: TokenHandle,
    offset: usize,
    image: c_int,
    value: *const c_void,
    stat: *mut c_int,
    kind: c_int,
) {
    let attempt = || -> Result<()> {
        let _entered = enter();
        let instance = instance();
        // SAFETY: the caller's guarantee; `word` has checked place and alignment.
        unsafe {
            let (at, width) = word(instance, token, offset, image, kind)?;
            let value = read(value, width);
            atomic::fetch(&instance.image, AtomicOp::Swap, at, width, value)?;
        }
        Ok(())
    };
    // SAFETY: the caller's guarantee.
    unsafe { Outcome::new("atomic_define", stat).deliver(attempt()) };
}

/// ATOMIC_REF.
///
/// # Safety
/// As for ATOMIC_DEFINE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_atomic_ref(
    token: TokenHandle,
    offset: usize,
    image: c_int,
    value: *mut c_void,
    stat: *mut c_int,
    _type: c_int,
    kind: c_int,
) {
    // SAFETY: the caller's guarantee.
    unsafe {
        if let Some((here, word)) = near(token, offset, image, kind) {
            here.polled();
            write(value, Width::W4, fetch_word(AtomicOp::Load, word, Width::W4, 0));
            return set_ok(stat);
        }
    }
    // SAFETY: the caller's guarantee.
    unsafe { general_ref(token, offset, image, value, stat, kind) };
}

/// Any other; the same arguments.
///
/// # Safety
/// As above.
#[cold]
#[inline(never)]
unsafe fn general_ref(
    token: TokenHandle,
    offset: usize,
    image: c_int,
    value: *mut c_void,
    stat: *mut c_int,
    kind: c_int,
) {
    let attempt = || -> Result<()> {
        let _entered = enter();
        let instance = instance();
        // SAFETY: as for ATOMIC_DEFINE.
        unsafe {
            let (at, width) = word(instance, token, offset, image, kind)?;
            instance.image.polled();
            write(value, width, atomic::fetch(&instance.image, AtomicOp::Load, at, width, 0)?);
        }
        Ok(())
    };
    // SAFETY: the caller's guarantee.
    unsafe { Outcome::new("atomic_ref", stat).deliver(attempt()) };
}

/// ATOMIC_CAS.
///
/// # Safety
/// As for ATOMIC_DEFINE, for all values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_atomic_cas(
    token: TokenHandle,
    offset: usize,
    image: c_int,
    old: *mut c_void,
    compare: *const c_void,
    new: *const c_void,
    stat: *mut c_int,
    _type: c_int,
    kind: c_int,
) {
    // SAFETY: the caller's guarantee.
    unsafe {
        if let Some((here, word)) = near(token, offset, image, kind) {
            here.polled();
            let (compare, new) = (read(compare, Width::W4), read(new, Width::W4));
            write(old, Width::W4, compare_swap_word(word, Width::W4, compare, new));
            return set_ok(stat);
        }
    }
    // SAFETY: the caller's guarantee.
    unsafe { general_cas(token, offset, image, old, compare, new, stat, kind) };
}

/// Any other; the same arguments.
///
/// # Safety
/// As above.
#[cold]
#[inline(never)]
#[expect(clippy::too_many_arguments, reason = "the ABI")]
unsafe fn general_cas(
    token: TokenHandle,
    offset: usize,
    image: c_int,
    old: *mut c_void,
    compare: *const c_void,
    new: *const c_void,
    stat: *mut c_int,
    kind: c_int,
) {
    let attempt = || -> Result<()> {
        let _entered = enter();
        let instance = instance();
        // SAFETY: as for ATOMIC_DEFINE.
        unsafe {
            let (at, width) = word(instance, token, offset, image, kind)?;
            let (compare, new) = (read(compare, width), read(new, width));
            instance.image.polled();
            let found = atomic::compare_swap(&instance.image, at, width, compare, new)?;
            write(old, width, found);
        }
        Ok(())
    };
    // SAFETY: the caller's guarantee.
    unsafe { Outcome::new("atomic_cas", stat).deliver(attempt()) };
}

/// The number of the operation that is one instruction of the processor.
const ADD: c_int = 1;

#[inline(always)]
fn operation(number: c_int) -> Option<AtomicOp> {
    Some(match number {
        ADD => AtomicOp::Add,
        2 => AtomicOp::And,
        3 => AtomicOp::Or,
        4 => AtomicOp::Xor,
        _ => return None,
    })
}

/// ATOMIC_ADD, _AND, _OR, _XOR (1, 2, 3, 4 in `op`) and, with `old`, their ATOMIC_FETCH forms.
///
/// # Safety
/// As for ATOMIC_DEFINE; `old` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_atomic_op(
    op: c_int,
    token: TokenHandle,
    offset: usize,
    image: c_int,
    value: *const c_void,
    old: *mut c_void,
    stat: *mut c_int,
    value_type: c_int,
    kind: c_int,
) {
    // SAFETY: the caller's guarantee.
    unsafe {
        if op == ADD
            && let Some((_, word)) = near(token, offset, image, kind)
        {
            let found = fetch_word(AtomicOp::Add, word, Width::W4, read(value, Width::W4));
            if !old.is_null() {
                write(old, Width::W4, found);
            }
            return set_ok(stat);
        }
        // All arguments as they are: a jump, for which nothing is kept.
        other_op(op, token, offset, image, value, old, stat, value_type, kind);
    }
}

/// Others of words that are near; the same arguments.
///
/// # Safety
/// As above.
#[inline(never)]
unsafe extern "C" fn other_op(
    op: c_int,
    token: TokenHandle,
    offset: usize,
    image: c_int,
    value: *const c_void,
    old: *mut c_void,
    stat: *mut c_int,
    _type: c_int,
    kind: c_int,
) {
    // SAFETY: the caller's guarantee.
    unsafe {
        if let Some(op) = operation(op)
            && let Some((_, word)) = near(token, offset, image, kind)
        {
            let found = fetch_word(op, word, Width::W4, read(value, Width::W4));
            if !old.is_null() {
                write(old, Width::W4, found);
            }
            return set_ok(stat);
        }
        general_op(op, token, offset, image, value, old, stat, kind);
    }
}

/// Any other; the same arguments.
///
/// # Safety
/// As above.
#[cold]
#[inline(never)]
#[expect(clippy::too_many_arguments, reason = "the ABI")]
unsafe fn general_op(
    op: c_int,
    token: TokenHandle,
    offset: usize,
    image: c_int,
    value: *const c_void,
    old: *mut c_void,
    stat: *mut c_int,
    kind: c_int,
) {
    let attempt = || -> Result<()> {
        let unknown = || Error::Invalid(format!("no atomic operation {op}"));
        let op = operation(op).ok_or_else(unknown)?;
        let _entered = enter();
        let instance = instance();
        // SAFETY: as for ATOMIC_DEFINE.
        unsafe {
            let (at, width) = word(instance, token, offset, image, kind)?;
            let found = atomic::fetch(&instance.image, op, at, width, read(value, width))?;
            if !old.is_null() {
                write(old, width, found);
            }
        }
        Ok(())
    };
    // SAFETY: the caller's guarantee.
    unsafe { Outcome::new("atomic operation", stat).deliver(attempt()) };
}
