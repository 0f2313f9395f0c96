//! `bcast` (XcalableMP 1.4, 4.5.5).

use super::nodes::read_reference;
use crate::omni::arguments::Arguments;
use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{Descriptor, NodeSet, Object, subscripts};
use crate::process::{Instance, instance};
use std::ffi::{c_int, c_void};
use xmp_collectives::global::{bcast_among, bcast_async};
use xmp_core::Rank;

/// Bytes of so many elements.
fn bytes(count: c_int, element: usize) -> Outcome<usize> {
    let bytes = usize::try_from(count).ok().and_then(|count| count.checked_mul(element));
    bytes.ok_or_else(|| Wrong::because(format!("{count} elements")))
}

/// Gives the bytes of `from`, or of the first node, to all nodes.
///
/// # Errors
/// When `from` is none of the nodes, and for nodes that do not execute this.
///
/// # Safety
/// `data` is valid for so many bytes, until the operation is waited for if it is asynchronous.
pub unsafe fn broadcast(
    nodes: &NodeSet,
    from: Option<Rank>,
    (data, bytes): (*mut c_void, usize),
) -> Outcome {
    let Instance { image, omni, .. } = instance();
    let memory = (data.cast(), bytes);
    // SAFETY: the caller's guarantee.
    unsafe {
        match omni.asynchronous.get() {
            Some(id) => bcast_async(image, &nodes.nodes, from, memory, (&omni.pending, id))?,
            None => {
                let Some(set) = nodes.set(image)? else { return Ok(()) };
                bcast_among(image, &set, from, memory)?;
            }
        }
    }
    Ok(())
}

/// From the first of the nodes.
///
/// # Safety
/// `nodes` describes nodes, `data` is valid for `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_bcast_NODES_ENTIRE_OMITTED(
    nodes: Descriptor,
    data: *mut c_void,
    count: c_int,
    element: usize,
) {
    // SAFETY: the caller's guarantee.
    done("bcast", || unsafe {
        broadcast(Object::<NodeSet>::of(nodes)?, None, (data, bytes(count, element)?))
    });
}

/// `from` one of some nodes.
///
/// # Safety
/// `nodes` and `from` describe nodes, `data` is valid for `count` elements, the arguments are a reference to `from`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_bcast_nodes(
    nodes: Descriptor,
    data: *mut c_void,
    count: c_int,
    element: usize,
    from: Descriptor,
    arguments: *mut Arguments,
) {
    done("bcast", || {
        // SAFETY: the caller's guarantee.
        let (nodes, from, reference) = unsafe {
            let from = Object::<NodeSet>::of(from)?;
            let reference = read_reference(&mut *arguments, from.nodes.shape().len());
            (Object::<NodeSet>::of(nodes)?, from, reference)
        };
        let rank = instance().image.rank();
        let giver = from.nodes.section(&subscripts(&reference)?, rank)?;
        if giver.len() != 1 {
            let why = format!("from names {} nodes, it must be one", giver.len());
            return Err(Wrong::because(why));
        }
        // SAFETY: as above.
        unsafe { broadcast(nodes, giver.members().rank(0), (data, bytes(count, element)?)) }
    });
}
