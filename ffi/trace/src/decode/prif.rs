//! The arguments of PRIF (types in `ffi/src/prif/dummies.rs`). Nearly all of them are addresses. Image indices count in
//! the initial team, those of collective subroutines and SYNC IMAGES in the current one.

use super::{Decoder, before};
use crate::call::Call;
use crate::cdescriptor::CDescriptor;
use xmp_trace::format::{INITIAL, Record};

/// Bytes of events, notifications, locks and atomic variables.
const WORD: u64 = 8;

fn number(call: &Call, position: usize) -> u64 {
    call.at(position).unwrap_or(0)
}

/// The image of the first argument, by its index in the initial team.
fn image(call: &Call, record: &mut Record) {
    record.team = INITIAL;
    record.partner = call.at(0).unwrap_or(0);
}

/// The image and the handle of the coarray.
fn coarray(call: &Call, record: &mut Record) {
    image(call, record);
    record.object = number(call, 1);
}

/// Bytes of the elements that a vector of extents counts.
fn strided(call: &Call, element: usize) -> u64 {
    let extents = CDescriptor::of(call.word(element + 1)).elements::<u64>();
    extents.fold(number(call, element), u64::saturating_mul)
}

/// Image, coarray, offset, address, bytes.
pub const BLOCK: Decoder = before(|call, record| {
    coarray(call, record);
    record.bytes = number(call, 4);
});

/// Image, remote address, address, bytes.
pub const BLOCK_INDIRECT: Decoder = before(|call, record| {
    image(call, record);
    record.bytes = number(call, 3);
});

/// Image, coarray, offset, strides, address, strides, bytes of an element, extents.
pub const STRIDED: Decoder = before(|call, record| {
    coarray(call, record);
    record.bytes = strided(call, 6);
});

/// Image, remote address, strides, address, strides, bytes of an element, extents.
pub const STRIDED_INDIRECT: Decoder = before(|call, record| {
    image(call, record);
    record.bytes = strided(call, 5);
});

/// Image, coarray, offset.
pub const VARIABLE: Decoder = before(coarray);

/// Image, remote address.
pub const VARIABLE_INDIRECT: Decoder = before(|call, record| {
    image(call, record);
    record.object = number(call, 1);
});

/// Image, coarray, offset, value.
pub const ATOMIC: Decoder = before(|call, record| {
    coarray(call, record);
    record.bytes = WORD;
});

/// Image, remote address, value.
pub const ATOMIC_INDIRECT: Decoder = before(|call, record| {
    image(call, record);
    record.object = number(call, 1);
    record.bytes = WORD;
});

/// Array, root.
pub const COLLECTIVE: Decoder = before(|call, record| {
    record.bytes = CDescriptor::of(call.word(0)).bytes();
    record.partner = call.at(1).unwrap_or(0);
});

/// Address, bytes, root.
pub const BROADCAST_CPTR: Decoder = before(|call, record| {
    record.bytes = number(call, 1);
    record.partner = call.at(2).unwrap_or(0);
});

/// Array, operation, its data, result image.
pub const REDUCE: Decoder = before(|call, record| {
    record.bytes = CDescriptor::of(call.word(0)).bytes();
    record.partner = call.at(3).unwrap_or(0);
});

/// Address, bytes of an element, number of elements, operation, its data, result image.
pub const REDUCE_CPTR: Decoder = before(|call, record| {
    record.bytes = number(call, 1).saturating_mul(number(call, 2));
    record.partner = call.at(5).unwrap_or(0);
});

/// A vector of image indices; null is all images.
pub const SYNC_IMAGES: Decoder = before(|call, record| match call.word(0) {
    0 => record.partner = -1,
    vector => record.list.extend(CDescriptor::of(vector).elements::<i32>()),
});

/// Team number, variable of the new team.
pub const FORM_TEAM: Decoder = Decoder {
    before: |call, record| record.partner = call.at::<i64>(0).unwrap_or(0) as i32,
    after: |call, record| record.object = team(call, 1),
};

/// Variable of the team.
pub const SYNC_TEAM: Decoder = before(|call, record| record.team = team(call, 0));

/// Variable of the team that is entered.
pub const CHANGE_TEAM: Decoder = before(|call, record| record.object = team(call, 0));

/// The handle in a team variable. flang 22 passes a descriptor, whose first word is the address of the variable.
fn team(call: &Call, position: usize) -> u64 {
    let first = call.at::<u64>(position).unwrap_or(0);
    if Call::is_handle(first) || !CDescriptor::of(call.word(position)).is_team_variable() {
        return first;
    }
    CDescriptor::of(call.word(position)).first_word()
}

/// Bounds twice, bytes, finaliser, variable of the handle.
pub const ALLOCATE_COARRAY: Decoder = Decoder {
    before: |call, record| record.bytes = number(call, 2),
    after: |call, record| record.object = number(call, 4),
};

/// Handle.
pub const DEALLOCATE_COARRAY: Decoder = before(|call, record| record.object = number(call, 0));

/// A vector of handles.
pub const DEALLOCATE_COARRAYS: Decoder = before(|call, record| {
    let mut handles = CDescriptor::of(call.word(0)).elements::<u64>();
    record.object = handles.next().unwrap_or(0);
    record.list.extend(handles.flat_map(|handle| [handle as i32, (handle >> 32) as i32]));
});

/// Bytes, variable of the address.
pub const ALLOCATE: Decoder = Decoder {
    before: |call, record| record.bytes = number(call, 0),
    after: |call, record| record.object = number(call, 1),
};

/// Address.
pub const DEALLOCATE: Decoder = before(|call, record| record.object = number(call, 0));
