//! Gets and puts by accessors without characters and team, on images of this host, as long as no image has ended.
//!
//! There are versions of each, which differ in how they find the image ([`Path`]): an entry jumps to the one with the fewest
//! steps for the coarray, that one to [`AnyImage`], and that to the slow path. The first version of a get is one function for
//! scalars and one for each kind of array, that of a put has one for coarrays with a descriptor: each saves the registers that it needs.
//! The jumps are direct: an indirect one by a
//! table of the token took 1.3 ns on an Intel Xeon, as much as 20 instructions. All get the arguments as the compiler has
//! passed them, so that a fast path saves nothing for a slower one.

mod fallback;

use crate::arch::stack_entries;
use crate::gfortran_abi::Descriptor;
use crate::gnu::accessor::arguments::{Get, MoreOfGet, MoreOfPut, Put};
use crate::gnu::accessor::local_call::{Arguments, GetOutcome, LocalCall, coarray, on_formula_of};
use crate::gnu::accessor::scalar_result::Pending;
use crate::gnu::accessor::slow_path;
use crate::gnu::accessor::values::Values;
use crate::gnu::token::{Access, Token, TokenHandle};
use fallback::Last;
use std::ffi::{c_int, c_void};

stack_entries! {
    /// `local = a[image]`. A scalar is where `*dst_data` points afterwards; an array in the descriptor.
    fn _gfortran_caf_get_from_remote(
        token: TokenHandle,
        src_descriptor: *mut Descriptor,
        src_len: *const usize,
        image: c_int,
        dst_size: usize,
        dst_data: *mut *mut c_void,
        more: MoreOfGet<'_>,
    ) {
        // Nothing is called here, so that no register is saved before it is known which code follows.
        match (access(token), more.dst_descriptor.is_null()) {
            (Some(Access::Plain), true) => {
                get::<OnFormula<false>>(token, src_descriptor, src_len, image, dst_size, dst_data, more);
            }
            (Some(Access::Plain), false) if more.may_reallocate.0 => {
                get_array::<false>(token, src_descriptor, src_len, image, dst_size, dst_data, more);
            }
            (Some(Access::Plain), false) => {
                get_shaped(token, src_descriptor, src_len, image, dst_size, dst_data, more);
            }
            (Some(Access::Following), true) => {
                get::<OnFormula<true>>(token, src_descriptor, src_len, image, dst_size, dst_data, more);
            }
            (Some(Access::Following), false) if more.may_reallocate.0 => {
                get_array::<true>(token, src_descriptor, src_len, image, dst_size, dst_data, more);
            }
            _ => get::<AnyImage>(token, src_descriptor, src_len, image, dst_size, dst_data, more),
        }
    }

    /// `a[image] = local`: a scalar at `src_data`, or the array of the descriptor.
    fn _gfortran_caf_send_to_remote(
        token: TokenHandle,
        dst_descriptor: *mut Descriptor,
        dst_len: *const usize,
        image: c_int,
        src_size: usize,
        src_data: *const c_void,
        more: MoreOfPut<'_>,
    ) {
        match (access(token), dst_descriptor.is_null()) {
            (Some(Access::Plain), true) => {
                put::<OnFormula<false>>(token, dst_descriptor, dst_len, image, src_size, src_data, more);
            }
            (Some(Access::Plain), false) => {
                put_by_descriptor(token, dst_descriptor, dst_len, image, src_size, src_data, more);
            }
            (Some(Access::Following), _) => {
                put::<OnFormula<true>>(token, dst_descriptor, dst_len, image, src_size, src_data, more);
            }
            _ => put::<AnyImage>(token, dst_descriptor, dst_len, image, src_size, src_data, more),
        }
    }
}

/// A version of the fast path.
trait Path {
    /// Where a get goes that this version leaves.
    const GET: Get;
    /// Where a put goes that this version leaves.
    const PUT: Put;
    /// Whether the local side of a get may be an array.
    const ARRAYS: bool;
    /// Whether accessors of the coarray may have to be waited for.
    const WAITS: bool;
    /// Whether the coarray may have components; `None` if its token says so.
    const COMPONENTS: Option<bool>;

    /// The call of the accessor for the image.
    fn find(token: TokenHandle, image: c_int, accessor: c_int) -> Option<LocalCall>;
}

/// A coarray with or without components, as its token says ([`access`]), in a team that is a formula, on one host. Nothing is
/// called but the accessor, so that hardly a register has to be saved.
struct OnFormula<const COMPONENTS: bool>;
/// Any coarray, team and job: also where the server's thread calls accessors.
struct AnyImage;

/// How accessors are called for the coarray of a token, if it is one's.
#[inline(always)]
fn access(token: TokenHandle) -> Option<Access> {
    coarray(token).map(|token| token.access)
}

/// The coarray of a token for which [`access`] has found one.
#[inline(always)]
fn known(token: TokenHandle) -> &'static Token {
    // SAFETY: entries call versions only for a token for which `access` has found a coarray, but for `AnyImage`, which
    // finds it itself.
    unsafe { &*token.cast() }
}

impl<const COMPONENTS: bool> Path for OnFormula<COMPONENTS> {
    const GET: Get = fallback::get::<AnyImage>;
    const PUT: Put = fallback::put::<AnyImage>;
    const ARRAYS: bool = false;
    const WAITS: bool = false;
    const COMPONENTS: Option<bool> = Some(COMPONENTS);

    #[inline(always)]
    fn find(token: TokenHandle, image: c_int, accessor: c_int) -> Option<LocalCall> {
        on_formula_of(known(token), COMPONENTS, image, accessor)
    }
}

impl Last for AnyImage {
    const GET: Get = get::<AnyImage>;
    const PUT: Put = put::<AnyImage>;
}

impl Path for AnyImage {
    const GET: Get = slow_path::get;
    const PUT: Put = slow_path::put;
    const ARRAYS: bool = true;
    const WAITS: bool = true;
    const COMPONENTS: Option<bool> = None;

    #[inline(always)]
    fn find(token: TokenHandle, image: c_int, accessor: c_int) -> Option<LocalCall> {
        LocalCall::find(token, image, accessor)
    }
}

/// The call of a get that has neither characters nor a team.
///
/// The arguments are not looked at all at once: the compiler of this library would make one load of two that the caller
/// has just stored, which processors wait for.
#[inline(always)]
fn found(
    src_len: *const usize,
    more: &MoreOfGet<'_>,
    find: impl FnOnce() -> Option<LocalCall>,
) -> Option<LocalCall> {
    if !more.dst_len.is_null() || more.team.is_some() {
        return None;
    }
    find().filter(|_| src_len.is_null() && more.team_number.is_none())
}

/// A get of a scalar, and in [`AnyImage`] of an array.
#[inline(never)]
extern "C" fn get<P: Path>(
    token: TokenHandle,
    src_descriptor: *mut Descriptor,
    src_len: *const usize,
    image: c_int,
    dst_size: usize,
    dst_data: *mut *mut c_void,
    more: MoreOfGet<'_>,
) {
    let Some(call) = found(src_len, &more, || P::find(token, image, more.accessor.0)) else {
        return P::GET(token, src_descriptor, src_len, image, dst_size, dst_data, more);
    };
    // The accessor gets references to copies, so that the call above is a jump.
    let (values, image) = (&{ more.add_data }, &{ image });
    let arguments = Arguments { values, image, descriptor: src_descriptor };
    let local = || Values { start: more.add_data, len: more.add_data_size };
    if P::WAITS {
        call.wait();
    }
    if P::ARRAYS
        // SAFETY: the contract of entries: null or the descriptor of a local array.
        && let Some(dst) = unsafe { more.dst_descriptor.as_mut() }
    {
        if !more.may_reallocate.0 {
            return call.get_array(arguments, dst, local(), more.stat);
        }
        call.get_allocated(arguments, dst);
        return fallback::set_ok(more.stat);
    }
    match call.get(arguments, dst_data, dst_size) {
        GetOutcome::All => fallback::set_ok(more.stat),
        GetOutcome::Elsewhere(left) if P::COMPONENTS == Some(false) => {
            left.finish_plain(dst_data, dst_size, more.stat);
        }
        GetOutcome::Elsewhere(left) => {
            let token = known(token);
            Pending { token, image: *image, left, local: local() }
                .finish(dst_data, dst_size, more.stat);
        }
    }
}

/// A get of an array whose shape is known, fast for a coarray without components and an array in one piece.
#[inline(never)]
extern "C" fn get_shaped(
    token: TokenHandle,
    src_descriptor: *mut Descriptor,
    src_len: *const usize,
    image: c_int,
    dst_size: usize,
    dst_data: *mut *mut c_void,
    more: MoreOfGet<'_>,
) {
    if !has_got_shaped(token, src_descriptor, src_len, image, &more) {
        fallback::get::<AnyImage>(token, src_descriptor, src_len, image, dst_size, dst_data, more);
    }
}

/// Gets an array whose shape is known; false if another version has to.
#[inline(always)]
fn has_got_shaped(
    token: TokenHandle,
    descriptor: *mut Descriptor,
    src_len: *const usize,
    image: c_int,
    more: &MoreOfGet<'_>,
) -> bool {
    let find = || OnFormula::<false>::find(token, image, more.accessor.0);
    let Some(call) = found(src_len, more, find) else { return false };
    // SAFETY: the contract of entries: the descriptor of a local array.
    let Some(dst) = (unsafe { more.dst_descriptor.as_ref() }) else { return false };
    let (values, image) = (&{ more.add_data }, &{ image });
    let local = Values { start: more.add_data, len: more.add_data_size };
    call.get_shaped(Arguments { values, image, descriptor }, dst, local, more.stat)
}

/// A get of an array of a coarray with or without components, fast if the accessor allocates it.
#[inline(never)]
extern "C" fn get_array<const COMPONENTS: bool>(
    token: TokenHandle,
    src_descriptor: *mut Descriptor,
    src_len: *const usize,
    image: c_int,
    dst_size: usize,
    dst_data: *mut *mut c_void,
    more: MoreOfGet<'_>,
) {
    if !has_got_array::<COMPONENTS>(token, src_descriptor, src_len, image, &more) {
        fallback::get::<AnyImage>(token, src_descriptor, src_len, image, dst_size, dst_data, more);
    }
}

/// Gets an array if the accessor allocates it; false if another version has to.
#[inline(always)]
fn has_got_array<const COMPONENTS: bool>(
    token: TokenHandle,
    descriptor: *mut Descriptor,
    src_len: *const usize,
    image: c_int,
    more: &MoreOfGet<'_>,
) -> bool {
    let find = || OnFormula::<COMPONENTS>::find(token, image, more.accessor.0);
    let Some(call) = found(src_len, more, find) else { return false };
    let (values, image) = (&{ more.add_data }, &{ image });
    call.get_allocated(Arguments { values, image, descriptor }, more.dst_descriptor);
    fallback::set_ok(more.stat);
    true
}

/// A put of a scalar, or of an array.
#[inline(never)]
extern "C" fn put<P: Path>(
    token: TokenHandle,
    dst_descriptor: *mut Descriptor,
    dst_len: *const usize,
    image: c_int,
    src_size: usize,
    src_data: *const c_void,
    more: MoreOfPut<'_>,
) {
    if !has_put::<P>(token, dst_descriptor, dst_len, image, src_data, &more) {
        P::PUT(token, dst_descriptor, dst_len, image, src_size, src_data, more);
    }
}

/// The same as the first version of [`put`], straight for a coarray that has a descriptor, as arrays mostly have that are put.
#[inline(never)]
extern "C" fn put_by_descriptor(
    token: TokenHandle,
    dst_descriptor: *mut Descriptor,
    dst_len: *const usize,
    image: c_int,
    src_size: usize,
    src_data: *const c_void,
    more: MoreOfPut<'_>,
) {
    if dst_descriptor.is_null()
        || !has_put::<OnFormula<false>>(token, dst_descriptor, dst_len, image, src_data, &more)
    {
        fallback::put::<AnyImage>(token, dst_descriptor, dst_len, image, src_size, src_data, more);
    }
}

/// Puts a scalar or an array; false if another version has to.
#[inline(always)]
fn has_put<P: Path>(
    token: TokenHandle,
    descriptor: *mut Descriptor,
    dst_len: *const usize,
    image: c_int,
    src_data: *const c_void,
    more: &MoreOfPut<'_>,
) -> bool {
    // In this order as in `found`.
    if dst_len.is_null()
        && more.team.is_none()
        && let Some(call) = P::find(token, image, more.accessor.0)
        && more.src_len.is_null()
        && more.team_number.is_none()
        && !call.wants_copy(more.src_descriptor)
    {
        let (values, image) = (&{ more.add_data }, &{ image });
        let is_scalar = more.src_descriptor.is_null();
        let source = if is_scalar { src_data } else { more.src_descriptor.cast() };
        if P::WAITS {
            call.wait();
        }
        call.put(Arguments { values, image, descriptor }, source);
        fallback::set_ok(more.stat);
        return true;
    }
    false
}
