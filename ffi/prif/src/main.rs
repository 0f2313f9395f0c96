//! `xmp-prif`, which `./x install` executes: it writes the module `prif` to standard output; with `--lfortran` the one for LFortran.

use std::io::Write;
use std::process::ExitCode;
use xmp_prif::{Interfaces, lfortran, module};

fn main() -> ExitCode {
    let interfaces = Interfaces::of_library();
    let is_for_lfortran = std::env::args_os().nth(1).is_some_and(|word| word == "--lfortran");
    let text =
        if is_for_lfortran { lfortran::module(&interfaces) } else { module::module(&interfaces) };
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xmp-prif: cannot write the module: {error}");
            ExitCode::FAILURE
        }
    }
}
