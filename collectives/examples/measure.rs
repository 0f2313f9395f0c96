//! Measures every host-level algorithm at every size, interleaved, as images that are processes: what the
//! bounds in `select` and the machine model (`xmp_core::machine`) are taken from. Microseconds as image 1 sees them; of many short batches the tenth
//! percentile, so that other programs on the machine disturb little.
//!
//! `xmprun -n 2 target/release/examples/measure [allreduce|reduce|fresh|broadcast|barrier|gather|scatter|alltoall|scan [BYTES]]`, or
//! with `XMP_NUM_IMAGES=2` instead of `xmprun`. All images must be on one host. The column `direct` has its operands
//! in segments, all others in ordinary memory; `memcpy` is what one image needs to copy the data.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use xmp_collectives::alltoall::alltoall_with;
use xmp_collectives::elements::Elements;
use xmp_collectives::gather::gather_with;
use xmp_collectives::host::Host;
use xmp_collectives::host::broadcast::{self, Message, Ways};
use xmp_collectives::host::reduce::copy_in::CopyIn;
use xmp_collectives::host::reduce::sliced::Sliced;
use xmp_collectives::host::reduce::{self, Operand};
use xmp_collectives::host::scan;
use xmp_collectives::part_buffers::{AlltoallBuffers, GatherBuffers, ScatterBuffers};
use xmp_collectives::scan::scan_with;
use xmp_collectives::scatter::scatter_with;
use xmp_collectives::select::Choices;
use xmp_collectives::{Op, Parts, Reduction, barrier, raw};
use xmp_core::coll_area::STAGING;
use xmp_core::image_set::ImageSet;
use xmp_core::settings::Settings;
use xmp_core::transport::processes;
use xmp_core::{Error, Image, Result};

/// Numbers of doubles.
const COUNTS: [usize; 13] =
    [1, 4, 7, 16, 64, 256, 1024, 4096, 16_384, 65_536, 131_072, 524_288, 1_048_576];
/// Rounds over all candidates.
const ROUNDS: usize = 61;
/// Sizes of chunks that are tried.
const CHUNKS: [usize; 7] = [8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10];

type Candidate<'a> = (String, Box<dyn Fn() -> Result<()> + 'a>);

fn main() -> ExitCode {
    processes::run(|image| {
        let only = std::env::args().nth(1);
        let wanted = |name: &str| only.as_ref().is_none_or(|only| only == name);
        let bytes = std::env::args().nth(2);
        let set = image.executing();
        let bench = Bench::new(image, &set)?;
        if wanted("barrier") {
            bench.row("barrier", 0, vec![("barrier".into(), Box::new(|| barrier(image, &set)))])?;
        }
        for count in COUNTS {
            if bytes.as_ref().is_some_and(|bytes| *bytes != (count * 8).to_string()) {
                continue;
            }
            for (name, to) in [("allreduce", None), ("reduce", Some(0))] {
                if wanted(name) {
                    bench.row(name, count * 8, bench.reductions(count, to))?;
                }
            }
            if wanted("fresh") {
                bench.row("fresh", count * 8, bench.fresh(count))?;
            }
            if wanted("broadcast") {
                bench.row("broadcast", count * 8, bench.broadcasts(count * 8))?;
            }
            for name in ["gather", "scatter", "alltoall", "scan"] {
                if wanted(name) {
                    bench.row(name, count * 8, bench.by_name(name, count * 8))?;
                }
            }
        }
        Ok::<_, Error>(())
    })
}

struct Bench<'a> {
    image: &'a Image,
    set: &'a ImageSet,
    host: Host<'a>,
    sum: Reduction<'a>,
    private: *mut u8,
    scratch: *mut u8,
    shared: *mut u8,
}

impl<'a> Bench<'a> {
    fn new(image: &'a Image, set: &'a ImageSet) -> Result<Bench<'a>> {
        let area = set.levels(image)?.area();
        let area = area.ok_or_else(|| Error::Invalid("needs two images of one host".into()))?;
        let bytes = 8 * COUNTS[COUNTS.len() - 1];
        let offset = image.memory().allocate_symmetric(bytes as u64, 4096)?;
        let memory = || vec![0u128; bytes / 16 + 256].leak().as_mut_ptr().cast::<u8>();
        let (private, scratch) = (memory(), memory());
        let shared = image.own_segment().wrapping_add(offset as usize);
        for start in [private, scratch, shared] {
            // SAFETY: `bytes` bytes that only this image knows of yet.
            unsafe { start.write_bytes(0, bytes) };
        }
        let host = Host::new(image, area);
        Ok(Bench {
            image,
            set,
            host,
            sum: Reduction::number::<f64>(Op::Sum),
            private,
            scratch,
            shared,
        })
    }

    fn reductions(&self, count: usize, to: Option<usize>) -> Vec<Candidate<'_>> {
        let Bench { image, set, ref host, ref sum, private, .. } = *self;
        let bytes = count * 8;
        // SAFETY: valid for the largest count, and zeros stay zeros.
        let elements = |start| unsafe { Elements::new(start, count, sum) };
        let [operand, in_segment] =
            [private, self.shared].map(|start| Operand { elements: elements(start), to });
        let mut candidates: Vec<Candidate<'_>> = Vec::new();
        candidates.push((
            "direct".into(),
            Box::new(move || {
                reduce::direct::begin(host, &in_segment);
                host.barrier()?;
                let addresses = reduce::direct::addresses(host);
                // SAFETY: the operands of all images are in their segments.
                unsafe { reduce::direct::finish(host, &in_segment, &addresses) }
                    .map_err(Error::from)
            }),
        ));
        candidates.push((
            "table".into(),
            // SAFETY: valid for the largest count.
            Box::new(move || unsafe {
                match to {
                    None => raw::allreduce(image, set, private, count, sum),
                    Some(root) => raw::reduce(image, set, root, private, count, sum),
                }
            }),
        ));
        if bytes <= 512 {
            candidates
                .push(("slots".into(), Box::new(move || Ok(reduce::slots::run(host, &operand)?))));
        }
        for chunk in useful_chunks(bytes, STAGING) {
            let name = format!("copy-in {}K", chunk >> 10);
            candidates
                .push((name, Box::new(move || Ok(CopyIn::new(host, &operand, chunk).run()?))));
        }
        for chunk in useful_chunks(bytes, reduce::sliced::MAX_CHUNK) {
            let name = format!("sliced {}K", chunk >> 10);
            candidates
                .push((name, Box::new(move || Ok(Sliced::new(host, &operand, chunk).run()?))));
        }
        candidates
    }

    /// Allreduce of operands that have just been written; `write` is that alone.
    fn fresh(&self, count: usize) -> Vec<Candidate<'_>> {
        let Bench { image, set, ref sum, private, shared, .. } = *self;
        let write = move |start: *mut u8| {
            // SAFETY: valid for the largest count, and nothing else uses it between two operations.
            let numbers = unsafe { std::slice::from_raw_parts_mut(start.cast::<u64>(), count) };
            black_box(&mut *numbers).fill(0);
        };
        let fresh = move |start: *mut u8| {
            write(start);
            // SAFETY: valid for the largest count.
            unsafe { raw::allreduce(image, set, start, count, sum) }
        };
        let write = Box::new(move || {
            write(private);
            Ok(())
        });
        vec![
            ("write".into(), write),
            ("private".into(), Box::new(move || fresh(private))),
            ("shared".into(), Box::new(move || fresh(shared))),
        ]
    }

    fn broadcasts(&self, len: usize) -> Vec<Candidate<'_>> {
        let Bench { image, set, ref host, private, scratch, .. } = *self;
        // SAFETY: valid for the largest count.
        let message = |start| unsafe { Message::new(start, len, 0) };
        let [message, in_segment] = [message(private), message(self.shared)];
        let mut candidates: Vec<Candidate<'_>> = Vec::new();
        candidates.push((
            "memcpy".into(),
            Box::new(move || {
                // SAFETY: both are valid for the largest count.
                unsafe { std::ptr::copy_nonoverlapping(private, scratch, len) };
                black_box(scratch);
                Ok(())
            }),
        ));
        candidates.push((
            "direct".into(),
            Box::new(move || {
                let ways = Ways { direct: true, single_copy: false };
                Ok(broadcast::large(host, &in_segment, STAGING, ways)?)
            }),
        ));
        candidates.push((
            "table".into(),
            // SAFETY: valid for the largest count.
            Box::new(move || unsafe { raw::broadcast(image, set, 0, private, len) }),
        ));
        if len <= 512 {
            candidates
                .push(("slots".into(), Box::new(move || Ok(broadcast::slots(host, &message)?))));
        }
        for chunk in useful_chunks(len, STAGING) {
            let name = format!("staged {}K", chunk >> 10);
            let ways = Ways { direct: false, single_copy: false };
            let staged = move || Ok(broadcast::large(host, &message, chunk, ways)?);
            candidates.push((name, Box::new(staged)));
        }
        candidates
    }

    /// An operation in which each image gives `bytes` bytes in all, with every algorithm that can be forced.
    fn by_name(&self, operation: &str, bytes: usize) -> Vec<Candidate<'_>> {
        let Bench { image, set, ref sum, private, scratch, shared, .. } = *self;
        let names: &[&str] = match operation {
            "scan" => &["table", "slots", "staged", "doubling", "direct", "messages"],
            _ => &["table", "slots", "staged", "direct", "messages"],
        };
        let part = bytes / set.len();
        let parts = Parts::Equal(part);
        let candidate = |name: &&str| -> Candidate<'_> {
            let forced = match *name {
                "table" => Settings::from_pairs(&[]),
                name => Settings::from_pairs(&[("XMP_COLL", &format!("{operation}:{name}"))]),
            };
            let choices = Choices::from_settings(&forced.expect("known")).expect("known");
            let from = if *name == "direct" { shared } else { private };
            // SAFETY: all buffers are valid for the largest count, and zeros stay zeros.
            let call: Box<dyn Fn() -> Result<()> + '_> = unsafe {
                match operation {
                    "gather" => {
                        let buffers = GatherBuffers::equal(from, part, scratch);
                        Box::new(move || gather_with(image, set, 0, &buffers, &choices))
                    }
                    "scatter" => {
                        let buffers = ScatterBuffers::equal(from, scratch, part);
                        Box::new(move || scatter_with(image, set, 0, &buffers, &choices))
                    }
                    "alltoall" => {
                        let buffers = AlltoallBuffers::new(from, parts, scratch, parts);
                        Box::new(move || alltoall_with(image, set, &buffers, &choices))
                    }
                    _ => {
                        let elements = Elements::new(from, bytes / 8, sum);
                        let operand = scan::Operand { elements, exclusive: false };
                        Box::new(move || scan_with(image, set, &operand, &choices))
                    }
                }
            };
            ((*name).to_string(), call)
        };
        let useful = |name: &&&str| **name != "slots" || bytes <= 512;
        names.iter().filter(useful).map(candidate).collect()
    }

    /// Measures and prints one row.
    fn row(&self, name: &str, bytes: usize, candidates: Vec<Candidate<'_>>) -> Result<()> {
        // About half a millisecond a batch, if a byte costs a tenth of a nanosecond for each image.
        let calls = (5e5 / (400.0 + bytes as f64 * 0.1 * self.set.len() as f64)).max(2.0) as u32;
        let mut times = vec![Vec::new(); candidates.len()];
        for _ in 0..ROUNDS {
            for ((_, candidate), times) in candidates.iter().zip(&mut times) {
                barrier(self.image, self.set)?;
                candidate()?;
                let start = Instant::now();
                for _ in 0..calls {
                    candidate()?;
                }
                times.push(start.elapsed() / calls);
            }
        }
        if self.set.position() == Some(0) {
            let times: Vec<String> = candidates
                .iter()
                .zip(times)
                .map(|((name, _), times)| format!("{name} {:.2}", undisturbed(times)))
                .collect();
            println!("{name:9} {bytes:8} B: {}", times.join("; "));
        }
        Ok(())
    }
}

/// Chunks up to `most` that differ for this many bytes: smaller ones, and the first that takes all.
fn useful_chunks(bytes: usize, most: usize) -> impl Iterator<Item = usize> {
    let chunks = CHUNKS.into_iter().filter(move |&chunk| chunk <= most);
    let mut previous = 0;
    chunks.take_while(move |&chunk| std::mem::replace(&mut previous, chunk) < bytes)
}

fn undisturbed(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 10].as_nanos() as f64 / 1e3
}
