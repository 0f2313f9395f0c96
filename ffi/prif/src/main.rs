//! `xmp-prif`, which `./x install` executes: it writes the module `prif` for LFortran to standard output.

use std::io::Write;
use std::process::ExitCode;
use xmp_prif::{Interfaces, lfortran};

fn main() -> ExitCode {
    let module = lfortran::module(&Interfaces::of_prif());
    match std::io::stdout().write_all(module.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xmp-prif: cannot write the module: {error}");
            ExitCode::FAILURE
        }
    }
}
