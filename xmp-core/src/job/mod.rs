//! The job: a mapped region with the page, entries and segments in it.

#[cfg(not(loom))]
pub mod bootstrap;
pub mod page;

use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::region::Region;
use crate::settings::Techniques;
use page::{Geometry, ImageEntry, ImageState, JobPage, Place, Waiting};

/// A job as seen from one process: launcher, image, or all images when they are threads.
#[derive(Debug)]
pub struct Job {
    region: Region,
    geometry: Geometry,
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
    /// How images exchange messages in collectives.
    pub techniques: Techniques,
    /// What each image is bound to; one entry an image.
    pub places: Vec<Place>,
}

impl Job {
    /// Writes the job page and entries into a fresh, zeroed region.
    ///
    /// # Panics
    /// When the region is shorter than the geometry says, or `places` has not one entry an image.
    pub fn create(region: Region, plan: &Plan) -> Job {
        let geometry = plan.geometry;
        assert!(region.len() as u64 >= geometry.region_len(), "region shorter than its geometry");
        assert_eq!(plan.places.len(), geometry.images as usize, "one place an image");
        // SAFETY: the region is zeroed, long enough, page-aligned and not shared with anybody yet.
        // All-zero atomics and doorbells are valid; the plain fields are written here.
        unsafe {
            let page = region.start().cast::<JobPage>();
            (*page).magic = JobPage::MAGIC;
            (*page).version = JobPage::VERSION;
            (*page).geometry = geometry;
            (*page).waiting = plan.waiting;
            (*page).memory_limit = plan.memory_limit;
            (*page).techniques = plan.techniques;
            for (number, place) in plan.places.iter().enumerate() {
                let rank = Rank::new(number as u32);
                let entry = region.start().add(geometry.entry(rank) as usize).cast::<ImageEntry>();
                (*entry).host = geometry.host_by_block(rank);
                (*entry).place = *place;
            }
        }
        Job { region, geometry }
    }

    /// The job in a region that a launcher has made.
    ///
    /// # Errors
    /// When the region was made by another version of this library, or is not what its job page describes.
    pub fn open(region: Region) -> Result<Job> {
        if region.len() < size_of::<JobPage>() {
            let text = format!("a region of {} bytes has no job page", region.len());
            return Err(Error::Invalid(text));
        }
        // SAFETY: every region starts with a job page; magic and version are its first fields in
        // every version and are never written after creation.
        let page = unsafe { &*region.start().cast::<JobPage>() };
        verify(page)?;
        let geometry = page.geometry;
        geometry.check(region.len() as u64)?;
        Ok(Job { region, geometry })
    }

    /// The job page.
    #[inline(always)]
    pub fn page(&self) -> &JobPage {
        // SAFETY: written by `create`, here or in the launcher; only its atomics change.
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

    /// A random number of the job, not 0: the same for all images; `drawn` if this one is the first to ask.
    pub fn random(&self, drawn: u64) -> u64 {
        let random = &self.page().random;
        // Relaxed: a number by itself.
        let relaxed = crate::sync::Ordering::Relaxed;
        random.compare_exchange(0, drawn.max(1), relaxed, relaxed).err().unwrap_or(drawn.max(1))
    }

    /// State of an image.
    pub fn state(&self, rank: Rank) -> ImageState {
        // Acquire: what the image wrote before it ended is visible.
        ImageState::from_u32(self.entry(rank).state.load(crate::sync::Ordering::Acquire))
    }

    /// First byte of an image's segment.
    ///
    /// # Panics
    /// When there is no such image.
    #[inline]
    pub fn segment(&self, rank: Rank) -> *mut u8 {
        assert!(rank.get() < self.geometry.images, "{rank} of {}", self.geometry.images);
        self.region.start().wrapping_add(self.geometry.segment(rank) as usize)
    }

    /// First byte of the boards area of a host.
    ///
    /// # Panics
    /// When there is no such host.
    pub fn boards(&self, host: u32) -> *mut u8 {
        assert!(host < self.geometry.hosts, "host {host} of {}", self.geometry.hosts);
        self.region.start().wrapping_add(self.geometry.boards_of(host) as usize)
    }
}

/// Whether a job page is one that this version of the library understands.
fn verify(page: &JobPage) -> Result<()> {
    if page.magic == JobPage::MAGIC && page.version == JobPage::VERSION {
        return Ok(());
    }
    Err(Error::Invalid(format!(
        "the launcher's job page is of version {}, this library's is {}: \
         use xmprun and libxmp of one installation",
        page.version,
        JobPage::VERSION
    )))
}
