//! Random puts and gets over a transport that delays puts.

use super::*;
use crate::nest::{Loop, Nest};
use crate::thread_images as threads;
use crate::transport::Local;
use crate::transport::test_job::two_images;
use proptest::prelude::*;
use std::cell::RefCell;

/// A transport that delays puts until they are flushed.
#[derive(Debug)]
struct Delayed {
    local: Local,
    puts: RefCell<Vec<(Rank, u64, Vec<u8>)>>,
    flushes: Cell<usize>,
}

impl Delayed {
    fn deliver(&self, to: Rank) {
        let (now, later): (Vec<_>, Vec<_>) =
            self.puts.take().into_iter().partition(|put| to == put.0);
        self.puts.replace(later);
        for (target, offset, bytes) in now {
            // SAFETY: the bytes that `put` was called with, at the place that it was called with.
            unsafe {
                let layout = Layout::Contiguous(bytes.len());
                self.local.put(target, offset, bytes.as_ptr(), layout).unwrap();
            }
        }
    }
}

// SAFETY: returns no pointers.
unsafe impl Transport for Delayed {
    fn host_ptr(&self, _: Rank, _: u64) -> Option<NonNull<u8>> {
        None
    }
    unsafe fn put(
        &self,
        target: Rank,
        offset: u64,
        src: *const u8,
        layout: Layout<'_>,
    ) -> Result<()> {
        let Layout::Nest(nest) = layout else { unreachable!("not part of this test") };
        nest.for_each(|remote, local| {
            // SAFETY: every run is valid on both sides by the contract of [`Transport`].
            let bytes =
                unsafe { std::slice::from_raw_parts(src.offset(local as isize), nest.unit) };
            let at = offset.wrapping_add_signed(remote);
            self.puts.borrow_mut().push((target, at, bytes.to_vec()));
        });
        Ok(())
    }
    unsafe fn get(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        layout: Layout<'_>,
    ) -> Result<()> {
        // SAFETY: `local` has the same contract (see [`Transport`]).
        unsafe { self.local.get(target, offset, dst, layout) }
    }
    unsafe fn post(&self, _: Rank, _: Post<'_>) -> Result<()> {
        unreachable!("not part of this test")
    }
    unsafe fn atomic(&self, _: Rank, _: u64, _: Width, _: AtomicRequest) -> Result<u64> {
        unreachable!("not part of this test")
    }
    unsafe fn signal(
        &self,
        target: Rank,
        offset: u64,
        width: Width,
        update: Update,
        wake: Wake,
    ) -> Result<()> {
        // SAFETY: `local` has the same contract (see [`Transport`]).
        unsafe { self.local.signal(target, offset, width, update, wake) }
    }
    fn ring(&self, _: Rank) {}
    fn call(&self, _: Rank, _: Handler, _: &[u8], _: &mut Vec<u8>) -> Result<()> {
        unreachable!("not part of this test")
    }
    fn flush(&self, scope: FlushScope) -> Result<()> {
        let FlushScope::Target(target) = scope else { unreachable!("not part of this test") };
        self.flushes.set(self.flushes.get() + 1);
        self.deliver(target);
        Ok(())
    }
}

const AREA: usize = 256;

proptest! {
    /// Random puts and gets, contiguous and strided, see what they would see if puts were immediate. A get that touches
    /// nothing that was put does not flush.
    #[test]
    fn gets_see_earlier_puts(
        operations in prop::collection::vec(
            (any::<bool>(), 0u32..2, 0usize..200, 1usize..8, 1usize..6, -20i64..20), 1..60)
    ) {
        let flushed = threads::run(1, 1, |image| {
            let job = two_images(image);
            let heap = job.geometry().layout().heap.start;
            let local = Local::new(job, Rank::new(0));
            let delayed =
                Delayed { local, puts: RefCell::default(), flushes: Cell::new(0) };
            let transport = ProgramOrder::new(delayed, 2);
            let mut model = [[0u8; AREA]; 2];
            let mut touched = [(usize::MAX, 0usize); 2];
            let mut stamp = 0u8;
            for &(is_put, target, at, run, extent, stride) in &operations {
                let reach = (extent as i64 - 1) * stride;
                let (low, high) = (at as i64 + reach.min(0), (at + run) as i64 + reach.max(0));
                if low < 0 || high > AREA as i64 {
                    continue;
                }
                let dims = [Loop { extent, remote: stride, local: run as i64 }];
                let nest = Nest { unit: run, loops: &dims };
                let (rank, t) = (Rank::new(target), target as usize);
                let mut buffer = vec![0u8; run * extent];
                let offset = heap + at as u64;
                if is_put {
                    stamp = stamp.wrapping_add(1);
                    buffer.fill(stamp);
                    // SAFETY: within the area, which only this test uses.
                    unsafe {
                        transport.put(rank, offset, buffer.as_ptr(), Layout::Nest(nest)).unwrap();
                    }
                    nest.for_each(|remote, _| {
                        let from = (at as i64 + remote) as usize;
                        model[t][from..from + run].fill(stamp);
                    });
                    touched[t] = (touched[t].0.min(low as usize), touched[t].1.max(high as usize));
                } else {
                    let before = transport.inner.flushes.get();
                    // SAFETY: within the area, which only this test uses.
                    unsafe {
                        transport.get(rank, offset, buffer.as_mut_ptr(), Layout::Nest(nest)).unwrap();
                    }
                    let mut expected = vec![0u8; run * extent];
                    nest.for_each(|remote, local| {
                        let from = (at as i64 + remote) as usize;
                        let to = local as usize;
                        expected[to..to + run].copy_from_slice(&model[t][from..from + run]);
                    });
                    assert_eq!(buffer, expected);
                    let disjoint = high as usize <= touched[t].0 || touched[t].1 <= low as usize;
                    assert!(!disjoint || transport.inner.flushes.get() == before);
                }
            }
            transport.inner.flushes.get()
        });
        prop_assert!(flushed.is_ok());
    }
}
