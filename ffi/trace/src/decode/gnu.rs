//! The arguments of gfortran's entries (GNU-LIBCAF; types in `ffi/src/gnu`).

use super::{Decoder, before};
use crate::call::Call;
use xmp_trace::format::Record;
use xmp_trace::operation::Operation;

/// Token, offset, image, destination, its vector subscripts, source; `team=` is the fifth argument on the stack.
pub const SEND: Decoder = before(|call, record| {
    let (destination, source) = (call.section(3), call.section(5));
    let has_subscripts = call.word(4) != 0;
    let elements = if has_subscripts { source.elements } else { destination.elements };
    record.partner = if call.word(10) == 0 { call.int(2) } else { 0 };
    record.bytes = destination.element.saturating_mul(elements);
    record.object = call.word(0);
});

/// Token, offset, image, source, its vector subscripts, destination.
pub const GET: Decoder = before(|call, record| {
    record.partner = call.int(2);
    record.bytes = call.section(5).bytes();
    record.object = call.word(0);
});

/// Destination as of [`SEND`], then the token of the source, its offset and image.
pub const SENDGET: Decoder = before(|call, record| {
    record.partner = call.int(7);
    record.bytes = call.section(3).bytes();
    record.object = call.word(5);
});

/// Token, image, source.
pub const SEND_BY_REF: Decoder = before(|call, record| {
    record.partner = call.int(1);
    record.bytes = call.section(2).bytes();
    record.object = call.word(0);
});

/// Token, image.
pub const IS_PRESENT: Decoder = before(|call, record| {
    record.partner = call.int(1);
    record.object = call.word(0);
});

/// Token, image, destination, which the call may allocate.
pub const GET_BY_REF: Decoder = Decoder {
    before: |call, record| {
        record.partner = call.int(1);
        record.object = call.word(0);
    },
    after: |call, record| record.bytes = call.section(2).bytes(),
};

/// Destination token and image, references, source token and image.
pub const SENDGET_BY_REF: Decoder = before(|call, record| record.partner = call.int(4));

/// Token, descriptor, length, image, bytes of a scalar; on the stack: length, descriptor of the local array.
fn accessor(call: &Call, record: &mut Record, team: usize) {
    let has_team = call.word(team) != 0 || call.word(team + 1) != 0;
    record.partner = if has_team { 0 } else { call.int(3) };
    record.object = call.word(0);
}

fn accessor_bytes(call: &Call) -> u64 {
    let array = call.section(7);
    if array.element == 0 { call.word(4) } else { array.bytes() }
}

/// `_gfortran_caf_send_to_remote`.
pub const SEND_TO_REMOTE: Decoder = before(|call, record| {
    accessor(call, record, 12);
    record.bytes = accessor_bytes(call);
});

/// `_gfortran_caf_get_from_remote`, which may allocate the local array.
pub const GET_FROM_REMOTE: Decoder = Decoder {
    before: |call, record| accessor(call, record, 13),
    after: |call, record| record.bytes = accessor_bytes(call),
};

/// `_gfortran_caf_transfer_between_remotes`: the source's image is the eleventh argument.
pub const BETWEEN: Decoder = before(|call, record| {
    record.partner = call.int(10);
    record.bytes = call.word(14);
});

/// Number, address of the image indices; -1 is all images.
pub const SYNC_IMAGES: Decoder = before(|call, record| match call.int(0) {
    ..0 => record.partner = -1,
    count => record.list.extend(call.ints(1, count as usize)),
});

/// A team, by handle or variable.
pub const TEAM: Decoder = before(|call, record| record.team = call.team(0));

/// Number, variable of the new team.
pub const FORM_TEAM: Decoder = Decoder {
    before: |call, record| record.partner = call.int(0),
    after: |call, record| record.object = call.at(1).unwrap_or(0),
};

/// The team that is entered.
pub const CHANGE_TEAM: Decoder = before(|call, record| record.object = call.team(0));

/// Token, index, image.
pub const VARIABLE: Decoder = before(|call, record| {
    record.object = call.word(0);
    record.element = call.word(1) as u32;
    record.partner = call.int(2);
});

/// Token, index, UNTIL_COUNT.
pub const EVENT_WAIT: Decoder = before(|call, record| {
    record.object = call.word(0);
    record.element = call.word(1) as u32;
    record.list.extend(Some(call.int(2)).filter(|&until| until > 1));
});

/// Token, offset, image, then a value of the kind in the last argument.
pub const ATOMIC: Decoder = before(|call, record| {
    record.object = call.word(0);
    record.partner = call.int(2);
    record.bytes = 4;
});

/// Operation, token, offset, image.
pub const ATOMIC_OP: Decoder = before(|call, record| {
    record.object = call.word(1);
    record.partner = call.int(3);
    record.bytes = 4;
});

/// Array, source image.
pub const BROADCAST: Decoder = before(|call, record| {
    record.bytes = call.section(0).bytes();
    record.partner = call.int(1);
});

/// Array, result image; 0 is all.
pub const REDUCTION: Decoder = BROADCAST;

/// Array, operation, flags, result image.
pub const CO_REDUCE: Decoder = before(|call, record| {
    record.bytes = call.section(0).bytes();
    record.partner = call.int(3);
});

/// Size, kind, address of the token. Kind 7 allocates nothing; 9 is another name for a coarray. The size of kinds 2 to 6
/// is a number of locks or events. Kinds 1, 3 and 6 are allocatable coarrays, which all images allocate together.
pub const REGISTER: Decoder = Decoder {
    before: |call, record| {
        if matches!(call.int(1), 1 | 3 | 6) {
            record.operation = Operation::AllocateAll;
        }
        record.bytes = match call.int(1) {
            7 | 9 => 0,
            2..=6 => call.word(0).saturating_mul(8),
            _ => call.word(0),
        };
    },
    after: |call, record| record.object = call.at(2).unwrap_or(0),
};

/// Address of the token, kind: 0 is a coarray, which all images free together.
pub const DEREGISTER: Decoder = before(|call, record| {
    record.object = call.at(0).unwrap_or(0);
    if call.int(1) == 0 {
        record.operation = Operation::DeallocateAll;
    }
});
