//! Each member stages its elements and combines those of all members up to itself.

use super::Operand;
use crate::host::{Host, Sources};
use xmp_core::Result;
use xmp_core::coll_area::STAGING;

/// Longest element that this algorithm can take, in bytes.
pub const LONGEST: usize = STAGING;

/// Works in chunks of about `chunk` bytes, at most [`STAGING`].
///
/// # Errors
/// When a member has ended.
///
/// # Safety
/// The operand is valid; elements are at most [`LONGEST`] bytes.
pub unsafe fn run(host: &Host<'_>, operand: &Operand<'_>, chunk: usize) -> Result<()> {
    let me = host.me();
    for piece in operand.pieces(chunk) {
        let own = operand.at(piece.start);
        let bytes = piece.len() * operand.element();
        // SAFETY: staging of the last step is read before the next one; own elements are read where they are:
        // no other member writes them.
        unsafe {
            if me + 1 < host.members() {
                host.area.stage(host.area.staging(bytes), own, bytes);
            }
            host.barrier()?;
            let source =
                |i| if i == me { own.cast_const() } else { host.area.staging_of(i, bytes) };
            let sources: Sources = operand.members_in(me).map(source).collect();
            if !sources.is_empty() {
                operand.reduction.prefix(own, &sources, piece.len());
            }
        }
    }
    Ok(())
}
