//! Runs of bytes that are anywhere in a segment: each message takes as many as fit.

use super::Origin;
use super::link::{ServerReply, To};
use super::transfer::{bytes, unexpected};
use crate::error::Result;
use crate::rank::Rank;
use crate::server::wire::{self, Payload, Record, RemoteLayout, Request, Runs};
use crate::transport::Run;

impl Origin {
    /// Puts runs; their sources may be changed when this returns.
    ///
    /// # Errors
    /// When a run is not in the segment of `target`, or the host cannot be reached. No request is sent in the
    /// first case.
    ///
    /// # Safety
    /// All runs can be read, at their distances from `src`.
    pub(super) unsafe fn put_runs(
        &self,
        target: Rank,
        offset: u64,
        src: *const u8,
        runs: &[Run],
    ) -> Result<()> {
        self.check_runs("put of runs", target, offset, runs)?;
        let to = self.to(target);
        let mut left = runs;
        while let Some(first) = left.first() {
            let (together, rest) = left.split_at(self.fitting(left));
            left = rest;
            if together.len() < 2 {
                // SAFETY: the run can be read from `src` (contract of this method).
                unsafe {
                    let from = src.wrapping_offset(first.local);
                    self.put_contiguous(target, offset + first.offset, from, first.len)?
                };
                continue;
            }
            let mut data = self.buffer(0);
            for run in together {
                let from = src.wrapping_offset(run.local);
                // SAFETY: the run can be read from `src` (contract of this method).
                data.extend_from_slice(unsafe { bytes(from, run.len) });
            }
            to.link.has_puts.set(true);
            let sent = self.with_places(offset, together, |runs| {
                let len = data.len() + together.len() * wire::Run::BYTES;
                let data = Payload::Inline(&data);
                self.put_inline(to, &Request::Put { to: RemoteLayout::Runs(runs), data }, len)
            });
            self.give_back(data);
            sent?;
        }
        Ok(())
    }

    /// Gets runs.
    ///
    /// # Errors
    /// When a run is not in the segment of `target`, or the host cannot be reached. No request is sent in the
    /// first case.
    ///
    /// # Safety
    /// All runs can be written, at their distances from `dst`.
    pub(super) unsafe fn get_runs(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        runs: &[Run],
    ) -> Result<()> {
        self.check_runs("get of runs", target, offset, runs)?;
        let to = self.to(target);
        let mut left = runs;
        while let Some(first) = left.first() {
            let (together, rest) = left.split_at(self.fitting(left));
            left = rest;
            // SAFETY: the runs can be written from `dst` (contract of this method).
            unsafe {
                match together.len() {
                    0 | 1 => {
                        let into = dst.wrapping_offset(first.local);
                        self.get_contiguous(target, offset + first.offset, into, first.len)?
                    }
                    _ => self.get_together(to, offset, dst, together)?,
                }
            }
        }
        Ok(())
    }

    /// # Safety
    /// All runs can be written, at their distances from `dst`.
    unsafe fn get_together(
        &self,
        to: To<'_>,
        offset: u64,
        dst: *mut u8,
        runs: &[Run],
    ) -> Result<()> {
        let len = runs.iter().map(|run| run.len).sum();
        let mut packed = self.buffer(len);
        let got = self.with_places(offset, runs, |runs| {
            self.ask(to, &Request::Get { from: RemoteLayout::Runs(runs) })
        })?;
        match got {
            // SAFETY: there is room for as many bytes as the runs have.
            ServerReply::Data(count) if count == len => unsafe {
                self.take_data(packed.as_mut_ptr(), len)
            },
            got => return Err(unexpected("get of runs", to.target, got, len)),
        }
        let mut from = &packed[..];
        for run in runs {
            let (its, rest) = from.split_at(run.len);
            let to = dst.wrapping_offset(run.local);
            // SAFETY: the run can be written from `dst` (contract of this method).
            unsafe { to.copy_from_nonoverlapping(its.as_ptr(), its.len()) };
            from = rest;
        }
        self.give_back(packed);
        Ok(())
    }

    /// How many of these runs travel in one message, places and bytes; at least one.
    fn fitting(&self, runs: &[Run]) -> usize {
        let mut room = self.limits.inline as usize;
        let fits = |run: &&Run| {
            let left = room.checked_sub(wire::Run::BYTES.saturating_add(run.len));
            room = left.unwrap_or(0);
            left.is_some()
        };
        runs.iter().take_while(fits).count().max(1)
    }

    /// Calls `act` with the places of these runs, as they travel.
    pub(super) fn with_places<T>(
        &self,
        offset: u64,
        runs: &[Run],
        act: impl FnOnce(Runs<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut places = self.buffer(0);
        // Their lengths fit: all together fit into a message.
        for run in runs {
            let (offset, len) = (offset + run.offset, run.len as u32);
            wire::Run { offset, len }.write(&mut places);
        }
        let outcome = Runs::read(&places).and_then(act);
        self.give_back(places);
        outcome
    }

    fn check_runs(&self, what: &str, target: Rank, offset: u64, runs: &[Run]) -> Result<()> {
        let start = |run: &Run| offset.saturating_add(run.offset);
        runs.iter().try_for_each(|run| self.check(what, target, start(run), run.len))
    }
}
