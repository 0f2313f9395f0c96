//! Registration and deregistration of coarrays. (GNU-LIBCAF section 3)

use super::status::Outcome;
use super::token::{Token, TokenHandle};
use super::types::{Descriptor, ErrMsg};
use crate::process::{Instance, instance};
use std::ffi::{c_char, c_int};
use xmp_coarray::event::EVENT_LEN;
use xmp_coarray::lock::LOCK_LEN;
use xmp_coarray::{Block, sync_all};
use xmp_core::{Error, Result};

/// What is registered: `caf_register_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Static or allocated coarray; the size counts bytes.
    Data,
    /// Lock variables; the size counts them. A CRITICAL construct is one, too.
    Locks,
    /// Event variables; the size counts them.
    Events,
}

impl Kind {
    fn of(number: c_int) -> Result<Kind> {
        Ok(match number {
            0 | 1 => Kind::Data,
            2..=4 => Kind::Locks,
            5 | 6 => Kind::Events,
            7 | 8 => return Err(absent_component()),
            9 => {
                return Err(Error::Invalid(
                    "coarray association in CHANGE TEAM is not supported yet".into(),
                ));
            }
            other => return Err(Error::Invalid(format!("unknown kind of registration {other}"))),
        })
    }

    /// Bytes of `size` units.
    fn bytes(self, size: usize) -> Result<u64> {
        let unit = match self {
            Kind::Data => 1,
            Kind::Locks => LOCK_LEN,
            Kind::Events => EVENT_LEN,
        };
        size.checked_mul(unit)
            .map(|bytes| bytes as u64)
            .ok_or_else(|| Error::SizeOverflow(format!("{size} lock or event variables")))
    }
}

/// What programs meet that need by-reference access.
pub(super) fn absent_component() -> Error {
    Error::Invalid("allocatable or pointer components of coarrays are not supported yet".into())
}

/// Registers a coarray: gives it memory on this image and a token.
///
/// The compiler has ALLOCATE synchronise by a SYNC ALL of its own right after this call, without the `stat=` of
/// the statement. So `stat` is kept for that one ([`super::sync`]).
///
/// # Safety
/// `token` and `descriptor` are valid; `stat` and `errmsg` are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_register(
    size: usize,
    kind: c_int,
    token: *mut TokenHandle,
    descriptor: *mut Descriptor,
    stat: *mut c_int,
    errmsg: *mut c_char,
    errmsg_len: usize,
) {
    let instance = instance();
    let attempt = || -> Result<()> {
        let kind = Kind::of(kind)?;
        // The token of a component lies within a coarray. gfortran asks for a collective registration
        // when such a component is allocated by assignment, on the one image that executes it.
        if instance.registry.borrow().find(&instance.image, token.cast()).is_some() {
            return Err(absent_component());
        }
        let block = Block::allocate(&instance.image, kind.bytes(size)?)?;
        let local = block.local(&instance.image);
        if kind != Kind::Data {
            // SAFETY: the block is this image's and in use by nobody yet. Locks are unlocked, events are
            // without posts when they come into being.
            unsafe { std::ptr::write_bytes(local, 0, block.size as usize) };
        }
        let id = instance.registry.borrow_mut().insert(block);
        // SAFETY: the caller's guarantee.
        unsafe {
            *token = Token { block, id }.into_handle();
            (*descriptor).base = local.cast();
        }
        Ok(())
    };
    instance.allocate_stat.set(stat);
    let errmsg = ErrMsg { text: errmsg, len: errmsg_len };
    // SAFETY: the caller's guarantee.
    unsafe { Outcome { operation: "allocate", stat, errmsg }.deliver(attempt()) };
}

/// Deregisters a coarray: synchronises the executing images, as DEALLOCATE does - the compiler does not -,
/// and gives its memory back.
///
/// # Safety
/// `token` points to a registered token; `stat` and `errmsg` are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_deregister(
    token: *mut TokenHandle,
    kind: c_int,
    stat: *mut c_int,
    errmsg: *mut c_char,
    errmsg_len: usize,
) {
    let instance = instance();
    let attempt = || -> Result<()> {
        // Kind 1 is that of components, which do not exist yet, and of an allocated coarray that MOVE_ALLOC
        // replaces: the same as DEALLOCATE.
        if !matches!(kind, 0 | 1) {
            return Err(Error::Invalid(format!("unknown kind of deregistration {kind}")));
        }
        // SAFETY: the caller's guarantee.
        let block = unsafe { Token::of(*token)?.block };
        sync_all(&instance.image, &instance.image.executing())?;
        block.free(&instance.image)?;
        // SAFETY: the token was made by `into_handle` and the program forgets it here.
        unsafe { forget(instance, token) };
        Ok(())
    };
    let errmsg = ErrMsg { text: errmsg, len: errmsg_len };
    // SAFETY: the caller's guarantee.
    unsafe { Outcome { operation: "deallocate", stat, errmsg }.deliver(attempt()) };
}

/// # Safety
/// `token` points to the handle of a token that is not used any more.
unsafe fn forget(instance: &Instance, token: *mut TokenHandle) {
    // SAFETY: the caller's guarantee; the handle came out of a box.
    let owned = unsafe { Box::from_raw((*token).cast::<Token>()) };
    instance.registry.borrow_mut().remove(owned.id);
    // SAFETY: as above.
    unsafe { *token = std::ptr::null_mut() };
}
