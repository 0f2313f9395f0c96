//! `--trace`, `--report`, `--baseline`, `--tool` and `--merge`: images record with the library `libxmprt_trace.so`,
//! which is loaded before `libxmprt.so`; their records are merged when the job has ended.

use crate::about;
use crate::destination::{Destination, Kind};
use crate::options::Options;
use crate::output::status_after_error;
use crate::scratch;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use xmp_core::counted::counted;
use xmp_core::settings::Settings;
use xmp_core::{Error, Result, launch, plugin};
use xmp_trace::baseline::Baseline;
use xmp_trace::directory::Directory;
use xmp_trace::page::Page;
use xmp_trace::summary::Summary;
use xmp_trace::text::Text;
use xmp_trace::trace::Trace;

/// The library that records.
const LIBRARY: &str = "libxmprt_trace.so";

const NOTHING_RECORDED: &str = "no image has recorded anything: only programs that use libxmprt.so can be traced, not those \
     linked with libxmprt.a (-static, -static-xmp)";

const TIMELINE: Kind =
    Kind { option: "--trace", noun: "timeline", beginning: b"{\"displayTimeUnit\"" };
const PAGE: Kind = Kind { option: "--report", noun: "report", beginning: b"<!DOCTYPE html>" };

/// The files that are made of a trace.
#[derive(Debug)]
pub struct Products {
    timeline: Option<Destination>,
    report: Option<Report>,
    /// The run that the report compares with.
    baseline: Option<Baseline>,
    /// The program, for the title of a page.
    program: String,
    /// The command line.
    command: String,
}

/// The form of a report.
#[derive(Debug)]
enum Report {
    /// Text on standard error.
    Text,
    Page(Destination),
}

impl Products {
    /// The files that the command line and the settings request; `None` without any.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn wanted(options: &Options, settings: &Settings) -> Result<Option<Products>> {
        let named = options.merge.as_ref().or(options.trace.as_ref()).or(settings.trace.as_ref());
        let timeline = named.map(|path| Destination::open(&absolute(path), TIMELINE));
        if let (Some(named), Some(Some(page))) = (named, &options.report)
            && absolute(named) == absolute(page)
        {
            return Err(Error::Invalid(format!(
                "--report={}: the timeline is written to this file: give the report another name",
                page.display()
            )));
        }
        let report = options.report.as_ref().map(|page| match page {
            None => Ok(Report::Text),
            Some(path) => Destination::open(&absolute(path), PAGE).map(Report::Page),
        });
        let program =
            options.command.first().map_or("job".into(), |it| it.to_string_lossy().into());
        // It is read first: it may be the file that the report is written to.
        let baseline = options.baseline.as_deref().map(baseline).transpose()?;
        let products = Products {
            timeline: timeline.transpose()?,
            report: report.transpose()?,
            baseline,
            program,
            command: about::command_line(std::env::args_os()),
        };
        let is_any = products.timeline.is_some() || products.report.is_some();
        Ok(is_any.then_some(products))
    }

    /// Whether the timeline was written before.
    fn has_timeline(&self) -> bool {
        self.timeline.as_ref().is_some_and(Destination::has_content)
    }

    /// Makes these files of the trace. The status is 0, or the status of a report that could not be written to standard
    /// error.
    ///
    /// # Errors
    /// When a file cannot be written.
    fn make(self, trace: &Trace, of_job: Vec<(&'static str, String)>) -> Result<i32> {
        let mut status = 0;
        let summary = trace.summary();
        let mut properties = about::run(&summary, self.command);
        properties.extend(of_job);
        let processors = about::processors(&summary);
        let summary = &Summary { properties, processors, ..summary };
        let baseline = self.baseline.as_ref();
        if let Some(timeline) = self.timeline {
            let path = timeline.path().to_path_buf();
            timeline.write(|file| trace.write_timeline(file))?;
            launch::report(format_args!(
                "timeline of {}: {} (open it at https://ui.perfetto.dev)",
                counted(trace.operations(), "operation"),
                path.display()
            ));
        }
        match self.report {
            None => {}
            Some(Report::Text) => {
                let text = Text { summary, baseline }.to_string();
                let written = io::stderr().lock().write_all(text.as_bytes());
                // There is no other place for a message.
                status = written.map_or_else(|error| status_after_error(&error), |()| 0);
            }
            Some(Report::Page(page)) => {
                let path = page.path().to_path_buf();
                let program = &*self.program;
                page.write(|file| write!(file, "{}", Page { summary, program, baseline }))?;
                launch::report(format_args!("report: {}", path.display()));
            }
        }
        Ok(status)
    }
}

/// The recording of a job that is about to run.
#[derive(Debug)]
pub struct Recording {
    products: Products,
    /// The directory in which the images record. It belongs to this job alone, and is removed with its contents.
    place: TempDir,
}

impl Recording {
    /// Makes the directory for the records of images, and gives this process the environment for recording. `shared`: a
    /// directory that all hosts see, if there are several.
    ///
    /// # Errors
    /// When there is no directory for it.
    pub fn start(products: Products, shared: Option<&Path>) -> Result<Recording> {
        // The file system of the timeline has room for much data. A report alone goes where temporary files do.
        let timeline = products.timeline.as_ref().and_then(Destination::directory);
        let directory = timeline.or(shared).map_or_else(std::env::temp_dir, absolute);
        let purpose = match (timeline, shared) {
            (Some(_), _) => "--trace: images record beside the file",
            (None, Some(_)) => "--report: images of several hosts record in the current directory",
            (None, None) => "--report: images record where TMPDIR says",
        };
        let place = scratch::directory_in(&directory, purpose)?;
        // SAFETY: this process has one thread: `main` has started none so far.
        unsafe { std::env::set_var("XMP_TRACE", trace_in(&place)) };
        Ok(Recording { products, place })
    }

    /// Makes the timeline and the report of the records, with these properties of the job. An error is reported, and
    /// gives another status than 0.
    pub fn finish(self, properties: Vec<(&'static str, String)>) -> i32 {
        self.make(properties).unwrap_or_else(|error| {
            launch::report(format_args!("trace: {error}"));
            1
        })
    }

    fn make(self, properties: Vec<(&'static str, String)>) -> Result<i32> {
        let failed = |error: io::Error| Error::Invalid(error.to_string());
        let Some(directory) = Directory::open(&trace_in(&self.place)).map_err(failed)? else {
            launch::report(format_args!("trace: {NOTHING_RECORDED}"));
            return Ok(1);
        };
        // Without a trace each image has reported why it cannot record.
        let trace = Trace::read(&directory).map_err(failed)?;
        trace.map_or(Ok(1), |trace| self.products.make(&trace, properties))
    }
}

/// The trace that images record, in the directory of a job.
fn trace_in(place: &TempDir) -> PathBuf {
    place.path().join("trace")
}

/// `--merge`: makes the timeline and the report of parts that images have left, and removes the parts.
///
/// # Errors
/// When no image has recorded anything, or files cannot be read or written.
pub fn merge(path: &Path, products: Products) -> Result<i32> {
    let failed = |error: io::Error| Error::Invalid(format!("--merge: {error}"));
    let path = absolute(path);
    let directory = Directory::open(&path).map_err(failed)?;
    let trace = directory.as_ref().map(Trace::read).transpose().map_err(failed)?.flatten();
    let (Some(directory), Some(trace)) = (directory, trace) else {
        if products.has_timeline() {
            return Err(Error::Invalid(format!(
                "--merge: {} is merged already: it is a timeline, and there are no parts of it any more",
                path.display()
            )));
        }
        return Err(Error::Invalid(format!(
            "--merge: {}: {NOTHING_RECORDED}",
            Directory::path_of(&path).display()
        )));
    };
    let status = products.make(&trace, Vec::new())?;
    if let Some(other) = directory.remove().map_err(failed)? {
        launch::report(format_args!("{} is left there: it is no part of a trace", other.display()));
    }
    Ok(status)
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

/// The numbers in the page of another run.
fn baseline(path: &Path) -> Result<Baseline> {
    let refused = |what: &str| Error::Invalid(format!("--baseline: {}: {what}", path.display()));
    let page = std::fs::read(path)
        .map_err(|error| Error::os(format!("--baseline: cannot read {}", path.display()), error))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Baseline::read(&String::from_utf8_lossy(&page), &name).ok_or_else(|| {
        refused("it is no page that xmprun --report=FILE.html of this version has written")
    })
}

fn absolute(path: &Path) -> PathBuf {
    // It fails only for an empty path, which the command line and the settings refuse.
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}
