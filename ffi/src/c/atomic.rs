//! Atomic operations on variables of 4 and 8 bytes.
//!
//! The contract of entries here: the variable that is named is an integer that only atomic operations, signals and waits
//! access.

use super::argument::{Data, place};
use super::outcome::{OK, outcome};
use super::shared::{place_of_word, reached_word};
use super::team::TeamHandle;
use crate::entry::entries;
use crate::process::instance;
use std::cell::Cell;
use std::ffi::c_int;
use xmp_coarray::front_end::{atomic, races};
use xmp_core::Result;
use xmp_core::races::Kind;
use xmp_core::transport::{AtomicOp, Width, compare_swap_word, fetch_word};

/// A variable on an image of a team.
#[derive(Clone, Copy)]
struct Variable {
    team: TeamHandle,
    image: c_int,
    address: Data,
}

/// The integers of atomic variables.
trait Integer: Copy {
    const WIDTH: Width;
    /// The bits, zero-extended.
    fn to_bits(self) -> u64;
    /// The integer with these bits.
    fn of_bits(bits: u64) -> Self;
}

impl Integer for i32 {
    const WIDTH: Width = Width::W4;
    #[inline(always)]
    fn to_bits(self) -> u64 {
        u64::from(self as u32)
    }
    #[inline(always)]
    fn of_bits(bits: u64) -> i32 {
        bits as i32
    }
}

impl Integer for i64 {
    const WIDTH: Width = Width::W8;
    #[inline(always)]
    fn to_bits(self) -> u64 {
        self as u64
    }
    #[inline(always)]
    fn of_bits(bits: u64) -> i64 {
        bits as i64
    }
}

/// Changes a variable; its former value goes to `old`, if that is there.
#[inline(always)]
fn change<T: Integer>(
    function: &'static str,
    op: AtomicOp,
    variable: Variable,
    value: T,
    old: Option<&Cell<T>>,
) -> c_int {
    let Variable { team, image, address } = variable;
    if let Some((own, word)) = reached_word(team, image, address, T::WIDTH.bytes() as usize)
        // On several hosts it may have to complete puts first.
        && own.one_host()
    {
        // SAFETY: mapped and aligned, as found; accessed atomically by the contract.
        let found = unsafe { fetch_word(op, word, T::WIDTH, value.to_bits()) };
        if let Some(old) = old {
            old.set(T::of_bits(found));
        }
        return OK;
    }
    any(function, op, variable, value, old)
}

/// The value of a variable.
#[inline(always)]
fn load<T: Integer>(function: &'static str, variable: Variable, value: Option<&Cell<T>>) -> c_int {
    let Variable { team, image, address } = variable;
    if let Some(value) = value
        && let Some((own, word)) = reached_word(team, image, address, T::WIDTH.bytes() as usize)
        && own.polled_fast()
    {
        // SAFETY: mapped and aligned, as found; accessed atomically by the contract.
        value.set(T::of_bits(unsafe { fetch_word(AtomicOp::Load, word, T::WIDTH, 0) }));
        return OK;
    }
    any_loaded(function, variable, value)
}

/// Stores `desired` in a variable that is `expected`; its former value goes to `old`, if that is there.
#[inline(always)]
fn compare_swap<T: Integer>(
    function: &'static str,
    variable: Variable,
    expected: T,
    desired: T,
    old: Option<&Cell<T>>,
) -> c_int {
    let Variable { team, image, address } = variable;
    if let Some((own, word)) = reached_word(team, image, address, T::WIDTH.bytes() as usize)
        && own.polled_fast()
    {
        let [expected, desired] = [expected, desired].map(T::to_bits);
        // SAFETY: mapped and aligned, as found; accessed atomically by the contract.
        let found = unsafe { compare_swap_word(word, T::WIDTH, expected, desired) };
        if let Some(old) = old {
            old.set(T::of_bits(found));
        }
        return OK;
    }
    any_swapped(function, variable, expected, desired, old)
}

/// The slow path of [`change`]: any variable.
#[cold]
#[inline(never)]
fn any<T: Integer>(
    function: &'static str,
    op: AtomicOp,
    variable: Variable,
    value: T,
    old: Option<&Cell<T>>,
) -> c_int {
    outcome(function, || {
        let found = fetch(op, variable, value)?;
        if let Some(old) = old {
            old.set(found);
        }
        Ok(())
    })
}

#[cold]
#[inline(never)]
fn any_loaded<T: Integer>(
    function: &'static str,
    variable: Variable,
    value: Option<&Cell<T>>,
) -> c_int {
    outcome(function, || {
        let value = place(value, "value")?;
        value.set(fetch(AtomicOp::Load, variable, T::of_bits(0))?);
        Ok(())
    })
}

fn fetch<T: Integer>(op: AtomicOp, variable: Variable, value: T) -> Result<T> {
    let Variable { team, image: index, address } = variable;
    let at = place_of_word(team, index, address, T::WIDTH.bytes() as usize)?;
    let image = &instance().image;
    let (kind, polls) = match op {
        AtomicOp::Load => (Kind::AtomicRead, true),
        _ => (Kind::AtomicWrite, false),
    };
    if polls {
        image.polled();
    }
    let found = races::atomic(image, at, T::WIDTH, kind, || {
        // SAFETY: in a block and aligned, as found; accessed atomically by the contract.
        unsafe { atomic::fetch(image, op, at, T::WIDTH, value.to_bits()) }
    })?;
    Ok(T::of_bits(found))
}

#[cold]
#[inline(never)]
fn any_swapped<T: Integer>(
    function: &'static str,
    variable: Variable,
    expected: T,
    desired: T,
    old: Option<&Cell<T>>,
) -> c_int {
    outcome(function, || {
        let Variable { team, image: index, address } = variable;
        let at = place_of_word(team, index, address, T::WIDTH.bytes() as usize)?;
        let image = &instance().image;
        image.polled();
        let [expected, desired] = [expected, desired].map(T::to_bits);
        let found = races::atomic(image, at, T::WIDTH, Kind::AtomicWrite, || {
            // SAFETY: in a block and aligned, as found; accessed atomically by the contract.
            unsafe { atomic::compare_swap(image, at, T::WIDTH, expected, desired) }
        })?;
        if let Some(old) = old {
            old.set(T::of_bits(found));
        }
        Ok(())
    })
}

/// Declares the functions of a type.
macro_rules! atomics {
    ($(
        $type:ident: $load:ident $store:ident $swap:ident $add:ident $and:ident $or:ident $xor:ident
        $compare_swap:ident
    )+) => {$(
        entries! {
            /// ATOMIC_REF.
            pub fn $load(team: TeamHandle, image: c_int, address: Data, value: Option<&Cell<$type>>) -> c_int {
                load(stringify!($load), Variable { team, image, address }, value)
            }

            /// ATOMIC_DEFINE.
            pub fn $store(team: TeamHandle, image: c_int, address: Data, value: $type) -> c_int {
                change(stringify!($store), AtomicOp::Swap, Variable { team, image, address }, value, None)
            }

            /// ATOMIC_CAS.
            pub fn $compare_swap(
                team: TeamHandle, image: c_int, address: Data, expected: $type, desired: $type,
                old: Option<&Cell<$type>>,
            ) -> c_int {
                let variable = Variable { team, image, address };
                compare_swap(stringify!($compare_swap), variable, expected, desired, old)
            }
        }
        atomics! { $type: Swap $swap, Add $add, And $and, Or $or, Xor $xor }
    )+};
    ($type:ident: $($op:ident $name:ident),+) => { entries! {$(
        /// Changes the variable; its former value goes to `old`, if that is there.
        pub fn $name(
            team: TeamHandle, image: c_int, address: Data, value: $type, old: Option<&Cell<$type>>,
        ) -> c_int {
            change(stringify!($name), AtomicOp::$op, Variable { team, image, address }, value, old)
        }
    )+} };
}

atomics! {
    i32: xmprt_atomic_load32 xmprt_atomic_store32 xmprt_atomic_swap32 xmprt_atomic_add32 xmprt_atomic_and32
        xmprt_atomic_or32 xmprt_atomic_xor32 xmprt_atomic_compare_swap32
    i64: xmprt_atomic_load64 xmprt_atomic_store64 xmprt_atomic_swap64 xmprt_atomic_add64 xmprt_atomic_and64
        xmprt_atomic_or64 xmprt_atomic_xor64 xmprt_atomic_compare_swap64
}
