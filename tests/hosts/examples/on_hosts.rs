//! Runs a program under an MPI launcher on separate hosts of this machine, to look at something by hand:
//!
//!     on_hosts MPI PROCESSES [NAME=VALUE...] [LAUNCHER OPTION...] PROGRAM [ARGUMENT...]
//!
//! `MPI` is `openmpi` or `mpich`, `PROCESSES` their numbers on each host (`2,2`; `4` for one host, which is this
//! machine); the settings are the program's. What looks like an option before the program is the launcher's (write
//! `--mca=...` as the launcher wants it, one word each; a value follows as a word of its own after `+`).

use std::env;
use std::process::ExitCode;
use xmp_hosts::{Flavour, Job, Mpirun, Network};

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(reason) => {
            eprintln!("on_hosts: {reason}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<ExitCode, String> {
    let mut words = env::args().skip(1).peekable();
    let flavour = match words.next().as_deref() {
        Some("openmpi") => Flavour::OpenMpi,
        Some("mpich") => Flavour::Mpich,
        _ => return Err("the first word is openmpi or mpich".into()),
    };
    let processes: Vec<u32> = words
        .next()
        .and_then(|text| text.split(',').map(|count| count.parse().ok()).collect())
        .ok_or("the second word is the processes of each host, as in 2,2")?;
    let mpirun = Mpirun::find(flavour).ok_or("its mpirun is not installed")?;
    let network = match processes.len() {
        1 => None,
        hosts => Some(Network::new(hosts)?),
    };
    let mut job = match &network {
        Some(network) => Job::on(network, &processes),
        None => Job::here(processes[0]),
    };
    while let Some(word) = words.next_if(|word| word.starts_with(['-', '+']) || word.contains('='))
    {
        job = match word.split_once('=') {
            _ if word.starts_with('-') => job.option(word),
            _ if word.starts_with('+') => job.option(&word[1..]),
            Some((name, value)) => job.env(name, value),
            None => job,
        };
    }
    let status = mpirun.command(&job).args(words).status().map_err(|error| error.to_string())?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(255)))
}
