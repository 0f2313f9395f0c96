//! The arguments of entries of translated XcalableMP programs (`ffi/src/omni`).

use super::{Decoder, before};

/// Nodes, data, number of elements, bytes of an element.
pub const BCAST: Decoder =
    before(|call, record| record.bytes = (call.int(2).max(0) as u64).saturating_mul(call.word(3)));

/// One image.
pub const SYNC_IMAGE: Decoder = before(|call, record| record.list = vec![call.int(0)]);

/// Number, image indices.
pub const SYNC_IMAGES: Decoder =
    before(|call, record| record.list = call.ints(1, call.int(0).max(0) as usize));

/// All images of the team.
pub const SYNC_IMAGES_ALL: Decoder = before(|_, record| record.partner = -1);
