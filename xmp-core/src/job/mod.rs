//! The job: a mapped region with its page, entries and segments.

#[cfg(not(loom))]
pub mod bootstrap;
#[cfg(not(loom))]
mod cluster;
pub mod page;

use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::region::Region;
use crate::server::handlers::Handlers;
use crate::settings::Techniques;
use page::{Geometry, ImageEntry, ImageState, JobPage, Place, Waiting};

/// A job as seen from one process: launcher, image, or all images when they are threads.
#[derive(Debug)]
pub struct Job {
    region: Region,
    geometry: Geometry,
    /// The images whose segments are in the region, by slot.
    here: Box<[Rank]>,
    handlers: Handlers,
}

/// What the launcher decides about a job before its images start.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Sizes and places.
    pub geometry: Geometry,
    /// Waiting budgets.
    pub waiting: Waiting,
    /// Most bytes that the heaps of this host may hold together.
    pub memory_limit: u64,
    /// Most bytes that the symmetric heaps of one image may hold, on any host.
    pub symmetric_limit: u64,
    /// How images exchange messages in collectives.
    pub techniques: Techniques,
    /// The (virtual) host of each image; one entry an image.
    pub hosts: Vec<u32>,
    /// What each image is bound to; one entry an image.
    pub places: Vec<Place>,
}

impl Job {
    /// Writes the job page and entries into a fresh, zeroed region.
    ///
    /// # Panics
    /// When the region is shorter than the geometry says, `hosts` or `places` has not one entry an image, or the
    /// geometry does not have one slot for each image of its hosts.
    pub fn create(region: Region, plan: &Plan) -> Job {
        let geometry = plan.geometry;
        assert!(region.len() as u64 >= geometry.region_len(), "region shorter than its geometry");
        assert_eq!(plan.hosts.len(), geometry.images as usize, "one host an image");
        assert_eq!(plan.places.len(), geometry.images as usize, "one place an image");
        let mut here = Vec::with_capacity(geometry.slots as usize);
        // SAFETY: the region is zeroed, long enough, page-aligned and not shared yet. All-zero atomics and doorbells
        // are valid; the plain fields are written here.
        unsafe {
            let page = region.start().cast::<JobPage>();
            (*page).magic = JobPage::MAGIC;
            (*page).version = JobPage::VERSION;
            (*page).geometry = geometry;
            (*page).waiting = plan.waiting;
            (*page).memory_limit = plan.memory_limit;
            (*page).symmetric_limit = plan.symmetric_limit;
            (*page).techniques = plan.techniques;
            for (number, (&host, &place)) in plan.hosts.iter().zip(&plan.places).enumerate() {
                let rank = Rank::new(number as u32);
                let entry = region.start().add(geometry.entry(rank) as usize).cast::<ImageEntry>();
                (*entry).host = host;
                (*entry).place = place;
                (*entry).slot = match geometry.is_here(host) {
                    true => here.len() as u32,
                    false => ImageEntry::NO_SLOT,
                };
                if geometry.is_here(host) {
                    here.push(rank);
                }
            }
        }
        assert_eq!(here.len(), geometry.slots as usize, "one slot an image of these hosts");
        Job { region, geometry, here: here.into(), handlers: Handlers::default() }
    }

    /// The job in a region that a launcher has made.
    ///
    /// # Errors
    /// When the region was made by another version of this library, or does not match its job page.
    pub fn open(region: Region) -> Result<Job> {
        if region.len() < size_of::<JobPage>() {
            let text = format!("a region of {} bytes has no job page", region.len());
            return Err(Error::Invalid(text));
        }
        // SAFETY: every region starts with a job page; magic and version are its first fields in every version and are
        // never written after creation.
        let page = unsafe { &*region.start().cast::<JobPage>() };
        verify(page)?;
        let geometry = page.geometry;
        geometry.check(region.len() as u64)?;
        let mut job = Job { region, geometry, here: Box::default(), handlers: Handlers::default() };
        // Slots are in the order of ranks.
        let has_slot = |&rank: &Rank| job.entry(rank).slot != ImageEntry::NO_SLOT;
        job.here = job.ranks().filter(has_slot).collect();
        match job.here.len() == geometry.slots as usize {
            true => Ok(job),
            false => Err(Error::Invalid(format!(
                "the job page has {} images in {} segments",
                job.here.len(),
                geometry.slots
            ))),
        }
    }

    /// The job page.
    #[inline(always)]
    pub fn page(&self) -> &JobPage {
        // SAFETY: written by `create`, in this process or in the launcher; only its atomics change.
        unsafe { &*self.region.start().cast::<JobPage>() }
    }

    /// Sizes and places.
    #[inline(always)]
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The mapped memory.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Number of images.
    #[inline(always)]
    pub fn images(&self) -> usize {
        self.geometry.images as usize
    }

    /// The images whose segments are in this region, by slot; their ranks ascend.
    #[inline(always)]
    pub fn here(&self) -> &[Rank] {
        &self.here
    }

    /// The requests of front ends that this process can execute.
    pub fn handlers(&self) -> &Handlers {
        &self.handlers
    }

    /// All ranks.
    pub fn ranks(&self) -> impl Iterator<Item = Rank> + Clone + use<> {
        (0..self.geometry.images).map(Rank::new)
    }

    /// The entry of an image.
    ///
    /// # Panics
    /// When there is no such image.
    #[inline]
    pub fn entry(&self, rank: Rank) -> &ImageEntry {
        assert!(rank.get() < self.geometry.images, "{rank} of {}", self.geometry.images);
        // SAFETY: in bounds; entries are written by `create` and only their atomics change.
        unsafe { &*self.region.start().add(self.geometry.entry(rank) as usize).cast() }
    }

    /// A random number of the job, not 0, the same for all images: `drawn` if this call is the first.
    pub fn random(&self, drawn: u64) -> u64 {
        let random = &self.page().random;
        // Relaxed: the number orders nothing else.
        let relaxed = crate::sync::Ordering::Relaxed;
        random.compare_exchange(0, drawn.max(1), relaxed, relaxed).err().unwrap_or(drawn.max(1))
    }

    /// State of an image.
    pub fn state(&self, rank: Rank) -> ImageState {
        // Acquire: what the image wrote before it ended is visible.
        ImageState::from_u32(self.entry(rank).state.load(crate::sync::Ordering::Acquire))
    }

    /// First byte of an image's segment; `None` if it is in the region of another host.
    ///
    /// # Panics
    /// When there is no such image.
    #[inline]
    pub fn segment(&self, rank: Rank) -> Option<*mut u8> {
        match self.entry(rank).slot {
            ImageEntry::NO_SLOT => None,
            slot => Some(self.region.start().wrapping_add(self.geometry.segment(slot) as usize)),
        }
    }

    /// First byte of the memory for collective areas of a host.
    ///
    /// # Panics
    /// When the host is none of those that share this region.
    pub fn areas(&self, host: u32) -> *mut u8 {
        assert!(self.geometry.is_here(host), "host {host} in {:?}", self.geometry);
        self.region.start().wrapping_add(self.geometry.areas_of(host) as usize)
    }
}

/// Checks that this version of the library understands a job page.
fn verify(page: &JobPage) -> Result<()> {
    if page.magic == JobPage::MAGIC && page.version == JobPage::VERSION {
        return Ok(());
    }
    Err(Error::Invalid(format!(
        "the launcher's job page is of version {}, this library's is {}: \
         use xmprun and libxmprt of one installation",
        page.version,
        JobPage::VERSION
    )))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::Image;
    use crate::launch;
    use crate::region::Part;
    use crate::settings::Settings;
    use crate::transport::Local;
    use std::os::fd::AsFd;
    use std::sync::Arc;

    /// Four images that were assigned to two hosts in turn, as the second host has them.
    fn second_host(settings: &Settings) -> Plan {
        let part = Part { images: 2, first_host: 1, hosts: 1 };
        Plan {
            geometry: Geometry::plan_part(4, 2, part, Some(1 << 26)).unwrap(),
            hosts: vec![0, 1, 0, 1],
            ..launch::plan(4, 2, &[], settings).unwrap()
        }
    }

    #[test]
    fn a_region_has_the_segments_of_its_own_images() {
        let settings = Settings::default();
        let mut plan = second_host(&settings);
        let len = plan.geometry.region_len();
        let file = Region::create_file(len).unwrap();
        // Addresses apart from the regions of other tests.
        let [first, second] = [0x3200_0000_0000, 0x3300_0000_0000];
        plan.geometry.base = first;
        let made = Job::create(Region::attach(file.as_fd(), first, len).unwrap(), &plan);
        let opened = Job::open(Region::attach(file.as_fd(), second, len).unwrap()).unwrap();
        let [one, three] = [1, 3].map(Rank::new);
        for job in [&made, &opened] {
            assert_eq!(job.here(), [one, three]);
            assert!(job.segment(Rank::new(0)).is_none() && job.segment(Rank::new(2)).is_none());
            let start = job.region().start() as u64;
            let at = |rank| job.segment(rank).unwrap() as u64 - start;
            assert_eq!([at(one), at(three)], [0, 1].map(|slot| plan.geometry.segment(slot)));
        }

        let opened = Arc::new(opened);
        let transport = Box::new(Local::new(opened.clone(), three));
        let image = Image::new(opened.clone(), three, transport, settings.clone()).unwrap();
        assert_eq!((image.host(), image.one_host()), (1, false));
        assert_eq!(image.near(one, 8), Some(opened.segment(one).unwrap().wrapping_add(8)));
        assert_eq!(image.near(Rank::new(0), 8), None);
        assert_eq!(image.locate(image.own_segment().wrapping_add(5)), Some((three, 5)));
        let end = image.own_segment().wrapping_add(plan.geometry.stride as usize);
        assert_eq!(image.locate(end), None);
        assert_eq!(image.locate(opened.region().start()), None);

        let stranger = Rank::new(2);
        let transport = Box::new(Local::new(opened.clone(), stranger));
        let text = Image::new(opened, stranger, transport, settings).unwrap_err().to_string();
        assert!(text.contains("image 3"), "{text}");
    }

    #[test]
    #[should_panic(expected = "one slot an image")]
    fn a_region_has_a_slot_for_each_image_of_its_hosts() {
        let mut plan = second_host(&Settings::default());
        plan.hosts = vec![0, 0, 0, 1];
        let region = Region::anonymous(plan.geometry.region_len()).unwrap();
        Job::create(region, &plan);
    }
}
