//! Measures every algorithm and writes the tables of the library: what `./x tune` runs.
//!
//! `xmprun -n 4 --virtual-hosts 4 tune measure` measures the algorithms between leaders, with all images on one host
//! those on a host, and prints a line for each algorithm and size. `XMP_COLL=barrier:flat xmprun -n 4 tune barrier` measures a
//! barrier of collective areas, for the constants of `coll_area/barrier.rs`. `tune tables DATE MACHINE` reads such lines and
//! prints `measured.rs`: measured lines replace those of the same kind that the program was built with, and the
//! others stay. Lines of a model (`examples/simulate/examples/model.rs`) are for kinds that were not measured. `tune fabric` prints
//! `fabric.rs`.

mod measure;
mod row;
mod tables;

use std::process::ExitCode;
use xmp_core::transport::processes;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["measure"] => processes::run(measure::measure),
        ["barrier"] => processes::run(measure::measure_barrier),
        ["tables", date, machine] => print(tables::measured(&format!("{machine}, {date}"))),
        ["fabric", date, machine] => print(tables::fabric(&format!("{machine}, {date}"))),
        _ => {
            eprintln!("usage: tune measure | tune barrier | tune tables|fabric DATE MACHINE");
            ExitCode::FAILURE
        }
    }
}

fn print(file: Result<String, String>) -> ExitCode {
    match file {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("tune: {problem}");
            ExitCode::FAILURE
        }
    }
}
