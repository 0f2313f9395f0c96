//! Figures that are no times: resident memory of an empty program, instructions of an 8-byte put and get.

use crate::instructions::{self, Access};
use crate::interleave::Contestant;
use crate::memory;
use crate::options::RunOptions;
use crate::peers::major_version;
use crate::report::{Figure, Report};
use std::path::Path;
use std::time::Duration;

/// Kilobytes an image of an empty program.
const MAX_KILOBYTES: f64 = 4096.0;
/// Instructions inside the library of an 8-byte put with gfortran 12 to 14.
const MAX_INSTRUCTIONS_OF_PUT: f64 = 60.0;
/// The same of a get; and of either from gfortran 15 on, with the accessor.
const MAX_INSTRUCTIONS_OF_GET: f64 = 80.0;
/// Valgrind slows a program down this much more than a run may be silent.
const VALGRIND_PATIENCE: u32 = 3;

/// Measures both for every coarray peer and adds them to the report.
pub fn measure(
    contestants: &[Contestant],
    images: &[u32],
    options: &RunOptions,
    out: &Path,
    report: &mut Report,
) {
    let silence = Duration::from_secs(options.timeout);
    let mut figures = Vec::new();
    for &images in images {
        for contestant in contestants {
            figures.extend(memory::measure(contestant, images, silence).map(|value| Figure {
                what: format!("peak resident memory of an empty program, {images} images, kB"),
                peer: contestant.peer.clone(),
                value,
                at_most: MAX_KILOBYTES,
            }));
        }
    }
    if instructions::available() {
        let patience = silence * VALGRIND_PATIENCE;
        let has_accessors = options.fortran().and_then(|fc| major_version(&fc)) >= Some(15);
        let most_of_put =
            if has_accessors { MAX_INSTRUCTIONS_OF_GET } else { MAX_INSTRUCTIONS_OF_PUT };
        let accesses = [(Access::Put, most_of_put), (Access::Get, MAX_INSTRUCTIONS_OF_GET)];
        for (access, at_most) in accesses {
            for contestant in contestants {
                let directory = out.join("build").join(contestant.peer.id);
                let value = instructions::measure(contestant, access, &directory, patience);
                figures.extend(value.map(|value| Figure {
                    what: format!("instructions in the library of an 8-byte {}", access.name()),
                    peer: contestant.peer.clone(),
                    value,
                    at_most,
                }));
            }
        }
    } else {
        report.note("instructions are not counted: valgrind is not installed");
    }
    report.figures(&figures);
}
