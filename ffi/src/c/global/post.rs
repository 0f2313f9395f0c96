//! Entry functions of `post` and `wait`.

use super::objects::{NONE, ObjectHandle};
use super::on::nodes_on;
use super::range::Range;
use crate::c::argument::List;
use crate::c::outcome::functions;
use crate::global::post;
use crate::process::instance;
use std::ffi::c_int;
use xmp_core::{Error, Rank, Result};

/// The one node of a reference.
fn node(nodes: ObjectHandle, at: List<Range>) -> Result<Rank> {
    let found = nodes_on(instance(), nodes, at)?;
    let one = found.filter(|nodes| nodes.nodes.len() == 1);
    let rank = one.and_then(|nodes| nodes.nodes.members().rank(0));
    rank.ok_or_else(|| Error::Invalid("post and wait are for one node".into()))
}

functions! {
    /// Posts to a node.
    fn xmprt_post(nodes: ObjectHandle, at: List<Range>, tag: c_int) {
        Ok(post::post(node(nodes, at)?, tag)?)
    }

    /// Waits for a post: of any image without nodes, with any tag without one.
    fn xmprt_await(nodes: ObjectHandle, at: List<Range>, tag: List<c_int>) {
        let from = if nodes == NONE { None } else { Some(node(nodes, at)?) };
        let tag = if tag.is_null() { None } else { Some(tag.of("tag", 1)?[0]) };
        Ok(post::wait(from, tag)?)
    }
}
