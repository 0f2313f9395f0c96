//! Programs with XcalableMP directives: what our translator makes of them, and, where the Omni XcalableMP compiler is
//! installed, what that makes of the same source, linked with our library and with its own runtime.

mod rows;

use crate::contest::{Contest, progress};
use crate::error::Error;
use crate::interleave::{self, How, Pace};
use crate::options::RunOptions;
use crate::output::Output;
use crate::peers::{self, Absent, Kind, Language, Peer, Program, Programs};
use crate::report::Report;
use crate::rows::{Row, choose};
use crate::samples::Samples;
use crate::suites::start;
use crate::values;
use rows::{COARRAY, GLOBAL, HOSTS, START, VIRTUAL_HOSTS};
use std::cell::OnceCell;
use std::sync::Arc;
use xmp_hosts::{Flavour, Network};

/// Numbers of images when none are asked for.
const IMAGES: &[u32] = &[2, 4];

/// A program of its own for a part of the suite.
const fn part(program: &'static [Program]) -> Programs {
    Programs { coarray: program, mpi: &[], messages: &[] }
}

const EMPTY: Programs = part(&[Program {
    name: "xmp_empty",
    sources: &["examples/bench/programs/xmp_empty.c"],
    language: Language::C,
    options: &["-O2"],
}]);

const GLOBAL_VIEW: Programs = part(&[Program {
    name: "xmp_bench",
    sources: &["examples/bench/programs/xmp_bench.c", "examples/bench/programs/xmp_timing.c"],
    language: Language::C,
    options: &["-O2"],
}]);

const HIMENO: Programs = Programs {
    coarray: &[Program {
        name: "xmp_himeno",
        sources: &[
            "examples/bench/programs/himeno_problem.f90",
            "examples/bench/programs/himeno_rows.f90",
            "examples/bench/programs/xmp_himeno.f90",
        ],
        language: Language::Fortran,
        options: &["-O3"],
    }],
    mpi: &[Program {
        name: "mpi_himeno",
        sources: &[
            "examples/bench/programs/himeno_problem.f90",
            "examples/bench/programs/himeno_rows.f90",
            "examples/bench/programs/mpi_himeno.f90",
        ],
        language: Language::Fortran,
        options: &["-O3"],
    }],
    messages: &[],
};

const GLOBAL_HIMENO: Programs = Programs {
    coarray: &[Program {
        name: "xmp_himeno_global",
        sources: &[
            "examples/bench/programs/himeno_problem.f90",
            "examples/bench/programs/himeno_rows.f90",
            "examples/bench/programs/xmp_himeno_global.f90",
        ],
        language: Language::Fortran,
        options: &["-O3"],
    }],
    ..HIMENO
};

/// Loops begin at a cache line on all sides: where the instructions of the STREAM triad lie in two, some processors (AMD
/// Zen 5) take 1.5 times as long, and which side does is chance. `-lm` stands before the sources, where a linker drops
/// what nothing has asked for yet.
const KERNEL_OPTIONS: &[&str] = &["-O3", "-falign-loops=64", "-Wl,--no-as-needed", "-lm"];
/// The rows have other names than those of C.
const FORTRAN_KERNEL_OPTIONS: &[&str] = &["-O3", "-falign-loops=64", "-DFORTRAN_KERNELS"];

const KERNELS: Programs = Programs {
    coarray: &[Program {
        name: "xmp_kernels",
        sources: &[
            "examples/bench/programs/kernels.c",
            "examples/bench/programs/xmp_kernels.c",
            "examples/bench/programs/xmp_timing.c",
        ],
        language: Language::C,
        options: KERNEL_OPTIONS,
    }],
    mpi: &[Program {
        name: "mpi_kernels",
        sources: &[
            "examples/bench/programs/kernels.c",
            "examples/bench/programs/mpi_kernels.c",
            "examples/bench/programs/mpi_timing.c",
        ],
        language: Language::C,
        options: KERNEL_OPTIONS,
    }],
    messages: &[],
};

const FORTRAN_KERNELS: Programs = Programs {
    coarray: &[Program {
        name: "xmp_kernels_fortran",
        sources: &[
            "examples/bench/programs/kernels.c",
            "examples/bench/programs/xmp_timing.c",
            "examples/bench/programs/kernels.F90",
            "examples/bench/programs/xmp_kernels.f90",
        ],
        language: Language::Fortran,
        options: FORTRAN_KERNEL_OPTIONS,
    }],
    mpi: &[Program {
        name: "mpi_kernels_fortran",
        sources: &[
            "examples/bench/programs/kernels.c",
            "examples/bench/programs/mpi_timing.c",
            "examples/bench/programs/kernels.F90",
            "examples/bench/programs/mpi_kernels.f90",
        ],
        language: Language::Fortran,
        options: FORTRAN_KERNEL_OPTIONS,
    }],
    messages: &[],
};

const COARRAYS: Programs = part(&[Program {
    name: "xmp_coarray",
    sources: &["examples/bench/programs/xmp_coarray.f90"],
    language: Language::Fortran,
    options: &["-O2"],
}]);

/// Where a part runs, and against whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Ours by both translators, and Omni's runtime, here.
    BothTranslators,
    /// These and the MPI itself; one image and the sequential program.
    OneSource,
    /// Ours and Omni's runtime, here: programs in Omni's dialect of coarrays, which only Omni translates.
    Here,
    /// These and the MPI itself.
    WithMpi,
    /// Ours on two virtual hosts.
    VirtualHosts,
    /// Ours on two hosts with a network between them, over this MPI.
    Hosts(Flavour),
}

/// A part of the suite.
struct Part {
    heading: &'static str,
    rows: &'static [Row],
    programs: &'static Programs,
    place: Place,
}

const fn of_pairs(heading: &'static str, rows: &'static [Row], place: Place) -> Part {
    Part { heading, rows, programs: &COARRAYS, place }
}

const PARTS: &[Part] = &[
    Part {
        heading: "An empty program",
        rows: START,
        programs: &EMPTY,
        place: Place::BothTranslators,
    },
    Part {
        heading: "Global view (XMP/C)",
        rows: GLOBAL,
        programs: &GLOBAL_VIEW,
        place: Place::BothTranslators,
    },
    Part {
        heading: "Himeno, global view",
        rows: rows::GLOBAL_HIMENO,
        programs: &GLOBAL_HIMENO,
        place: Place::OneSource,
    },
    Part {
        heading: "Laplace, STREAM, EP, CG and Himeno, global view",
        rows: rows::KERNELS,
        programs: &KERNELS,
        place: Place::OneSource,
    },
    Part {
        heading: "Laplace, STREAM, EP and CG, global view, in Fortran",
        rows: rows::FORTRAN_KERNELS,
        programs: &FORTRAN_KERNELS,
        place: Place::OneSource,
    },
    Part { heading: "Coarray Fortran", rows: COARRAY, programs: &COARRAYS, place: Place::Here },
    Part { heading: "Himeno", rows: rows::HIMENO, programs: &HIMENO, place: Place::WithMpi },
    of_pairs("Ours on 2 virtual hosts", VIRTUAL_HOSTS, Place::VirtualHosts),
    of_pairs("Ours on 2 hosts, Open MPI", HOSTS, Place::Hosts(Flavour::OpenMpi)),
    of_pairs("Ours on 2 hosts, MPICH", HOSTS, Place::Hosts(Flavour::Mpich)),
];

impl Part {
    /// The numbers of images: one besides for the sequential program; between two hosts it is the pair that is measured.
    fn images(&self, asked: &[u32]) -> Vec<u32> {
        match self.place {
            Place::BothTranslators | Place::Here | Place::WithMpi => asked.to_vec(),
            Place::OneSource => std::iter::once(1).chain(asked.iter().copied()).collect(),
            Place::VirtualHosts | Place::Hosts(_) => vec![2],
        }
    }

    /// Who takes part; hosts are made when they are first needed, and what hinders that is said once.
    fn peers(
        &self,
        options: &RunOptions,
        hosts: &Hosts,
        has_omni: bool,
    ) -> Vec<Result<Peer, Absent>> {
        let translators = || {
            if has_omni {
                peers::with_translators(options)
            } else {
                vec![peers::translated(options)]
            }
        };
        match self.place {
            Place::BothTranslators => translators(),
            Place::OneSource => {
                let mut all = translators();
                all.extend([peers::open_mpi(), peers::sequential(options)]);
                all
            }
            _ if !has_omni => Vec::new(),
            Place::Here => peers::with_omni(options),
            Place::WithMpi => peers::with_omni_and_mpi(options),
            Place::VirtualHosts => peers::behind_omni_on_hosts(options, 2),
            Place::Hosts(flavour) => match hosts.get_or_init(|| Network::new(2).map(Arc::new)) {
                Ok(network) => vec![peers::behind_omni_over_mpi(options, flavour, network)],
                Err(_) => Vec::new(),
            },
        }
    }
}

/// Two hosts, or why there are none.
type Hosts = OnceCell<Result<Arc<Network>, String>>;

/// Runs the suite and writes and prints its results. False if ours is absent or failed somewhere; a missed target is a
/// result, not a failure. Without Omni's compiler only our translator's programs are measured, which is said.
pub fn run(options: &RunOptions) -> Result<bool, Error> {
    let everything: Vec<Row> = PARTS.iter().flat_map(|part| part.rows.iter().copied()).collect();
    let chosen = choose(&everything, &options.rows, options.quick)?;
    let omni = peers::omni_installation();
    if let Err(missing) = &omni {
        eprintln!("*** SKIPPED: what needs Omni: {missing} ***");
    }
    let images = options.images(IMAGES);
    let output = Output::new(options.out_dir())?;
    let build = output.directory().join("build");
    let pace = Pace::of(options);
    let mut parts = Vec::new();
    let hosts = Hosts::new();
    for part in PARTS {
        let is_chosen = |row: &&Row| chosen.iter().any(|other| other.key() == row.key());
        let rows: Vec<Row> = part.rows.iter().filter(is_chosen).copied().collect();
        if rows.is_empty() {
            continue;
        }
        let all = part.peers(options, &hosts, omni.is_ok());
        let all: Vec<_> = all.into_iter().filter(asked(options)).collect();
        if !all.is_empty() {
            let contest = Contest::new(all, part.programs, options, &build)?;
            parts.push((part, rows, contest));
        }
    }
    if parts.is_empty() {
        return Err(Error::NothingInstalled);
    }
    if let Some(Err(why)) = hosts.get() {
        eprintln!("no separate hosts, which need root: {why}");
    }
    let absent = parts.first().map_or(&[][..], |(.., contest)| &contest.absent);
    let mut report = Report::new("Suite of XcalableMP programs", options, absent);
    let mut samples = Samples::default();
    for (part, rows, contest) in &parts {
        let images = part.images(&images);
        measure(contest, rows, &images, &pace, &mut samples);
        report.heading(part.heading);
        for count in images {
            report.rows(rows, count, &samples, &contest.peers());
        }
    }
    let summary = report.finish(&samples, &output)?;
    values::write(&samples, &output)?;
    println!("All tables: {}", output.directory().display());
    parts.iter().take(1).for_each(|(.., contest)| contest.warn_if_ours_is_absent());
    println!("{}", summary.ahead);
    Ok(summary.clean)
}

/// Whether a side was asked for: not every part has all of them.
fn asked(options: &RunOptions) -> impl Fn(&Result<Peer, Absent>) -> bool {
    |peer| {
        let id = peer.as_ref().map_or_else(|gone| gone.id, |peer| peer.id);
        options.peers.is_empty() || options.peers.iter().any(|item| item == id)
    }
}

/// Measures the rows of a part.
fn measure(contest: &Contest, rows: &[Row], images: &[u32], pace: &Pace, samples: &mut Samples) {
    if rows[0].group == START[0].group {
        return start::measure(contest, rows, images, pace, samples);
    }
    // One process needs no MPI.
    let takes_part = |kind, count| count > 1 || kind != Kind::RawMpi;
    let legs =
        |&count: &u32| contest.legs(rows, count, |_| How::Bench, |kind| takes_part(kind, count));
    let legs: Vec<_> = images.iter().flat_map(legs).collect();
    let bar = progress(interleave::steps(&legs, pace));
    interleave::run_all(&contest.contestants, &legs, pace, &bar, samples);
    bar.finish_and_clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_rows_of_its_own_program() {
        for Part { heading, rows, programs, place } in PARTS {
            assert_eq!(programs.coarray.len(), 1, "{heading}");
            let with_mpi = matches!(place, Place::WithMpi | Place::OneSource);
            assert_eq!(with_mpi, !programs.mpi.is_empty(), "{heading}");
            let of_pairs = matches!(place, Place::VirtualHosts | Place::Hosts(_));
            assert!(!of_pairs || rows.iter().all(|row| row.group == "pingpong"), "{heading}");
            assert!(rows.iter().all(|row| (row.group == "start") == (rows[0].group == "start")));
        }
    }
}
