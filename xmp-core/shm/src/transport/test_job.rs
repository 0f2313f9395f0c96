//! A job of two images, for tests of transports.

use crate::Image;
use crate::job::page::{Geometry, Place};
use crate::job::{Job, Plan, ProgramFile};
use crate::region::{HugePages, Region};
use std::sync::Arc;

/// A job of two images, in memory of its own; waits and techniques are those of the job of `image`, which has one image.
pub fn two_images(image: &Image) -> Arc<Job> {
    let geometry = Geometry { base: 0, ..Geometry::plan(2, 1, Some(1 << 26)).unwrap() };
    let page = image.job().page();
    Arc::new(Job::create(
        Region::anonymous(image.job().geometry().region_len() * 2).unwrap(),
        &Plan {
            geometry,
            waiting: page.waiting,
            sharers: page.sharers,
            memory_limit: 1 << 30,
            symmetric_limit: 1 << 29,
            hosts: geometry.hosts_by_block(),
            chunk: crate::machine::STAGING,
            huge_pages: HugePages::None,
            techniques: page.techniques,
            program: ProgramFile::UNKNOWN,
            places: vec![Place::ANYWHERE; 2],
        },
    ))
}
