//! `post` and `wait` (XcalableMP 1.4, 4.5.9).

use super::error::{DirectiveError, Outcome};
use crate::process::{Instance, OfImage, instance};
use std::cell::OnceCell;
use std::ffi::c_int;
use xmp_coarray::front_end::post::Posts;
use xmp_core::{Rank, Result};

/// Posts to and from this image, once the program has started.
static POSTS: OfImage<OnceCell<Posts>> = OfImage::new(OnceCell::new());

/// Makes the posts of this image, at the start of the program. A program may start a second time.
///
/// # Errors
/// Without memory.
pub fn prepare(instance: &Instance) -> Result<()> {
    let posts = POSTS.of(instance);
    if posts.get().is_none() {
        let made = Posts::new(&instance.image)?;
        posts.get_or_init(|| made);
    }
    Ok(())
}

fn posts(instance: &Instance) -> Outcome<&'static Posts> {
    let posts = POSTS.of(instance).get();
    posts.ok_or_else(|| DirectiveError::because("the program has not started"))
}

/// Posts to an image.
///
/// # Errors
/// When the program has not started, and when the image has failed.
pub fn post(to: Rank, tag: c_int) -> Outcome {
    let instance = instance();
    Ok(posts(instance)?.post(&instance.image, to, tag)?)
}

/// Waits for a post: of any image without `from`, with any tag without `tag`.
///
/// # Errors
/// As [`post`].
pub fn wait(from: Option<Rank>, tag: Option<c_int>) -> Outcome {
    let instance = instance();
    Ok(posts(instance)?.wait(&instance.image, from, tag)?)
}
