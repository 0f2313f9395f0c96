//! The job: a mapped region with its page, entries and segments.

mod duties;
mod entry;
mod geometry;
pub mod page;
pub mod pair;
mod part;
mod program;
#[cfg(all(test, not(loom)))]
mod tests;

pub use duties::Duties;
pub use program::ProgramFile;

pub use geometry::{
    ANSWER, ARRIVALS, CALLS, Part, RECORD, REFUSALS, SegmentLayout, revocation_len,
};

use crate::error::{Error, Result};
use crate::machine;
use crate::rank::Rank;
use crate::region::{HugePages, Region, machine_limit};
use crate::settings::{Settings, Techniques};
use crate::wait::Waiting;
use entry::{ImageEntry, ImageState, Place};
use geometry::Geometry;
use page::{CoreSharers, JobPage};
use std::sync::{PoisonError, RwLock};

/// A job as seen from one process: launcher, image, or all images when they are threads.
#[derive(Debug)]
pub struct Job {
    region: Region,
    geometry: Geometry,
    /// The images whose segments are in the region, by slot.
    region_ranks: Box<[Rank]>,
    handlers: Handlers,
}

/// The decisions of the launcher about a job, before its images start.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Sizes and places.
    pub geometry: Geometry,
    /// Waiting budgets.
    pub waiting: Waiting,
    /// The images that share cores with those of this host.
    pub sharers: CoreSharers,
    /// Most bytes that the heaps of this host may hold together.
    pub memory_limit: u64,
    /// Most bytes that the symmetric heaps of one image may hold, on any host.
    pub symmetric_limit: u64,
    /// Bytes of a chunk of a collective operation on this host.
    pub chunk: usize,
    /// How the large blocks of this host get huge pages. It depends on the region, so the function that makes the region sets it.
    pub huge_pages: HugePages,
    /// How images exchange messages in collectives.
    pub techniques: Techniques,
    /// The program that all images execute, if it is known.
    pub program: ProgramFile,
    /// The (virtual) host of each image; one entry an image.
    pub hosts: Vec<u32>,
    /// What each image is bound to; one entry an image.
    pub places: Vec<Place>,
}

impl Plan {
    /// The plan of a job of this geometry on `cores` cores of this machine. `places` has one entry an image, or none.
    ///
    /// # Panics
    /// When `places` is neither empty nor of one entry for each image.
    pub fn new(geometry: Geometry, places: Vec<Place>, cores: usize, settings: &Settings) -> Plan {
        let images = geometry.images;
        let places = if places.is_empty() || !settings.virtual_groups.is_empty() {
            Place::in_groups(images, &settings.virtual_groups)
        } else {
            places
        };
        assert_eq!(places.len(), images as usize, "one place an image");
        let memory_limit = settings.memory_limit.unwrap_or_else(machine_limit);
        let waiting = Waiting::budget(images, cores, settings);
        Plan {
            geometry,
            waiting,
            sharers: CoreSharers { first: 0, images },
            memory_limit,
            symmetric_limit: memory_limit / u64::from(images),
            chunk: machine::chunk_of_this_machine(waiting.crowded != 0),
            huge_pages: HugePages::None,
            hosts: geometry.hosts_by_block(),
            techniques: settings.techniques,
            program: ProgramFile::UNKNOWN,
            places,
        }
    }
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
        if plan.huge_pages == HugePages::None {
            region.use_no_huge_pages();
        }
        let mut region_ranks = Vec::with_capacity(geometry.slots as usize);
        // SAFETY: the region is zeroed, long enough, page-aligned and not shared yet. All-zero atomics and doorbells
        // are valid; the plain fields are written here.
        unsafe {
            let page = region.start().cast::<JobPage>();
            (*page).magic = JobPage::MAGIC;
            (*page).version = JobPage::VERSION;
            (*page).geometry = geometry;
            (*page).waiting = plan.waiting;
            (*page).sharers = plan.sharers;
            (*page).memory_limit = plan.memory_limit;
            (*page).symmetric_limit = plan.symmetric_limit;
            (*page).chunk = plan.chunk as u64;
            (*page).huge_pages = plan.huge_pages as u64;
            (*page).techniques = plan.techniques;
            (*page).program = plan.program;
            for (number, (&host, &place)) in plan.hosts.iter().zip(&plan.places).enumerate() {
                let rank = Rank::new(number as u32);
                let entry = region.start().add(geometry.entry(rank) as usize).cast::<ImageEntry>();
                (*entry).host = host;
                (*entry).place = place;
                (*entry).slot = if geometry.is_in_region(host) {
                    region_ranks.len() as u32
                } else {
                    ImageEntry::NO_SLOT
                };
                if geometry.is_in_region(host) {
                    region_ranks.push(rank);
                }
            }
        }
        assert_eq!(region_ranks.len(), geometry.slots as usize, "one slot an image of these hosts");
        Job { region, geometry, region_ranks: region_ranks.into(), handlers: Handlers::default() }
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
        page.verify()?;
        let geometry = page.geometry;
        geometry.check(region.len() as u64)?;
        if HugePages::from_number(page.huge_pages) == HugePages::None {
            region.use_no_huge_pages();
        }
        let mut job =
            Job { region, geometry, region_ranks: Box::default(), handlers: Handlers::default() };
        // Slots are in the order of ranks.
        let has_slot = |&rank: &Rank| job.entry(rank).slot != ImageEntry::NO_SLOT;
        job.region_ranks = job.ranks().filter(has_slot).collect();
        if job.region_ranks.len() == geometry.slots as usize {
            Ok(job)
        } else {
            Err(Error::Invalid(format!(
                "the job page has {} images in {} segments",
                job.region_ranks.len(),
                geometry.slots
            )))
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

    /// Whether images of other hosts, containers of one machine, share cores with those of this region.
    pub fn other_hosts_share_cores(&self) -> bool {
        self.page().sharers.images as usize > self.region_ranks.len()
    }

    /// The images whose segments are in this region, by slot; their ranks ascend.
    #[inline(always)]
    pub fn region_ranks(&self) -> &[Rank] {
        &self.region_ranks
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
        assert!(self.geometry.is_in_region(host), "host {host} in {:?}", self.geometry);
        self.region.start().wrapping_add(self.geometry.areas_of(host) as usize)
    }
}

/// The arguments of a handler.
#[derive(Clone, Copy, Debug)]
pub struct HandlerCall<'a> {
    /// The job, whose region has the segments of this host's images.
    pub job: &'a Job,
    /// The image that sent the request.
    pub origin: Rank,
    /// The image that the request is about, on this host.
    pub target: Rank,
}

/// Executes the request `payload` and appends the answer to `reply`. It must not wait, because other requests wait for
/// it. If it panics, the job ends.
pub type Function = fn(served: HandlerCall<'_>, payload: &[u8], reply: &mut Vec<u8>) -> Result<()>;

/// A function with its number, the same on all images.
#[derive(Clone, Copy, Debug)]
pub struct Handler {
    /// The number. Each front end has numbers of its own.
    pub number: u16,
    /// The function.
    pub run: Function,
}

/// The handlers of a process.
#[derive(Debug, Default)]
pub struct Handlers(RwLock<Vec<Handler>>);

impl Handlers {
    /// Registers a handler; called before the image announces that requests to it are possible.
    ///
    /// # Errors
    /// When the number is another function's.
    pub fn register(&self, handler: Handler) -> Result<()> {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match all.iter().find(|other| other.number == handler.number) {
            Some(other) if std::ptr::fn_addr_eq(other.run, handler.run) => Ok(()),
            Some(_) => {
                Err(Error::Invalid(format!("handler {} is registered twice", handler.number)))
            }
            None => {
                all.push(handler);
                Ok(())
            }
        }
    }

    /// The handler with this number.
    ///
    /// # Errors
    /// When there is none.
    pub fn get(&self, number: u16) -> Result<Handler> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let handler = all.iter().find(|handler| handler.number == number).copied();
        handler.ok_or_else(|| Error::Invalid(format!("there is no handler {number}")))
    }
}
