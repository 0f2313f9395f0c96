//! The plan of a job before it starts: sizes, waiting budgets, memory limit, places.

use super::scheduler::processors_of_scheduler;
use crate::error::{Error, Result};
use crate::job::page::{Geometry, Place};
use crate::job::{Part, Plan};
use crate::region::{
    HUGE_PAGE, HugePageReport, HugePageSource, Region, RegionCapacity, RegionFile,
};
use crate::settings::Settings;
use rustix::thread::{CpuSet, sched_getaffinity};
use std::os::fd::AsFd;
use std::sync::OnceLock;
use std::thread::available_parallelism;

/// The binding of one image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Its place by logical numbers, for algorithms that look for neighbours.
    pub place: Place,
    /// The processors that it may run on, by the system's numbers.
    pub cpus: Vec<usize>,
}

/// The plan of a job of `images` images on `hosts` (virtual) hosts of this machine. `placements` has one entry for each
/// image, or none.
///
/// # Errors
/// When the segments do not fit, or are too small to be useful.
///
/// # Panics
/// When `placements` is neither empty nor of one entry for each image.
pub fn plan(
    images: u32,
    hosts: u32,
    placements: &[Placement],
    settings: &Settings,
) -> Result<Plan> {
    plan_within(RegionCapacity::of_file(), images, hosts, placements, settings)
}

/// The source of huge pages for a job of this plan, found by a trial.
///
/// # Errors
/// When its memory cannot be made.
pub fn huge_pages(plan: &Plan, settings: &Settings) -> Result<HugePageReport> {
    let len = plan.geometry.region_len();
    let RegionFile { file, huge_pages, .. } = RegionFile::create(len, settings.huge_pages)?;
    let region = Region::attach(file.as_fd(), plan.geometry.base, len)?;
    region.use_huge_pages(0..HUGE_PAGE, huge_pages.way.huge_pages());
    // SAFETY: inside the mapping, which nothing else uses.
    unsafe { region.start().write_volatile(1) };
    if huge_pages.way == HugePageSource::None || region.huge_bytes() > 0 {
        return Ok(huge_pages);
    }
    let refusal =
        format!("the system has given none in a trial ({huge_pages}): is its memory fragmented?");
    Ok(HugePageReport { way: HugePageSource::None, obstacles: vec![refusal] })
}

/// [`plan`] for a region that has no more than this room.
///
/// # Errors
/// When the segments do not fit, or are too small to be useful.
///
/// # Panics
/// When `placements` is neither empty nor of one entry for each image.
pub(crate) fn plan_within(
    room: RegionCapacity,
    images: u32,
    hosts: u32,
    placements: &[Placement],
    settings: &Settings,
) -> Result<Plan> {
    let places = placements.iter().map(|placement| placement.place).collect();
    let part = Part { images, first_host: 0, hosts };
    let geometry = Geometry::plan_within(room, images, hosts, part, settings.segment_size)?;
    let geometry = geometry.with_shadow(settings.check.races);
    Ok(Plan::new(geometry, places, cores_available(), settings))
}

/// A processor for each image, if this process may use just as many. Binding then costs nothing, and keeps the system
/// from putting two images that wait for one another on one processor when another program takes the other. Otherwise
/// none: on a larger machine two jobs would be bound to the same processors. So they would where a scheduler has given the job fewer
/// processors than it may use.
pub fn one_processor_each(images: u32) -> Vec<Placement> {
    let given = processors_of_scheduler().unwrap_or(usize::MAX);
    match cpus_allowed() {
        Ok(cpus) if images > 1 && cpus.len() == images as usize && cpus.len() <= given => cpus
            .into_iter()
            .map(|cpu| Placement { place: Place::ANYWHERE, cpus: vec![cpu] })
            .collect(),
        // Processors that cannot be read are not bound to.
        _ => Vec::new(),
    }
}

/// Number of images that can execute at the same time: the processors that this process may run on, or fewer where a
/// control group limits its processor time. The system is asked once: the answer is in several files.
pub fn cores_available() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| available_parallelism().map_or(1, usize::from))
}

/// The processors that this process may run on, by the system's numbers, ascending.
///
/// # Errors
/// [`Error::System`] when there are more than the system's set type holds (1024).
pub fn cpus_allowed() -> Result<Vec<usize>> {
    let set = sched_getaffinity(None)
        .map_err(|error| Error::os("cannot ask which processors may be used", error.into()))?;
    Ok((0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::VirtualGroups;

    fn settings(name: &'static str, value: &'static str) -> Settings {
        Settings::from_pairs(&[(name, value)]).unwrap()
    }

    #[test]
    fn a_plan_has_a_place_for_each_image() {
        let unbound = plan(3, 1, &[], &settings("XMP_MEMORY_LIMIT", "1G")).unwrap();
        assert_eq!(unbound.places, [Place::ANYWHERE; 3]);
        assert_eq!(unbound.memory_limit, 1 << 30);
        let place = Place { core: 1, cache: 0, numa: 0, package: 0 };
        let bound = plan(1, 1, &[Placement { place, cpus: vec![1] }], &settings("", "")).unwrap();
        assert_eq!(bound.places, [place]);
    }

    #[test]
    fn virtual_groups_are_dealt_in_blocks() {
        let plan = plan(5, 1, &[], &settings("XMP_VIRTUAL_GROUPS", "2x2")).unwrap();
        let caches: Vec<u32> = plan.places.iter().map(|place| place.cache).collect();
        let nodes: Vec<u32> = plan.places.iter().map(|place| place.numa).collect();
        assert_eq!((caches, nodes), (vec![0, 0, 1, 2, 3], vec![0, 0, 0, 1, 1]));
        assert!(plan.places.iter().all(|place| place.package == u32::MAX));
        let three = Place::in_groups(8, &VirtualGroups::Blocks(vec![2, 2, 2]));
        assert_eq!(three[5], Place { core: u32::MAX, cache: 5, numa: 2, package: 1 });
    }

    #[test]
    fn virtual_groups_may_be_lists_of_images() {
        let plan = plan(6, 1, &[], &settings("XMP_VIRTUAL_GROUPS", "1-2,5/4")).unwrap();
        let caches: Vec<u32> = plan.places.iter().map(|place| place.cache).collect();
        assert_eq!(caches, [0, 0, 2, 1, 0, 2]);
    }

    #[test]
    fn no_images_are_refused() {
        let text = plan(0, 1, &[], &settings("", "")).unwrap_err().to_string();
        assert!(text.contains("at least one image"), "{text}");
    }

    #[test]
    fn this_thread_runs_somewhere() {
        let allowed = cpus_allowed().unwrap();
        assert!(!allowed.is_empty() && allowed.len() >= cores_available());
    }
}
