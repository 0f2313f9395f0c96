//! The endpoint of an image: its rank, its waits, and its access to the segments of all images. (GASNet-EX has the same
//! term.) The executing sets, collective areas and heaps of the image are above it, in [`crate::Image`].

mod addresses;
mod answer;
mod background;
mod cores;
mod ordering;
mod peer;
mod record;
mod segment_order;
mod segments;
mod shared_cores;
mod waiting;

pub use answer::{Answer, Answered};
pub use peer::{Ends, Peer};
pub use record::{Blocked, Record, STATE, State, VIEW, view};

use crate::error::{Error, Result};
use crate::job::page::{ImageEntry, Status};
use crate::job::{Job, SegmentLayout};
use crate::races::Detector;
use crate::rank::Rank;
use crate::settings::{Settings, Techniques};
use crate::sync::{AtomicU32, Ordering};
use crate::threads::ThreadLock;
use crate::transport::Transport;
use crate::wait::Probe;
use background::Slot;
use segment_order::SegmentOrder;
use segments::SegmentTable;
use shared_cores::CoresOfImage;
use smallvec::SmallVec;
use std::any::Any;
use std::cell::Cell;
use std::ptr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicPtr;

/// Operations that an image has begun and not completed, defined by a crate above this one.
pub trait Work: Any {
    /// Does what can be done without waiting. Returns whether anything was done. Called again and again in every wait
    /// of the image, so it must not wait itself, and what it waits for must ring the image's doorbell. `is_probed`: the image is about
    /// to answer a probe if nothing was done. Then the work looks at everything that other images may have done for it, also at what
    /// rings no doorbell and is otherwise looked at now and then.
    fn advance(&self, image: &Endpoint, is_probed: bool) -> bool;

    /// The images whose messages the work waits for: until one of them acts, `advance` does nothing. `None` where that is not known.
    fn partners(&self) -> Option<SmallVec<[Rank; 8]>>;
}

xmp_map::debug_by_name!(Work);

/// The endpoint of an image. Used by one thread at a time: if there are several, by the one that is inside its
/// [`ThreadLock`]. Functions whose documentation says so may be called by any thread at any time.
#[derive(Debug)]
pub struct Endpoint {
    rank: Rank,
    host: u32,
    hosts: u32,
    segments: SegmentTable,
    own: *mut u8,
    /// The status that fast paths read: that of the job, which is mapped as long as this handle holds it, or `changed`.
    status: AtomicPtr<Status>,
    /// A status by which something has changed: while fast paths read it, all operations take the slow paths.
    changed: Box<Status>,
    order: SegmentOrder,
    races: Option<Box<Detector>>,
    job: Arc<Job>,
    layout: SegmentLayout,
    transport: Box<dyn Transport>,
    peers: Box<[Peer]>,
    settings: Settings,
    techniques: Techniques,
    /// Looks of the program at shared values; see [`Endpoint::polled`].
    looks: AtomicU32,
    work: Slot<dyn Work>,
    /// The record of this image's wait for the others.
    blocked: Blocked,
    /// The number of this image's wait: odd from its first sleep to its end.
    wait: Cell<u32>,
    /// The last probe of the launcher that this image has answered.
    answered: Cell<Probe>,
    /// The number of the last wait before which everything that this image had sent has arrived.
    flushed: Cell<Option<u32>>,
    /// Whether the transport must make progress while this image waits.
    polled: bool,
    threads: ThreadLock,
    /// What this image knows of its cores, if it shares them, or may share them, with others.
    cores: Option<Rc<CoresOfImage>>,
}

impl Endpoint {
    /// The endpoint of the image `rank` of `job`, reached through `transport`.
    ///
    /// # Errors
    /// When the segment of `rank` is not in the memory of this machine.
    pub fn new(
        job: Arc<Job>,
        rank: Rank,
        transport: Box<dyn Transport>,
        settings: Settings,
    ) -> Result<Endpoint> {
        let own = job.segment(rank).ok_or_else(|| {
            Error::Invalid(format!("the segment of {rank} is not in the memory of this machine"))
        })?;
        let local = |rank| match transport.host_ptr(rank, 0) {
            Some(segment) => segment.as_ptr(),
            None => std::ptr::null_mut(),
        };
        let races = if settings.check.races {
            Some(Box::new(Detector::new(job.clone(), rank, settings.races_delay)?))
        } else {
            None
        };
        if job.geometry().hosts > 1 || races.is_some() {
            job.entry(rank).duties.add_general();
        }
        let shares_cores = job.page().waiting.crowded != 0 || job.other_hosts_share_cores();
        let cores = shares_cores.then(|| Rc::new(CoresOfImage::new(job.clone(), rank)));
        if let Some(cores) = &cores {
            transport.share_cores(cores.clone());
        }
        let changed = Box::new(Status::changed());
        let status = if races.is_some() { &*changed } else { &job.page().status };
        Ok(Endpoint {
            rank,
            host: job.entry(rank).host,
            hosts: job.geometry().hosts,
            segments: SegmentTable::new(&job, races.is_some(), local),
            own,
            status: AtomicPtr::new(ptr::from_ref(status).cast_mut()),
            // SAFETY: an entry of the region, which the endpoint keeps mapped by its job.
            order: unsafe { SegmentOrder::new(&job.entry(rank).duties) },
            changed,
            races,
            peers: job.ranks().map(|_| Peer::default()).collect(),
            layout: job.geometry().layout(),
            polled: transport.background().is_some(),
            transport,
            techniques: job.page().techniques,
            job,
            settings,
            looks: AtomicU32::new(0),
            work: Slot::default(),
            blocked: Blocked::default(),
            wait: Cell::default(),
            answered: Cell::default(),
            flushed: Cell::default(),
            threads: ThreadLock::default(),
            cores,
        })
    }

    /// This image's rank.
    #[inline(always)]
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// The job.
    #[inline(always)]
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Whether no image has ended and the job is not ending: [`crate::failure::all_running`] in fewer instructions. A
    /// hint: never where races are looked for, nor after [`Endpoint::forbid_fast_paths`], so that all accesses take the
    /// slow paths.
    #[inline(always)]
    pub fn all_running(&self) -> bool {
        // Relaxed: either status existed before this handle was published.
        let status = self.status.load(Ordering::Relaxed);
        // SAFETY: mapped as long as the job, or as the box, which this handle holds; only its atomics change. Relaxed: only a hint; a
        // caller that sees a change reads the states with acquire order.
        unsafe { &*status }.epoch.load(Ordering::Relaxed) == 0
    }

    /// Has all accesses take the slow paths, until [`Endpoint::permit_fast_paths`]. Any thread may call it.
    pub fn forbid_fast_paths(&self) {
        // Relaxed: as in `all_running`.
        self.status.store(ptr::from_ref(&*self.changed).cast_mut(), Ordering::Relaxed);
    }

    /// Has accesses take the fast paths again, unless races are looked for. Any thread may call it.
    pub fn permit_fast_paths(&self) {
        if self.races.is_none() {
            // Relaxed: as in `all_running`.
            let status: &Status = &self.job.page().status;
            self.status.store(ptr::from_ref(status).cast_mut(), Ordering::Relaxed);
        }
    }

    /// This image's (virtual) host.
    #[inline(always)]
    pub fn host(&self) -> u32 {
        self.host
    }

    /// The (virtual) host of an image.
    #[inline]
    pub fn host_of(&self, rank: Rank) -> u32 {
        self.job.entry(rank).host
    }

    /// Whether all images of the job share this host, so that every segment is addressable.
    #[inline(always)]
    pub fn one_host(&self) -> bool {
        self.hosts == 1
    }

    /// Wakes an image of this host that sleeps; the caller has executed the fence of the notifier's protocol
    /// (`wait/README.md`).
    #[inline(always)]
    pub fn ring_if_parked(&self, rank: Rank) {
        self.job.entry(rank).doorbell.ring_if_parked();
    }

    /// The transport to other images.
    #[inline(always)]
    pub fn transport(&self) -> &dyn Transport {
        &*self.transport
    }

    /// The settings of this image.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The message techniques that the images of this job use.
    #[inline(always)]
    pub fn techniques(&self) -> Techniques {
        self.techniques
    }

    /// The lock that the threads of this image's process enter before they use it.
    #[inline(always)]
    pub fn threads(&self) -> &ThreadLock {
        &self.threads
    }

    /// Closes the image's endpoint in a process that the image has forked: calls are refused there.
    pub fn close_after_fork(&self) {
        // Image control statements without the lock do not refuse.
        self.order.never_of_stores();
        self.threads.close_after_fork();
    }

    /// From now on this image is used inside [`Endpoint::threads`], mostly by this thread.
    pub fn prepare_for_threads(&mut self) {
        self.threads = ThreadLock::for_this_thread();
    }

    /// This image's own entry in the job.
    #[inline]
    pub fn entry(&self) -> &ImageEntry {
        self.job.entry(self.rank)
    }
}
