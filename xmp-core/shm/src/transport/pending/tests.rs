//! Random puts and gets over a transport that delays puts.

use super::*;
use crate::nest::Loop;
use crate::thread_images as threads;
use crate::transport::Local;
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
    fn deliver(&self, only: Option<Rank>) {
        let (now, later): (Vec<_>, Vec<_>) =
            self.puts.take().into_iter().partition(|put| only.is_none_or(|rank| rank == put.0));
        self.puts.replace(later);
        for (target, offset, bytes) in now {
            // SAFETY: the bytes that `put` was called with, at the place that it was called with.
            unsafe { self.local.put(target, offset, bytes.as_ptr(), bytes.len()).unwrap() };
        }
    }
}

// SAFETY: returns no pointers.
unsafe impl Transport for Delayed {
    fn capabilities(&self) -> Capabilities {
        Capabilities { immediate_puts: false, ..self.local.capabilities() }
    }
    fn host_ptr(&self, _: Rank, _: u64) -> Option<NonNull<u8>> {
        None
    }
    unsafe fn put(&self, target: Rank, offset: u64, src: *const u8, len: usize) -> Result<()> {
        // SAFETY: `src` is valid for `len` bytes by the contract of [`Transport`].
        let bytes = unsafe { std::slice::from_raw_parts(src, len) }.to_vec();
        self.puts.borrow_mut().push((target, offset, bytes));
        Ok(())
    }
    unsafe fn get(&self, target: Rank, offset: u64, dst: *mut u8, len: usize) -> Result<()> {
        // SAFETY: `local` has the same contract (see [`Transport`]).
        unsafe { self.local.get(target, offset, dst, len) }
    }
    unsafe fn put_strided(
        &self,
        target: Rank,
        offset: u64,
        src: *const u8,
        nest: Nest<'_>,
    ) -> Result<()> {
        nest.for_each(|remote, local| {
            // SAFETY: every run is valid on both sides by the contract of [`Transport`].
            unsafe {
                let at = offset.wrapping_add_signed(remote);
                self.put(target, at, src.offset(local as isize), nest.unit).unwrap();
            }
        });
        Ok(())
    }
    unsafe fn get_strided(
        &self,
        target: Rank,
        offset: u64,
        dst: *mut u8,
        nest: Nest<'_>,
    ) -> Result<()> {
        // SAFETY: `local` has the same contract (see [`Transport`]).
        unsafe { self.local.get_strided(target, offset, dst, nest) }
    }
    unsafe fn put_notify(
        &self,
        _: Rank,
        _: u64,
        _: *const u8,
        _: usize,
        _: u64,
        _: u64,
    ) -> Result<()> {
        unreachable!("not part of this test")
    }
    unsafe fn put_packet(&self, _: Rank, _: u64, _: [&[u8]; 2], _: Mark) -> Result<()> {
        unreachable!("not part of this test")
    }
    unsafe fn fetch_op(&self, _: AtomicOp, _: Rank, _: u64, _: Width, _: u64) -> Result<u64> {
        unreachable!("not part of this test")
    }
    unsafe fn compare_swap(&self, _: Rank, _: u64, _: Width, _: u64, _: u64) -> Result<u64> {
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
    fn flush(&self, target: Rank) -> Result<()> {
        self.flushes.set(self.flushes.get() + 1);
        self.deliver(Some(target));
        Ok(())
    }
    fn flush_all(&self) -> Result<()> {
        self.deliver(None);
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
            let geometry = crate::job::page::Geometry {
                base: 0,
                ..crate::job::page::Geometry::plan(2, 1, Some(1 << 26)).unwrap()
            };
            let job = std::sync::Arc::new(crate::job::Job::create(
                crate::region::Region::anonymous(image.job().geometry().region_len() * 2).unwrap(),
                &crate::job::Plan {
                    geometry,
                    waiting: image.job().page().waiting,
                    memory_limit: 1 << 30,
                    symmetric_limit: 1 << 29,
                    hosts: geometry.hosts_by_block(),
                    techniques: image.job().page().techniques,
                    places: vec![crate::job::page::Place::ANYWHERE; 2],
                },
            ));
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
                        transport.put_strided(rank, offset, buffer.as_ptr(), nest).unwrap();
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
                        transport.get_strided(rank, offset, buffer.as_mut_ptr(), nest).unwrap();
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
