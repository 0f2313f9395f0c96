//! `nodes` (XcalableMP 1.4, 4.3.1).
//!
//! The variable arguments are sizes, where `*` is -1, and places that the program reads: sizes that it could not know,
//! and its own coordinates from 0.

mod parts;
mod sets;

pub use sets::{entire, executing, numbered};

use crate::omni::arguments::Arguments;
use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::executing as executing_nodes;
use crate::omni::objects::{Descriptor, NodeSet, Object, Triplets};
use crate::process::{any_thread, enter, instance};
use smallvec::SmallVec;
use std::ffi::c_int;
use xmp_core::global::Size;

/// A size as the program writes it.
///
/// # Errors
/// When it is neither -1 nor positive.
pub fn size(size: c_int) -> Outcome<Size> {
    match size {
        -1 => Ok(Size::Star),
        size => match usize::try_from(size) {
            Ok(size) if size > 0 => Ok(Size::Nodes(size)),
            _ => Err(Wrong::because(format!("a dimension of {size} nodes"))),
        },
    }
}

/// Number of dimensions of a declaration.
pub(in crate::omni) fn dimensions(dims: c_int) -> Outcome<usize> {
    match usize::try_from(dims) {
        Ok(dims) if dims > 0 => Ok(dims),
        _ => Err(Wrong::because(format!("{dims} dimensions"))),
    }
}

/// Dimensions whose sizes the program wants to know, and where.
type Wanted = SmallVec<[(usize, *mut c_int); 2]>;

/// What comes with the sizes of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Places {
    /// Nothing.
    None,
    /// A place for the size after each `*`.
    EachStar,
    /// The last size is `*` and is not said; a place for it comes behind the others.
    Last,
}

/// Reads sizes.
///
/// # Safety
/// The arguments are those of `dims` dimensions.
unsafe fn read_sizes(
    arguments: &mut Arguments,
    dims: usize,
    places: Places,
) -> Outcome<(Vec<Size>, Wanted)> {
    let mut sizes = Vec::with_capacity(dims);
    let mut wanted = SmallVec::new();
    let said = dims - usize::from(places == Places::Last);
    for dim in 0..said {
        // SAFETY: the caller's guarantee.
        let next = size(unsafe { arguments.integer() })?;
        if places == Places::EachStar && next == Size::Star {
            // SAFETY: as above.
            wanted.push((dim, unsafe { arguments.pointer() }));
        }
        sizes.push(next);
    }
    if places == Places::Last {
        sizes.push(Size::Star);
        // SAFETY: as above.
        wanted.push((said, unsafe { arguments.pointer() }));
    }
    Ok((sizes, wanted))
}

/// Writes the sizes that are wanted and, from the arguments that are left, all coordinates.
///
/// # Safety
/// The places are valid; the arguments are places for all coordinates.
unsafe fn answer(arguments: &mut Arguments, wanted: &[(usize, *mut c_int)], nodes: &NodeSet) {
    for &(dim, place) in wanted {
        // SAFETY: the caller's guarantee.
        unsafe { place.write(nodes.nodes.shape()[dim] as c_int) };
    }
    for dim in 0..nodes.nodes.shape().len() {
        // SAFETY: as above.
        unsafe { arguments.pointer::<c_int>().write(nodes.coord(dim) as c_int) };
    }
}

/// Reads a reference to nodes: for each dimension whether it is `*`, else first, last and step.
///
/// # Safety
/// The arguments are those of so many dimensions.
pub(in crate::omni) unsafe fn read_reference(arguments: &mut Arguments, dims: usize) -> Triplets {
    let mut read = || {
        // SAFETY: the caller's guarantee.
        unsafe {
            if arguments.integer() != 0 {
                return None;
            }
            let mut next = || i64::from(arguments.integer());
            Some((next(), next(), next()))
        }
    };
    (0..dims).map(|_| read()).collect()
}

/// The end of a declaration.
///
/// # Safety
/// `nodes` is null or describes nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_finalize_nodes(nodes: Descriptor) {
    if !nodes.is_null() {
        // SAFETY: the caller's guarantee.
        done("nodes", || unsafe { Object::<NodeSet>::release(nodes) });
    }
}

/// The executing nodes.
#[unsafe(no_mangle)]
pub extern "C" fn _XMP_get_execution_nodes() -> Descriptor {
    let _entered = enter();
    executing_nodes::nodes(instance()).address()
}

/// The number of this image among the executing nodes, from 0.
#[unsafe(no_mangle)]
pub extern "C" fn _XMP_get_execution_nodes_rank() -> c_int {
    any_thread().image.stack().here().0 as c_int - 1
}
