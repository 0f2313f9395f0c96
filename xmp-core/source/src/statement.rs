//! The statement of the program in which a call of the library was made.

use crate::modules::{REMOVED, is_library};
use crate::rust_names::{self, last_segment};
use crate::variable::PlainType;
use crate::{Frame, Modules, callers, procedure};
use std::fmt;
use std::path::Path;

/// In functions of the program with such names the translator has put what a file declares by directives.
const OF_PROGRAM: &str = "xmpt__";

/// Callers that a message names at most.
const CHAIN: usize = 8;

/// A statement of the program, and the calls that led there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The statement first, then the calls, outwards.
    frames: Vec<Frame>,
}

impl Statement {
    /// The statement that this thread executes: the innermost call from outside of this library. `None` where the stack
    /// cannot be read.
    #[cold]
    pub fn of_this_thread() -> Option<Statement> {
        let modules = Modules::of_this_process().ok()?;
        // The files of libraries are large, and none of their lines is the statement.
        let outside = callers().into_iter().skip_while(|&address| modules.is_library(address));
        let frames = outside.flat_map(|address| modules.frames(address));
        Statement::from(frames.skip_while(is_of_library))
    }

    /// The statement of a thread of a process, from the return addresses of the thread, innermost first; `None` if it is
    /// not known. And the library's functions that the statement has called, outermost first: the first ones are its entry
    /// function, or the function that this one jumps to.
    pub fn of_thread(modules: &Modules, addresses: &[usize]) -> (Option<Statement>, Vec<String>) {
        let (mut functions, mut outside) = (Vec::new(), Vec::new());
        for &address in addresses {
            let frames = modules.frames(address);
            if outside.is_empty() && frames.iter().all(is_of_library) {
                let names = frames.into_iter().filter_map(|frame| frame.procedure);
                functions.extend(names.map(|name| last_segment(&name).to_owned()));
                // A function that is exported by another name has its own name in debugging information.
                functions
                    .extend(modules.symbol(address).map(|name| last_segment(&name).to_owned()));
            } else {
                // Functions of the library that are inlined in the program.
                let inlined = if outside.is_empty() { is_inlined } else { |_: &Frame| false };
                outside.extend(frames.into_iter().skip_while(inlined));
            }
        }
        functions.reverse();
        (Statement::from(outside.into_iter()), functions)
    }

    /// The statement that this thread was in when the instruction at this address raised the signal that it handles.
    #[cold]
    pub fn of_signal(instruction: usize) -> Option<Statement> {
        let modules = Modules::of_this_process().ok()?;
        let inner = callers().into_iter().skip_while(|&address| address != instruction);
        let frames = inner.flat_map(|address| modules.frames(address));
        Statement::from(frames.skip_while(is_of_library))
    }

    /// The statement at this return address of a process.
    pub fn at(modules: &Modules, address: usize) -> Option<Statement> {
        Statement::from(modules.frames(address).into_iter())
    }

    /// The statement of the program with the call that returns to this address; `None` for calls by the library.
    pub fn of_call(modules: &Modules, return_address: usize) -> Option<Statement> {
        let frames = modules.frames(return_address.checked_sub(1)?);
        let is_known = !frames.is_empty() && !frames.iter().any(is_of_library);
        is_known.then(|| Statement::from(frames.into_iter()))?
    }

    /// Up to the main program. gfortran's `main`, which only calls the main program or contains it, is left out.
    fn from(frames: impl Iterator<Item = Frame>) -> Option<Statement> {
        let mut chosen: Vec<Frame> = Vec::new();
        for frame in frames.take_while(|frame| !is_start(frame)) {
            let is_main = frame.procedure.as_deref().is_some_and(is_main);
            chosen.push(frame);
            if is_main {
                break;
            }
        }
        let is_shell = |frame: &Frame| {
            frame.procedure.as_deref() == Some("main")
                && frame.file.as_deref().is_some_and(is_fortran)
        };
        if chosen.len() > 1 && chosen.last().is_some_and(is_shell) {
            chosen.pop();
        }
        (!chosen.is_empty()).then_some(Statement { frames: chosen })
    }

    /// Whether the procedure that it is in, or one around it, has a dummy coarray that is not allocatable and so may have
    /// another shape than its actual argument; `None` if debugging information does not tell.
    #[cold]
    pub fn may_reshape(&self) -> Option<bool> {
        let (path, address) = self.frames.first()?.module.as_ref()?;
        procedure::has_dummy_coarray(path, *address)
    }

    /// The type of the variable with this name in lower case, as the statement sees it, if it has no allocatable or pointer components;
    /// `None` also if debugging information does not tell.
    #[cold]
    pub fn plain_type_of(&self, variable: &str) -> Option<PlainType> {
        let (path, address) = self.frames.first()?.module.as_ref()?;
        procedure::plain_type_of(path, *address, variable)
    }

    /// Its place and its procedure, for [`Statement::from_text`] in another process.
    pub fn to_text(&self) -> String {
        let frame = self.frames.first();
        let file = frame.and_then(|frame| frame.file.clone()).unwrap_or_default();
        let line = frame.and_then(|frame| frame.line).unwrap_or_default();
        let procedure = frame.and_then(|frame| frame.procedure.clone()).unwrap_or_default();
        format!("{line}\n{procedure}\n{file}")
    }

    /// The statement that [`Statement::to_text`] describes, without the calls that led there.
    pub fn from_text(text: &str) -> Option<Statement> {
        let mut parts = text.splitn(3, '\n');
        let line: u32 = parts.next()?.parse().ok()?;
        let mut next = || parts.next().filter(|part| !part.is_empty()).map(str::to_owned);
        let (procedure, file) = (next(), next());
        let line = (line > 0).then_some(line);
        Some(Statement { frames: vec![Frame { address: 0, module: None, procedure, file, line }] })
    }

    /// `file:line`, if debugging information tells.
    pub fn place(&self) -> Option<String> {
        self.frames.first().and_then(place)
    }

    /// The procedure that it is in, in the words of its language, if it is known.
    pub fn procedure(&self) -> Option<String> {
        self.frames.first().filter(|frame| frame.procedure.is_some()).map(name_of)
    }

    /// The calls that led to the statement, outwards: `procedure at file:line`. Functions of the library that have called the
    /// program, as CO_REDUCE does, are left out.
    pub fn callers(&self) -> impl Iterator<Item = String> + '_ {
        let outer = self.frames.iter().skip(1).filter(|frame| !is_of_library(frame)).take(CHAIN);
        outer.map(|frame| match place(frame) {
            Some(place) => format!("{} at {place}", name_of(frame)),
            None => name_of(frame),
        })
    }
}

impl fmt::Display for Statement {
    /// `file:line`; without debugging information the procedure, the offset in its file, and how to get the line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(frame) = self.frames.first() else { return Ok(()) };
        match place(frame) {
            Some(place) => f.write_str(&place),
            None => match &frame.module {
                Some((path, offset)) => {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    let (name, remedy) = match name.strip_suffix(REMOVED) {
                        Some(name) => (name, "the file has been replaced since the program began"),
                        None => (&*name, rust_names::remedy(frame.procedure.as_deref())),
                    };
                    write!(f, "{} ({name}+{offset:#x}; {remedy})", name_of(frame))
                }
                None => f.write_str(&name_of(frame)),
            },
        }
    }
}

/// `file:line`, the file relative to the current directory where it is below it.
fn place(frame: &Frame) -> Option<String> {
    let (file, line) = (frame.file.as_deref()?, frame.line?);
    let below = std::env::current_dir().ok().and_then(|directory| {
        Path::new(file).strip_prefix(directory).ok().map(|rest| rest.display().to_string())
    });
    Some(format!("{}:{line}", below.as_deref().unwrap_or(file)))
}

/// The name of a procedure in the words of its language: `exchange` for gfortran's `exchange_` and `__m_MOD_exchange`.
fn name_of(frame: &Frame) -> String {
    let Some(name) = frame.procedure.as_deref() else { return "unknown procedure".into() };
    let is_fortran = frame.file.as_deref().is_none_or(is_fortran);
    if let Some(path) = rust_names::path(name) {
        return path;
    }
    if name == "MAIN__" {
        return "main program".into();
    }
    if name.starts_with(OF_PROGRAM) {
        return "the declarations of a file by directives".into();
    }
    match name.strip_prefix("__").and_then(|rest| rest.split_once("_MOD_")) {
        Some((module, procedure)) => format!("{module}::{procedure}"),
        None if is_fortran => name.strip_suffix('_').unwrap_or(name).into(),
        None => name.into(),
    }
}

fn is_fortran(file: &str) -> bool {
    let ending = Path::new(file).extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ending.to_ascii_lowercase().starts_with('f'))
}

/// Whether a frame is of the C library's or the loader's start of a program, or that of a program with directives.
fn is_start(frame: &Frame) -> bool {
    const STARTS: [&str; 5] = ["__libc_start", "_start", "_dl_", "call_init", "__wrap_main"];
    let name = frame.procedure.as_deref();
    name.is_some_and(|name| STARTS.iter().any(|start| name.starts_with(start)))
}

fn is_main(name: &str) -> bool {
    matches!(name, "MAIN__" | "main" | "_QQmain")
}

/// Whether a frame belongs to the library, linked dynamically or statically, to the compiler's run-time library, or to the C library.
fn is_of_library(frame: &Frame) -> bool {
    let name = frame.module.as_ref().and_then(|(path, _)| path.file_name());
    let is_entry = frame.procedure.as_deref().is_some_and(is_entry);
    is_inlined(frame) || name.is_some_and(is_library) || is_entry
}

/// The headers of C++ that have functions.
const HEADERS: [&str; 6] = [
    "xmprt_atomic.hpp",
    "xmprt_coarray.hpp",
    "xmprt_collectives.hpp",
    "xmprt_event.hpp",
    "xmprt_request.hpp",
    "xmprt_team.hpp",
];

/// Whether this is a function that may be inlined in the program: one of the headers for C++, or of Rust and not of the program.
fn is_inlined(frame: &Frame) -> bool {
    if rust_names::is_library(frame.procedure.as_deref(), frame.file.as_deref()) {
        return true;
    }
    let file = frame.file.as_deref().and_then(|file| file.rsplit('/').next());
    file.is_some_and(|name| HEADERS.contains(&name))
}

/// Whether this is the name of an entry function of the library, as the linker or a debugger writes it.
pub fn is_entry(name: &str) -> bool {
    const ENTRIES: [&str; 9] =
        ["_gfortran_", "_QMprif", "xmprt_", "_XMP_", "_XMPCO_", "XMPCO_", "xmpf_", "xmpc_", "xmp_"];
    // Paths are names of Rust.
    ENTRIES.iter().any(|entry| name.starts_with(entry)) && !name.contains("::")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn frame(procedure: &str, file: Option<&str>, line: u32) -> Frame {
        Frame {
            address: 1,
            module: Some((PathBuf::from("/bin/heat"), 0x1234)),
            procedure: Some(procedure.into()),
            file: file.map(str::to_string),
            line: file.map(|_| line),
        }
    }

    #[test]
    fn no_function_of_the_headers_of_cpp_is_a_statement_of_the_program() {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ffi/include");
        for file in std::fs::read_dir(directory).expect("the headers") {
            let name = file.expect("a file").file_name().into_string().expect("a name");
            // The first one only includes the others.
            if name.ends_with(".hpp") && name != "xmprt.hpp" {
                assert!(is_inlined(&frame("on", Some(&name), 1)), "{name}");
            }
        }
    }

    #[test]
    fn a_text_keeps_the_place_and_the_procedure_of_a_statement() {
        for file in [Some("heat.f90"), None] {
            let frames = vec![frame("exchange_", file, 33)];
            let statement = Statement { frames };
            let other = Statement::from_text(&statement.to_text()).unwrap();
            let of = |statement: &Statement| (statement.place(), statement.procedure());
            assert_eq!(of(&other), of(&statement));
        }
        assert_eq!(Statement::from_text(""), None);
    }

    #[test]
    fn the_statement_is_the_first_frame_outside_of_the_library() {
        let frames = [
            frame("_RNvCs_5xmprt", Some("/src/lib.rs"), 3),
            frame("_gfortran_caf_send", None, 0),
            frame("__halo_MOD_exchange", Some("/x/heat.f90"), 21),
            frame("heat", Some("/x/heat.f90"), 50),
            frame("main", Some("/x/heat.f90"), 60),
            frame("__libc_start_main", None, 0),
        ];
        let statement = Statement::from(frames.into_iter().skip_while(is_of_library)).unwrap();
        assert_eq!(statement.to_string(), "/x/heat.f90:21");
        assert_eq!(statement.callers().collect::<Vec<_>>(), ["heat at /x/heat.f90:50"]);
    }

    #[test]
    fn the_statement_of_a_rust_program_is_in_a_crate_of_its_own() {
        let sync = "_ZN11xmp_coarray5typed10statements10Statements8sync_all17h0123456789abcdefE";
        let closure = "_ZN4heat4main28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE";
        let frames = [
            frame("_ZN7xmp_shm4wait5sleep17h0123456789abcdefE", None, 0),
            frame("_ZN3std6thread4park17h0123456789abcdefE", Some("/rustc/1/library/std/a.rs"), 4),
            frame(sync, Some("/x/coarray/src/typed/statements.rs"), 9),
            frame(closure, Some("/x/heat/src/main.rs"), 21),
            frame("_ZN11xmp_coarray7program3run17h0123456789abcdefE", Some("/x/p.rs"), 5),
            frame("_ZN4heat4main17h0123456789abcdefE", Some("/x/heat/src/main.rs"), 50),
            frame("main", None, 0),
        ];
        let statement = Statement::from(frames.into_iter().skip_while(is_of_library)).unwrap();
        assert_eq!(statement.to_string(), "/x/heat/src/main.rs:21");
        assert_eq!(statement.callers().next().unwrap(), "heat::main at /x/heat/src/main.rs:50");
    }

    #[test]
    fn the_start_of_a_program_is_left_out() {
        let frames =
            [frame("initialise", None, 0), frame("call_init", None, 0), frame("_start", None, 0)];
        let statement = Statement::from(frames.into_iter()).unwrap();
        assert_eq!(statement.callers().count(), 0);
    }

    #[test]
    fn what_a_file_declares_by_directives_has_the_lines_of_the_directives() {
        let frames = [
            frame("xmprt_nodes_create", None, 0),
            frame("xmpt__start", Some("/x/heat.c"), 3),
            frame("__wrap_main", None, 0),
            frame("__libc_start_call_main", None, 0),
        ];
        let statement = Statement::from(frames.into_iter().skip_while(is_of_library)).unwrap();
        assert_eq!(statement.to_string(), "/x/heat.c:3");
        assert_eq!(statement.callers().count(), 0);
        let frames =
            [frame("xmpf_nodes", None, 0), frame("MAIN__", Some("/x/heat.f90"), 5)].into_iter();
        let statement = Statement::from(frames.skip_while(is_of_library)).unwrap();
        assert_eq!(statement.to_string(), "/x/heat.f90:5");
    }

    #[test]
    fn without_debugging_information_it_names_procedure_and_offset() {
        let statement = Statement::from([frame("exchange_", None, 0)].into_iter()).unwrap();
        assert_eq!(statement.place(), None);
        assert_eq!(
            statement.to_string(),
            "exchange (heat+0x1234; compile with -g to see the line)"
        );
        let rust = "_ZN4heat5solve17h0123456789abcdefE";
        let statement = Statement::from([frame(rust, None, 0)].into_iter()).unwrap();
        let named = "heat::solve (heat+0x1234; with debug = true in its profile, Cargo has lines)";
        assert_eq!(statement.to_string(), named);
    }

    #[test]
    fn procedures_are_named_as_their_language_names_them() {
        for (name, file, expected) in [
            ("exchange_", Some("a.f90"), "exchange"),
            ("__halo_MOD_exchange", Some("a.F90"), "halo::exchange"),
            ("exchange_", Some("a.c"), "exchange_"),
            ("MAIN__", None, "main program"),
        ] {
            assert_eq!(name_of(&frame(name, file, 1)), expected);
        }
    }

    #[test]
    fn a_statement_of_another_process_is_found_also_when_its_program_is_compiled_anew() {
        use std::io::{BufRead, BufReader};
        use std::process::{Command, Stdio};
        let source = "#include <stdio.h>\nint f(int a)\n{\n    return a + 1;\n}\nint main(void)\n{\n    \
                      printf(\"%p\\n\", (void *)f);\n    fflush(stdout);\n    return f(getchar());\n}\n";
        let directory = tempfile::tempdir().unwrap();
        let (path, program) = (directory.path().join("x.c"), directory.path().join("x"));
        std::fs::write(&path, source).unwrap();
        let compile = || {
            let mut compiler = Command::new("cc");
            let status = compiler.arg("-g").arg(&path).arg("-o").arg(&program).status();
            assert!(status.unwrap().success());
        };
        compile();
        let pipes = || Stdio::piped();
        let mut child = Command::new(&program).stdin(pipes()).stdout(pipes()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = usize::from_str_radix(line.trim().trim_start_matches("0x"), 16).unwrap();
        let modules = Modules::of_process(child.id()).unwrap();
        let statement = Statement::at(&modules, address).unwrap();
        assert_eq!(statement.place().unwrap(), format!("{}:3", path.display()));
        assert!(statement.to_string().ends_with("x.c:3"));
        // Another program gets the name of this one, as when it is compiled anew.
        std::fs::write(
            &path,
            source.replace("int f", "\n\n\nint g(int a) { return 2 * a; }\nint f"),
        )
        .unwrap();
        compile();
        let modules = Modules::of_process(child.id()).unwrap();
        let statement = Statement::at(&modules, address).unwrap();
        assert_eq!(statement.place().unwrap(), format!("{}:3", path.display()));
        // Without the process nothing is known of its program any more.
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", child.id())).unwrap();
        let statement = Statement::at(&Modules::default().with_maps(&maps), address).unwrap();
        assert_eq!(statement.place(), None);
        assert!(
            statement
                .to_string()
                .ends_with("; the file has been replaced since the program began)")
        );
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
