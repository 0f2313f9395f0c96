//! Posts with tags (XcalableMP 1.4, 5.3: `post` and `wait`): an image posts a tag to another one, which waits for a
//! post of some image, with some tag or with any.
//!
//! Each image has a row of words in its segment ([`xmp_core::post`]): any number of posts of one tag from one image
//! takes one word. Only the owner takes posts out of its row; it stores those that it does not wait for now in a list.
//! An image that finds the target's row full waits until the target waits or posts itself, and empties its own row
//! meanwhile. A word is written before the doorbell is rung, as for events ([`crate::event`]).

use crate::sync::complete_remote;
use crate::{Block, Location, allocation, atomic};
use std::cell::{Cell, RefCell};
use xmp_core::failure::deadlock::{self, AwaitedPost};
use xmp_core::job::page::ImageState;
use xmp_core::post::{self as words, IMAGES, Post};
use xmp_core::sync::AtomicU64;
use xmp_core::transport::Width;
use xmp_core::wait::{ForVariable, Need, WaitKind};
use xmp_core::{Error, Image, Rank, Result, failure};

/// Words of a row: the number of different tags, of all images, that may wait there.
const WORDS: u64 = 1024;

/// The posts to and from one image.
#[derive(Debug)]
pub struct Posts {
    /// The row of this image; the others have theirs at the same offset.
    row: Block,
    /// Posts that were taken out of the row and not waited for yet, with their number; the oldest first.
    taken: RefCell<Vec<(Post, u64)>>,
}

impl Posts {
    /// For all executing images, which all call it.
    ///
    /// # Errors
    /// Out of memory; when an image has stopped or failed.
    pub fn new(image: &Image) -> Result<Posts> {
        let images = image.job().images();
        if images > IMAGES {
            return Err(Error::Invalid(format!("posts among {images} images, more than {IMAGES}")));
        }
        let row = allocation::make_zeroed(image, WORDS * 8, 64)?;
        Ok(Posts { row, taken: RefCell::default() })
    }

    /// Posts a tag to an image. Earlier puts of this image are visible to the other one when it has waited for the
    /// post.
    ///
    /// # Errors
    /// When that image has ended.
    pub fn post(&self, image: &Image, to: Rank, tag: i32) -> Result<()> {
        let post = Post { from: image.rank(), tag };
        if to == image.rank() {
            self.taken.borrow_mut().push((post, 1));
            return Ok(());
        }
        failure::check_failed(image.job(), to)?;
        complete_remote(image)?;
        image.about_to_signal();
        if let Some(races) = image.races() {
            races.release(to, self.clock_of(image.rank()));
        }
        let swap = |at, expected, desired| {
            let at = Location { rank: to, offset: self.row.offset + at * 8 };
            // SAFETY: a word of the other image's row, aligned, only accessed here.
            unsafe { atomic::compare_swap_only(image, at, Width::W8, expected, desired) }
        };
        while !words::add(post, WORDS, swap)? {
            self.has_not_ended(image, to)?;
            // The other image may be waiting for room here.
            self.take(image);
            image.waits_one_sided().between_looks();
            image.threads().give_way(false);
        }
        // The read-modify-write is the first half of the notifier's protocol.
        xmp_core::sync::fence_after_rmw();
        if image.one_host() {
            image.ring_if_parked(to)
        } else {
            image.transport().ring(to)
        }
        Ok(())
    }

    /// Waits for a post: of that image or of any, with this tag or with any; takes one.
    ///
    /// # Errors
    /// When `from` has ended, or no running image is left that could post.
    pub fn wait(&self, image: &Image, from: Option<Rank>, tag: Option<i32>) -> Result<()> {
        let posted_by = Cell::new(image.rank());
        let known = || {
            let mut taken = self.taken.borrow_mut();
            let Some(at) = taken.iter().position(|(post, _)| post.is(from, tag)) else {
                return false;
            };
            posted_by.set(taken[at].0.from);
            taken[at].1 -= 1;
            if taken[at].1 == 0 {
                taken.remove(at);
            }
            true
        };
        let found = || {
            known() || {
                self.take(image);
                known()
            }
        };
        if found() {
            self.acquired(image, posted_by.get());
            return Ok(());
        }
        let watch = || from.map_or(Ok(()), |from| self.can_post(image, from));
        let need = || match from {
            Some(from) => Need::all_of(WaitKind::Post, [from]),
            None => Need { posts: 1, ..Need::any_image(WaitKind::Post) },
        };
        let need = ForVariable { need, variable: &|| tag.map(|tag| format!("tag {tag}")) };
        deadlock::wait(image, AwaitedPost { what: "post", need: &need, nap: None }, watch, found)?;
        self.acquired(image, posted_by.get());
        Ok(())
    }

    /// Orders the following accesses of this image after a post.
    fn acquired(&self, image: &Image, posted_by: Rank) {
        image.acquired();
        if let Some(races) = image.races().filter(|_| posted_by != image.rank()) {
            races.acquire(image.rank(), self.clock_of(posted_by));
        }
    }

    /// The word of a row whose clock has what the posts of an image order, where races are looked for: one for all its posts, so that
    /// one that is not taken yet orders as well.
    fn clock_of(&self, posted_by: Rank) -> u64 {
        self.row.offset + u64::from(posted_by.get()) % WORDS * 8
    }

    /// Takes all posts out of the row.
    fn take(&self, image: &Image) {
        let row = self.row.local(image).cast::<AtomicU64>();
        // SAFETY: the words of this image's row, which lives as long as the image.
        let words = (0..WORDS as usize).map(|word| unsafe { &*row.add(word) });
        words::take(words, &mut self.taken.borrow_mut());
    }

    fn can_post(&self, image: &Image, from: Rank) -> Result<()> {
        if from == image.rank() {
            return Err(Error::Invalid("an image waits for a post of itself".into()));
        }
        self.has_not_ended(image, from)
    }

    fn has_not_ended(&self, image: &Image, rank: Rank) -> Result<()> {
        let job = image.job();
        if failure::ending(job).is_some() {
            return Err(Error::JobEnding);
        }
        match job.state(rank) {
            ImageState::Running => Ok(()),
            ImageState::Stopped => Err(Error::StoppedImage(rank)),
            ImageState::Failed => Err(Error::FailedImage(rank)),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use xmp_core::post::MAX_COUNT;
    use xmp_core::transport::threads;

    #[test]
    fn posts_reach_the_images_that_wait_for_them() {
        for hosts in [1, 2] {
            threads::run(3, hosts, |image| {
                let posts = Posts::new(image).unwrap();
                let [me, next, last] = [0, 1, 2].map(|k| Rank::new((image.rank().get() + k) % 3));
                // More than a row has room for, and no image waits before all have posted.
                for tag in 0..1500 {
                    posts.post(image, next, tag).unwrap();
                }
                // One of them so often that a word cannot count it.
                for _ in 0..MAX_COUNT + 5 {
                    posts.post(image, next, 9).unwrap();
                }
                posts.post(image, last, -1).unwrap();
                posts.post(image, me, 7).unwrap();
                for tag in (0..1500).rev() {
                    posts.wait(image, Some(last), Some(tag)).unwrap();
                }
                for _ in 0..MAX_COUNT + 5 {
                    posts.wait(image, Some(last), Some(9)).unwrap();
                }
                posts.wait(image, Some(next), None).unwrap();
                posts.wait(image, None, Some(7)).unwrap();
                posts.post(image, next, 5).unwrap();
                posts.wait(image, None, None).unwrap();
                assert!(posts.taken.borrow().is_empty());
                let error = posts.wait(image, Some(me), None).unwrap_err();
                assert!(error.to_string().contains("itself"), "{error}");
            })
            .unwrap();
        }
    }

    #[test]
    fn no_image_waits_for_one_that_has_ended() {
        let outcomes = threads::run(2, 1, |image| {
            let posts = Posts::new(image).unwrap();
            match image.rank().get() {
                0 => posts.post(image, Rank::new(1), 3),
                _ => {
                    posts.wait(image, Some(Rank::new(0)), Some(3))?;
                    posts.wait(image, Some(Rank::new(0)), Some(4))
                }
            }
        })
        .unwrap();
        assert_eq!(outcomes[0], Ok(()));
        assert_eq!(outcomes[1], Err(Error::StoppedImage(Rank::new(0))));
    }

    #[test]
    fn images_that_wait_for_one_another_get_an_error_when_another_has_failed() {
        for hosts in [1, 2] {
            let outcomes = threads::run(3, hosts, |image| {
                let posts = Posts::new(image).unwrap();
                match image.rank().get() {
                    0 => posts.wait(image, Some(Rank::new(1)), None),
                    1 => posts.wait(image, None, Some(5)),
                    _ => {
                        failure::publish_failed(image.job(), image.rank());
                        Ok(())
                    }
                }
            })
            .unwrap();
            // The first image that gets the error ends, and the other one may get an error because of that.
            let is_error = |outcome: &Result<()>| {
                matches!(outcome, Err(Error::NoImageLeft { .. } | Error::StoppedImage(_)))
            };
            assert!(outcomes[..2].iter().all(is_error), "{outcomes:?}");
        }
    }
}
