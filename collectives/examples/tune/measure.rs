//! Measures all algorithms that a job of this shape can use, interleaved: each takes its turn in every round, so
//! that what else goes on in the machine disturbs all alike. Of many rounds the lower quartile counts.

use crate::row::Row;
use std::time::{Duration, Instant};
use xmp_collectives::allgather::allgather_with;
use xmp_collectives::barrier::barrier_with;
use xmp_collectives::broadcast::broadcast_with;
use xmp_collectives::elements::Elements;
use xmp_collectives::host::allgather::{Contribution, Offsets};
use xmp_collectives::host::broadcast::Message;
use xmp_collectives::host::reduce;
use xmp_collectives::reduce::reduce_with;
use xmp_collectives::select::{
    Choices, Forced, HostMove, HostReduce, LeaderAllreduce, LeaderBarrier, LeaderReduce, Named,
};
use xmp_collectives::{Op, Reduction, barrier};
use xmp_core::coll_area::SLOT_DATA;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// Bytes, four times as many from one to the next.
const SIZES: [usize; 11] =
    [8, 32, 128, 512, 2 << 10, 8 << 10, 32 << 10, 128 << 10, 512 << 10, 2 << 20, 8 << 20];
/// Bytes of all contributions of an allgather at most.
const GATHERED: usize = 16 << 20;
/// Time for all candidates of one size.
const BUDGET: Duration = Duration::from_millis(350);
/// Time that one candidate runs at a stretch.
const BATCH: Duration = Duration::from_micros(300);
/// Rounds over all candidates.
const ROUNDS: (u32, u32) = (5, 60);
/// How much slower than the best a candidate may be to stay one.
const HOPELESS: u32 = 6;

type Candidate<'a> = (&'static str, Box<dyn Fn() -> Result<()> + 'a>);

/// An operand. The image writes it again before each call, as programs do: caches of other images have what they read before.
#[derive(Clone, Copy)]
struct Operand {
    start: *mut u8,
    bytes: usize,
    /// Only the first image gives data.
    of_root: bool,
}

/// Measures what images of this job can measure.
///
/// # Errors
/// When hosts have different numbers of images, or there is only one image.
pub fn measure(image: &Image) -> Result<()> {
    let set = image.executing();
    let levels = set.levels(image)?;
    let bench = Bench::new(image, &set)?;
    match (levels.single_host(), levels.local_peers().len()) {
        (true, 2..) => bench.on_host(),
        (false, 1) => bench.between_leaders(),
        _ => Err(Error::Invalid("measure needs images on one host, or each on its own".into())),
    }
}

/// Measures the barrier of a collective area only.
///
/// # Errors
/// When the images are not on one host, or there is only one.
pub fn measure_barrier(image: &Image) -> Result<()> {
    let set = image.executing();
    let levels = set.levels(image)?;
    if !levels.single_host() || levels.local_peers().len() < 2 {
        return Err(Error::Invalid("barrier needs images on one host".into()));
    }
    Bench::new(image, &set)?.barrier_on_host()
}

struct Bench<'a> {
    image: &'a Image,
    set: &'a ImageSet,
    sum: Reduction<'a>,
    /// The same number of bytes in ordinary memory and in the segment.
    private: *mut u8,
    shared: *mut u8,
    gathered: *mut u8,
}

impl<'a> Bench<'a> {
    fn new(image: &'a Image, set: &'a ImageSet) -> Result<Bench<'a>> {
        let bytes = SIZES[SIZES.len() - 1];
        let offset = image.memory().allocate_symmetric(bytes as u64, 4096)?;
        let memory = |len: usize| vec![0u128; len / 16].leak().as_mut_ptr().cast::<u8>();
        let (private, gathered) = (memory(bytes), memory(GATHERED));
        let shared = image.own_segment().wrapping_add(offset as usize);
        for (start, len) in [(private, bytes), (gathered, GATHERED), (shared, bytes)] {
            // So that the pages are there. Zeros stay zeros in sums.
            // SAFETY: `len` bytes that only this image knows of yet.
            unsafe { start.write_bytes(0, len) };
        }
        Ok(Bench { image, set, sum: Reduction::number::<f64>(Op::Sum), private, shared, gathered })
    }

    /// The algorithms between images of a host, and whether it is worth going straight to segments.
    fn on_host(&self) -> Result<()> {
        // Whatever fits into a slot goes there.
        for bytes in SIZES.into_iter().filter(|&bytes| bytes > SLOT_DATA) {
            for (for_all, name) in [(true, "allreduce"), (false, "reduce")] {
                let candidate = |algorithm, buffer| {
                    let forced = Forced { host: Some(algorithm), leaders: None };
                    self.reduction(for_all, forced, Forced::default(), buffer, bytes)
                };
                let staged = [HostReduce::CopyIn, HostReduce::Sliced];
                let candidates =
                    staged.map(|algorithm| (algorithm.name(), candidate(algorithm, self.private)));
                let (own, shared) =
                    (self.operand(self.private, bytes), self.operand(self.shared, bytes));
                self.row(&format!("host-{name}"), own, candidates.into())?;
                let staged = staged.map(|algorithm| ("false", candidate(algorithm, self.shared)));
                let direct = ("true", candidate(HostReduce::Direct, self.shared));
                let candidates = staged.into_iter().chain([direct]).collect();
                self.row(&format!("direct-{name}"), shared, candidates)?;
            }
            let candidates = [("false", HostMove::Staged), ("true", HostMove::Direct)].map(
                |(name, algorithm)| {
                    let forced = Forced { host: Some(algorithm), leaders: None };
                    let choices = Choices { broadcast: forced, ..Choices::default() };
                    (name, self.broadcast(choices, self.shared, bytes))
                },
            );
            let of_root = Operand { of_root: true, ..self.operand(self.shared, bytes) };
            self.row("direct-broadcast", of_root, candidates.into())?;
            if bytes * self.set.len() <= GATHERED {
                let candidates = [("false", HostMove::Staged), ("true", HostMove::Direct)].map(
                    |(name, algorithm)| {
                        let forced = Forced { host: Some(algorithm), leaders: None };
                        let choices = Choices { allgather: forced, ..Choices::default() };
                        (name, self.allgather(choices, bytes))
                    },
                );
                let mine = self.operand(self.shared, bytes);
                self.row("direct-allgather", mine, candidates.into())?;
            }
        }
        Ok(())
    }

    /// The algorithms between leaders.
    fn between_leaders(&self) -> Result<()> {
        let (image, set) = (self.image, self.set);
        let barriers = LeaderBarrier::ALL.iter().map(|&(name, algorithm)| -> Candidate<'_> {
            let choices = Choices { barrier: Some(algorithm), ..Choices::default() };
            (name, Box::new(move || barrier_with(image, set, &choices)))
        });
        self.row("leader-barrier", self.operand(self.private, 0), barriers.collect())?;
        for bytes in SIZES {
            let own = self.operand(self.private, bytes);
            let candidates = leaders(|forced| {
                self.reduction(true, forced, Forced::default(), self.private, bytes)
            });
            self.row("leader-allreduce", own, candidates)?;
            let candidates = leaders(|forced| {
                self.reduction(false, Forced::default(), forced, self.private, bytes)
            });
            self.row("leader-reduce", own, candidates)?;
            let candidates = leaders(|broadcast| {
                self.broadcast(Choices { broadcast, ..Choices::default() }, self.private, bytes)
            });
            self.row("leader-broadcast", Operand { of_root: true, ..own }, candidates)?;
            if bytes * self.set.len() <= GATHERED {
                let candidates = leaders(|allgather| {
                    self.allgather(Choices { allgather, ..Choices::default() }, bytes)
                });
                self.row("leader-allgather", self.operand(self.shared, bytes), candidates)?;
            }
        }
        Ok(())
    }

    /// The barrier of the collective area, which `XMP_COLL=barrier:NAME` has chosen.
    fn barrier_on_host(&self) -> Result<()> {
        let chosen = self.image.settings().collectives.iter().find(|(key, _)| key == "barrier");
        let name: &'static str = chosen.map_or("chosen", |(_, name)| name.clone().leak());
        let (image, set) = (self.image, self.set);
        let candidate: Candidate<'_> = (name, Box::new(move || barrier(image, set)));
        self.row("host-barrier", self.operand(self.private, 0), vec![candidate])
    }

    fn operand(&self, start: *mut u8, bytes: usize) -> Operand {
        Operand { start, bytes, of_root: false }
    }

    fn reduction(
        &self,
        for_all: bool,
        allreduce: Forced<HostReduce, LeaderAllreduce>,
        reduce: Forced<HostReduce, LeaderReduce>,
        buffer: *mut u8,
        bytes: usize,
    ) -> Box<dyn Fn() -> Result<()> + '_> {
        let reduce = if for_all { reduce } else { Forced { host: allreduce.host, ..reduce } };
        let choices = Choices { allreduce, reduce, ..Choices::default() };
        Box::new(move || {
            let to = (!for_all).then_some(0);
            // SAFETY: valid for the largest size; nothing else accesses it.
            let elements = unsafe { Elements::new(buffer, bytes / 8, &self.sum) };
            let operand = reduce::Operand { elements, to };
            reduce_with(self.image, self.set, &operand, &choices)?;
            if for_all {
                return Ok(());
            }
            // Else many would be on their way at once.
            barrier(self.image, self.set)
        })
    }

    fn broadcast(
        &self,
        choices: Choices,
        buffer: *mut u8,
        bytes: usize,
    ) -> Box<dyn Fn() -> Result<()> + '_> {
        Box::new(move || {
            // SAFETY: valid for the largest size; nothing else accesses it.
            let message = unsafe { Message::new(buffer, bytes, 0) };
            broadcast_with(self.image, self.set, message, &choices)?;
            barrier(self.image, self.set)
        })
    }

    fn allgather(&self, choices: Choices, bytes: usize) -> Box<dyn Fn() -> Result<()> + '_> {
        Box::new(move || {
            let all = bytes * self.set.len();
            // SAFETY: valid for the largest sizes; nothing else accesses them.
            let (mine, all) = unsafe {
                let mine = std::slice::from_raw_parts(self.shared, bytes);
                (mine, std::slice::from_raw_parts_mut(self.gathered, all))
            };
            let mut contribution = Contribution { mine, all, offsets: Offsets::Equal(bytes) };
            allgather_with(self.image, self.set, &mut contribution, &choices)
        })
    }

    /// Measures the candidates and prints a line for each.
    fn row(&self, table: &str, operand: Operand, candidates: Vec<Candidate<'_>>) -> Result<()> {
        let mut once = Vec::new();
        for (_, candidate) in &candidates {
            candidate()?;
            // What disturbs one call should not make its algorithm hopeless.
            let tries =
                (0..3).map(|_| self.time(operand, candidate, 1)).collect::<Result<Vec<_>>>()?;
            once.push(*tries.iter().min().expect("three"));
        }
        let best = *once.iter().min().expect("a candidate");
        let hopeful: Vec<usize> = (0..once.len()).filter(|&i| once[i] <= best * HOPELESS).collect();
        let calls = |i: usize| (BATCH.as_nanos() / once[i].as_nanos().max(1)).clamp(1, 1000) as u32;
        let round: Duration = hopeful.iter().map(|&i| once[i] * calls(i)).sum();
        let rounds = (BUDGET.as_nanos() / round.as_nanos().max(1)) as u32;
        let mut times = vec![Vec::new(); candidates.len()];
        for _ in 0..rounds.clamp(ROUNDS.0, ROUNDS.1) {
            for &i in &hopeful {
                times[i].push(self.time(operand, &candidates[i].1, calls(i))?);
            }
        }
        if self.set.position() == Some(0) {
            for (i, (name, _)) in candidates.iter().enumerate() {
                times[i].sort_unstable();
                let time = times[i].get(times[i].len() / 4).unwrap_or(&once[i]);
                let row = Row {
                    table: table.into(),
                    participants: self.set.len(),
                    crowded: self.image.job().page().waiting.crowded != 0,
                    bytes: operand.bytes,
                    algorithm: (*name).into(),
                    time: time.as_nanos() as f64 / 1e3,
                };
                println!("{row}");
            }
        }
        Ok(())
    }

    /// Time of a call after a new operand, as the first image sees it; all get the same.
    fn time(
        &self,
        operand: Operand,
        candidate: &dyn Fn() -> Result<()>,
        calls: u32,
    ) -> Result<Duration> {
        let writes = !operand.of_root || self.set.position() == Some(0);
        barrier(self.image, self.set)?;
        let mut spent = Duration::ZERO;
        for _ in 0..calls {
            if writes {
                // SAFETY: valid for these bytes. All images have ended the operation before. Zeros stay zeros in sums.
                unsafe { operand.start.write_bytes(0, operand.bytes) };
            }
            let start = Instant::now();
            candidate()?;
            spent += start.elapsed();
        }
        let mut time = [(spent / calls).as_nanos() as u64];
        xmp_collectives::broadcast(self.image, self.set, 0, &mut time)?;
        Ok(Duration::from_nanos(time[0]))
    }
}

/// A candidate for each algorithm between leaders.
fn leaders<'a, H, L: Named>(
    candidate: impl Fn(Forced<H, L>) -> Box<dyn Fn() -> Result<()> + 'a>,
) -> Vec<Candidate<'a>> {
    let forced = |&(name, algorithm): &(&'static str, L)| {
        (name, candidate(Forced { host: None, leaders: Some(algorithm) }))
    };
    L::ALL.iter().map(forced).collect()
}
