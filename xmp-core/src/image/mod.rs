//! The handle of an image: everything that one image knows and can do. It is passed explicitly; there is no global
//! state below the front ends.

mod background;
mod memory;
mod shared;
mod teams_heap;

pub use background::Work;
pub use memory::Memory;
pub(crate) use memory::Scope;
pub use shared::{Shared, Words};

use crate::coll_area::{BarrierAlgorithm, CollArea};
use crate::error::{Error, Result};
use crate::failure::deadlock::{self, Blocked};
use crate::image_set::{Frame, ImageSet, Key, Members, Segments, SetCache, Stack};
use crate::job::Job;
use crate::job::page::{ImageEntry, Status};
use crate::notify::{Pair, PeerLinks};
use crate::rank::Rank;
use crate::region::SegmentLayout;
use crate::settings::{Settings, Techniques};
use crate::sync::{AtomicU32, Ordering};
use crate::threads::ThreadLock;
use crate::transport::Transport;
use crate::wait::{Recorder, Waits};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::Arc;

/// One image. Used by one thread at a time: if there are several, by the one that is inside its [`ThreadLock`].
/// Functions whose documentation says so may be called by any thread at any time.
#[derive(Debug)]
pub struct Image {
    rank: Rank,
    host: u32,
    hosts: u32,
    /// Start of each image's segment, null for images of other hosts.
    near: Box<[*mut u8]>,
    /// Address of each image's segment in its own processes, if some segments are in other regions.
    elsewhere: Box<[u64]>,
    own: *mut u8,
    /// Part of the job, which is mapped as long as this handle holds it.
    status: NonNull<Status>,
    job: Arc<Job>,
    layout: SegmentLayout,
    transport: Box<dyn Transport>,
    peers: Box<[Peer]>,
    stack: Stack,
    sets: RefCell<SetCache>,
    areas: RefCell<Areas>,
    memory: Memory,
    settings: Settings,
    techniques: Techniques,
    forced_barrier: Option<BarrierAlgorithm>,
    /// Looks of the program at shared values; see [`Image::polled`].
    looks: AtomicU32,
    background: background::Slot,
    /// The record of this image's wait for the others.
    blocked: Blocked,
    /// Whether the transport must make progress while this image waits.
    polled: bool,
    threads: ThreadLock,
}

/// The team as which a set is entered.
#[derive(Clone, Debug)]
pub struct Owner {
    /// Its number, for error messages.
    pub number: i64,
    /// The team object, opaque to this crate; see [`Frame::owner`].
    pub team: Rc<dyn Any>,
}

/// A set that was left.
#[derive(Debug)]
pub struct Left {
    /// Its entry on the stack.
    pub frame: Frame,
    /// Blocks of the symmetric heaps that were freed with it: offsets in the segment.
    pub released: Vec<Range<u64>>,
}

/// The collective areas that this image has opened, by set. At most as many as a host has room for. They stay, because
/// they count epochs.
type Areas = HashMap<Key, Rc<CollArea>>;

/// This image's progress with the notifications to and from one other image.
#[derive(Debug, Default)]
pub struct Peer {
    sync_sent: Cell<u64>,
    sync_seen: Cell<u64>,
    held: RefCell<Vec<u64>>,
    links: PeerLinks,
}

impl Peer {
    /// SYNC IMAGES executed towards it.
    #[inline(always)]
    pub fn sync_sent(&self) -> &Cell<u64> {
        &self.sync_sent
    }

    /// SYNC IMAGES of it that were matched by this image.
    #[inline(always)]
    pub fn sync_seen(&self) -> &Cell<u64> {
        &self.sync_seen
    }

    /// Locks of its segment, on another host, that this image holds: their offsets. They are released without a reply.
    pub fn held(&self) -> &RefCell<Vec<u64>> {
        &self.held
    }

    /// The progress with the packets to and from it.
    #[inline(always)]
    pub(crate) fn links(&self) -> &PeerLinks {
        &self.links
    }
}

impl Image {
    /// The image `rank` of `job`, reached through `transport`.
    ///
    /// # Errors
    /// When a setting names an algorithm that does not exist.
    pub fn new(
        job: Arc<Job>,
        rank: Rank,
        transport: Box<dyn Transport>,
        settings: Settings,
    ) -> Result<Image> {
        let forced_barrier = forced_barrier(&settings)?;
        let unusable = match transport.capabilities().ordered_bytes {
            true => Techniques::NONE,
            false => Techniques::CANARY,
        };
        let own = job.segment(rank).ok_or_else(|| {
            Error::Invalid(format!("the segment of {rank} is not in the memory of this machine"))
        })?;
        let near = |rank| match transport.host_ptr(rank, 0) {
            Some(segment) => segment.as_ptr(),
            None => std::ptr::null_mut(),
        };
        let segments = Segments {
            first: match job.geometry().hosts {
                // Slots and ranks are the same.
                1 => job.segment(Rank::new(0)).unwrap_or(std::ptr::null_mut()),
                _ => std::ptr::null_mut(),
            },
            stride: job.geometry().stride as isize,
        };
        let layout = job.geometry().layout();
        let all = Members::all(job.images());
        let initial = Rc::new(ImageSet::new(all, rank));
        let memory = Memory::new(job.clone(), rank, &layout);
        Ok(Image {
            rank,
            host: job.entry(rank).host,
            hosts: job.geometry().hosts,
            near: job.ranks().map(near).collect(),
            elsewhere: elsewhere(&job),
            own,
            status: NonNull::<Status>::from(&*job.page().status),
            peers: job.ranks().map(|_| Peer::default()).collect(),
            layout,
            polled: transport.behind_waits().is_some(),
            transport,
            stack: Stack::new(initial.clone(), segments, memory.scope()),
            memory,
            sets: RefCell::new(SetCache::new(initial)),
            areas: RefCell::default(),
            techniques: job.page().techniques.without(unusable),
            job,
            settings,
            forced_barrier,
            looks: AtomicU32::new(0),
            background: background::Slot::default(),
            blocked: Blocked::default(),
            threads: ThreadLock::default(),
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

    /// Whether no image has ended and the job is not ending: [`crate::failure::all_running`] in fewer instructions.
    #[inline(always)]
    pub fn all_running(&self) -> bool {
        // SAFETY: mapped as long as the job, which this handle holds; only its atomics change. Relaxed: only a hint; a
        // caller that sees a change reads the states with acquire order.
        unsafe { self.status.as_ref() }.epoch.load(Ordering::Relaxed) == 0
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

    /// Heaps of this image's segment.
    #[inline(always)]
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The executing sets.
    #[inline(always)]
    pub fn stack(&self) -> &Stack {
        &self.stack
    }

    /// The executing set.
    #[inline]
    pub fn executing(&self) -> Rc<ImageSet> {
        self.stack.executing()
    }

    /// The set with these members: the same object for the same members, as long as it is referenced and often longer.
    /// (Members that refer to a table are a new object each time; the owner of the table keeps the set.) Costs no
    /// communication.
    ///
    /// # Errors
    /// When a member is not an image of the job.
    pub fn set(&self, members: Members) -> Result<Rc<ImageSet>> {
        if members.is_in_table() {
            return Ok(Rc::new(ImageSet::new(members, self.rank)));
        }
        if let Some(set) = self.sets.borrow().get(&members) {
            return Ok(set);
        }
        let set = ImageSet::new(members, self.rank);
        let images = self.job.images();
        if let Some(bad) = set.ranks().find(|rank| rank.index() >= images) {
            return Err(Error::ImageIndex { index: bad.image().into(), images });
        }
        let set = Rc::new(set);
        self.sets.borrow_mut().insert(&set);
        Ok(set)
    }

    /// Makes `set` the executing set: as the team `owner`, or without one for a task region. A `floor` is the same on
    /// all images of the set and not below the [`Memory::teams_edge`] of any; their allocations in the teams heap then
    /// lie above it. It is needed where images come together whose teams heaps may differ. Communicates nothing.
    pub fn enter(&self, set: Rc<ImageSet>, owner: Option<Owner>, floor: Option<u64>) {
        let initial = set.members() == self.stack.initial().members();
        let number = owner.as_ref().map(|owner| owner.number);
        let scope = self.memory.enter(initial, number, floor);
        self.stack.push(set, scope, owner.map(|owner| owner.team));
    }

    /// Returns to the set that executed before the last [`Image::enter`], and frees what this image has allocated since
    /// then in the symmetric heaps. Communicates nothing: the images of the set must have synchronised before, or other
    /// images may still access freed memory. `None` when only the initial set remains.
    pub fn leave(&self) -> Option<Left> {
        let frame = self.stack.pop()?;
        let released = self.memory.leave(frame.scope(), self.stack.top().scope());
        Some(Left { frame, released })
    }

    /// The waits of this image within a collective operation or an image control statement: no other thread of it may
    /// begin one meanwhile.
    #[inline]
    pub fn waits(&self) -> Waits<'_> {
        self.doorbell_waits().inside(&self.threads, true)
    }

    /// The waits of this image where its other threads may do anything meanwhile.
    #[inline]
    pub fn waits_one_sided(&self) -> Waits<'_> {
        self.doorbell_waits().inside(&self.threads, false)
    }

    #[inline(always)]
    fn doorbell_waits(&self) -> Waits<'_> {
        let page = self.job.page();
        Waits::new(&self.entry().doorbell, &page.status, page.waiting, self.behind_waits())
            .recorded_by(self)
    }

    /// The record of this image's wait ([`crate::failure::deadlock`]).
    #[inline(always)]
    pub fn blocked(&self) -> &Blocked {
        &self.blocked
    }

    /// The lock that the threads of this image's process enter before they use it.
    #[inline(always)]
    pub fn threads(&self) -> &ThreadLock {
        &self.threads
    }

    /// Closes the image in a process that this image's process has forked: calls are refused there.
    pub fn close_after_fork(&self) {
        self.stack.close_after_fork();
        self.threads.close_after_fork();
    }

    /// From now on this image is used inside [`Image::threads`], mostly by this thread.
    pub fn prepare_for_threads(&mut self) {
        self.threads = ThreadLock::for_this_thread();
    }

    /// Called when the program has looked at a value that another image may change, because it may be waiting in a loop
    /// of its own (`do while` around ATOMIC_REF). Where images share cores every 64th such look yields the core;
    /// otherwise the awaited image would not run before the end of this one's time slice.
    #[inline(always)]
    pub fn polled(&self) {
        // Relaxed, and no read-modify-write: threads that do this at the same time may lose a count.
        let looks = self.looks.load(Ordering::Relaxed).wrapping_add(1);
        self.looks.store(looks, Ordering::Relaxed);
        if looks.is_multiple_of(64) {
            self.waits().between_looks();
        }
    }

    /// This image's own entry in the job.
    #[inline]
    pub fn entry(&self) -> &ImageEntry {
        self.job.entry(self.rank)
    }

    /// First byte of this image's segment.
    #[inline(always)]
    pub fn own_segment(&self) -> *mut u8 {
        self.own
    }

    /// The areas of a segment.
    pub fn layout(&self) -> &SegmentLayout {
        &self.layout
    }

    /// The address of `offset` in the segment of an image of the same host; `None` for other hosts.
    #[inline(always)]
    pub fn near(&self, rank: Rank, offset: u64) -> Option<*mut u8> {
        let segment = *self.near.get(rank.index())?;
        (!segment.is_null()).then(|| segment.wrapping_add(offset as usize))
    }

    /// The segment that an address of this host lies in, and the offset in it; `None` for addresses outside all
    /// segments.
    pub fn locate(&self, address: *const u8) -> Option<(Rank, u64)> {
        let geometry = self.job.geometry();
        let start = self.job.region().start() as u64 + geometry.segment(0);
        let distance = (address as u64).checked_sub(start)?;
        let rank = self.job.here().get((distance / geometry.stride) as usize)?;
        Some((*rank, distance % geometry.stride))
    }

    /// The offset in the segment of `rank` of an address in that image's own process; `None` outside the segment.
    /// Regions of other hosts have the same addresses as this one, so the address alone does not identify the segment.
    pub fn locate_of(&self, rank: Rank, address: *const u8) -> Option<u64> {
        // Not `near`: virtual hosts may share a region.
        if self.job.segment(rank).is_some() {
            return self
                .locate(address)
                .filter(|(owner, _)| *owner == rank)
                .map(|(_, offset)| offset);
        }
        let start = *self.elsewhere.get(rank.index())?;
        (address as u64).checked_sub(start).filter(|offset| *offset < self.job.geometry().stride)
    }

    /// The counters by which `from` notifies `to`, where both or `to` alone is this image or one of its host.
    ///
    /// # Panics
    /// When `to` is on another host.
    #[inline]
    pub fn pair(&self, to: Rank, from: Rank) -> &Pair {
        let at = self.near(to, self.pair_offset(from)).expect("an image of this host");
        // SAFETY: the pairs area of every segment holds one Pair an image: atomics, valid when zeroed.
        unsafe { &*at.cast::<Pair>() }
    }

    /// Segment offset of the counters by which `from` notifies an image.
    #[inline(always)]
    pub fn pair_offset(&self, from: Rank) -> u64 {
        self.layout.pairs + u64::from(from.get()) * size_of::<Pair>() as u64
    }

    /// This image's side of the notifications with `rank`.
    ///
    /// # Panics
    /// When there is no such image.
    #[inline(always)]
    pub fn peer(&self, rank: Rank) -> &Peer {
        &self.peers[rank.index()]
    }

    /// The collective area of a set for `ranks`, its images on this host, opened once; `None` where the host has no
    /// room for it.
    pub(crate) fn area(&self, set: &ImageSet, ranks: &[Rank]) -> Result<Option<Rc<CollArea>>> {
        if let Some(area) = self.areas.borrow().get(&set.key()) {
            return Ok(Some(area.clone()));
        }
        let Some(area) = CollArea::open(self, set, ranks)? else { return Ok(None) };
        let area = Rc::new(area);
        self.areas.borrow_mut().insert(set.key(), area.clone());
        Ok(Some(area))
    }

    /// The barrier algorithm that `XMP_COLL=barrier:...` requests.
    pub(crate) fn forced_barrier(&self) -> Option<BarrierAlgorithm> {
        self.forced_barrier
    }
}

impl Recorder for Image {
    fn look(&self) {
        deadlock::look(self);
    }

    fn release(&self) {
        deadlock::release(self);
    }
}

/// The address of each image's segment in the processes of its host; empty if all share this region.
fn elsewhere(job: &Job) -> Box<[u64]> {
    let geometry = job.geometry();
    if geometry.hosts_here == geometry.hosts {
        return Box::default();
    }
    let host = |rank| job.entry(rank).host as usize;
    let mut counts = vec![0; geometry.hosts as usize];
    job.ranks().for_each(|rank| counts[host(rank)] += 1);
    let mut slots = vec![0; counts.len()];
    let start = |rank| {
        let (count, slot) = (counts[host(rank)], &mut slots[host(rank)]);
        *slot += 1;
        geometry.segment_elsewhere(count, *slot - 1).unwrap_or(u64::MAX)
    };
    job.ranks().map(start).collect()
}

fn forced_barrier(settings: &Settings) -> Result<Option<BarrierAlgorithm>> {
    let Some((_, name)) = settings.collectives.iter().find(|(operation, _)| operation == "barrier")
    else {
        return Ok(None);
    };
    BarrierAlgorithm::by_name(name).map(Some).ok_or_else(|| Error::Setting {
        name: "XMP_COLL",
        value: format!("barrier:{name}"),
        expected: "barrier:central, barrier:flat, barrier:dissemination or barrier:grouped".into(),
    })
}
