//! `xmprun`: runs a program as N images on this machine.

mod options;

use clap::Parser;
use options::Options;
use std::process::ExitCode;
use xmp_core::launch::{Launch, USAGE_STATUS, cores_available};
use xmp_core::settings::Settings;

fn main() -> ExitCode {
    let options = Options::parse();
    let status = run(options).unwrap_or_else(|error| {
        eprintln!("xmp: {error}");
        USAGE_STATUS
    });
    ExitCode::from(status as u8)
}

fn run(options: Options) -> xmp_core::Result<i32> {
    let settings = Settings::from_env()?;
    let images =
        options.images.or(settings.num_images).unwrap_or_else(|| cores_available() as u32);
    let mut command = options.command.into_iter();
    let program = command.next().unwrap_or_default();
    let launch = Launch {
        hosts: options.virtual_hosts.unwrap_or(settings.virtual_hosts),
        prefix_output: options.prefix_output,
        timeout: options.timeout,
        ..Launch::new(images, program, command.collect(), settings)
    };
    Ok(launch.run())
}
