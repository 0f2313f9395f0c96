//! `xmp-translate`, which `xmpcc` and `xmpf90` run on each source: it writes the program without
//! directives, or describes its errors.

use clap::Parser;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use xmp_translate::{c, diagnostics, fortran};

/// Translates a source with XcalableMP directives to C or Fortran with calls of XMP-RT.
///
/// For a source without directives and coarrays of C, it writes nothing.
#[derive(Debug, Parser)]
#[command(name = "xmp-translate", version)]
struct Arguments {
    /// The source.
    file: PathBuf,
    /// The file to write; standard output without this option.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// The source is Fortran.
    #[arg(long)]
    fortran: bool,
    /// The form of a Fortran source; without this option, the one that the name of the file stands for.
    #[arg(long)]
    form: Option<Form>,
    /// What the compiler calls the source in its messages, if a preprocessor has made it of another file.
    #[arg(long, value_name = "FILE")]
    original: Option<PathBuf>,
    /// Where files about modules are written.
    #[arg(short = 'J', long, value_name = "DIRECTORY", default_value = ".")]
    modules: PathBuf,
    /// Where files about modules are looked for, besides.
    #[arg(short = 'I', long, value_name = "DIRECTORY")]
    include: Vec<PathBuf>,
}

/// The form of a Fortran source.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Form {
    Free,
    Fixed,
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
    let translated = if arguments.fortran {
        of_fortran(arguments, bytes)?
    } else {
        match String::from_utf8(bytes) {
            Ok(source) => of_c(arguments, source)?,
            Err(error) if c::has_directives(&String::from_utf8_lossy(error.as_bytes())) => {
                return Err(not_utf8(&path, &error));
            }
            // Without directives, a file may have any encoding.
            Err(_) => None,
        }
    };
    match (&arguments.output, translated) {
        (_, None) => Ok(()),
        (Some(output), Some(text)) => std::fs::write(output, text)
            .map_err(|why| format!("xmp-translate: {}: {why}\n", output.display())),
        (None, Some(text)) => {
            print!("{text}");
            Ok(())
        }
    }
}

fn of_c(arguments: &Arguments, source: String) -> Result<Option<String>, String> {
    let joined = c::Joined::new(&arguments.file, source);
    if !c::has_directives(&joined.text) {
        return Ok(None);
    }
    let translated = c::translate(&arguments.file, &joined.text);
    translated.map(Some).map_err(|wrong| {
        let colour = std::io::stderr().is_terminal();
        let drawn = wrong.into_iter().map(|mut wrong| {
            let (path, text, span) = joined.place(&wrong.span);
            wrong.span = span;
            diagnostics::render(&path.display().to_string(), text, &[wrong], colour)
        });
        drawn.collect::<Vec<String>>().join("\n")
    })
}

/// The message about a file with directives that is no UTF-8.
fn not_utf8(path: &str, error: &std::string::FromUtf8Error) -> String {
    let valid = error.utf8_error().valid_up_to();
    let line = error.as_bytes()[..valid].iter().filter(|byte| **byte == b'\n').count() + 1;
    format!(
        "xmp-translate: {path}:{line}: the file is no UTF-8; convert it, for example by iconv\n"
    )
}

/// The text of a Fortran source; the files about its modules are written.
fn of_fortran(arguments: &Arguments, bytes: Vec<u8>) -> Result<Option<String>, String> {
    let original = arguments.original.as_ref().unwrap_or(&arguments.file);
    let form = match arguments.form {
        Some(Form::Free) => fortran::Form::Free,
        Some(Form::Fixed) => fortran::Form::Fixed,
        None => fortran::form_of(original),
    };
    let module = |name: &str| {
        let directories = std::iter::once(&arguments.modules).chain(&arguments.include);
        let file = |directory: &PathBuf| directory.join(format!("{name}.xmpmod"));
        directories.map(file).find_map(|file| std::fs::read_to_string(file).ok())
    };
    let source = match String::from_utf8(bytes) {
        Ok(source) => source,
        Err(error) => {
            let text = String::from_utf8_lossy(error.as_bytes());
            if !fortran::has_directives(&text, form, &module) {
                return Ok(None);
            }
            return Err(not_utf8(&original.display().to_string(), &error));
        }
    };
    if !fortran::has_directives(&source, form, &module) {
        return Ok(None);
    }
    let translated = fortran::translate(original, &source, form, &module).map_err(|wrong| {
        let colour = std::io::stderr().is_terminal();
        let drawn = wrong.into_iter().map(|wrong| {
            let (path, line, text, wrong) = fortran::place(original, &source, wrong);
            diagnostics::render_line(&path, line, &text, &wrong, colour)
        });
        drawn.collect::<Vec<String>>().join("\n")
    })?;
    for (name, text) in &translated.modules {
        let file = arguments.modules.join(format!("{name}.xmpmod"));
        std::fs::write(&file, text)
            .map_err(|why| format!("xmp-translate: {}: {why}\n", file.display()))?;
    }
    Ok(Some(translated.text))
}
