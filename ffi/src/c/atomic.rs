//! Atomic operations on variables of 4 and 8 bytes.
//!
//! The contract of entries here: the variable that is named is an integer that only atomic operations, signals and waits
//! access.

use super::argument::{Data, place};
use super::outcome::{OK, outcome};
use super::shared::{place_of_word, reached_word};
use super::team::TeamHandle;
use crate::entry::entries;
use crate::process::{enter, instance};
use std::cell::Cell;
use std::ffi::c_int;
use std::ops::Add;
use xmp_coarray::front_end::{Location, atomic, races};
use xmp_core::races::Kind;
use xmp_core::transport::{AtomicOp, Width, compare_swap_word, fetch_word, update_word};
use xmp_core::{Image, Result};

/// The types of atomic variables.
trait Word: Copy {
    const WIDTH: Width;
    const LEN: usize = Self::WIDTH.bytes() as usize;
    /// The bits, zero-extended.
    fn into_bits(self) -> u64;
    /// The value with these bits.
    fn of_bits(bits: u64) -> Self;
}

/// The integers among them.
trait Integer: Word {
    /// The function of ATOMIC_CAS.
    const COMPARE_SWAP: &'static str;
}

/// The floating-point numbers among them.
trait Float: Word + Add<Output = Self> {
    /// The function that adds.
    const ADD: &'static str;
}

macro_rules! words {
    ($($type:ty: $width:ident $unsigned:ty, $into:expr, $of:expr;)+) => {$(
        impl Word for $type {
            const WIDTH: Width = Width::$width;
            #[inline(always)]
            fn into_bits(self) -> u64 {
                u64::from($into(self))
            }
            #[inline(always)]
            fn of_bits(bits: u64) -> $type {
                $of(bits as $unsigned)
            }
        }
    )+};
}

words! {
    i32: W4 u32, i32::cast_unsigned, u32::cast_signed;
    i64: W8 u64, i64::cast_unsigned, u64::cast_signed;
    f32: W4 u32, f32::to_bits, f32::from_bits;
    f64: W8 u64, f64::to_bits, f64::from_bits;
}

impl Integer for i32 {
    const COMPARE_SWAP: &'static str = "xmprt_atomic_compare_swap32";
}

impl Integer for i64 {
    const COMPARE_SWAP: &'static str = "xmprt_atomic_compare_swap64";
}

impl Float for f32 {
    const ADD: &'static str = "xmprt_atomic_add_float";
}

impl Float for f64 {
    const ADD: &'static str = "xmprt_atomic_add_double";
}

/// An operation that changes a variable, and the function that has it.
struct Change {
    function: &'static str,
    op: AtomicOp,
}

// Slow paths take the arguments of their entries in the same registers, so an entry jumps there and keeps nothing for it.

/// Changes a variable on an image of a team; its former value goes to `old`, if that is there.
#[inline(always)]
fn change<T: Word>(
    team: TeamHandle,
    image: c_int,
    variable: Data,
    value: T,
    old: Option<&Cell<T>>,
    change: &'static Change,
) -> c_int {
    if let Some((own, word)) = reached_word(team, image, variable, T::LEN)
        // On several hosts it may have to complete puts first.
        && own.one_host()
    {
        // SAFETY: mapped and aligned, as found; accessed atomically by the contract.
        let found = unsafe { fetch_word(change.op, word, T::WIDTH, value.into_bits()) };
        tell(old, T::of_bits(found));
        return OK;
    }
    any_changed(team, image, variable, value, old, change)
}

/// The slow path of [`change`]: any variable.
#[cold]
#[inline(never)]
extern "C" fn any_changed<T: Word>(
    team: TeamHandle,
    image: c_int,
    variable: Data,
    value: T,
    old: Option<&Cell<T>>,
    change: &'static Change,
) -> c_int {
    outcome(change.function, || {
        let found = fetch(change.op, team, image, variable, value)?;
        tell(old, found);
        Ok(())
    })
}

/// Stores the former value of a variable, if the caller wants it.
#[inline(always)]
fn tell<T: Word>(old: Option<&Cell<T>>, found: T) {
    if let Some(old) = old {
        old.set(found);
    }
}

/// The value of a variable.
#[inline(always)]
fn load<T: Word>(
    team: TeamHandle,
    image: c_int,
    variable: Data,
    value: Option<&Cell<T>>,
    function: &'static &'static str,
) -> c_int {
    if let Some(value) = value
        && let Some((own, word)) = reached_word(team, image, variable, T::LEN)
        && own.polled_fast()
    {
        // SAFETY: mapped and aligned, as found; accessed atomically by the contract.
        value.set(T::of_bits(unsafe { fetch_word(AtomicOp::Load, word, T::WIDTH, 0) }));
        return OK;
    }
    any_loaded(team, image, variable, value, function)
}

/// The slow path of [`load`].
#[cold]
#[inline(never)]
extern "C" fn any_loaded<T: Word>(
    team: TeamHandle,
    image: c_int,
    variable: Data,
    value: Option<&Cell<T>>,
    function: &'static &'static str,
) -> c_int {
    if let Some(value) = value
        && let Some((own, word)) = reached_word(team, image, variable, T::LEN)
        && own.orders_only_stores()
    {
        // One look of many in a loop of the program, which may have to yield the core.
        let _entered = enter();
        own.polled();
        // SAFETY: mapped and aligned, as found; accessed atomically by the contract.
        value.set(T::of_bits(unsafe { fetch_word(AtomicOp::Load, word, T::WIDTH, 0) }));
        return OK;
    }
    outcome(function, || {
        let value = place(value, "value")?;
        value.set(fetch(AtomicOp::Load, team, image, variable, T::of_bits(0))?);
        Ok(())
    })
}

/// Stores `desired` in a variable that is `expected`; its former value goes to `old`, if that is there.
#[inline(always)]
fn compare_swap<T: Integer>(
    team: TeamHandle,
    image: c_int,
    variable: Data,
    [expected, desired]: [T; 2],
    old: Option<&Cell<T>>,
) -> c_int {
    if let Some((own, word)) = reached_word(team, image, variable, T::LEN)
        && own.polled_fast()
    {
        let [expected, desired] = [expected, desired].map(T::into_bits);
        // SAFETY: mapped and aligned, as found; accessed atomically by the contract.
        let found = unsafe { compare_swap_word(word, T::WIDTH, expected, desired) };
        tell(old, T::of_bits(found));
        return OK;
    }
    any_swapped(team, image, variable, expected, desired, old)
}

/// The slow path of [`compare_swap`].
#[cold]
#[inline(never)]
extern "C" fn any_swapped<T: Integer>(
    team: TeamHandle,
    image: c_int,
    variable: Data,
    expected: T,
    desired: T,
    old: Option<&Cell<T>>,
) -> c_int {
    outcome(T::COMPARE_SWAP, || {
        let [expected, desired] = [expected, desired].map(T::into_bits);
        let found = access(team, image, variable, Kind::AtomicWrite, true, |image, at| {
            // SAFETY: in a block and aligned, as found; accessed atomically by the contract.
            unsafe { atomic::compare_swap(image, at, T::WIDTH, expected, desired) }
        })?;
        tell(old, found);
        Ok(())
    })
}

/// Adds to a variable of floating point; its former value goes to `old`, if that is there.
#[inline(always)]
fn add<T: Float>(
    team: TeamHandle,
    image: c_int,
    variable: Data,
    value: T,
    old: Option<&Cell<T>>,
) -> c_int {
    if let Some((own, word)) = reached_word(team, image, variable, T::LEN)
        && own.one_host()
    {
        // SAFETY: mapped and aligned, as found; accessed atomically by the contract.
        let found =
            unsafe { update_word(word, T::WIDTH, |bits| (T::of_bits(bits) + value).into_bits()) };
        tell(old, T::of_bits(found));
        return OK;
    }
    any_added(team, image, variable, value, old)
}

/// The slow path of [`add`].
#[cold]
#[inline(never)]
extern "C" fn any_added<T: Float>(
    team: TeamHandle,
    image: c_int,
    variable: Data,
    value: T,
    old: Option<&Cell<T>>,
) -> c_int {
    outcome(T::ADD, || {
        let found = access(team, image, variable, Kind::AtomicWrite, true, |image, at| {
            let sum = |bits| (T::of_bits(bits) + value).into_bits();
            // SAFETY: in a block and aligned, as found; accessed atomically by the contract.
            unsafe { atomic::update(image, at, T::WIDTH, sum) }
        })?;
        tell(old, found);
        Ok(())
    })
}

/// The former value of any variable after an operation on it.
fn fetch<T: Word>(
    op: AtomicOp,
    team: TeamHandle,
    index: c_int,
    variable: Data,
    value: T,
) -> Result<T> {
    let reads = op == AtomicOp::Load;
    let kind = if reads { Kind::AtomicRead } else { Kind::AtomicWrite };
    access(team, index, variable, kind, reads, |image, at| {
        // SAFETY: in a block and aligned, as found; accessed atomically by the contract.
        unsafe { atomic::fetch(image, op, at, T::WIDTH, value.into_bits()) }
    })
}

/// The former value of any variable after an access, which race checks learn of. `polls`: a program may access it in a loop, which
/// may have to yield the core.
fn access<T: Word>(
    team: TeamHandle,
    index: c_int,
    variable: Data,
    kind: Kind,
    polls: bool,
    operation: impl FnOnce(&Image, Location) -> Result<u64>,
) -> Result<T> {
    let at = place_of_word(team, index, variable.called("variable"), T::LEN)?;
    let image = &instance().image;
    if polls {
        image.polled();
    }
    races::atomic(image, at, T::WIDTH, kind, || operation(image, at)).map(T::of_bits)
}

/// Declares the functions of a type that read a variable and set it.
macro_rules! access {
    ($type:ident: $load:ident $store:ident) => {
        entries! {
            /// ATOMIC_REF.
            pub fn $load(team: TeamHandle, image: c_int, variable: Data, value: Option<&Cell<$type>>) -> c_int {
                load(team, image, variable, value, &stringify!($load))
            }

            /// ATOMIC_DEFINE.
            pub fn $store(team: TeamHandle, image: c_int, variable: Data, value: $type) -> c_int {
                const CHANGE: &Change = &Change { function: stringify!($store), op: AtomicOp::Swap };
                change(team, image, variable, value, None, CHANGE)
            }
        }
    };
}

/// Declares the functions of a type of integers.
macro_rules! atomics {
    ($(
        $type:ident: $load:ident $store:ident $swap:ident $add:ident $and:ident $or:ident $xor:ident
        $compare_swap:ident
    )+) => {$(
        access! { $type: $load $store }
        entries! {
            /// ATOMIC_CAS.
            pub fn $compare_swap(
                team: TeamHandle, image: c_int, variable: Data, expected: $type, desired: $type,
                old: Option<&Cell<$type>>,
            ) -> c_int {
                compare_swap(team, image, variable, [expected, desired], old)
            }
        }
        atomics! { $type: Swap $swap, Add $add, And $and, Or $or, Xor $xor }
    )+};
    ($type:ident: $($op:ident $name:ident),+) => { entries! {$(
        /// Changes the variable; its former value goes to `old`, if that is there.
        pub fn $name(
            team: TeamHandle, image: c_int, variable: Data, value: $type, old: Option<&Cell<$type>>,
        ) -> c_int {
            const CHANGE: &Change = &Change { function: stringify!($name), op: AtomicOp::$op };
            change(team, image, variable, value, old, CHANGE)
        }
    )+} };
}

atomics! {
    i32: xmprt_atomic_load32 xmprt_atomic_store32 xmprt_atomic_swap32 xmprt_atomic_add32 xmprt_atomic_and32
        xmprt_atomic_or32 xmprt_atomic_xor32 xmprt_atomic_compare_swap32
    i64: xmprt_atomic_load64 xmprt_atomic_store64 xmprt_atomic_swap64 xmprt_atomic_add64 xmprt_atomic_and64
        xmprt_atomic_or64 xmprt_atomic_xor64 xmprt_atomic_compare_swap64
}

/// Declares the functions of a type of floating point.
macro_rules! floats {
    ($($type:ident: $load:ident $store:ident $swap:ident $add:ident)+) => { $(
        access! { $type: $load $store }
        atomics! { $type: Swap $swap }
        entries! {
            /// Adds to the variable; its former value goes to `old`, if that is there.
            pub fn $add(
                team: TeamHandle, image: c_int, variable: Data, value: $type, old: Option<&Cell<$type>>,
            ) -> c_int {
                add(team, image, variable, value, old)
            }
        }
    )+ };
}

floats! {
    f32: xmprt_atomic_load_float xmprt_atomic_store_float xmprt_atomic_swap_float xmprt_atomic_add_float
    f64: xmprt_atomic_load_double xmprt_atomic_store_double xmprt_atomic_swap_double xmprt_atomic_add_double
}
