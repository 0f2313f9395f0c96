//! `--trace`, `--report`, `--tool` and `--merge`: images record with the library `libxmprt_trace.so`, which is loaded
//! before `libxmprt.so`; what they have recorded is merged when the job has ended.

use crate::options::Options;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use xmp_core::settings::Settings;
use xmp_core::{Error, Result, launch, plugin};
use xmp_trace::page::Page;
use xmp_trace::text::Text;
use xmp_trace::trace::{Trace, remove_parts};

/// The library that records.
const LIBRARY: &str = "libxmprt_trace.so";

/// What is made of a job's trace.
#[derive(Debug)]
pub struct Recording {
    /// The trace; images put `.parts` behind its name.
    trace: PathBuf,
    /// Whether the timeline is wanted.
    timeline: bool,
    /// Whether the report is wanted, and as which page; without one as text.
    report: Option<Option<PathBuf>>,
    /// The program, for the title of a page.
    program: String,
}

impl Recording {
    /// What the command line and the settings ask for.
    pub fn wanted(options: &Options, settings: &Settings) -> Option<Recording> {
        let named = options.merge.as_ref().or(options.trace.as_ref()).or(settings.trace.as_ref());
        let report = options.report.clone();
        let trace = match named {
            Some(trace) => absolute(trace),
            None if report.is_some() => {
                std::env::temp_dir().join(format!("xmprun-{}", std::process::id()))
            }
            None => return None,
        };
        let timeline = named.is_some();
        let program =
            options.command.first().map_or("job".into(), |it| it.to_string_lossy().into());
        Some(Recording { trace, timeline, report, program })
    }

    /// Gives this process the environment by which images record.
    ///
    /// # Errors
    /// When old parts of the trace cannot be removed.
    pub fn prepare(&self) -> Result<()> {
        let old = remove_parts(&self.trace);
        old.map_err(|error| Error::Invalid(format!("an older trace is in the way: {error}")))?;
        // SAFETY: this process has one thread: `main` has started none so far.
        unsafe { std::env::set_var("XMP_TRACE", &self.trace) };
        Ok(())
    }

    /// Makes the timeline and the report of what the images have recorded. What goes wrong is reported.
    pub fn finish(&self) {
        if let Err(error) = self.merge() {
            launch::report(format_args!("trace: {error}"));
        }
    }

    /// The same, and returns the first thing that goes wrong.
    ///
    /// # Errors
    /// When no image has recorded anything, or files cannot be read or written.
    pub fn merge(&self) -> Result<()> {
        let failed = |error: std::io::Error| Error::Invalid(error.to_string());
        let Some(trace) = Trace::read(&self.trace).map_err(failed)? else {
            return Err(Error::Invalid(format!(
                "no image has recorded anything in {}.parts: only programs that use libxmprt.so can be traced, not those \
                 linked with libxmprt.a (-static, -static-xmp)",
                self.trace.display()
            )));
        };
        if self.timeline {
            trace.write_timeline(&self.trace).map_err(failed)?;
            launch::report(format_args!(
                "timeline of {} operations: {} (open it at https://ui.perfetto.dev)",
                trace.operations(),
                self.trace.display()
            ));
        }
        match &self.report {
            None => {}
            Some(None) => eprint!("{}", Text(&trace.summary())),
            Some(Some(file)) => {
                let page = Page { summary: &trace.summary(), program: &self.program }.to_string();
                let failed = |error| Error::os(format!("cannot write {}", file.display()), error);
                fs::write(file, page).map_err(failed)?;
                launch::report(format_args!("report: {}", file.display()));
            }
        }
        remove_parts(&self.trace).map_err(failed)
    }
}

/// Has images load the library that records before `libxmprt.so`.
///
/// # Errors
/// When it is not installed.
pub fn preload(settings: &Settings) -> Result<()> {
    let directories = plugin::directories(settings);
    let files = directories.iter().map(|directory| directory.join(LIBRARY));
    let Some(library) = files.into_iter().find(|file| file.is_file()) else {
        let searched: Vec<String> =
            directories.iter().map(|directory| directory.display().to_string()).collect();
        return Err(Error::Invalid(format!(
            "{LIBRARY}, which records operations, is not in {}: install XMP-RT completely",
            searched.join(", ")
        )));
    };
    let mut value = OsString::from(library);
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        value.push(":");
        value.push(others);
    }
    // SAFETY: this process has one thread: `main` has started none so far.
    unsafe { std::env::set_var("LD_PRELOAD", value) };
    Ok(())
}

fn absolute(path: &Path) -> PathBuf {
    // It fails only for an empty path, which the command line and the settings refuse.
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}
