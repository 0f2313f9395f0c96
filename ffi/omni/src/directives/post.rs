//! `post` and `wait` in C (XcalableMP 1.4, 5.3). Nodes count from 1. In Fortran they are procedures (`xmp_ffi::xmp`), because Omni's
//! translator refuses the directives there.

use crate::objects::{NodeSet, Object};
use std::ffi::c_int;
use xmp_core::Rank;
use xmp_core::counted::counted;
use xmp_ffi::global::post::{post, wait};
use xmp_ffi::xmp::entry::for_c;
use xmp_ffi::xmp::error::{DirectiveError, Outcome};

/// The image of the node with these indices.
fn image_at(nodes: &NodeSet, index: &[c_int]) -> Outcome<Rank> {
    let nodes = &nodes.nodes;
    let (given, needed) = (index.len(), nodes.shape().len());
    if given != needed {
        let (given, needed) = (counted(given, "subscript"), counted(needed, "dimension"));
        return Err(DirectiveError::because(format!("{given} for {needed} of nodes")));
    }
    let coord = |(&index, &size): (&c_int, &usize)| {
        usize::try_from(i64::from(index) - 1).ok().filter(|&coord| coord < size)
    };
    let coords: Option<Vec<usize>> = index.iter().zip(nodes.shape()).map(coord).collect();
    match coords {
        Some(coords) => Ok(nodes.rank(&coords)),
        None => Err(DirectiveError::because(format!(
            "there is no node {index:?} of {:?}",
            nodes.shape()
        ))),
    }
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
