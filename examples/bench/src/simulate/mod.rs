//! Figures that no machine at hand can measure: the collectives' schedules, and requests to communication servers, run
//! by the simulator of `xmp-collectives`.

mod constants;
mod cooperation;
mod curves;
mod memory;
mod network;
pub mod validation;

pub use constants::measured;

use crate::error::Error;
use crate::options::{SimulateOptions, Simulated};
use crate::output::Output;
use crate::plots::{Across, Chart, Curve, Scale};
use crate::table::{Table, short, wrapped};
use cooperation::Plan;
use curves::{Figure, Line, Point};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use xmp_simulate::Costs;

/// Simulates everything asked for, and writes it; prints the verdicts.
pub fn run(options: &SimulateOptions) -> Result<(), Error> {
    let mut output = Output::new(options.out_dir())?;
    let costs = match &options.constants {
        Some(file) => Costs::default().with_measured(&read(file)?),
        None => Costs::default(),
    };
    if options.only != Simulated::Requests {
        collectives(&costs, options, &mut output)?;
    }
    if options.only != Simulated::Collectives {
        let networks = networks(costs, options.network.as_deref(), &mut output)?;
        let plan = Plan { networks, seed: options.seed, quick: options.quick };
        let verdicts = cooperation::report(&plan, &mut output)?;
        print!("{}\n{}", wrapped(&verdicts.targets.to_string()), verdicts.table.terminal());
    }
    println!("All tables and pictures: {}", output.finish()?.display());
    Ok(())
}

fn read(file: &Path) -> Result<String, Error> {
    fs::read_to_string(file).map_err(|source| Error::Read { path: file.to_owned(), source })
}

/// The networks that requests are simulated on: the paper's, that of these costs, and this machine's, if it has any.
/// What is measured of that is written to a file; given as `measured` it comes out as before.
fn networks(
    costs: Costs,
    measured: Option<&Path>,
    output: &mut Output,
) -> Result<Vec<(&'static str, Costs)>, Error> {
    let mut networks = vec![("Cray XT", Costs::xt()), ("InfiniBand FDR", costs)];
    let here = match measured {
        Some(file) => Some(costs.with_measured(&read(file)?)),
        None => match network::measure() {
            Ok(network) => {
                output.data("network.csv", &network.lines())?;
                Some(Costs { network, ..costs })
            }
            Err(error) => {
                eprintln!("TCP of this machine is not measured: {error}");
                None
            }
        },
    };
    networks.extend(here.map(|here| ("TCP of this machine", here)));
    Ok(networks)
}

/// Simulates the figures of the collectives, and writes tables, values and pictures.
pub fn collectives(
    costs: &Costs,
    options: &SimulateOptions,
    output: &mut Output,
) -> Result<(), Error> {
    let mut text = format!(
        "{} images a host, microseconds. Constants:\n\n{}\nNetwork: {:?}\n",
        options.per_host, costs.sharing, costs.network
    );
    let mut csv = String::from("figure,images,curve,x,microseconds,messages,bytes\n");
    let bar = crate::contest::progress(options.images.len() as u64 * curves::FIGURES.len() as u64);
    for &images in &options.images {
        for figure in curves::FIGURES {
            bar.set_message(format!("{} images, {}", images, figure.name));
            let lines = (figure.curves)(costs, images as usize, options.per_host as usize);
            tabulate(&mut text, figure, images, &lines);
            list(&mut csv, figure, images, &lines);
            draw(figure, images, &lines, output)?;
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    text.push_str(&memory::report(&options.images, options.per_host as usize));
    let images: Vec<String> = options.images.iter().map(u32::to_string).collect();
    let verdict = format!(
        "{} figures for {} images; no targets. What the library does by itself is black.",
        curves::FIGURES.len(),
        images.join(" and ")
    );
    output.data("simulation.csv", &csv)?;
    output.document("simulation.md", "Simulation of collectives", &verdict, &text)
}

fn tabulate(text: &mut String, figure: &Figure, images: u32, lines: &[Line]) {
    let mut xs: Vec<usize> = lines.iter().flat_map(|line| &line.points).map(|p| p.x).collect();
    xs.sort_unstable();
    xs.dedup();
    let labels = lines.iter().map(|line| line.label.clone());
    let mut table = Table::new([figure.across.to_owned()].into_iter().chain(labels));
    for x in xs {
        let mut cells = vec![x.to_string()];
        cells.extend(lines.iter().map(|line| {
            let found = line.points.iter().find(|point| point.x == x);
            found.map_or_else(|| "-".to_owned(), |point| short(point.outcome.time))
        }));
        table.push(cells);
    }
    let _ = write!(text, "\n## {}, {images} images\n\n{}", figure.title, table.markdown());
}

fn list(csv: &mut String, figure: &Figure, images: u32, lines: &[Line]) {
    for Line { label, points, .. } in lines {
        for Point { x, outcome } in points {
            let traffic = outcome.traffic;
            let messages = traffic.host_messages + traffic.network_messages;
            let bytes = traffic.host_bytes + traffic.network_bytes;
            let name = figure.name;
            let _ =
                writeln!(csv, "{name},{images},{label},{x},{:e},{messages},{bytes}", outcome.time);
        }
    }
}

fn draw(figure: &Figure, images: u32, lines: &[Line], output: &mut Output) -> Result<(), Error> {
    let curve = |line: &Line| Curve {
        label: line.label.clone(),
        side: line.side,
        form: line.form,
        points: line.points.iter().map(|p| (p.x as f64, p.outcome.time).into()).collect(),
    };
    let chart = Chart {
        caption: format!("{}, {images} images, simulated", figure.title),
        across: match figure.across {
            "bytes" => Across::Bytes,
            images => Across::Images(images),
        },
        scale: Scale::Time,
        curves: lines.iter().map(curve).collect(),
    };
    output.simulated_chart(&format!("simulated-{}-{images}-images.svg", figure.name), chart)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_of_tcp_survive_a_round_trip() {
        let directory = tempfile::tempdir().unwrap();
        let mut output = Output::new(directory.path().to_owned()).unwrap();
        let first = networks(Costs::default(), None, &mut output).unwrap();
        let [file, none] = ["network.csv", "none"].map(|name| directory.path().join(name));
        assert_eq!(first, networks(Costs::default(), Some(&file), &mut output).unwrap());
        assert_eq!(first.len(), 3);
        assert!(networks(Costs::default(), Some(&none), &mut output).is_err());
    }
}
