//! Figures that no machine at hand can measure: the collectives' schedules, and requests to communication servers, run by
//! the simulator of `xmp-collectives`.

mod constants;
mod cooperation;
mod curves;
mod memory;
mod network;
pub mod validation;

pub use constants::measured;

use crate::error::Error;
use crate::options::{SimulateOptions, Simulated};
use crate::plots::{Across, Chart, Curve, Scale};
use crate::table::{Table, short};
use cooperation::Plan;
use curves::{Figure, Point};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use xmp_collectives::simulation::Costs;

/// Simulates everything asked for and writes and prints it.
pub fn run(options: &SimulateOptions) -> Result<(), Error> {
    let out = options.out_dir();
    fs::create_dir_all(&out).map_err(Error::write(&out))?;
    let costs = match &options.constants {
        Some(file) => Costs::default().with_measured(&read(file)?),
        None => Costs::default(),
    };
    if options.only != Simulated::Requests {
        println!("{}", report(&costs, options, &out)?);
    }
    if options.only != Simulated::Collectives {
        let networks = networks(costs, options.network.as_deref(), &out)?;
        let plan = Plan { networks, seed: options.seed, quick: options.quick };
        println!("{}", cooperation::report(&plan, &out)?);
    }
    println!("CSV and figures: {}", out.display());
    Ok(())
}

fn read(file: &Path) -> Result<String, Error> {
    fs::read_to_string(file).map_err(|source| Error::Read { path: file.to_owned(), source })
}

/// The networks that requests are simulated on: the paper's, that of these costs, and this machine's, if it has any. What is
/// measured of that is written to a file; given as `measured` it comes out as before.
fn networks(
    costs: Costs,
    measured: Option<&Path>,
    out: &Path,
) -> Result<Vec<(&'static str, Costs)>, Error> {
    let mut networks = vec![("Cray XT", Costs::xt()), ("InfiniBand FDR", costs)];
    let here = match measured {
        Some(file) => Some(costs.with_measured(&read(file)?)),
        None => match network::measure() {
            Ok(network) => {
                let path = out.join("network.csv");
                fs::write(&path, network.lines()).map_err(Error::write(&path))?;
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

/// Simulates all figures, draws them and writes their values; the text of the tables.
pub fn report(costs: &Costs, options: &SimulateOptions, out: &Path) -> Result<String, Error> {
    let mut text = format!(
        "\n# Simulation\n\n{} images a host, microseconds. Constants:\n\n{}\nNetwork: {:?}\n",
        options.per_host, costs.sharing, costs.network
    );
    let mut csv = String::from("figure,images,curve,x,microseconds,messages,bytes\n");
    let bar = crate::contest::progress(options.images.len() as u64 * curves::FIGURES.len() as u64);
    for &images in &options.images {
        for figure in curves::FIGURES {
            bar.set_message(format!("{} images, {}", images, figure.name));
            let curves = (figure.curves)(costs, images as usize, options.per_host as usize);
            tabulate(&mut text, figure, images, &curves);
            list(&mut csv, figure, images, &curves);
            draw(figure, images, &curves, out)?;
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    text.push_str(&memory::report(&options.images, options.per_host as usize));
    for (name, content) in [("simulation.csv", &csv), ("simulation.md", &text)] {
        let path = out.join(name);
        fs::write(&path, content).map_err(Error::write(&path))?;
    }
    Ok(text)
}

/// A curve's label and points.
type Curves = [(String, Vec<Point>)];

fn tabulate(text: &mut String, figure: &Figure, images: u32, curves: &Curves) {
    let mut xs: Vec<usize> = curves.iter().flat_map(|(_, points)| points).map(|p| p.x).collect();
    xs.sort_unstable();
    xs.dedup();
    let head = [figure.across.to_owned()].into_iter().chain(curves.iter().map(|(l, _)| l.clone()));
    let mut table = Table::new(head);
    for x in xs {
        let mut cells = vec![x.to_string()];
        cells.extend(curves.iter().map(|(_, points)| {
            let found = points.iter().find(|point| point.x == x);
            found.map_or_else(|| "-".to_owned(), |point| short(point.outcome.time))
        }));
        table.push(cells);
    }
    let _ = write!(text, "\n## {}, {images} images\n\n{}", figure.title, table.render());
}

fn list(csv: &mut String, figure: &Figure, images: u32, curves: &Curves) {
    for (label, points) in curves {
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

fn draw(figure: &Figure, images: u32, curves: &Curves, out: &Path) -> Result<(), Error> {
    let curve = |(label, points): &(String, Vec<Point>)| Curve {
        label: label.clone(),
        points: points.iter().map(|point| (point.x as f64, point.outcome.time)).collect(),
    };
    let chart = Chart {
        caption: format!("{}, {images} images, simulated", figure.title),
        across: match figure.across {
            "bytes" => Across::Bytes,
            images => Across::Images(images),
        },
        scale: Scale::Time,
        curves: curves.iter().map(curve).collect(),
    };
    chart.draw(&out.join(format!("simulated-{}-{images}-images.svg", figure.name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_of_tcp_is_read_again_as_it_was() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path();
        let first = networks(Costs::default(), None, out).unwrap();
        let file = out.join("network.csv");
        assert_eq!(first, networks(Costs::default(), Some(&file), out).unwrap());
        assert_eq!(first.len(), 3);
        assert!(networks(Costs::default(), Some(&out.join("none")), out).is_err());
    }
}
