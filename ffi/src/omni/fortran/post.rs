//! `post` and `wait` (XcalableMP 1.4, 5.3) as procedures: Omni's translator refuses the directives in Fortran. A node is
//! said by `xmp_desc_of(p)` and its number in the element order of `p`, from 1.

use super::arguments::object;
use crate::omni::c::post::{post, wait};
use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{Descriptor, NodeSet};
use std::ffi::c_int;
use xmp_core::Rank;

/// The image of a node.
///
/// # Safety
/// The pointers are valid, `nodes` is a variable that describes nodes.
unsafe fn image(nodes: *const Descriptor, node: *const c_int) -> Outcome<Rank> {
    // SAFETY: the caller's guarantee.
    let (nodes, node) = unsafe { (object::<NodeSet>(nodes)?, *node) };
    let members = nodes.nodes.members();
    let position = usize::try_from(i64::from(node) - 1).ok();
    let rank = position.and_then(|position| members.rank(position));
    rank.ok_or_else(|| Wrong::because(format!("there is no node {node} of {}", members.len())))
}

/// `call xmp_post(xmp_desc_of(p), node, tag)`
///
/// # Safety
/// The pointers are valid, `nodes` is a variable that describes nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_post_(
    nodes: *const Descriptor,
    node: *const c_int,
    tag: *const c_int,
) {
    // SAFETY: the caller's guarantee.
    done("xmp_post", || unsafe { post(image(nodes, node)?, *tag) });
}

/// `call xmp_wait(xmp_desc_of(p), node, tag)`
///
/// # Safety
/// As [`xmp_post_`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_wait_(
    nodes: *const Descriptor,
    node: *const c_int,
    tag: *const c_int,
) {
    // SAFETY: the caller's guarantee.
    done("xmp_wait", || unsafe { wait(Some(image(nodes, node)?), Some(*tag)) });
}

/// `call xmp_wait_node(xmp_desc_of(p), node)`: for a post of it with any tag.
///
/// # Safety
/// As [`xmp_post_`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_wait_node_(nodes: *const Descriptor, node: *const c_int) {
    // SAFETY: the caller's guarantee.
    done("xmp_wait_node", || unsafe { wait(Some(image(nodes, node)?), None) });
}

/// `call xmp_wait_any()`: for any post.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_wait_any_() {
    done("xmp_wait_any", || wait(None, None));
}
