//! The fast path of assignments between images, `a[i] = b[j]`: of scalars, without specifiers.

use crate::arch::stack_entries;
use crate::gfortran_abi::Descriptor;
use crate::gnu::accessor::arguments::MoreOfBetween;
use crate::gnu::accessor::local_call::{Arguments, GetOutcome, NO_COMPONENTS, on_formula};
use crate::gnu::accessor::remote_to_remote;
use crate::gnu::token::TokenHandle;
use std::ffi::{c_int, c_void};
use std::ptr;

stack_entries! {
    /// `a[i] = b[j]`: one accessor gets, another one puts.
    fn _gfortran_caf_transfer_between_remotes(
        token: TokenHandle,
        descriptor: *mut Descriptor,
        len: *const usize,
        image: c_int,
        accessor: c_int,
        add_data: *mut c_void,
        more: MoreOfBetween,
    ) {
        // Without any specifier nothing depends on which compiler has passed them. Not all are looked at at once: the
        // compiler of this library would make one load of two that the caller has just stored, which processors wait for.
        let [first, second, third, fourth, fifth, sixth] = &more.specifiers;
        if more.is_scalar.0 && more.src_len.is_null() && first.is_null() {
            let scalar = source_of_assignment(&more);
            if !scalar.is_null()
                && len.is_null()
                && third.is_null()
                && fifth.is_null()
                && let Some(to) = on_formula(token, image, accessor)
                && second.is_null()
                && fourth.is_null()
                && sixth.is_null()
            {
                let (values, image) = (&add_data, &image);
                return to.put(Arguments { values, image, descriptor }, scalar);
            }
        }
        remote_to_remote::assign(token, descriptor, len, image, accessor, add_data, &more);
    }
}

/// Where the scalar is that the source of an assignment between images gives: in a segment, or in this process. Null if
/// the fast path does not find it, or if it is memory to be freed; nothing has changed then.
#[inline(never)]
fn source_of_assignment(more: &MoreOfBetween) -> *mut c_void {
    let mut place: *mut c_void = ptr::null_mut();
    let call = on_formula(more.src_token, more.src_image.0, more.src_accessor.0);
    let Some(call) = call else { return place };
    let (values, image) = (&more.src_add_data, &more.src_image.0);
    let arguments = Arguments { values, image, descriptor: more.src_descriptor };
    match call.get(arguments, &raw mut place, NO_COMPONENTS) {
        GetOutcome::All => place,
        GetOutcome::Elsewhere(left) => {
            left.discard(place);
            ptr::null_mut()
        }
    }
}
