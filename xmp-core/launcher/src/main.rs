//! `xmprun`: runs a program as N images on this machine.
//!
//! The work is done by [`xmp_core::launch`]; here are its command line, the choice of places for images
//! ([`locality`]) and `--info`.

mod info;
mod locality;
mod options;

use clap::Parser;
use info::Info;
use options::{Binding, Options};
use std::io::{self, Write};
use std::process::ExitCode;
use xmp_core::launch::{self, Launch, USAGE_STATUS};
use xmp_core::settings::Settings;
use xmp_core::{Error, Result, log};

fn main() -> ExitCode {
    let status = run(Options::parse()).unwrap_or_else(|error| {
        launch::say(format_args!("{error}"));
        match error {
            Error::System { .. } => 1,
            _ => USAGE_STATUS,
        }
    });
    // Statuses are bytes (`launch::Launch::run`).
    ExitCode::from(status as u8)
}

fn run(options: Options) -> Result<i32> {
    let settings = Settings::from_env()?;
    log::start(settings.log.as_deref())?;
    let hosts = options.virtual_hosts.unwrap_or(settings.virtual_hosts);
    let asked = options.images.or(settings.num_images);
    // Examining the machine takes longer than starting a small job, so only when it is needed.
    let machine = match asked {
        Some(_) if matches!(options.bind, Binding::Auto | Binding::None) && !options.info => None,
        _ => Some(locality::detect()?),
    };
    let cores = machine.as_ref().map_or(1, |machine| machine.cores.len());
    let images = asked.unwrap_or_else(|| cores.min(launch::cores_available()) as u32);
    let placements = match (&machine, options.bind) {
        (Some(machine), bind) => locality::place_images(machine, images, bind),
        (None, Binding::Auto) => launch::one_processor_each(images),
        (None, _) => Vec::new(),
    };
    if let (true, Some(machine)) = (options.info, &machine) {
        let plan = &launch::plan(images, hosts, &placements, &settings)?;
        let lookup = |name: &str| std::env::var(name).ok();
        let info = Info { machine, plan, binding: options.bind, lookup };
        return write!(io::stdout().lock(), "{info}")
            .map(|()| 0)
            .map_err(|error| Error::os("cannot write to standard output", error));
    }
    let mut command = options.command.into_iter();
    // The command line demands a program where there is no `--info`.
    let program = command.next().unwrap_or_default();
    let launch = Launch {
        hosts,
        placements,
        prefix_output: options.prefix_output,
        timeout: options.timeout,
        ..Launch::new(images, program, command.collect(), settings)
    };
    Ok(launch.run())
}
