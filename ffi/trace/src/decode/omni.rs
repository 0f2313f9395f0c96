//! The arguments of entries of programs of the Omni compiler (`ffi/omni`). C passes values, Fortran addresses.
//!
//! Where the type of an argument is in the name of a procedure, `SIZE` has its bytes.

use super::xmp::int_at;
use super::{Decoder, before};
use crate::call::Call;
use crate::{recorder, runtime};
use std::sync::atomic::{AtomicBool, Ordering};
use xmp_trace::format::{INITIAL, Record, UNKNOWN};

fn count(count: i32) -> u64 {
    count.max(0) as u64
}

/// The image that a C program numbers so.
fn image_in_c(number: i32) -> i32 {
    number.saturating_sub(recorder::wanted().first_image_in_c).saturating_add(1).max(0)
}

/// What images do not execute together, or do not wait in.
pub const NOT_TOGETHER: Decoder = before(|_, record| record.team = UNKNOWN);

/// Nodes of a C program.
pub const ON_NODES: Decoder = before(|call, record| {
    let nodes = call.word(0);
    recorder::name_nodes(record, runtime::images_of_nodes(&nodes));
});

/// The same, data, number of elements, bytes of an element. The first node broadcasts.
pub const BCAST: Decoder = before(|call, record| {
    bcast(call, record);
    record.partner = 1;
});

/// The same, and from which node, which is not decoded.
pub const BCAST_FROM: Decoder = before(bcast);

fn bcast(call: &Call, record: &mut Record) {
    (ON_NODES.before)(call, record);
    record.bytes = count(call.int(2)).saturating_mul(call.word(3));
}

/// A Fortran program's reference to nodes as argument `ON`; null is the executing ones. Others are not known.
pub const fn on_reference<const ON: usize>() -> Decoder {
    before(|call, record| {
        if call.at::<u64>(ON).unwrap_or(0) != 0 {
            record.team = UNKNOWN;
        }
    })
}

/// Data, number of elements, type, references to the node that broadcasts and to all nodes.
pub const BCAST_OF_FORTRAN: Decoder = before(|call, record| {
    (on_reference::<4>().before)(call, record);
    let has_root = call.at::<u64>(3).unwrap_or(0) != 0;
    record.partner = if has_root { 0 } else { 1 };
});

/// Nodes of a C program, the number of one of them.
pub const NODE: Decoder = before(|call, record| {
    let nodes = call.word(0);
    record.team = INITIAL;
    record.partner = runtime::image_of_node(&nodes, call.int(1));
});

/// Address of the number, image indices; 0 is all images.
pub const SYNC_IMAGES_OF_FORTRAN: Decoder = before(|call, record| match int_at(call, 0) {
    ..=0 => record.partner = -1,
    count => record.list.extend(call.ints(1, count as usize)),
});

/// Address of one image index.
pub const SYNC_IMAGE_OF_FORTRAN: Decoder = before(|call, record| record.list.push(int_at(call, 0)));

/// Descriptor of a vector of image indices.
pub const SYNC_IMAGES_DESCRIBED: Decoder =
    before(|call, record| record.list.extend(call.section_ints(0)));

/// Image, two coarrays, two offsets, the number of elements of each.
pub const CONTIGUOUS: Decoder = before(|call, record| record.partner = image_in_c(call.int(0)));

/// Whether a COARRAY or IMAGE directive has said that image indices of coarrays count other nodes than those that
/// execute: then they are not known here.
static NODES_ARE_NAMED: AtomicBool = AtomicBool::new(false);

/// Nodes for the images of a coarray, or of the next statement.
pub const NAME_NODES: Decoder = before(|_, _| NODES_ARE_NAMED.store(true, Ordering::Relaxed));

fn image(index: i32) -> i32 {
    if NODES_ARE_NAMED.load(Ordering::Relaxed) { 0 } else { index }
}

/// Coarray, address here, bytes of an element, image.
pub const OBJECT_SCALAR: Decoder = before(|call, record| {
    record.object = call.word(0);
    record.partner = image(call.int(3));
    record.bytes = count(call.int(2));
});

/// The same, local address, rank; numbers of elements by dimension in argument `COUNTS`.
pub const fn object_section<const COUNTS: usize>() -> Decoder {
    before(|call, record| {
        (OBJECT_SCALAR.before)(call, record);
        let counts = call.ints(COUNTS, call.int(5).max(0) as usize);
        record.bytes = counts.map(count).fold(record.bytes, u64::saturating_mul);
    })
}

/// Address, number of elements, bytes of an element; the coarray is returned.
pub const OBJECT_ALLOCATE: Decoder = Decoder {
    before: |call, record| record.bytes = count(call.int(1)).saturating_mul(call.word(2)),
    after: |call, record| record.object = call.results[0],
};

/// The coarray.
pub const OBJECT_FREE: Decoder = before(|call, record| record.object = call.word(0));

/// Addresses of the coarray and the image, a scalar here.
pub const fn scalar<const SIZE: u64>() -> Decoder {
    before(|call, record| {
        coarray(call, record, 0);
        record.bytes = SIZE;
    })
}

/// The same for characters, whose length is the argument `LENGTH`.
pub const fn characters<const COARRAY: usize, const LENGTH: usize>() -> Decoder {
    before(|call, record| {
        coarray(call, record, COARRAY);
        record.bytes = call.word(LENGTH);
    })
}

/// Addresses of the coarray, in argument `COARRAY`, and the image; the descriptor of an array.
pub const fn array<const COARRAY: usize>() -> Decoder {
    before(|call, record| {
        coarray(call, record, COARRAY);
        record.bytes = call.section(COARRAY + 2).bytes();
    })
}

fn coarray(call: &Call, record: &mut Record, position: usize) {
    record.object = call.at(position).unwrap_or(0);
    record.partner = image(int_at(call, position + 1));
}

/// Addresses of the coarray, its pointer or variable, number of elements, bytes of an element.
pub const ALLOCATE: Decoder = Decoder {
    before: |call, record| {
        record.bytes = count(int_at(call, 2)).saturating_mul(count(int_at(call, 3)));
    },
    after: |call, record| record.object = call.at(0).unwrap_or(0),
};

/// Address of the coarray.
pub const DEALLOCATE: Decoder = before(|call, record| record.object = call.at(0).unwrap_or(0));

/// A scalar, the address of the root as argument `ROOT`.
pub const fn collective<const SIZE: u64, const ROOT: usize>() -> Decoder {
    before(|call, record| {
        record.bytes = SIZE;
        record.partner = int_at(call, ROOT);
    })
}

/// The descriptor of an array, the address of the root as argument `ROOT`.
pub const fn collective_of_array<const ROOT: usize>() -> Decoder {
    before(|call, record| {
        record.bytes = call.section(0).bytes();
        record.partner = int_at(call, ROOT);
    })
}

/// Addresses of the coarray and the image.
pub const ATOMIC: Decoder = scalar::<4>();

/// A variable of 4 bytes of this image.
pub const ATOMIC_HERE: Decoder = before(|_, record| record.bytes = 4);

/// A lock, the address of the image.
pub const LOCK: Decoder = before(|call, record| record.partner = int_at(call, 1));

/// Coarray, offset, then the image if it is given by one number.
pub const VARIABLE_IN_C: Decoder = before(|call, record| {
    record.object = call.word(0);
    record.partner = image_in_c(call.int(2));
});

/// Returns whether this image executes the task.
pub const TASK: Decoder = Decoder {
    before: |_, _| {},
    after: |call, record| record.object = call.results[0] as u32 as u64,
};
