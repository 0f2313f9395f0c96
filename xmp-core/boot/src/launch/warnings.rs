//! Warnings about probable mistakes of the user that are no reason to end the job; each is written once a job.

use crate::plugin::{Launcher, detect};
use crate::rank::Rank;
use crate::report::report;
use crate::settings::{self, Settings};

/// Names the settings that have no effect.
pub(crate) fn of_settings(settings: &Settings) {
    of_unknown_settings();
    of_recording(settings);
}

/// Reports that operations are to be recorded, and that the library which does it is not loaded before this one.
fn of_recording(settings: &Settings) {
    const LIBRARY: &str = "libxmprt_trace.so";
    let wanted = [("XMP_TRACE", settings.trace.is_some()), ("XMP_TOOL", settings.tool.is_some())];
    let names: Vec<&str> =
        wanted.iter().filter(|(_, is_set)| *is_set).map(|(name, _)| *name).collect();
    let preloaded = std::env::var_os("LD_PRELOAD").unwrap_or_default();
    if !names.is_empty() && !preloaded.to_string_lossy().contains(LIBRARY) {
        report(format_args!(
            "warning: {} has no effect: start the program with xmprun, or let LD_PRELOAD name {LIBRARY}, which lies beside \
             the MPI plug-ins",
            names.join(", ")
        ));
    }
}

/// Reports that starting the images, and each synchronisation of them, takes long.
pub(super) fn of_crowd(images: u32, cores: usize) {
    const IMAGES_OF_A_CORE: usize = 256;
    if images as usize > cores * IMAGES_OF_A_CORE {
        report(format_args!(
            "warning: {images} images share {cores} core{}: they take long to start, and long to synchronise",
            if cores == 1 { "" } else { "s" }
        ));
    }
}

/// Names the variables `XMP_*` in the environment that are no settings.
fn of_unknown_settings() {
    let unknown = settings::unknown();
    if unknown.is_empty() {
        return;
    }
    let names = unknown.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    report(format_args!(
        "warning: unknown settings in the environment have no effect: {names}. `xmprun --info` lists all settings"
    ));
}

/// Reports that a launcher of MPI has started several launchers of this kind, each with a job of its own. The first of
/// them reports it.
pub(super) fn of_launcher_of_several(images: u32) {
    let Some(Launcher { name, processes: Some(jobs), .. }) = detect::launcher_of_several() else {
        return;
    };
    if detect::rank().is_some_and(|rank| rank != Rank::new(0)) {
        return;
    }
    report(format_args!(
        "warning: {name} has started xmprun {jobs} times, so {jobs} jobs run, of {images} {} each. For one job have it start \
         the program without xmprun, or xmprun once. The option -q turns this warning off",
        if images == 1 { "image" } else { "images" }
    ));
}

/// Reports that all processes of a job have ended with status 0, and none of them was an image.
pub(crate) fn of_job_without_image(images: u32) {
    report(format_args!(
        "warning: no process of this job executed as an image: {images} copies of the program ran, each by itself. Fortran \
         programs have images when they are compiled and linked with xmpfc (-fcoarray=lib), C programs when they call XMP-RT. \
         The option -q turns this warning off"
    ));
}
