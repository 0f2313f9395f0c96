//! One-sided operations on the segments of images of other hosts, as requests to their servers.

use super::Origin;
use super::link::{Link, ServerReply};
use crate::error::{Error, Result};
use crate::job::Handler;
use crate::rank::Rank;
use crate::server::local_host::check_aligned;
use crate::server::wire::{Action, Request, write_request};
use crate::transport::{
    AtomicRequest, FlushScope, Layout, Mark, Post, Rendezvous, Transport, Update, Wake, Width,
};
use crate::wait::{Background, SharedCores};
use std::ptr::NonNull;
use std::rc::Rc;

// SAFETY: returns no pointers.
unsafe impl Transport for Origin {
    fn host_ptr(&self, _target: Rank, _offset: u64) -> Option<NonNull<u8>> {
        None
    }

    unsafe fn put(
        &self,
        target: Rank,
        offset: u64,
        src: *const u8,
        layout: Layout<'_>,
    ) -> Result<()> {
        // SAFETY: all bytes can be read at their distances from `src` (contract of this method).
        unsafe {
            match layout {
                Layout::Contiguous(len) => self.put_contiguous(target, offset, src, len),
                Layout::Nest(nest) => self.put_nest(target, offset, src, nest),
                Layout::Runs(runs) => self.put_runs(target, offset, src, runs),
            }
        }
    }

    unsafe fn get(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        layout: Layout<'_>,
    ) -> Result<()> {
        // SAFETY: all bytes can be written at their distances from `dst` (contract of this method).
        unsafe {
            match layout {
                Layout::Contiguous(len) => self.get_contiguous(target, offset, dst, len),
                Layout::Nest(nest) => self.get_nest(target, offset, dst, nest),
                Layout::Runs(runs) => self.get_runs(target, offset, dst, runs),
            }
        }
    }

    unsafe fn post(&self, target: Rank, post: Post<'_>) -> Result<()> {
        let to = self.to(target);
        let request = match post {
            Post::Packet { end, parts, mark } => {
                let len = parts[0].len() + parts[1].len();
                let start = end.checked_sub(len as u64).unwrap_or(u64::MAX);
                self.check("packet", target, start, len)?;
                let word = match mark {
                    Mark::Trailing(_) => end,
                    Mark::Counter { offset, .. } => offset,
                };
                self.check_word("packet", target, word, Width::W8)?;
                if self.window {
                    // A get by the window would overtake it.
                    to.link.has_puts.set(true);
                }
                Request::Packet { end, parts, mark }
            }
            Post::Notify { counter, value } | Post::NotifyLate { counter, value } => {
                self.check_word("notification", target, counter, Width::W8)?;
                let request = Request::Notify { counter, value };
                let write = |message: &mut _, head| write_request(message, head, &request);
                if matches!(post, Post::NotifyLate { .. }) && self.coalesce(to, 0, write)? {
                    return Ok(());
                }
                request
            }
        };
        self.send_request(to, &request).map(|_| ())
    }

    unsafe fn atomic(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        request: AtomicRequest,
    ) -> Result<u64> {
        let what = match request {
            AtomicRequest::Fetch(..) => "atomic operation",
            AtomicRequest::CompareSwap { .. } => "compare and swap",
        };
        self.check_word(what, target, offset, width)?;
        let action = Action::Execute(request);
        match self.ask(self.to(target), &Request::Atomic { offset, width, action })? {
            ServerReply::Value(value) => Ok(value),
            other => Err(Error::Invalid(format!("the server of {target} answers {other:?}"))),
        }
    }

    unsafe fn signal(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        update: Update,
        wake: Wake,
    ) -> Result<()> {
        self.check_word("signal", target, offset, width)?;
        if let Wake::Sleepers(gate) = wake {
            self.check_word("signal", target, gate, Width::W4)?;
        }
        let to = self.to(target);
        let action = Action::Signal { update, wake };
        // A flush confirms it.
        to.link.has_signals.set(true);
        self.send_request(to, &Request::Atomic { offset, width, action }).map(|_| ())
    }

    fn ring(&self, target: Rank) {
        // After an error the job is ending, or the host is gone with the image: there is nothing to wake.
        let _ = self.send_request(self.to(target), &Request::Ring);
    }

    /// Requests go to all hosts even if one of them cannot be reached.
    fn flush(&self, scope: FlushScope) -> Result<()> {
        match scope {
            FlushScope::Target(target) => self.flush_host(self.to(target)),
            FlushScope::All => self.confirm_everywhere(),
            FlushScope::Before(target) if self.is_here(target) && !self.is_causal => {
                self.confirm_everywhere()
            }
            FlushScope::Before(target) => {
                self.is_owed.set(true);
                if self.is_here(target) {
                    self.publish_dependencies()
                } else {
                    self.confirm_elsewhere(target, |link| self.is_unconfirmed(link))
                }
            }
            FlushScope::Ordered(target) if self.is_here(target) => {
                self.confirm_all(|link| self.has_unconfirmed_puts(link))
            }
            FlushScope::Ordered(_) if !self.is_owed.get() => Ok(()),
            FlushScope::Ordered(target) => {
                self.confirm_elsewhere(target, |link| self.has_unconfirmed_puts(link))
            }
            FlushScope::Everything => self.confirm_all(|link| {
                self.is_unconfirmed(link) || link.sent.get() != link.executed.get()
            }),
        }
    }

    fn call(
        &self,
        target: Rank,
        handler: Handler,
        payload: &[u8],
        reply: &mut Vec<u8>,
    ) -> Result<()> {
        self.call_handler(target, handler.number, payload, reply)
    }

    fn rendezvous(&self, partner: Rank) -> Option<&dyn Rendezvous> {
        self.reaches[partner.index()].then_some(self)
    }

    fn background(&self) -> Option<&dyn Background> {
        self.port.leads().then_some(&*self.port as &dyn Background)
    }

    fn share_cores(&self, cores: Rc<dyn SharedCores>) {
        // The endpoint calls this once.
        let _ = self.cores.set(cores);
    }
}

impl Origin {
    fn confirm_everywhere(&self) -> Result<()> {
        self.confirm_all(|link| self.is_unconfirmed(link))?;
        self.is_owed.set(false);
        Ok(())
    }

    /// What is sent to the host of `target` comes after the puts to it.
    fn confirm_elsewhere(&self, target: Rank, choose: impl Fn(&Link) -> bool) -> Result<()> {
        let there = self.to(target).link;
        self.confirm_all(|link| !std::ptr::eq(link, there) && choose(link))
    }

    fn check_word(&self, what: &str, target: Rank, offset: u64, width: Width) -> Result<()> {
        self.check(what, target, offset, width.bytes() as usize)?;
        check_aligned(what, target, offset, width)
    }
}
