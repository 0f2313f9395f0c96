//! Images that have stopped or failed, for programs that ask. Such a program handles failures itself: one that it has
//! learned of no longer ends it.

use super::instance::Instance;
use xmp_core::image_set::ImageSet;
use xmp_core::job::page::ImageState;
use xmp_core::{Rank, failure};

/// The state of an image (IMAGE_STATUS).
pub fn state_of(instance: &Instance, rank: Rank) -> ImageState {
    let job = instance.image.job();
    let state = job.state(rank);
    if state == ImageState::Failed {
        failure::acknowledge(job);
    }
    state
}

/// The 1-based indices in a set of the images in this state, ascending (FAILED_IMAGES, STOPPED_IMAGES).
pub fn indices_in_state(instance: &Instance, set: &ImageSet, state: ImageState) -> Vec<usize> {
    let job = instance.image.job();
    let indices: Vec<usize> = (1..=set.len())
        .filter(|index| set.rank_at(index - 1).is_some_and(|rank| job.state(rank) == state))
        .collect();
    if state == ImageState::Failed && !indices.is_empty() {
        failure::acknowledge(job);
    }
    indices
}
