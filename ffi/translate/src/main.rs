//! `xmp-translate`, which `xmpcc` runs on each C source: it writes the program without
//! directives, or describes its errors.

use clap::Parser;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use xmp_translate::{c, diagnostics};

/// Translates a C source with XcalableMP directives to C with calls of XMP-RT.
///
/// For a source without directives and coarrays, it writes nothing.
#[derive(Debug, Parser)]
#[command(name = "xmp-translate", version)]
struct Arguments {
    /// The source.
    file: PathBuf,
    /// The file to write; standard output without this option.
    #[arg(short, long)]
    output: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprint!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Translates a file; the error is the text for the user.
fn run(arguments: &Arguments) -> Result<(), String> {
    let path = arguments.file.display().to_string();
    let bytes =
        std::fs::read(&arguments.file).map_err(|why| format!("xmp-translate: {path}: {why}\n"))?;
    let source = match String::from_utf8(bytes) {
        Ok(source) => source,
        Err(error) => return not_utf8(&path, error),
    };
    let joined = c::Joined::new(&arguments.file, source);
    if !c::has_directives(&joined.text) {
        return Ok(());
    }
    let translated = c::translate(&arguments.file, &joined.text).map_err(|wrong| {
        let colour = std::io::stderr().is_terminal();
        let drawn = wrong.into_iter().map(|mut wrong| {
            let (path, text, span) = joined.place(&wrong.span);
            wrong.span = span;
            diagnostics::render(&path.display().to_string(), text, &[wrong], colour)
        });
        drawn.collect::<Vec<String>>().join("\n")
    })?;
    match &arguments.output {
        Some(output) => std::fs::write(output, translated)
            .map_err(|why| format!("xmp-translate: {}: {why}\n", output.display())),
        None => {
            print!("{translated}");
            Ok(())
        }
    }
}

/// A file that is no UTF-8 is left alone, unless it has directives.
fn not_utf8(path: &str, error: std::string::FromUtf8Error) -> Result<(), String> {
    let valid = error.utf8_error().valid_up_to();
    let bytes = error.into_bytes();
    if !c::has_directives(&String::from_utf8_lossy(&bytes)) {
        return Ok(());
    }
    let line = bytes[..valid].iter().filter(|byte| **byte == b'\n').count() + 1;
    Err(format!(
        "xmp-translate: {path}:{line}: the file is no UTF-8; convert it, for example by iconv\n"
    ))
}
