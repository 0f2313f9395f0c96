//! `post` and `wait` (XcalableMP 1.4, 5.3). Nodes count from 1.

use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{Descriptor, NodeSet, Object};
use crate::process::{Instance, instance};
use std::ffi::c_int;
use xmp_coarray::post::Posts;
use xmp_core::Rank;

/// The image of a node.
///
/// # Safety
/// `nodes` describes nodes.
unsafe fn rank(nodes: Descriptor, index: &[c_int]) -> Outcome<Rank> {
    // SAFETY: the caller's guarantee.
    let nodes = &unsafe { Object::<NodeSet>::of(nodes)? }.nodes;
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

/// The posts of this image.
fn posts(instance: &Instance) -> Outcome<&Posts> {
    instance.omni.posts.get().ok_or_else(|| Wrong::because("the program has not started"))
}

/// Posts to an image.
///
/// # Errors
/// As [`Posts::post`].
pub fn post(to: Rank, tag: c_int) -> Outcome {
    let instance = instance();
    Ok(posts(instance)?.post(&instance.image, to, tag)?)
}

/// Waits for a post: of any image, or with any tag, where those are not said.
///
/// # Errors
/// As [`Posts::wait`].
pub fn wait(from: Option<Rank>, tag: Option<c_int>) -> Outcome {
    let instance = instance();
    Ok(posts(instance)?.wait(&instance.image, from, tag)?)
}

/// Defines the calls for a number of dimensions.
macro_rules! posts {
    ($($post:ident $wait:ident $wait_node:ident($($index:ident)*))*) => { $(
        /// `post(p(..), tag)`
        ///
        /// # Safety
        /// `nodes` describes nodes.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $post(nodes: Descriptor, $($index: c_int,)* tag: c_int) {
            // SAFETY: the caller's guarantee.
            done("post", || post(unsafe { rank(nodes, &[$($index),*])? }, tag));
        }

        /// `wait(p(..), tag)`
        ///
        /// # Safety
        /// `nodes` describes nodes.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $wait(nodes: Descriptor, $($index: c_int,)* tag: c_int) {
            // SAFETY: the caller's guarantee.
            done("wait", || wait(Some(unsafe { rank(nodes, &[$($index),*])? }), Some(tag)));
        }

        /// `wait(p(..))`
        ///
        /// # Safety
        /// `nodes` describes nodes.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $wait_node(nodes: Descriptor, $($index: c_int),*) {
            // SAFETY: the caller's guarantee.
            done("wait", || wait(Some(unsafe { rank(nodes, &[$($index),*])? }), None));
        }
    )* };
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

/// `wait`: for any post.
#[unsafe(no_mangle)]
pub extern "C" fn _XMP_wait_noargs() {
    done("wait", || wait(None, None));
}
