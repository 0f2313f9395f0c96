//! Warnings about probable mistakes of the user that are no reason to end the job; each is written once a job.

use crate::report::report;
use crate::settings;

/// Names the variables `XMP_*` in the environment that are no settings.
pub(crate) fn of_unknown_settings() {
    let unknown = settings::unknown();
    if unknown.is_empty() {
        return;
    }
    let names = unknown.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    report(format_args!(
        "warning: unknown settings in the environment have no effect: {names}. `xmprun --info` lists all settings"
    ));
}

/// Reports that all processes of a job have ended with status 0, and none of them was an image.
pub(super) fn of_job_without_image(images: u32) {
    report(format_args!(
        "warning: no process of this job executed as an image: {images} copies of the program ran, each by itself. Fortran \
         programs have images when they are compiled and linked with xmpfc (-fcoarray=lib), C programs when they call XMP-RT. \
         The option -q turns this warning off"
    ));
}
