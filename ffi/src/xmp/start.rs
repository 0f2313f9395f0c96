//! Start and end of a program. The C parts of programs (`ffi/xmp`, and `ffi/omni/shim` for Omni) call these.

use crate::global::{executing, post};
use crate::process::{self, FrontEnd, Instance, enter, instance};
use xmp_coarray::front_end::sync_all;
use xmp_core::Error;
use xmp_core::language::Language;

/// What the process needs to know of this front end, whether or not the program has coarrays.
static FRONT_END: FrontEnd = FrontEnd { language: Language::Xmp, ..FrontEnd::IDLE };

/// Start of the image; its nodes are all images. The traverse functions come after this.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_program_start() {
    process::register(&FRONT_END).expect("it has nothing to start");
    let _entered = enter();
    let instance = instance();
    executing::nodes(instance);
    if let Err(error) = post::prepare(instance) {
        process::run_time_error("start", &error);
    }
}

/// End of the program, after the traverse functions: all images wait for each other, but not for those that have
/// ended. The process then continues to its own end, which is the end of the image.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_program_finish() {
    let _entered = enter();
    let Instance { image, .. } = instance();
    match sync_all(image, &image.stack().initial()) {
        Ok(()) | Err(Error::StoppedImage(_) | Error::FailedImage(_)) => {}
        Err(error) => process::run_time_error("end of the program", &error),
    }
}
