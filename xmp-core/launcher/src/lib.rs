//! `xmprun`: runs a program as N images on this machine, or on several hosts.
//!
//! [`xmp_core::launch`] does the work. This crate has the command line, the binding of images to cores (`locality/`)
//! and `--info`.

pub mod options;

mod about;
mod bench;
mod crashes;
mod debugger;
mod destination;
mod images;
mod info;
mod locality;
mod output;
mod pages;
mod recording;
mod rr;
mod scratch;
mod several;
mod stacks;

use images::Images;
use options::{Debugger, NoJob, Options, Variable};
use recording::{Products, Recording};
use several::ThisHost;
use std::path::PathBuf;
use std::process::ExitCode;
use xmp_core::launch::{self, Launch, USAGE_STATUS};
use xmp_core::settings::Settings;
use xmp_core::{Error, Result, hosts, log};

/// The whole command: reads the arguments of this process, and returns its exit status.
pub fn main() -> ExitCode {
    launch::survive_questions();
    // Users have no use for a backtrace. Its output takes memory, which may be what was lacking.
    std::panic::set_hook(Box::new(|info| launch::report(format_args!("internal error: {info}"))));
    let ended = match Options::parse_all(std::env::args_os()) {
        Ok(options) => run(options),
        Err(NoJob::Refused(text)) => Err(Error::Invalid(text)),
        Err(NoJob::Parsed(error)) => output::status_after(error.print(), error.exit_code()),
    };
    let status = ended.unwrap_or_else(|error| {
        launch::report(format_args!("{error}"));
        match error {
            Error::System { .. } => 1,
            _ => USAGE_STATUS,
        }
    });
    // Statuses are bytes (`launch::Launch::run`).
    ExitCode::from(status as u8)
}

/// Gives this process the environment and the directory that images inherit from it. Settings are read from that
/// environment, too.
fn prepare_process(options: &Options) -> Result<()> {
    for Variable { name, value } in &options.environment {
        if let Some(value) = value {
            // SAFETY: this process has one thread: `main` has started none so far.
            unsafe { std::env::set_var(name, value) };
        }
    }
    if let Some(directory) = &options.wdir {
        std::env::set_current_dir(directory).map_err(|error| {
            let error = Error::os(format!("cannot change to {}", directory.display()), error);
            Error::Invalid(format!("--wdir: {error}"))
        })?;
    }
    Ok(())
}

/// Does what the options ask for, and returns the exit status.
fn run(options: Options) -> Result<i32> {
    if let Some(directory) = &options.generate {
        return pages::write(directory).map(|()| 0);
    }
    if let Some(job) = options.stacks {
        return stacks::print(job);
    }
    if let Some(way) = &options.proxy {
        return hosts::serve(way, &ThisHost);
    }
    if options.debug == Some(Debugger::Rr) && !rr::is_recorded() {
        rr::record(!options.debug_images.is_empty())?;
    }
    if let Some(warning) = options.warning() {
        launch::report(format_args!("{warning}"));
    }
    prepare_process(&options)?;
    if let Some(check) = &options.check {
        // SAFETY: this process has one thread: `main` has started none so far.
        unsafe { std::env::set_var("XMP_CHECK", check) };
    }
    let settings = Settings::from_env()?;
    if let Some(path) = &options.merge {
        let products = Products::wanted(&options, &settings)?;
        return products.map_or(Ok(0), |products| recording::merge(path, products));
    }
    if let Some(tool) = &options.tool {
        // SAFETY: this process has one thread: `main` has started none so far.
        unsafe { std::env::set_var("XMP_TOOL", tool) };
    }
    log::start(settings.log.as_deref())?;
    let images = Images::of(&options, &settings)?;
    match images.info(&options, &settings)? {
        Some(status) => Ok(status),
        None => run_job(options, settings, images),
    }
}

/// Starts the images, waits for their end, and returns the exit status of the job.
fn run_job(mut options: Options, mut settings: Settings, images: Images) -> Result<i32> {
    let Images { count, several, virtual_hosts, placements, .. } = images;
    // It is removed when the job has ended.
    let measuring = options.bench.then(bench::Program::compile).transpose()?;
    if let Some(program) = &measuring {
        options.command = program.command();
    }
    let products = Products::wanted(&options, &settings)?;
    if products.is_some() || options.tool.is_some() || settings.tool.is_some() {
        recording::preload(&settings)?;
    }
    // All hosts must see it.
    let shared = several.is_some().then(|| PathBuf::from("."));
    let recording = products.map(|its| Recording::start(its, shared.as_deref())).transpose()?;
    let debugging = debugger::debugging(&options, count, &mut settings, shared.as_deref())?;
    let mut command = options.command.into_iter();
    // The command line requires a program where there is no `--info`.
    let program = command.next().unwrap_or_default();
    let pointers = info::reach(settings.reach, count);
    let launch = Launch {
        hosts: virtual_hosts,
        wrapper: debugging.wrapper,
        placements,
        prefix_output: options.prefix_output
            || debugging.crashes.as_ref().is_some_and(|it| it.are_merged),
        quiet: options.quiet,
        watch: options.watch,
        timeout: options.timeout.or(settings.timeout),
        shows_processes: rr::is_recorded(),
        ..Launch::new(count, program, command.collect(), settings)
    };
    let ended = match &several {
        Some(hosts) => {
            if virtual_hosts > 1 {
                // SAFETY: this process has one thread: `main` has started none so far.
                unsafe { std::env::set_var("XMP_VIRTUAL_HOSTS", virtual_hosts.to_string()) };
            }
            hosts::run(&launch, hosts)
        }
        None => launch.run(),
    };
    if let Some(crashes) = debugging.crashes {
        output::status_after(crashes.print(), ended.status)?;
    }
    let recorded = match (recording, ended.huge_pages) {
        (Some(recording), Some(huge_pages)) => recording
            .finish(vec![("huge pages", huge_pages.to_string()), ("pointers to", pointers.into())]),
        (Some(recording), None) if several.is_some() => recording.finish(Vec::new()),
        _ => 0,
    };
    Ok(if ended.status == 0 { recorded } else { ended.status })
}
