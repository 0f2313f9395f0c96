//! The worth of the techniques of messages on this machine: an allreduce and a barrier over hosts, with all
//! techniques, without one of them, and with none. Images are threads on virtual hosts.
//!
//!     cargo run --release --example techniques [images] [hosts]

use std::time::Instant;
use xmp_collectives::{Op, allreduce, barrier, nonblocking};
use xmp_core::settings::{Settings, Techniques};
use xmp_core::transport::threads;
use xmp_core::{Image, Result};

/// Elements (8 bytes each) of the vectors.
const COUNTS: [usize; 5] = [1, 4, 128, 1024, 16 << 10];
/// Executions that are timed together.
const BATCH: u32 = 50;
/// How often they are.
const BATCHES: u32 = 300;

fn main() {
    let argument = |at, default| {
        std::env::args().nth(at).map_or(default, |text| text.parse().expect("a number of images"))
    };
    let (images, hosts) = (argument(1, 2), argument(2, 2));
    println!("{images} images on {hosts} hosts, microseconds");
    print!("{:>22}{:>10}", "", "barrier");
    COUNTS.iter().for_each(|count| print!("{:>10}", format!("{} B", count * 8)));
    println!("{:>18}", "non-blocking 8 B");
    let mut rows = vec![("all".to_string(), Techniques::ALL)];
    rows.extend(
        Techniques::NAMES.map(|(name, one)| (format!("no {name}"), Techniques::ALL.without(one))),
    );
    rows.push(("none".into(), Techniques::NONE));
    for (name, techniques) in rows {
        let settings = Settings { techniques, ..Settings::from_env().expect("good settings") };
        let outcomes = threads::run_with(settings, images, hosts, row).expect("images");
        let times = outcomes.into_iter().next().expect("an image").expect("no image ends");
        print!("{name:>22}");
        times.into_iter().for_each(|time| print!("{:>10.2}", time * 1e6));
        println!();
    }
}

/// Seconds for each column.
fn row(image: &Image) -> Result<Vec<f64>> {
    let set = image.executing();
    let mut times = vec![measure(image, || barrier(image, &set))?];
    for count in COUNTS {
        let mut data = vec![1.0; count];
        times.push(measure(image, || allreduce(image, &set, &mut data, Op::Max))?);
    }
    let one = || nonblocking::allreduce(image, &set, vec![1.0], Op::Max).wait().map(drop);
    times.push(measure(image, one)?);
    Ok(times)
}

/// The best of many means over a few executions: whatever else the machine does meanwhile does not count.
fn measure(image: &Image, mut operation: impl FnMut() -> Result<()>) -> Result<f64> {
    let set = image.executing();
    let mut best = f64::INFINITY;
    for _ in 0..BATCHES {
        barrier(image, &set)?;
        let begin = Instant::now();
        for _ in 0..BATCH {
            operation()?;
        }
        best = best.min(begin.elapsed().as_secs_f64() / f64::from(BATCH));
    }
    Ok(best)
}
