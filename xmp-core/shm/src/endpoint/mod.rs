//! The endpoint of an image: its rank, its waits, and its access to the segments of all images. (GASNet-EX has the same
//! term.) The executing sets, collective areas and heaps of the image stand above it, in [`crate::Image`].

mod answer;
mod background;
mod cores;
mod peer;
mod record;
mod segment_order;
mod segments;

pub use answer::{Answer, Answered};
pub use peer::{Ends, Peer};
pub use record::{Blocked, Record, STATE, State, VIEW, view};

use crate::error::{Error, Result};
use crate::job::page::{ImageEntry, Status};
use crate::job::pair::Pair;
use crate::job::{Job, SegmentLayout};
use crate::line_cache::{Content, LineCache};
use crate::races::Races;
use crate::rank::Rank;
use crate::settings::{Preference, Settings, Techniques};
use crate::sync::{AtomicU32, Ordering};
use crate::threads::ThreadLock;
use crate::transport::{FlushScope, Transport};
use crate::wait::{Background, EndedBy, Need, Probe, Recorder, SharedCores, Waits};
use background::Slot;
use cores::Cores;
use segment_order::SegmentOrder;
use segments::SegmentTable;
use std::any::Any;
use std::cell::Cell;
use std::fmt::Debug;
use std::ops::Range;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::AtomicPtr;
use std::time::Duration;

/// Operations that an image has begun and not completed, defined by a crate above this one.
pub trait Work: Any + Debug {
    /// Does what can be done without waiting. Returns whether anything was done. Called again and again in every wait
    /// of the image, so it must not wait itself, and what it waits for must ring the image's doorbell.
    fn advance(&self, image: &Endpoint) -> bool;
}

/// The endpoint of an image. Used by one thread at a time: if there are several, by the one that is inside its
/// [`ThreadLock`]. Functions whose documentation says so may be called by any thread at any time.
#[derive(Debug)]
pub struct Endpoint {
    rank: Rank,
    host: u32,
    hosts: u32,
    segments: SegmentTable,
    own: *mut u8,
    /// What fast paths ask: the status of the job, which is mapped as long as this handle holds it, or `changed`.
    status: AtomicPtr<Status>,
    /// A status that has changed: all operations take the slow paths while it is what fast paths ask.
    changed: Box<Status>,
    order: SegmentOrder,
    races: Option<Box<Races>>,
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
    /// Whether this image shares, or may share, its core with others.
    shares_cores: bool,
    cores: Cores,
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
            Some(Box::new(Races::new(job.clone(), rank)?))
        } else {
            None
        };
        let cores = Cores::default();
        let shares_cores = job.page().waiting.crowded != 0 || job.other_hosts_share_cores();
        if shares_cores {
            cores.publish(&job, rank);
        }
        let changed = Box::new(Status::changed());
        let status = if races.is_some() { &*changed } else { &job.page().status };
        Ok(Endpoint {
            rank,
            host: job.entry(rank).host,
            hosts: job.geometry().hosts,
            segments: SegmentTable::new(&job, local),
            own,
            status: AtomicPtr::new(ptr::from_ref(status).cast_mut()),
            order: SegmentOrder::new(job.geometry().hosts == 1 && races.is_none()),
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
            shares_cores,
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

    /// Whether loads and stores are all that an image control statement has to order: the images share a host, races are not
    /// looked for, and this image keeps no lines of private memory. Any thread may call this.
    #[inline(always)]
    pub fn orders_only_stores(&self) -> bool {
        self.order.is_of_stores()
    }

    /// What this image knows of the order of accesses, if races are looked for.
    #[inline(always)]
    pub fn races(&self) -> Option<&Races> {
        self.races.as_deref()
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

    /// This image has synchronised with another one, or may have: see [`Transport::acquire`]. Each operation that waits for
    /// another image, or reads what another image changes atomically, calls this unless it uses the transport itself.
    #[inline(always)]
    pub fn acquired(&self) {
        if !self.orders_only_stores() {
            self.acquired_in_general();
        }
    }

    #[inline(never)]
    fn acquired_in_general(&self) {
        self.order.acquire();
        if !self.one_host() {
            self.transport.acquire();
        }
    }

    /// Copies bytes of the private memory of an image, in no segment, to a place of this length: from lines, which `fetch` brings
    /// here, until this image may have synchronised with another one ([`Endpoint::acquired`]). `fetch` is called with an address,
    /// where the bytes go to, and their number, which lie within a page. Where nothing is served it is called once for all bytes.
    ///
    /// # Errors
    /// Those of `fetch`.
    ///
    /// # Safety
    /// The place can be written. `fetch` writes all bytes that it is asked for.
    pub unsafe fn get_private(
        &self,
        target: Rank,
        address: u64,
        place: (*mut u8, usize),
        content: Content,
        fetch: impl Fn(u64, *mut u8, usize) -> Result<()>,
    ) -> Result<()> {
        let (into, len) = place;
        let may_keep = self.settings.read_cache != Preference::Never && self.races.is_none();
        if !may_keep || !LineCache::serves(&self.job, len) {
            return fetch(address, into, len);
        }
        // SAFETY: the contract of this method.
        unsafe { self.order.get(target, address, place, content, fetch) }
    }

    /// This image defines bytes of the private memory of an image.
    pub fn defines_private(&self, target: Rank, bytes: Range<u64>) {
        self.order.forget(target, bytes);
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
        let waits =
            Waits::new(&self.entry().doorbell, &page.status, page.waiting, self.behind_waits())
                .recorded_by(self);
        if self.shares_cores { waits.sharing_cores(self) } else { waits }
    }

    /// The record of this image's wait ([`crate::failure::deadlock`]).
    #[inline(always)]
    pub fn blocked(&self) -> &Blocked {
        &self.blocked
    }

    /// Whether this image has slept in the wait that it is in, so that its record may have been read.
    #[inline(always)]
    pub fn has_slept(&self) -> bool {
        !self.wait.get().is_multiple_of(2)
    }

    /// Gives the wait that this image is in a number, if it has none yet.
    fn number_wait(&self) {
        if !self.has_slept() {
            self.next_wait_number();
        }
    }

    fn next_wait_number(&self) {
        let number = self.wait.get().wrapping_add(1);
        self.wait.set(number);
        self.entry().doorbell.set_wait_number(number);
    }

    /// Whether everything that this image sent before its wait has arrived. To an image that has ended nothing can be sent.
    fn has_flushed(&self) -> bool {
        let wait = Some(self.wait.get());
        if self.one_host() || self.flushed.get() == wait {
            return true;
        }
        let outcome = self.transport.flush(FlushScope::Everything);
        let done = matches!(outcome, Ok(()) | Err(Error::FailedImage(_) | Error::StoppedImage(_)));
        if done {
            self.flushed.set(wait);
        }
        done
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

    /// Called when the program has looked at a value that another image may change, because it may be waiting in a loop
    /// of its own (`do while` around ATOMIC_REF). Where images share cores every 64th such look yields the core;
    /// otherwise the awaited image would not run before the end of this one's time slice.
    #[inline(always)]
    pub fn polled(&self) {
        self.acquired();
        // Relaxed, and no read-modify-write: threads that do this at the same time may lose a count.
        let looks = self.looks.load(Ordering::Relaxed).wrapping_add(1);
        self.looks.store(looks, Ordering::Relaxed);
        if looks.is_multiple_of(64) {
            self.waits().between_looks();
        }
    }

    /// The same in a fast path, which holds nothing across a call: returns whether counting is all that this look needs.
    /// If it needs more, it has not been counted, and the caller's slow path calls [`Endpoint::polled`].
    #[inline(always)]
    pub fn polled_fast(&self) -> bool {
        if !self.orders_only_stores() {
            return false;
        }
        // Relaxed: as in `polled`.
        let looks = self.looks.load(Ordering::Relaxed).wrapping_add(1);
        if looks.is_multiple_of(64) {
            return false;
        }
        self.looks.store(looks, Ordering::Relaxed);
        true
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
    pub fn local_address(&self, rank: Rank, offset: u64) -> Option<*mut u8> {
        self.segments.local_address(rank, offset)
    }

    /// The segment that an address of this host lies in, and the offset in it; `None` for addresses outside all
    /// segments.
    pub fn locate(&self, address: *const u8) -> Option<(Rank, u64)> {
        SegmentTable::locate(&self.job, address)
    }

    /// The offset in the segment of `rank` of an address in that image's own process; `None` outside the segment.
    /// Regions of other hosts have the same addresses as this one, so the address alone does not identify the segment.
    pub fn locate_of(&self, rank: Rank, address: *const u8) -> Option<u64> {
        self.segments.locate_of(&self.job, rank, address)
    }

    /// The counters by which `from` notifies `to`, where both or `to` alone is this image or one of its host.
    ///
    /// # Panics
    /// When `to` is on another host.
    #[inline]
    pub fn pair(&self, to: Rank, from: Rank) -> &Pair {
        let at = self.local_address(to, self.pair_offset(from)).expect("an image of this host");
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

    /// The work of type `W` that this image's waits advance; made at the first call.
    ///
    /// # Panics
    /// When work of another type was there before: only one type of work is supported.
    pub fn work<W: Work + Default>(&self) -> &W {
        let work: &dyn Any = self.work.get_or_make(|| Box::new(W::default()));
        work.downcast_ref().expect("one kind of work behind waits")
    }

    /// Sets whether the work has anything to do. Waits ignore it otherwise, so that it costs nothing then.
    pub fn set_busy(&self, busy: bool) {
        self.work.set_busy(busy);
    }

    /// The work that a wait that begins now advances.
    #[inline(always)]
    fn behind_waits(&self) -> Option<&dyn Background> {
        if self.work.is_busy() || self.polled { Some(self) } else { None }
    }

    /// The record of this image's wait.
    fn record(&self) -> &Record {
        let at = self.own.wrapping_add(self.layout.blocked as usize);
        // SAFETY: the area of the record in the own segment: atomics, which live as long as the image.
        unsafe { &*at.cast::<Record>() }
    }
}

impl Background for Endpoint {
    fn advance(&self, spun: Option<u32>) -> bool {
        let served = self.transport.background().is_some_and(|behind| behind.advance(spun));
        let worked = self.work.is_busy() && self.work.get().is_some_and(|work| work.advance(self));
        if worked {
            // What was sent may end the wait of another image. What was served is the act of the image that has
            // requested it.
            self.release();
        }
        served || worked
    }

    fn nap(&self) -> Option<Duration> {
        self.transport.background().and_then(|behind| behind.nap())
    }
}

impl Recorder for Endpoint {
    fn sleeps(&self) {
        self.number_wait();
    }

    fn has_answered(&self, probe: Probe) -> bool {
        self.answered.get() == probe
    }

    /// Records nothing in an image of several threads, because another thread may end the waits of other images.
    /// Records nothing while a non-blocking operation progresses in the background, because no record has what the
    /// network has in transit then.
    #[cold]
    fn look(&self) {
        if self.work.is_busy() || self.threads.is_shared() {
            return self.release();
        }
        self.number_wait();
        self.blocked
            .look(self.record(), &self.job, || self.transport.flush(FlushScope::Everything));
    }

    #[cold]
    fn answer(&self, probe: Probe, need: Option<&dyn Fn() -> Need>) {
        // The look before this answer may have ended the wait's number.
        self.number_wait();
        self.answered.set(probe);
        let mut need = need.map_or_else(Need::default, |need| need());
        // As in `look`; and an image that cannot tell that its messages have arrived may still end the waits of others.
        if self.work.is_busy() || self.threads.is_shared() || !self.has_flushed() {
            need.by = EndedBy::Unknown;
        }
        let callers = if probe.with_callers() { xmp_source::callers() } else { Vec::new() };
        let answered = Answered { wait: self.wait.get(), need, callers };
        Answer::publish(&self.job, self.rank, probe, &answered);
    }

    fn advanced(&self) {
        if self.has_slept() {
            self.blocked.release(self.record());
        }
    }

    #[inline(always)]
    fn release(&self) {
        if self.has_slept() {
            self.next_wait_number();
            self.blocked.release(self.record());
        }
    }
}

impl SharedCores for Endpoint {
    fn begin_wait(&self) -> bool {
        self.cores.begin_wait(&self.job, self.rank)
    }
}
