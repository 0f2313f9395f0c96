//! `post` and `wait` (XcalableMP 1.4, 5.3). Nodes count from 1.
//!
//! In Fortran they are procedures, because Omni's translator refuses the directives there. A node is given by
//! `xmp_desc_of(p)` and its number in the element order of `p`.

use crate::global::post::{post, wait};
use crate::omni::entry::{for_c, for_fortran};
use crate::omni::error::{Outcome, Wrong};
use crate::omni::objects::{NodeSet, Object};
use std::ffi::c_int;
use xmp_core::Rank;

/// The image of the node with these indices.
fn image_at(nodes: &NodeSet, index: &[c_int]) -> Outcome<Rank> {
    let nodes = &nodes.nodes;
    let (given, needed) = (index.len(), nodes.shape().len());
    if given != needed {
        return Err(Wrong::because(format!("{given} subscripts for {needed} dimensions of nodes")));
    }
    let coord = |(&index, &size): (&c_int, &usize)| {
        usize::try_from(i64::from(index) - 1).ok().filter(|&coord| coord < size)
    };
    let coords: Option<Vec<usize>> = index.iter().zip(nodes.shape()).map(coord).collect();
    match coords {
        Some(coords) => Ok(nodes.rank(&coords)),
        None => Err(Wrong::because(format!("there is no node {index:?} of {:?}", nodes.shape()))),
    }
}

/// The image of the node with this number.
fn image_numbered(nodes: &NodeSet, node: c_int) -> Outcome<Rank> {
    let members = nodes.nodes.members();
    let position = usize::try_from(i64::from(node) - 1).ok();
    let rank = position.and_then(|position| members.rank(position));
    rank.ok_or_else(|| Wrong::because(format!("there is no node {node} of {}", members.len())))
}

/// Declares the directives of C for a number of dimensions.
macro_rules! posts {
    ($($post:ident $wait:ident $wait_node:ident($($index:ident)*))*) => { for_c! { $(
        /// `post(p(..), tag)`
        "post" fn $post(nodes: &Object<NodeSet>, $($index: c_int,)* tag: c_int) {
            post(image_at(nodes, &[$($index),*])?, tag)
        }
        /// `wait(p(..), tag)`
        "wait" fn $wait(nodes: &Object<NodeSet>, $($index: c_int,)* tag: c_int) {
            wait(Some(image_at(nodes, &[$($index),*])?), Some(tag))
        }
        /// `wait(p(..))`
        "wait" fn $wait_node(nodes: &Object<NodeSet>, $($index: c_int),*) {
            wait(Some(image_at(nodes, &[$($index),*])?), None)
        }
    )* } };
}

posts! {
    _XMP_post_1 _XMP_wait_1 _XMP_wait_node_1(a)
    _XMP_post_2 _XMP_wait_2 _XMP_wait_node_2(a b)
    _XMP_post_3 _XMP_wait_3 _XMP_wait_node_3(a b c)
    _XMP_post_4 _XMP_wait_4 _XMP_wait_node_4(a b c d)
    _XMP_post_5 _XMP_wait_5 _XMP_wait_node_5(a b c d e)
    _XMP_post_6 _XMP_wait_6 _XMP_wait_node_6(a b c d e f)
    _XMP_post_7 _XMP_wait_7 _XMP_wait_node_7(a b c d e f g)
}

for_c! {
    /// `wait`: for any post.
    "wait" fn _XMP_wait_noargs() {
        wait(None, None)
    }
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
