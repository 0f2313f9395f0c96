//! The arguments of `xmprt.h` and `xmprt_global.h`.

use super::{Decoder, before};
use crate::call::Call;
use crate::cdescriptor::CDescriptor;
use crate::{recorder, runtime};
use xmp_trace::format::{Record, UNKNOWN};

/// Bytes of the elements of a type, by the numbers of `xmprt_type`.
fn bytes_of_type(number: i32) -> u64 {
    const BYTES: [u64; 17] = [0, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 16, 8, 16, 32, 1, 16];
    usize::try_from(number).ok().and_then(|number| BYTES.get(number).copied()).unwrap_or(0)
}

fn bytes_of_elements(call: &Call, count: usize, kind: usize) -> u64 {
    call.word(count).saturating_mul(bytes_of_type(call.int(kind)))
}

/// The team alone.
pub const TEAM: Decoder = before(|call, record| record.team = call.word(0));

/// Team, image, two addresses, bytes.
pub const TRANSFER: Decoder = before(|call, record| {
    record.team = call.word(0);
    record.partner = call.int(1);
    record.bytes = call.word(4);
});

/// The same in a sibling team, whose images have other indices.
pub const SIBLING: Decoder = before(|call, record| record.bytes = call.word(4));

/// Team, data, count, type, result image.
pub const REDUCTION: Decoder = before(|call, record| {
    record.team = call.word(0);
    record.bytes = bytes_of_elements(call, 2, 3);
    record.partner = call.int(4);
});

/// Team, data, count, type, operation, result image.
pub const REDUCTION_BY: Decoder = before(|call, record| {
    record.team = call.word(0);
    record.bytes = bytes_of_elements(call, 2, 3);
    record.partner = call.int(5);
});

/// Team, data, count, type.
pub const SCAN: Decoder = before(|call, record| {
    record.team = call.word(0);
    record.bytes = bytes_of_elements(call, 2, 3);
});

/// Team, the own part, all parts, count, type.
pub const REDUCE_SCATTER: Decoder = before(|call, record| {
    record.team = call.word(0);
    record.bytes = bytes_of_elements(call, 3, 4);
});

/// Team, data, locations, count, type.
pub const LOCATED: Decoder = REDUCE_SCATTER;

/// Team, data, bytes, source image.
pub const BROADCAST: Decoder = before(|call, record| {
    record.team = call.word(0);
    record.bytes = call.word(2);
    record.partner = call.int(3);
});

/// Team, two addresses, bytes.
pub const ALL_TO_ALL: Decoder = before(|call, record| {
    record.team = call.word(0);
    record.bytes = call.word(3);
});

/// Team, two addresses, bytes, root.
pub const ROOTED: Decoder = before(|call, record| {
    record.team = call.word(0);
    record.bytes = call.word(3);
    record.partner = call.int(4);
});

/// Team, image, a variable of 8 bytes at most.
pub const VARIABLE: Decoder = before(|call, record| {
    record.team = call.word(0);
    record.partner = call.int(1);
    record.object = call.word(2);
});

/// A variable of this image.
pub const OWN_VARIABLE: Decoder = before(|call, record| record.object = call.word(0));

/// Team, image, two addresses, bytes, signal.
pub const PUT_SIGNAL: Decoder = before(|call, record| {
    record.team = call.word(0);
    record.partner = call.int(1);
    record.bytes = call.word(4);
    record.object = call.word(5);
});

/// Team, image, address, strides, address, strides, extents, dimensions, bytes of an element.
pub const STRIDED: Decoder = before(|call, record| {
    record.team = call.word(0);
    record.partner = call.int(1);
    let dimensions = usize::try_from(call.int(7)).unwrap_or(0).min(MAX_DIMENSIONS);
    record.bytes = call.list::<u64>(6, dimensions).fold(call.word(8), u64::saturating_mul);
});

/// Most dimensions of a section.
const MAX_DIMENSIONS: usize = 15;

/// Team, image, three addresses, elements, bytes of an element.
pub const INDEXED: Decoder = before(|call, record| {
    record.team = call.word(0);
    record.partner = call.int(1);
    record.bytes = call.word(5).saturating_mul(call.word(6));
});

/// Team, data, elements, bytes of an element.
pub const USER_REDUCTION_BEGUN: Decoder = before(|call, record| {
    record.team = call.word(0);
    record.bytes = call.word(2).saturating_mul(call.word(3));
});

/// The same, then operation, context, result image.
pub const USER_REDUCTION: Decoder = before(|call, record| {
    record.team = call.word(0);
    record.bytes = call.word(2).saturating_mul(call.word(3));
    record.partner = call.int(6);
});

/// Team, address, bytes, address, two lists, root.
pub const SCATTERV: Decoder = before(|call, record| {
    record.team = call.word(0);
    record.bytes = call.word(2);
    record.partner = call.int(6);
});

/// Team, address, two lists, address, bytes, root.
pub const GATHERV: Decoder = before(|call, record| {
    record.team = call.word(0);
    record.bytes = call.word(5);
    record.partner = call.int(6);
});

/// Team, address, two lists, address, bytes.
pub const ALLGATHERV: Decoder = before(|call, record| {
    record.team = call.word(0);
    record.bytes = call.word(5);
});

/// Team, image indices, number.
pub const SYNC_IMAGES: Decoder = before(|call, record| {
    record.team = call.word(0);
    record.list.extend(call.ints(1, call.word(2) as usize));
});

/// Number, index, variable of the new team.
pub const FORM_TEAM: Decoder = Decoder {
    before: |call, record| record.partner = call.int(0),
    after: |call, record| record.object = call.at(2).unwrap_or(0),
};

/// The team that is entered.
pub const CHANGE_TEAM: Decoder = before(|call, record| record.object = call.word(0));

/// Bytes, variable of the block.
pub const ALLOCATE: Decoder = Decoder {
    before: |call, record| record.bytes = call.word(0),
    after: |call, record| record.object = call.at(1).unwrap_or(0),
};

/// The block.
pub const FREE: Decoder = before(|call, record| record.object = call.word(0));

/// The coarray of a lock or of an atomic procedure; which image, its coshape says, which is not known here.
pub const WORD: Decoder = before(|call, record| record.object = call.word(0));

/// `on` at this position, and the address of its ranges after it. Who executes is known of nodes as a whole, and where the handle
/// is 0.
pub const fn on<const POSITION: usize>() -> Decoder {
    before(|call, record| name_on(call, record, POSITION))
}

fn name_on(call: &Call, record: &mut Record, position: usize) {
    let (on, at) = (call.word(position), call.word(position + 1));
    if on == 0 {
        return;
    }
    let images = if at == 0 { runtime::images_of_handle(on) } else { None };
    match images {
        Some(images) => recorder::name_nodes(record, images),
        None => record.team = UNKNOWN,
    }
}

/// The address of an id at this position, or null: images do not wait in what goes on in the background.
pub const fn asynchronous<const POSITION: usize>() -> Decoder {
    before(|call, record| {
        if call.word(POSITION) != 0 {
            record.team = UNKNOWN;
        }
    })
}

/// The mode of a gmove at this position, and the address of an id after it.
pub const fn gmove<const POSITION: usize>() -> Decoder {
    before(|call, record| {
        const ALONE: i32 = 3;
        if call.int(POSITION) & ALONE != 0 || call.word(POSITION + 1) != 0 {
            record.team = UNKNOWN;
        }
    })
}

/// Array, flags: without any of these each image is by itself.
pub const ALLOCATED: Decoder = before(|call, record| {
    if call.int(1) == 0 {
        record.team = UNKNOWN;
    }
});

/// Data, count, type, operator, `on`, ranges, id.
pub const REDUCE: Decoder = before(|call, record| {
    record.bytes = bytes_of_elements(call, 1, 2);
    together(call, record, (4, 6));
});

/// The position of `on`, with the address of its ranges after it, and that of the address of an id: images do not wait in what goes on
/// in the background. The record that names nodes first has the list of their images, so nothing may replace it.
fn together(call: &Call, record: &mut Record, (on, id): (usize, usize)) {
    match call.word(id) {
        0 => name_on(call, record, on),
        _ => record.team = UNKNOWN,
    }
}

/// What a descriptor of Fortran describes, operator, `on`, ranges, id.
pub const REDUCE_VARIABLE: Decoder = before(|call, record| {
    record.bytes = CDescriptor::of(call.word(0)).bytes();
    together(call, record, (2, 4));
});

/// The same with location variables, at once.
pub const REDUCE_LOCATED: Decoder = before(|call, record| {
    record.bytes = CDescriptor::of(call.word(0)).bytes();
    name_on(call, record, 2);
});

/// What a descriptor of Fortran describes, `from`, ranges, `on`, ranges, id.
pub const BROADCAST_VARIABLE: Decoder = before(|call, record| {
    record.bytes = CDescriptor::of(call.word(0)).bytes();
    record.partner = i32::from(call.word(1) == 0);
    together(call, record, (3, 5));
});

/// Array, what has its part, whether all images tell the others.
pub const PLACED: Decoder = before(|call, record| {
    if call.int(2) == 0 {
        record.team = UNKNOWN;
    }
});

/// Nodes whose images all take part.
pub const SYNC_NODES: Decoder =
    before(|call, record| match runtime::images_of_handle(call.word(0)) {
        Some(images) => recorder::name_nodes(record, images),
        None => record.team = UNKNOWN,
    });

/// Data, bytes, `from`, ranges, `on`, ranges, id.
pub const BROADCAST_FROM: Decoder = before(|call, record| {
    record.bytes = call.word(1);
    // Without `from` the first node broadcasts.
    record.partner = i32::from(call.word(2) == 0);
    together(call, record, (4, 6));
});

/// Nodes and ranges, which do not say which image they mean.
pub const NODE: Decoder = before(|_, record| record.team = UNKNOWN);

/// `on`, ranges, place of whether this image executes the task.
pub const TASK: Decoder = Decoder {
    before: |_, _| {},
    after: |call, record| record.object = call.at::<i32>(2).unwrap_or(0) as u32 as u64,
};
