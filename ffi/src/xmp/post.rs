//! `post` and `wait` as procedures of Fortran, which Omni has instead of the directives (XcalableMP 1.4, 5.3). A node is given
//! by `xmp_desc_of(p)` and its number in the element order of `p`, from 1.

use crate::global::post::{post, wait};
use crate::global::{NodeSet, Object};
use crate::xmp::entry::for_fortran;
use crate::xmp::error::{DirectiveError, Outcome};
use std::ffi::c_int;
use xmp_core::Rank;

/// The image of the node with this number.
fn image_numbered(nodes: &NodeSet, node: c_int) -> Outcome<Rank> {
    let members = nodes.nodes.members();
    let position = usize::try_from(i64::from(node) - 1).ok();
    let rank = position.and_then(|position| members.rank(position));
    rank.ok_or_else(|| {
        DirectiveError::because(format!("there is no node {node} of {}", members.len()))
    })
}

for_fortran! {
    /// `call xmp_post(xmp_desc_of(p), node, tag)`
    "xmp_post" fn xmp_post_(nodes: &Object<NodeSet>, node: c_int, tag: c_int) {
        post(image_numbered(nodes, node)?, tag)
    }

    /// `call xmp_wait(xmp_desc_of(p), node, tag)`
    "xmp_wait" fn xmp_wait_(nodes: &Object<NodeSet>, node: c_int, tag: c_int) {
        wait(Some(image_numbered(nodes, node)?), Some(tag))
    }

    /// `call xmp_wait_node(xmp_desc_of(p), node)`: for a post of the node with any tag.
    "xmp_wait_node" fn xmp_wait_node_(nodes: &Object<NodeSet>, node: c_int) {
        wait(Some(image_numbered(nodes, node)?), None)
    }

    /// `call xmp_wait_any()`: for any post.
    "xmp_wait_any" fn xmp_wait_any_() {
        wait(None, None)
    }
}
