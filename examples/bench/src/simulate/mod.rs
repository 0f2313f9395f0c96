//! Figures of two papers for machines that are not at hand: collectives in teams, and requests to communication servers,
//! computed by the simulator `xmp-simulate`.

mod constants;
mod cooperation;
mod curves;
mod figure;
mod memory;
pub mod validation;

pub use constants::measured;

use crate::error::Error;
use crate::options::{SimulateOptions, Simulated};
use crate::output::Output;
use crate::table::wrapped;
use cooperation::Plan;
use std::fs;
use xmp_simulate::Costs;

/// Simulates everything asked for, and writes it; prints the verdicts.
pub fn run(options: &SimulateOptions) -> Result<(), Error> {
    let output = Output::new(options.out_dir())?;
    let costs = match &options.constants {
        Some(file) => {
            let text = fs::read_to_string(file)
                .map_err(|source| Error::Read { path: file.clone(), source })?;
            Costs::default().with_measured(&text)
        }
        None => Costs::default(),
    };
    if options.only != Simulated::Requests {
        collectives(&costs, options, &output)?;
    }
    if options.only != Simulated::Collectives {
        let networks = vec![("Cray XT", Costs::xt()), ("InfiniBand FDR", costs)];
        let plan = Plan { networks, seed: options.seed, quick: options.quick };
        let verdicts = cooperation::report(&plan, &output)?;
        print!("{}\n{}", wrapped(&verdicts.targets.to_string()), verdicts.table.terminal());
    }
    println!("All tables: {}", output.directory().display());
    Ok(())
}

/// Simulates the figures of the collectives, and writes tables and values.
pub fn collectives(costs: &Costs, options: &SimulateOptions, output: &Output) -> Result<(), Error> {
    let mut text = format!(
        "{} images a host. Constants:\n\n{}\nNetwork: {:?}\n",
        options.per_host, costs.sharing, costs.network
    );
    let mut csv = figure::HEAD.to_owned();
    let bar = crate::contest::progress(options.images.len() as u64);
    for &images in &options.images {
        bar.set_message(format!("{images} images"));
        for figure in curves::figures(costs, images as usize, options.per_host as usize) {
            figure.tabulate(&mut text);
            figure.list(&mut csv);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    text.push_str(&memory::report(&options.images, options.per_host as usize));
    output.data("simulation.csv", &csv)?;
    output.document("simulation.md", "Simulation of collectives", "No targets.", &text)
}
