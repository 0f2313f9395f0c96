//! Measures what the simulator has to know of a host: prints lines `name,microseconds` for
//! `xmp_simulate::Costs::with_measured`. With a core for each image all constants but `turn`, with fewer `turn` alone:
//!
//! `xmprun -n 2 target/release/examples/constants; xmprun -n 8 target/release/examples/constants`
//!
//! All images must be on one host. Of many short batches the tenth percentile counts, so that other programs on the
//! machine disturb little.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;
use xmp_collectives::broadcast::broadcast_with;
use xmp_collectives::host::broadcast::Message;
use xmp_collectives::select::{Choices, Forced, HostMove, LeaderBroadcast};
use xmp_collectives::{Op, Reduction, barrier};
use xmp_core::image_set::ImageSet;
use xmp_core::notify::PACKET;
use xmp_core::transport::processes;
use xmp_core::{Error, Image, Result};

/// Batches of each measurement.
const BATCHES: usize = 61;
/// Bytes of a long message: many packets.
const LONG: usize = 32 * PACKET;
/// Bytes of the blocks that are combined; in the second-level cache.
const BLOCK: usize = 64 << 10;
/// Bytes of a broadcast of many blocks.
const BLOCKS: usize = 16 * BLOCK;

fn main() -> ExitCode {
    processes::run(|image| {
        let set = image.executing();
        let bench = Bench { image, set: &set };
        if image.job().page().waiting.crowded != 0 { bench.crowded() } else { bench.core_each() }
    })
}

struct Bench<'a> {
    image: &'a Image,
    set: &'a ImageSet,
}

impl Bench<'_> {
    /// What a step takes for each image of a core.
    fn crowded(&self) -> Result<()> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let load = self.set.len() as f64 / cores as f64;
        let step = self.time(200, || barrier(self.image, self.set))?;
        self.print("turn", step / load);
        Ok(())
    }

    fn core_each(&self) -> Result<()> {
        if self.set.len() != 2 {
            return Err(Error::Invalid("needs two images, or more than there are cores".into()));
        }
        self.print("line", self.time(2000, || barrier(self.image, self.set))?);
        self.channel()?;
        self.print("copy", self.copy()?);
        self.print("combine", self.combine()? / BLOCK as f64);
        Ok(())
    }

    /// Messages there and back; and one after the other in one direction, where only the work of a side counts.
    fn channel(&self) -> Result<()> {
        let mut long = vec![0; LONG];
        let mut there_and_back = |len: usize| {
            self.time(200, || {
                self.broadcast(HostMove::Messages, 0, &mut long[..len])?;
                self.broadcast(HostMove::Messages, 1, &mut long[..len])
            })
        };
        let (short, long) = (there_and_back(1)? / 2.0, there_and_back(LONG)? / 2.0);
        let mut byte = [0];
        let one_way = || self.broadcast(HostMove::Messages, 0, &mut byte);
        let overhead = self.time(1000, one_way)?.min(short / 2.0);
        // Both sides copy, one packet apart.
        let packets = (LONG / PACKET) as f64;
        let per_byte = (long - short - (packets - 1.0) * overhead).max(0.0);
        self.print("channel overhead", overhead);
        self.print("channel latency", short - 2.0 * overhead);
        self.print("channel per byte", per_byte / (LONG + PACKET) as f64);
        Ok(())
    }

    /// Bytes from one image to the other, in this way.
    fn broadcast(&self, way: HostMove, from: usize, bytes: &mut [u8]) -> Result<()> {
        let (host, leaders) = (Some(way), Some(LeaderBroadcast::Binomial));
        let choices = Choices { broadcast: Forced { host, leaders }, ..Choices::default() };
        // SAFETY: `bytes` live to the end of the broadcast.
        let message = unsafe { Message::new(bytes.as_mut_ptr(), bytes.len(), from) };
        broadcast_with(self.image, self.set, message, &choices)
    }

    /// Copying a byte that the other image has just written on the collective area, which writes past the cache where
    /// that is faster: a plain loop here would measure what no operation does. One side writes what is next meanwhile.
    fn copy(&self) -> Result<f64> {
        let mut bytes = vec![0; BLOCKS];
        let mut staged =
            |len: usize| self.time(20, || self.broadcast(HostMove::Staged, 0, &mut bytes[..len]));
        let (one, all) = (staged(BLOCK)?, staged(BLOCKS)?);
        Ok((all - one).max(0.0) / (BLOCKS - BLOCK) as f64)
    }

    /// Combining blocks that are in the cache.
    fn combine(&self) -> Result<f64> {
        let mut block = vec![0u64; BLOCK / 8];
        let target = block.as_mut_ptr().cast::<u8>();
        let sum = Reduction::number::<f64>(Op::Sum);
        let sources = [target.cast_const(), target.cast_const()];
        self.time(20, || {
            // SAFETY: own memory; zeros stay zeros.
            unsafe { sum.combine(target, &sources, BLOCK / 8) };
            black_box(target);
            Ok(())
        })
    }

    /// Microseconds a call.
    fn time(&self, calls: u32, mut call: impl FnMut() -> Result<()>) -> Result<f64> {
        let mut times = Vec::with_capacity(BATCHES);
        for _ in 0..BATCHES {
            barrier(self.image, self.set)?;
            call()?;
            let start = Instant::now();
            for _ in 0..calls {
                call()?;
            }
            times.push(1e6 * start.elapsed().as_secs_f64() / f64::from(calls));
            barrier(self.image, self.set)?;
        }
        times.sort_by(f64::total_cmp);
        Ok(times[BATCHES / 10])
    }

    fn print(&self, name: &str, microseconds: f64) {
        if self.set.position() == Some(0) {
            println!("{name},{microseconds:e}");
        }
    }
}
