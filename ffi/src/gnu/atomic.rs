//! Atomic subroutines. (GNU-LIBCAF section 6)
//!
//! The contract of entries here: a token is one of a coarray of integers or logicals, which are accessed by atomic
//! subroutines only, and the values have the kind of the variable.

use super::designator::{Part, named};
use super::token::{Token, local_word};
use super::transfer::Section;
use crate::entry::entries;
use crate::gfortran_abi::{Outcome, set_ok};
use crate::process::{Instance, enter, instance};
use std::cell::Cell;
use std::ffi::c_int;
use xmp_coarray::front_end::races::{self, AccessedElements};
use xmp_coarray::front_end::transfer::MemoryRef;
use xmp_coarray::front_end::{Location, atomic};
use xmp_core::races::Kind;
use xmp_core::transport::{AtomicOp, Width, compare_swap_word, fetch_word};
use xmp_core::{Error, Image, Result};

/// Bytes of the words that compilers know.
const LEN: usize = Width::W4.bytes() as usize;

/// The number of the operation that is one instruction of the processor.
const ADD: c_int = 1;

entries! {
    /// ATOMIC_DEFINE.
    fn _gfortran_caf_atomic_define(
        token: Option<&Token>,
        offset: usize,
        image: c_int,
        value: Value<'_>,
        stat: Option<&Cell<c_int>>,
        _type: c_int,
        kind: c_int,
    ) {
        if let Some((_, word)) = changed_variable(token, offset, image, kind) {
            fetch(AtomicOp::Swap, word, value.get(Width::W4));
            return set_ok(stat);
        }
        define(token, offset, image, value, stat, kind);
    }

    /// ATOMIC_REF.
    fn _gfortran_caf_atomic_ref(
        token: Option<&Token>,
        offset: usize,
        image: c_int,
        value: Value<'_>,
        stat: Option<&Cell<c_int>>,
        _type: c_int,
        kind: c_int,
    ) {
        if let Some((own, word)) = local_variable(token, offset, image, kind)
            && own.polled_fast()
        {
            value.set(Width::W4, fetch(AtomicOp::Load, word, 0));
            return set_ok(stat);
        }
        reference(token, offset, image, value, stat, kind);
    }

    /// ATOMIC_CAS.
    fn _gfortran_caf_atomic_cas(
        token: Option<&Token>,
        offset: usize,
        image: c_int,
        old: Value<'_>,
        compare: Value<'_>,
        new: Value<'_>,
        stat: Option<&Cell<c_int>>,
        _type: c_int,
        kind: c_int,
    ) {
        if let Some((own, word)) = local_variable(token, offset, image, kind)
            && own.polled_fast()
        {
            let [compare, new] = [compare, new].map(|value| value.get(Width::W4));
            // SAFETY: mapped and aligned, as found; accessed atomically by the contract.
            old.set(Width::W4, unsafe { compare_swap_word(word, Width::W4, compare, new) });
            return set_ok(stat);
        }
        compare_swap(Variable { token, offset, image, kind }, Swap { old, compare, new }, stat);
    }

    /// ATOMIC_ADD, _AND, _OR, _XOR (1, 2, 3, 4 in `op`) and, with `old`, their ATOMIC_FETCH forms.
    fn _gfortran_caf_atomic_op(
        op: c_int,
        token: Option<&Token>,
        offset: usize,
        image: c_int,
        value: Value<'_>,
        old: Option<Value<'_>>,
        stat: Option<&Cell<c_int>>,
        value_type: c_int,
        kind: c_int,
    ) {
        if op == ADD
            && let Some((_, word)) = changed_variable(token, offset, image, kind)
        {
            let found = fetch(AtomicOp::Add, word, value.get(Width::W4));
            if let Some(old) = old {
                old.set(Width::W4, found);
            }
            return set_ok(stat);
        }
        // All arguments as they are: a jump, for which nothing is kept.
        other_op(op, token, offset, image, value, old, stat, value_type, kind);
    }
}

/// The address of a value of a program, an integer or a logical.
#[repr(transparent)]
#[derive(Clone, Copy)]
struct Value<'a>(&'a Cell<u8>);

impl Value<'_> {
    /// The value, which has this width.
    #[inline(always)]
    fn get(self, width: Width) -> u64 {
        let place = self.0.as_ptr();
        // SAFETY: by the contract it has the kind of the variable, which the width was taken from.
        unsafe {
            match width {
                Width::W4 => u64::from(place.cast::<u32>().read_unaligned()),
                Width::W8 => place.cast::<u64>().read_unaligned(),
            }
        }
    }

    /// A statement accesses the value, which has this width: for the check for races.
    fn enter(self, image: &Image, width: Width, kind: Kind) {
        let place = MemoryRef::Local(self.0.as_ptr());
        races::access(image, AccessedElements::block(place, width.bytes() as usize), kind);
    }

    /// Changes the value, which has this width.
    #[inline(always)]
    fn set(self, width: Width, value: u64) {
        let place = self.0.as_ptr();
        // SAFETY: by the contract it has the kind of the variable, which the width was taken from.
        unsafe {
            match width {
                Width::W4 => place.cast::<u32>().write_unaligned(value as u32),
                Width::W8 => place.cast::<u64>().write_unaligned(value),
            }
        }
    }
}

/// The variable that an atomic subroutine names.
struct Variable<'a> {
    token: Option<&'a Token>,
    offset: usize,
    image: c_int,
    kind: c_int,
}

/// The values of ATOMIC_CAS.
struct Swap<'a> {
    old: Value<'a>,
    compare: Value<'a>,
    new: Value<'a>,
}

impl Variable<'_> {
    /// Where it is, and its width.
    ///
    /// # Errors
    /// A kind that does not exist; a variable that is not aligned; those of [`Token::place`].
    fn find(&self, instance: &Instance) -> Result<(Location, Width)> {
        let Variable { token, offset, image, kind } = *self;
        let width = match kind {
            4 => Width::W4,
            8 => Width::W8,
            other => {
                return Err(Error::Invalid(format!(
                    "atomics of kind {other} do not exist: 4 or 8"
                )));
            }
        };
        let len = width.bytes() as usize;
        let at = Token::allocated(token)?.place(instance, image, offset, len)?;
        if !at.offset.is_multiple_of(len as u64) {
            return Err(Error::Invalid(format!(
                "the variable at byte {offset} of the coarray is not aligned to {len} bytes"
            )));
        }
        Ok((at, width))
    }

    /// Delivers the outcome of an operation on it; `operation` ends with the preposition for the variable.
    fn deliver(&self, operation: &'static str, result: Result<()>, stat: Option<&Cell<c_int>>) {
        let Variable { token, offset, image, kind } = *self;
        let section = Section::whole();
        let part = Part::Section { offset, section: &section, len: kind as usize };
        let outcome = Outcome::new(operation, stat);
        outcome.deliver_named(result, |error| named(operation, token, image, part, error));
    }

    /// Executes an operation; `operand` is the operand of a given width. The former value, and its width.
    fn fetch(&self, op: AtomicOp, operand: impl FnOnce(Width) -> u64) -> Result<(u64, Width)> {
        let instance = instance();
        let (at, width) = self.find(instance)?;
        if op == AtomicOp::Load {
            instance.image.polled();
        }
        let operand = operand(width);
        let kind = if op == AtomicOp::Load { Kind::AtomicRead } else { Kind::AtomicWrite };
        let found = races::atomic(&instance.image, at, width, kind, || {
            // SAFETY: in a coarray and aligned, as found; accessed atomically by the contract.
            unsafe { atomic::fetch(&instance.image, op, at, width, operand) }
        })?;
        Ok((found, width))
    }
}

/// The address of a variable of four bytes on an image of this host, and this image; `None` if the slow path has to
/// find it.
#[inline(always)]
fn local_variable(
    token: Option<&Token>,
    offset: usize,
    image: c_int,
    kind: c_int,
) -> Option<(&'static Image, *mut u8)> {
    if kind != LEN as c_int || !offset.is_multiple_of(LEN) {
        return None;
    }
    local_word::<LEN>(token, offset / LEN, image)
}

/// The same for an operation that changes the variable: on several hosts it may have to complete puts first ([`atomic::fetch`]).
#[inline(always)]
fn changed_variable(
    token: Option<&Token>,
    offset: usize,
    image: c_int,
    kind: c_int,
) -> Option<(&'static Image, *mut u8)> {
    local_variable(token, offset, image, kind).filter(|(own, _)| own.one_host())
}

/// Executes an operation on a word that [`local_variable`] has found.
#[inline(always)]
fn fetch(op: AtomicOp, word: *mut u8, operand: u64) -> u64 {
    // SAFETY: mapped and aligned, as found; accessed atomically by the contract.
    unsafe { fetch_word(op, word, Width::W4, operand) }
}

/// The slow path of ATOMIC_DEFINE: any variable. The arguments are in the registers where the entry has them.
#[cold]
#[inline(never)]
extern "C" fn define(
    token: Option<&Token>,
    offset: usize,
    image: c_int,
    value: Value<'_>,
    stat: Option<&Cell<c_int>>,
    kind: c_int,
) {
    let values = Values { operand: Some(value), old: None };
    execute(
        "atomic_define of",
        AtomicOp::Swap,
        Variable { token, offset, image, kind },
        values,
        stat,
    );
}

/// The slow path of ATOMIC_REF: any variable. The arguments are in the registers where the entry has them.
#[cold]
#[inline(never)]
extern "C" fn reference(
    token: Option<&Token>,
    offset: usize,
    image: c_int,
    value: Value<'_>,
    stat: Option<&Cell<c_int>>,
    kind: c_int,
) {
    let values = Values { operand: None, old: Some(value) };
    execute("atomic_ref of", AtomicOp::Load, Variable { token, offset, image, kind }, values, stat);
}

/// The operand of an operation, if it has one, and where its former value goes.
struct Values<'a> {
    operand: Option<Value<'a>>,
    old: Option<Value<'a>>,
}

/// The slow path of all but ATOMIC_CAS: any variable.
#[cold]
fn execute(
    name: &'static str,
    op: AtomicOp,
    variable: Variable<'_>,
    Values { operand, old }: Values<'_>,
    stat: Option<&Cell<c_int>>,
) {
    let _entered = enter();
    let image = &instance().image;
    let given = |width| {
        operand.map_or(0, |operand| {
            operand.enter(image, width, Kind::Read);
            operand.get(width)
        })
    };
    let result = variable.fetch(op, given).map(|(found, width)| {
        if let Some(old) = old {
            old.enter(image, width, Kind::Write);
            old.set(width, found);
        }
    });
    variable.deliver(name, result, stat);
}

/// The slow path of ATOMIC_CAS: any variable.
#[cold]
#[inline(never)]
fn compare_swap(variable: Variable<'_>, values: Swap<'_>, stat: Option<&Cell<c_int>>) {
    let _entered = enter();
    let attempt = || -> Result<()> {
        let instance = instance();
        let (at, width) = variable.find(instance)?;
        let [compare, new] = [values.compare, values.new].map(|value| {
            value.enter(&instance.image, width, Kind::Read);
            value.get(width)
        });
        instance.image.polled();
        let found = races::atomic(&instance.image, at, width, Kind::AtomicWrite, || {
            // SAFETY: in a coarray and aligned, as found; accessed atomically by the contract.
            unsafe { atomic::compare_swap(&instance.image, at, width, compare, new) }
        })?;
        values.old.enter(&instance.image, width, Kind::Write);
        values.old.set(width, found);
        Ok(())
    };
    variable.deliver("atomic_cas of", attempt(), stat);
}

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

/// The fast path of other operations than ATOMIC_ADD; the arguments of `_gfortran_caf_atomic_op`.
#[inline(never)]
extern "C" fn other_op(
    op: c_int,
    token: Option<&Token>,
    offset: usize,
    image: c_int,
    value: Value<'_>,
    old: Option<Value<'_>>,
    stat: Option<&Cell<c_int>>,
    _type: c_int,
    kind: c_int,
) {
    let Some(known) = operation(op) else {
        let error: Result<()> = Err(Error::Invalid(format!("no atomic operation {op}")));
        Outcome::new("atomic operation", stat).deliver(error);
        return;
    };
    if let Some((_, word)) = changed_variable(token, offset, image, kind) {
        let found = fetch(known, word, value.get(Width::W4));
        if let Some(old) = old {
            old.set(Width::W4, found);
        }
        return set_ok(stat);
    }
    let name = match (known, old.is_some()) {
        (AtomicOp::Add, false) => "atomic_add of",
        (AtomicOp::Add, true) => "atomic_fetch_add of",
        (AtomicOp::And, false) => "atomic_and of",
        (AtomicOp::And, true) => "atomic_fetch_and of",
        (AtomicOp::Or, false) => "atomic_or of",
        (AtomicOp::Or, true) => "atomic_fetch_or of",
        (_, false) => "atomic_xor of",
        (_, true) => "atomic_fetch_xor of",
    };
    let variable = Variable { token, offset, image, kind };
    execute(name, known, variable, Values { operand: Some(value), old }, stat);
}
