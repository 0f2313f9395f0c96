//! `./x bench figures`: `docs/PERFORMANCE.md` and its pictures, from the medians in `docs/perf`. With runs it puts their
//! medians there first.

mod data;
mod draw;
mod page;
mod ratios;

use crate::error::Error;
use crate::machine::checkout;
use crate::options::FiguresOptions;
use data::Line;
use std::fs;
use std::path::{Path, PathBuf};

/// The files of medians, relative to the repository.
const OPERATIONS: &str = "docs/perf/operations.csv";
const PROGRAMS: &str = "docs/perf/programs.csv";

/// Puts the medians of runs into the files, if runs are given, and writes the page and its pictures.
pub fn run(options: &FiguresOptions) -> Result<(), Error> {
    let root = checkout();
    for (run, file) in [(&options.operations, OPERATIONS), (&options.programs, PROGRAMS)] {
        if let Some(run) = run {
            let path = root.join(file);
            let lines = data::of_run(run, data::read(&path)?)?;
            write(&path, &data::text(&lines))?;
        }
    }
    for (path, text) in made(root)? {
        write(&path, &text)?;
        println!("{}", path.display());
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|source| Error::Write { path: path.to_owned(), source })
}

/// All files that are made of the medians, with their contents.
fn made(root: &Path) -> Result<Vec<(PathBuf, String)>, Error> {
    let operations = data::read(&root.join(OPERATIONS))?;
    let programs = data::read(&root.join(PROGRAMS))?;
    let mut files = vec![(root.join("docs/PERFORMANCE.md"), page::text(&operations, &programs))];
    for theme in [draw::LIGHT, draw::DARK] {
        for (name, picture) in pictures(&operations, &programs, &theme) {
            files.push((root.join(format!("docs/images/{name}-{}.svg", theme.name)), picture));
        }
    }
    Ok(files)
}

/// The pictures by the names of their files.
fn pictures(
    operations: &[Line],
    programs: &[Line],
    theme: &draw::Theme,
) -> [(&'static str, String); 3] {
    let of = |row: &str| operations.iter().filter(|line| line.row == row).collect::<Vec<_>>();
    [
        ("put", draw::curves("put: time by size, 2 images", &[("put", of("put"))], theme)),
        (
            "collectives",
            draw::curves(
                "collectives: time by size, 2 images",
                &[("co_sum", of("co_sum")), ("co_broadcast", of("co_broadcast"))],
                theme,
            ),
        ),
        (
            "programs",
            ratios::ratios("whole programs: time / time with MPI, 2 images", programs, theme),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_and_its_pictures_are_those_of_the_medians() {
        for (path, expected) in made(checkout()).unwrap() {
            let text = fs::read_to_string(&path).unwrap_or_default();
            assert!(text == expected, "{}: run ./x bench figures", path.display());
        }
    }
}
