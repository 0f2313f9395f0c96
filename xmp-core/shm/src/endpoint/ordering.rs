//! The order that an image makes before it continues, and before others do: accesses to other images, lines of their private
//! memory, and what it has printed.

use super::Endpoint;
use crate::error::Result;
use crate::line_cache::{Content, LineCache};
use crate::races::Races;
use crate::rank::Rank;
use crate::settings::Preference;
use crate::sync::Ordering;
use crate::transport::FlushScope;
use std::ops::Range;

impl Endpoint {
    /// Whether an image control statement has to order loads and stores, and nothing else: the images share a host, races are not
    /// looked for, this image keeps no lines of private memory, and the launcher need not read what it has printed. Any thread may
    /// call this.
    #[inline(always)]
    pub fn orders_only_stores(&self) -> bool {
        self.order.is_of_stores()
    }

    /// What this image knows of the order of accesses, if races are looked for.
    #[inline(always)]
    pub fn races(&self) -> Option<Races<'_>> {
        self.races.as_deref().map(|detector| Races::new(detector, &*self.transport))
    }

    /// This image has synchronised with another one, or may have: see [`Transport::acquire`](crate::transport::Transport::acquire). Each operation that waits for
    /// another image, or reads what another image changes atomically, calls this unless it uses the transport itself.
    #[inline(always)]
    pub fn acquired(&self) {
        if !self.orders_only_stores() {
            self.acquired_in_general();
        }
    }

    #[inline(never)]
    fn acquired_in_general(&self) {
        self.order.give_output();
        self.order.acquire();
        if !self.one_host() {
            self.transport.acquire();
        }
    }

    /// The same together with the flush of an operation to other hosts, before which the transport does its part of it.
    ///
    /// # Errors
    /// Those of [`Transport::flush`](crate::transport::Transport::flush).
    pub fn acquired_by_flush(&self, scope: FlushScope) -> Result<()> {
        self.order.give_output();
        self.order.acquire();
        self.transport.flush(scope)
    }

    /// Whether this image may change what another one waits for by a store or an atomic operation, and nothing has to be done
    /// before. Any thread may call this.
    #[inline(always)]
    pub fn signals_by_stores(&self) -> bool {
        self.one_host() && !self.order.is_output_wanted()
    }

    /// Called before this image changes what another one waits for, if that orders what both print and does not call
    /// [`Endpoint::acquired`]. Returns when the launcher has read what this image has printed, if it wants to.
    #[inline]
    pub fn about_to_signal(&self) {
        self.order.give_output();
    }

    /// Copies bytes of the private memory of an image, in no segment, to a place of this length: from lines, which `fetch` brings
    /// here, until this image may have synchronised with another one ([`Endpoint::acquired`]). `fetch` is called with an address,
    /// where the bytes go to, and their number, which are within a page. Where nothing is served it is called once for all bytes.
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

    /// Called when the program has looked at a value that another image may change, because it may be waiting in a loop
    /// of its own (`do while` around ATOMIC_REF). Where images share cores every 64th such look yields the core;
    /// otherwise the awaited image would not run before the end of this one's time slice.
    #[inline(always)]
    pub fn polled(&self) {
        self.acquired();
        if self.cores.is_none() {
            return;
        }
        // Relaxed, and no read-modify-write: threads that do this at the same time may lose a count.
        let looks = self.looks.load(Ordering::Relaxed).wrapping_add(1);
        self.looks.store(looks, Ordering::Relaxed);
        if looks.is_multiple_of(64) {
            self.waits().between_looks();
        }
    }

    /// The same in a fast path, which holds nothing across a call: returns whether counting is all that this look needs.
    /// If it needs more, it has not been counted, and the caller's slow path calls [`Endpoint::polled`]. With a core for each image
    /// nothing is counted: each count depends on the one before.
    #[inline(always)]
    pub fn polled_fast(&self) -> bool {
        if !self.orders_only_stores() {
            return false;
        }
        if self.cores.is_none() {
            return true;
        }
        // Relaxed: as in `polled`.
        let looks = self.looks.load(Ordering::Relaxed).wrapping_add(1);
        if looks.is_multiple_of(64) {
            return false;
        }
        self.looks.store(looks, Ordering::Relaxed);
        true
    }
}
