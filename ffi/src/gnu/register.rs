//! Registration and deregistration of coarrays. (GNU-LIBCAF section 3)

use super::accessor::local_call::access_to;
use super::designator;
use super::token::{Role, Token, TokenHandle};
use super::variable_location::VariableLocation;
use super::{component, in_teams, moved, named_memory, reshaped, shape, sync, version};
use crate::arch::store_caller_and_jump;
use crate::entry::{decode, entries};
use crate::gfortran_abi::{DType, Descriptor, Outcome};
use crate::process::{
    self, Instance, enter, enter_constructor, enter_created, instance, note_static,
};
use std::cell::{Cell, OnceCell};
use std::ffi::{c_char, c_int};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use xmp_coarray::front_end::Block;
use xmp_coarray::front_end::event::EVENT_LEN;
use xmp_coarray::front_end::lock::LOCK_LEN;
use xmp_coarray::front_end::same_statement::{self, Statement};
use xmp_core::{Error, Result};

/// The kind of a registered object: `caf_register_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A coarray; the size counts bytes.
    Data(Life),
    /// Lock variables; the size counts them.
    Locks(Life),
    /// The lock of a CRITICAL construct.
    Critical,
    /// Event variables; the size counts them.
    Events(Life),
    /// An allocatable or pointer component of a coarray; the size counts bytes.
    Component(Memory),
    /// Another name for a coarray, in a CHANGE TEAM construct.
    Associated,
}

/// When a component is allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Memory {
    /// Not yet: the component only gets a token, and the size has no meaning.
    Later,
    /// With this call.
    Now,
}

/// How long a coarray lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    /// Until the program ends.
    Static,
    /// Until it is deallocated.
    Allocated,
}

impl Kind {
    fn of(number: c_int) -> Result<Kind> {
        Ok(match number {
            0 => Kind::Data(Life::Static),
            1 => Kind::Data(Life::Allocated),
            2 => Kind::Locks(Life::Static),
            3 => Kind::Locks(Life::Allocated),
            4 => Kind::Critical,
            5 => Kind::Events(Life::Static),
            6 => Kind::Events(Life::Allocated),
            7 => Kind::Component(Memory::Later),
            8 => Kind::Component(Memory::Now),
            9 => Kind::Associated,
            other => return Err(Error::Invalid(format!("unknown kind of registration {other}"))),
        })
    }

    /// Whether it lives as long as the program.
    fn is_static(self) -> bool {
        use Kind::{Data, Events, Locks};
        matches!(
            self,
            Data(Life::Static) | Locks(Life::Static) | Events(Life::Static) | Kind::Critical
        )
    }

    /// Bytes of `size` units.
    fn bytes(self, size: usize) -> Result<u64> {
        let unit = match self {
            Kind::Data(_) | Kind::Component(_) | Kind::Associated => 1,
            Kind::Locks(_) | Kind::Critical => LOCK_LEN,
            Kind::Events(_) => EVENT_LEN,
        };
        size.checked_mul(unit)
            .map(|bytes| bytes as u64)
            .ok_or_else(|| Error::SizeOverflow(format!("{size} lock or event variables")))
    }
}

/// The kind of deregistration that keeps the token of a component. For an allocated coarray, which MOVE_ALLOC replaces then, it is the
/// same as DEALLOCATE.
const DEALLOCATE_ONLY: c_int = 1;

/// The name of the statement that registers this kind.
fn operation(kind: c_int) -> &'static str {
    match kind {
        9 => "change team",
        _ => "allocate",
    }
}

/// The return address of the last call of [`_gfortran_caf_register`], which names the statement in messages. One thread at a
/// time executes ALLOCATE.
static CALLER: AtomicUsize = AtomicUsize::new(0);

/// Registers a coarray: gives it memory on this image and a token.
#[unsafe(no_mangle)]
#[unsafe(naked)]
extern "C" fn _gfortran_caf_register(
    _size: usize,
    _kind: c_int,
    _token: &Cell<TokenHandle>,
    _descriptor: &mut Descriptor,
    _stat: Option<&Cell<c_int>>,
    _errmsg: *mut c_char,
    _errmsg_len: usize,
) {
    store_caller_and_jump!(CALLER, register_for_caller)
}

/// The compiler has ALLOCATE synchronise by a SYNC ALL of its own right after this call, without the `stat=` of the
/// statement. So `stat` is kept for that one ([`super::sync`]).
extern "C" fn register_for_caller(
    size: usize,
    kind: c_int,
    token: &Cell<TokenHandle>,
    descriptor: &mut Descriptor,
    stat: Option<&Cell<c_int>>,
    errmsg: *mut c_char,
    errmsg_len: usize,
) {
    // SAFETY: the contract of entries: an address and a number of characters.
    let errmsg = unsafe { decode::cells(errmsg, errmsg_len) };
    super::register();
    let read = Kind::of(kind);
    let entered = match &read {
        // A constructor gives the coarray its initial value after this call.
        Ok(kind) if kind.is_static() => enter_constructor(),
        // A constructor registers components of the initial value, too.
        Ok(Kind::Component(_)) => enter_created().unwrap_or_else(enter),
        _ => enter(),
    };
    let instance: &Instance = &entered;
    sync::note_allocate_stat(instance, stat);
    let home = VariableLocation::of(token, descriptor);
    let variable = Variable { token, descriptor };
    let registered = read.and_then(|kind| register(instance, kind, size, variable));
    let outcome = Outcome::new(operation(kind), stat).with_errmsg(errmsg);
    outcome.deliver_named(registered, |error| designator::allocation(operation(kind), home, error));
}

entries! {
    /// Deregisters a coarray: synchronises the executing images, as DEALLOCATE does - the compiler does not -,
    /// and gives its memory back.
    ///
    /// A coarray that END TEAM has deallocated is only forgotten, and so is another name of a coarray in a CHANGE TEAM construct,
    /// because END TEAM synchronises.
    fn _gfortran_caf_deregister(
        token: &Cell<TokenHandle>,
        kind: c_int,
        stat: Option<&Cell<c_int>>,
        errmsg: *mut c_char,
        errmsg_len: usize,
    )
    where errmsg = decode::cells(errmsg, errmsg_len)
    {
        let _entered = enter();
        let deregistered = deregister(instance(), token, kind, stat.is_some());
        Outcome::new("deallocate", stat).with_errmsg(errmsg).deliver(deregistered);
    }
}

/// The places where the program keeps a registered object.
pub struct Variable<'a> {
    /// Where its token is going to be.
    pub token: &'a Cell<TokenHandle>,
    /// Its descriptor.
    pub descriptor: &'a mut Descriptor,
}

/// Registers a variable of the program.
///
/// # Errors
/// No memory, an unknown kind, a statement that is not possible here.
fn register(
    instance: &Instance,
    kind: Kind,
    size: usize,
    Variable { token, descriptor }: Variable<'_>,
) -> Result<()> {
    let (base, made) = match kind {
        Kind::Component(Memory::Later) => {
            return component::register(instance, None, token, descriptor);
        }
        // gfortran asks for a coarray when a component is allocated by assignment, on the one image that
        // executes it. But no descriptor of a coarray is in a segment.
        Kind::Component(Memory::Now) | Kind::Data(Life::Allocated)
            if kind != Kind::Data(Life::Allocated)
                || component::is_place_of_component(instance, token) =>
        {
            return component::register(instance, Some(size), token, descriptor);
        }
        Kind::Associated => associated(instance, token, descriptor)?,
        kind => {
            new(instance, kind, size, VariableLocation::of(token, descriptor), descriptor.dtype)?
        }
    };
    in_teams::bury(instance, token);
    token.set(made.as_ptr().cast());
    descriptor.base = base.cast();
    Ok(())
}

/// Deregisters the object whose token is in this place; with `has_stat` also when images have failed.
///
/// # Errors
/// An unknown kind, a coarray that is not allocated, images that have stopped or failed.
fn deregister(
    instance: &Instance,
    token: &Cell<TokenHandle>,
    kind: c_int,
    has_stat: bool,
) -> Result<()> {
    if !matches!(kind, 0 | DEALLOCATE_ONLY) {
        return Err(Error::Invalid(format!("unknown kind of deregistration {kind}")));
    }
    if component::has_token_of_component(instance, token) {
        return component::deregister(instance, token, kind == DEALLOCATE_ONLY);
    }
    if kind == DEALLOCATE_ONLY {
        reshaped::refuse(instance, token);
    }
    let mut failures = Ok(());
    if !in_teams::bury(instance, token) {
        // SAFETY: the contract of entries: the token of a coarray.
        let known = unsafe { Token::of(token.get())? };
        if known.role == Role::Associated {
            in_teams::dissociated(instance, known);
        } else {
            failures = deallocate(instance, known, has_stat)?;
            if failures.is_err() {
                // It is deallocated all the same, but where the compiler sees a nonzero `stat=` it leaves
                // the variable as it is.
                let local = known.block.local(&instance.image);
                known.home.moved_to(token.as_ptr()).clear(NonNull::from(known).cast(), local);
            }
        }
        if let Some(token) = NonNull::new(token.get().cast()) {
            // SAFETY: it is one of `into_raw`, and the program forgets it here.
            unsafe { Token::give_up(token, instance) };
        }
    }
    token.set(std::ptr::null_mut());
    failures
}

/// A coarray with memory of its own: its address on this image, and its token.
fn new(
    instance: &Instance,
    kind: Kind,
    size: usize,
    home: VariableLocation,
    dtype: DType,
) -> Result<(*mut u8, NonNull<Token>)> {
    if kind.is_static() && instance.image.stack().depth() > 1 {
        // A library that is loaded within a team: its coarrays would belong to the team only, and end with it.
        return Err(Error::Invalid(
            "a coarray that is not allocatable is one of all images: load its library outside of CHANGE TEAM".into(),
        ));
    }
    if kind.is_static() {
        version::learn_from(home.token.cast_const().cast());
    }
    instance.image.threads().only_one()?;
    if !kind.is_static() {
        moved::prepare(instance)?;
    }
    let block = Block::allocate(&instance.image, kind.bytes(size)?)?;
    if kind.is_static() {
        note_static(instance, block.size);
    }
    let local = block.local(&instance.image);
    if !matches!(kind, Kind::Data(_)) {
        // SAFETY: the block is this image's and not in use yet. At first locks are unlocked, and events have no posts.
        unsafe { std::ptr::write_bytes(local, 0, block.size as usize) };
    }
    let role = match kind {
        Kind::Critical => Role::Critical,
        _ => Role::Coarray,
    };
    let id = instance.registry.borrow_mut().insert(block);
    let access = access_to(instance, &dtype);
    let shape = OnceCell::new();
    // Relaxed: written by this thread.
    let caller = CALLER.load(Ordering::Relaxed);
    let allocated_by = if kind.is_static() { 0 } else { caller };
    let token =
        Token { block, id, dtype, role, access, home, shape, allocated_by }.into_raw(instance);
    if kind == Kind::Data(Life::Static) {
        component::note_fixed(instance, home.token);
    }
    if let Kind::Data(life) | Kind::Locks(life) | Kind::Events(life) = kind
        && life == Life::Allocated
    {
        shape::note_later(instance, token);
        moved::allocated(instance, token);
    }
    in_teams::allocated(instance, token);
    named_memory::allocated(instance, token);
    Ok((local, token))
}

/// Another name for the coarray whose token is in the place of the new one; the descriptor says where in it the name
/// starts. (GNU-LIBCAF section 3: MAP_EXISTING)
fn associated(
    instance: &Instance,
    token: &Cell<TokenHandle>,
    descriptor: &mut Descriptor,
) -> Result<(*mut u8, NonNull<Token>)> {
    // SAFETY: the contract of entries: the token of the coarray.
    let old = unsafe { Token::of(token.get())? };
    let (home, base) = (VariableLocation::of(token, descriptor), descriptor.base.cast::<u8>());
    let whole = old.block;
    let start = base.addr().wrapping_sub(whole.local(&instance.image).addr()) as u64;
    whole.check(start as i64, whole.size as i64)?;
    let block = Block { offset: whole.offset + start, size: whole.size - start };
    let (id, dtype, role, shape) = (old.id, old.dtype, Role::Associated, old.shape.clone());
    let (access, allocated_by) = (old.access, old.allocated_by);
    let token =
        Token { block, id, dtype, role, access, home, shape, allocated_by }.into_raw(instance);
    in_teams::associated(instance, token);
    Ok((base, token))
}

/// Gives back the memory of a coarray after all executing images have met. With `stat=` (`has_stat`) also when images have
/// failed: the images that are left meet and give it back (Fortran 2018, 9.7.3.2), and return the failure. All of them give it
/// back, whether the failed one has met them in this statement or not, so that their heaps stay the same.
fn deallocate(instance: &Instance, token: &Token, has_stat: bool) -> Result<Result<()>> {
    let image = &instance.image;
    image.threads().only_one()?;
    // Before any wait: all images of the team make the same mistake.
    image.memory().check_free_symmetric(token.block.offset)?;
    let Block { offset, size: bytes } = token.block;
    process::freeing(instance, &(offset..offset + bytes));
    let element = token.dtype.elem_len as u64;
    let statement = Statement::Deallocate { offset, bytes, element };
    let failures = match same_statement::synchronise(image, &statement, has_stat) {
        Err(failed @ Error::FailedImage(_)) if has_stat => Err(failed),
        outcome => Ok(outcome?),
    };
    component::give_back(instance)?;
    // SAFETY: all images execute the deallocation, after which programs do not use the coarray.
    unsafe { token.block.free_checked(image)? };
    instance.registry.borrow_mut().remove(token.id);
    shape::forget(instance, token);
    moved::deallocated(instance, token);
    in_teams::deallocated(instance, token.block.offset);
    named_memory::deallocated(instance, token.block.offset);
    Ok(failures)
}
