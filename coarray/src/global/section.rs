//! Sections of distributed arrays, and the assignment of one to another.

use crate::typed::called;
use xmp_collectives::global::{self, Plans, Storage};
use xmp_core::global::Section;
use xmp_core::{Image, Result};

/// Some elements of an array.
#[derive(Debug)]
pub struct SectionRef<'a> {
    pub(super) storage: &'a Storage,
    pub(super) section: Section,
}

/// Some elements of an array, to be assigned to.
#[derive(Debug)]
pub struct SectionMut<'a> {
    pub(super) image: &'a Image,
    pub(super) plans: &'a Plans,
    pub(super) storage: &'a Storage,
    pub(super) section: Section,
}

/// Assigns one section to another, whatever the mappings of both arrays (gmove). All executing images call it, and all
/// nodes that have any of these elements are among them.
///
/// # Errors
/// When the shapes or the sizes of elements differ, or a node does not execute; when an image has stopped or failed.
#[track_caller]
pub fn gmove(to: SectionMut<'_>, from: SectionRef<'_>) -> Result<()> {
    let set = to.image.executing();
    let (left, right) = (to.storage.section(&to.section), from.storage.section(&from.section));
    called("gmove", to.image, || {
        let operation = global::prepare_gmove(to.image, &set, to.plans, left, right)?;
        global::run(to.image, &set, &operation)
    })
}
