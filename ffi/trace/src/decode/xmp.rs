//! The arguments of the procedures of XcalableMP (`ffi/src/xmp`). C passes values, Fortran addresses.

use super::{Decoder, before};
use crate::call::Call;
use crate::runtime;
use xmp_trace::format::INITIAL;

/// A number that a Fortran program passes.
pub fn int_at(call: &Call, position: usize) -> i32 {
    call.at(position).unwrap_or(0)
}

/// Nodes of a Fortran program, the number of one of them.
pub const NODE_OF_FORTRAN: Decoder = before(|call, record| {
    record.team = INITIAL;
    record.partner = runtime::image_of_node(&call.at(0).unwrap_or(0), int_at(call, 1));
});

/// One image.
pub const SYNC_IMAGE: Decoder = before(|call, record| record.list.push(call.int(0)));

/// Number, image indices.
pub const SYNC_IMAGES: Decoder =
    before(|call, record| record.list.extend(call.ints(1, call.int(0).max(0) as usize)));

/// All images of the team.
pub const SYNC_IMAGES_ALL: Decoder = before(|_, record| record.partner = -1);
