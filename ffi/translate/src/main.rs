//! `xmp-translate`, which `xmpcc` and `xmpf90` run on each source: it writes the program without
//! directives, or describes its errors.

use clap::Parser;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use xmp_translate::diagnostics::{self, Diagnostic};
use xmp_translate::{c, directive, fortran, source_file};

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
    /// The translated C program checks that each element that it refers to is on its image; one in Fortran, that cosubscripts are
    /// within their cobounds.
    #[arg(long)]
    check_bounds: bool,
    /// Writes here, for Make, the names of the source and of the headers that became a part of its translation.
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
    /// The source is Fortran.
    #[arg(long)]
    fortran: bool,
    /// The form of a Fortran source; without this option, the one that the name of the file stands for.
    #[arg(long)]
    form: Option<Form>,
    /// How many columns of a line count in a Fortran source of fixed form; 0 for all.
    #[arg(long, default_value_t = fortran::COLUMNS)]
    columns: usize,
    /// What the compiler calls the source in its messages, if a preprocessor has made it of another file.
    #[arg(long, value_name = "FILE")]
    original: Option<PathBuf>,
    /// Print the image selectors of a Fortran source, and allocations of coarrays with `stat=`, instead of translating:
    /// a line each with the file, the line, what it is, and the text.
    #[arg(long, conflicts_with = "output")]
    selectors: bool,
    /// Where files about modules are written.
    #[arg(short = 'J', long, value_name = "DIRECTORY", default_value = ".")]
    modules: PathBuf,
    /// Where files about modules, and headers of C, are looked for, besides.
    #[arg(short = 'I', long, value_name = "DIRECTORY")]
    include: Vec<PathBuf>,
    /// The C compiler, which says as preprocessor which branches of `#if` are compiled; without it all of them count.
    #[arg(long, value_name = "COMMAND")]
    preprocessor: Option<PathBuf>,
    /// An option for the preprocessor.
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    option: Vec<String>,
}

/// The form of a Fortran source.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Form {
    Free,
    Fixed,
}

fn main() -> ExitCode {
    // For the installation: the source of the module for programs that call the library themselves.
    if std::env::args().skip(1).eq(["--module"]) {
        print!("{}", fortran::module());
        return ExitCode::SUCCESS;
    }
    match run(&Arguments::parse()) {
        Ok(Written::ChecksOnly) => ExitCode::from(CHECKS_ONLY),
        Ok(_) => ExitCode::SUCCESS,
        Err(message) => {
            eprint!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// The exit status where a source has no directives, and what is written has checks only.
const CHECKS_ONLY: u8 = 3;

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    /// Nothing, or not a translation.
    Nothing,
    /// A source without directives, with checks.
    ChecksOnly,
    /// A translation.
    Translation,
}

/// Translates a file; the error is the text for the user.
fn run(arguments: &Arguments) -> Result<Written, String> {
    let path = arguments.file.display().to_string();
    let bytes =
        std::fs::read(&arguments.file).map_err(|why| format!("xmp-translate: {path}: {why}\n"))?;
    if arguments.selectors {
        print_selectors(arguments, &bytes);
        return Ok(Written::Nothing);
    }
    let source = source_file::decoded(&bytes);
    let translated = if arguments.fortran {
        of_fortran(arguments, &source)?
    } else {
        of_c(arguments, source)?.map(|text| (text, Written::Translation))
    };
    let Some((text, written)) = translated else { return Ok(Written::Nothing) };
    let text = source_file::encoded(&text);
    match &arguments.output {
        Some(output) => std::fs::write(output, text)
            .map_err(|why| format!("xmp-translate: {}: {why}\n", output.display()))?,
        None => {
            std::io::stdout().write_all(&text).map_err(|why| format!("xmp-translate: {why}\n"))?
        }
    }
    Ok(written)
}

fn of_c(arguments: &Arguments, source: String) -> Result<Option<String>, String> {
    let (file, directories) = (&arguments.file, &arguments.include);
    if !c::has_directives(&c::Joined::new(file, source.clone(), directories).text) {
        return Ok(None);
    }
    let path = file.display().to_string();
    let active = |text: &str| match &arguments.preprocessor {
        Some(command) => {
            c::active(text, &path, &|text| preprocess(command, arguments, &[], text.to_owned()))
        }
        None => Ok(text.to_owned()),
    };
    // Headers of branches that are left out are no part of the program; those that are have branches, too.
    let mut joined = c::Joined::new(file, active(&source)?, directories);
    if joined.has_headers() {
        joined.text = active(&joined.text)?;
    }
    if !c::has_directives(&joined.text) {
        return Ok(None);
    }
    let options = c::Options { check_bounds: arguments.check_bounds };
    let macros = || {
        let command = arguments.preprocessor.as_ref()?;
        preprocess(command, arguments, &["-dD"], joined.text.clone()).ok()
    };
    let translated = c::translate_with_macros(file, &joined.text, options, &macros);
    if let Some(names) = &arguments.names {
        let all: Vec<String> =
            joined.files().map(|path| path.display().to_string().replace(' ', "\\ ")).collect();
        std::fs::write(names, all.join(" "))
            .map_err(|why| format!("xmp-translate: {}: {why}\n", names.display()))?;
    }
    let draw = |all: Vec<Diagnostic>| {
        let colour = std::io::stderr().is_terminal();
        let drawn = all.into_iter().map(|mut of| {
            let (path, text, span) = joined.place(&of.span);
            of.span = span;
            let text = source_file::shown(text);
            diagnostics::render(&path.display().to_string(), &text, &[of], colour)
        });
        drawn.collect::<Vec<String>>().join("\n")
    };
    if translated.is_ok() {
        eprint!("{}", draw(directive::notes(directive::pragmas(&joined.text))));
    }
    translated.map(Some).map_err(draw)
}

/// The output of the preprocessor for a text that is beside the source; the error is its message.
fn preprocess(
    command: &Path,
    arguments: &Arguments,
    options: &[&str],
    text: String,
) -> Result<String, String> {
    let beside = arguments.file.parent().filter(|parent| !parent.as_os_str().is_empty());
    let mut child = Command::new(command)
        .args(&arguments.option)
        .args(options)
        .args(["-w", "-E", "-x", "c", "-D_XCALABLEMP=201811", "-iquote"])
        .arg(beside.unwrap_or(Path::new(".")))
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|why| format!("xmp-translate: {}: {why}\n", command.display()))?;
    let mut input = child.stdin.take().expect("it is piped");
    // Both ends of the pipes have to move at the same time.
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child
        .wait_with_output()
        .map_err(|why| format!("xmp-translate: {}: {why}\n", command.display()))?;
    // A preprocessor that stops early has reported the reason.
    let _ = writer.join();
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(String::new())
    }
}

/// The form of a Fortran source.
fn form(arguments: &Arguments) -> fortran::Form {
    match arguments.form {
        Some(Form::Free) => fortran::Form::Free,
        Some(Form::Fixed) => fortran::Form::Fixed,
        None => fortran::form_of(arguments.original.as_ref().unwrap_or(&arguments.file)),
    }
}

/// The number of columns of a line that count.
fn columns(arguments: &Arguments) -> usize {
    if arguments.columns == 0 { usize::MAX } else { arguments.columns }
}

/// Prints where image selectors are, for programs that read lines.
fn print_selectors(arguments: &Arguments, bytes: &[u8]) {
    let original = arguments.original.as_ref().unwrap_or(&arguments.file);
    let source = String::from_utf8_lossy(bytes);
    let (form, columns) = (form(arguments), columns(arguments));
    for place in fortran::selectors(&original.display().to_string(), &source, form, columns) {
        println!("{}\t{}\t{}\t{}", place.file, place.line, place.found.word(), place.text);
    }
}

/// The text of a Fortran source; the files about its modules are written.
fn of_fortran(arguments: &Arguments, source: &str) -> Result<Option<(String, Written)>, String> {
    let original = arguments.original.as_ref().unwrap_or(&arguments.file);
    let form = form(arguments);
    let module = |name: &str| {
        let directories = std::iter::once(&arguments.modules).chain(&arguments.include);
        let file = |directory: &PathBuf| directory.join(format!("{name}.xmpmod"));
        directories.map(file).find_map(|file| std::fs::read_to_string(file).ok())
    };
    let source = fortran::expanded(&original.display().to_string(), source, &arguments.include);
    let columns = columns(arguments);
    let draw = |all: Vec<Diagnostic>| {
        let colour = std::io::stderr().is_terminal();
        let drawn = all.into_iter().map(|of| {
            let (path, line, text, of) = fortran::place(original, &source, of);
            diagnostics::render_line(&path, line, &source_file::shown(&text), &of, colour)
        });
        drawn.collect::<Vec<String>>().join("\n")
    };
    if !fortran::has_directives(&source, form, &module) {
        if !arguments.check_bounds {
            return Ok(None);
        }
        let checked = fortran::with_coindexed_checks(original, &source, form, columns);
        let checked = checked.map_err(|error| draw(vec![error]))?;
        return Ok(checked.map(|text| (text, Written::ChecksOnly)));
    }
    let check_coindexed = arguments.check_bounds;
    let options = fortran::Options { form, columns, check_coindexed };
    let translated = fortran::translate(original, &source, options, &module).map_err(draw)?;
    eprint!("{}", draw(directive::notes(directive::sentinels(&source, form, columns))));
    for (name, text) in &translated.modules {
        let file = arguments.modules.join(format!("{name}.xmpmod"));
        std::fs::write(&file, text)
            .map_err(|why| format!("xmp-translate: {}: {why}\n", file.display()))?;
    }
    Ok(Some((translated.text, Written::Translation)))
}
