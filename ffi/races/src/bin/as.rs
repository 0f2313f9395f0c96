//! The assembler of `--check=races`: gcc calls it instead of `as`, which it calls.
//!
//! A load or store calls a function of `libxmprt_races.so` (`__tsan_read8`). Most are of memory that no other image sees, or of the
//! element after the last one. This program puts instructions before the call that find out, so that these accesses call nothing:
//! the end of the run of this place (`sites.rs`), and a filter of addresses. A run is of memory that passes the filter, so its end is
//! compared first, but not by a call for many elements. The instructions change `rax` and `rdx` alone, as the functions do.
//!
//! Before a call of a subroutine of BLAS it puts one that enters what the subroutine accesses (`blas.rs`, `cblas.rs`).
//!
//! Only x86-64 with gcc's own syntax is understood. All else goes to `as` as it is, and calls the functions always.

#[path = "../blas_subroutines.rs"]
mod blas_subroutines;

use blas_subroutines::for_subroutines_of_blas;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io::{Read as _, Write as _, stdin};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Bytes of a run: see `sites.rs`.
const RUN: usize = 32;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let Some(at) = input(&arguments) else { return pass_on(&arguments) };
    let is_piped = arguments[at] == "-";
    let text = if is_piped {
        let mut text = Vec::new();
        stdin().read_to_end(&mut text).map(|_| text)
    } else {
        fs::read(&arguments[at])
    };
    match text {
        Ok(text) => match rewritten(&text) {
            Some(rewritten) => assemble(arguments, at, rewritten.as_bytes()),
            None if is_piped => assemble(arguments, at, &text),
            None => pass_on(&arguments),
        },
        Err(error) => failed("the assembler's input", &error),
    }
}

/// Becomes `as`.
fn pass_on(arguments: &[OsString]) -> ExitCode {
    // It returns only when there is no `as`.
    failed("as", &Command::new("as").args(arguments).exec())
}

/// Makes `as` read this text instead of its input, the argument with this number.
fn assemble(mut arguments: Vec<OsString>, input: usize, text: &[u8]) -> ExitCode {
    let written = tempfile::Builder::new().suffix(".s").tempfile().and_then(|mut file| {
        file.write_all(text)?;
        Ok(file)
    });
    let file = match written {
        Ok(file) => file,
        Err(error) => return failed("a temporary file", &error),
    };
    arguments[input] = file.path().into();
    match Command::new("as").args(arguments).status() {
        Ok(status) => ExitCode::from(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1)),
        Err(error) => failed("as", &error),
    }
}

fn failed(what: &str, error: &std::io::Error) -> ExitCode {
    // An error of standard error cannot be reported anywhere.
    let _ = writeln!(std::io::stderr(), "xmp: {what}: {error} (--check=races)");
    ExitCode::FAILURE
}

/// The number of the argument that is the source; `None` unless there is exactly one.
fn input(arguments: &[OsString]) -> Option<usize> {
    const WITH_VALUE: [&str; 4] = ["-o", "-I", "--defsym", "--debug-prefix-map"];
    let mut inputs = arguments.iter().enumerate().filter(|(at, argument)| {
        let is_value = *at > 0 && WITH_VALUE.iter().any(|option| arguments[at - 1] == *option);
        let is_option = argument.as_encoded_bytes().starts_with(b"-") && *argument != "-";
        !is_value && !is_option && (*argument == "-" || Path::new(argument).is_file())
    });
    let (at, _) = inputs.next()?;
    inputs.next().is_none().then_some(at)
}

/// An access that calls a function.
#[derive(Debug, PartialEq, Eq)]
enum Access<'a> {
    /// An access of this number of bytes.
    One { len: usize, writes: bool },
    /// One of as many bytes as an argument says.
    Range { writes: bool },
    /// To elements that are not contiguous, by this function.
    Strided { function: &'a str },
    /// By a subroutine of BLAS, which has such a name.
    Blas { subroutine: &'a str },
}

/// Defines the names of subroutines.
macro_rules! names {
    ($($note:ident: $($name:literal $part:literal $parts:literal),+;)+) => {
        /// The subroutines of BLAS whose accesses the library enters.
        const BLAS: &[&str] = &[$($($name),+),+];
    };
}
for_subroutines_of_blas!(names);

/// The beginning of names of functions for C; the rest is that of the subroutine, but for its underscore.
const FOR_C: &str = "cblas_";

/// Whether this is the name of such a subroutine, or of its function for C.
fn is_of_blas(name: &str) -> bool {
    let subroutine = name.strip_prefix(FOR_C);
    let is_for_c = |name: &str| BLAS.iter().any(|it| it.strip_suffix('_') == Some(name));
    BLAS.contains(&name) || subroutine.is_some_and(is_for_c)
}

/// The end of the names that the library has for such a subroutine.
fn ending(subroutine: &str) -> String {
    match subroutine.strip_prefix(FOR_C) {
        Some(_) => format!("{subroutine}_"),
        None => format!("blas_{subroutine}"),
    }
}

/// The access of a line that calls a function for it.
fn access(line: &str) -> Option<Access<'_>> {
    let (verb, callee) = line.trim().split_once(char::is_whitespace)?;
    let callee = callee.trim_start();
    let callee = callee.strip_prefix('*').unwrap_or(callee);
    let (name, relocation) = callee.split_once('@').unwrap_or((callee, ""));
    if verb != "call" || !matches!(relocation, "" | "PLT" | "GOTPCREL(%rip)") {
        return None;
    }
    if name.starts_with("xmprt_race_strided_") {
        return Some(Access::Strided { function: name });
    }
    if is_of_blas(name) {
        return Some(Access::Blas { subroutine: name });
    }
    let rest = name.strip_prefix("__tsan_")?;
    let rest = rest.strip_prefix("unaligned_").or(rest.strip_prefix("volatile_")).unwrap_or(rest);
    let (len, writes) = match rest.strip_prefix("write") {
        Some(len) => (len, true),
        None => (rest.strip_prefix("read")?, false),
    };
    if len == "_range" {
        return Some(Access::Range { writes });
    }
    let len = len.parse().ok().filter(|len| matches!(len, 1 | 2 | 4 | 8 | 16))?;
    Some(Access::One { len, writes })
}

/// The source with instructions before its calls; `None` if it has no such call, or is of another machine.
fn rewritten(text: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?;
    if !cfg!(target_arch = "x86_64")
        || !text.contains("%rip")
        || !(text.contains("__tsan_")
            || text.contains("xmprt_race_strided_")
            || text.contains(FOR_C)
            || BLAS.iter().any(|name| text.contains(name)))
    {
        return None;
    }
    let out = String::with_capacity(2 * text.len());
    let mut rewriter = Rewriter { text, out, accesses: 0, runs: 0 };
    text.lines().for_each(|line| rewriter.line(line));
    rewriter.finish()
}

/// A source, and its text with instructions, up to a line.
struct Rewriter<'a> {
    text: &'a str,
    out: String,
    /// The number of places with instructions.
    accesses: usize,
    /// The number of runs.
    runs: usize,
}

impl Rewriter<'_> {
    /// Copies a line, or replaces the call of an access.
    fn line(&mut self, line: &str) {
        self.define_own_subroutine(line);
        match access(line) {
            Some(Access::One { len, writes }) => self.one(len, writes),
            Some(Access::Range { writes }) => self.range(writes),
            Some(Access::Strided { function }) => self.strided(function),
            Some(Access::Blas { subroutine }) => {
                self.before_subroutine(subroutine);
                self.copy(line);
            }
            None => self.copy(line),
        }
    }

    fn copy(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    /// Adds instructions. Writing to a string cannot fail.
    fn add(&mut self, instructions: std::fmt::Arguments<'_>) {
        let _ = self.out.write_fmt(instructions);
    }

    /// The program's own subroutine with a name of BLAS has hooks: a second name tells the library that it is there.
    fn define_own_subroutine(&mut self, line: &str) {
        if let Some(own) = line.strip_suffix(':').filter(|name| is_of_blas(name))
            && self.text.contains(&format!("\t.globl\t{own}\n"))
        {
            let own = ending(own);
            self.add(format_args!("\t.globl\txmprt_race_own_{own}\nxmprt_race_own_{own}:\n"));
            self.accesses += 1;
        }
    }

    /// The call that enters the accesses of a subroutine of BLAS, before its call.
    fn before_subroutine(&mut self, subroutine: &str) {
        // The compiler knows which registers a subroutine of this file leaves alone.
        if self.text.contains(&format!("\n{subroutine}:")) {
            return;
        }
        self.add(format_args!(
            "\tmovq\t{subroutine}@GOTPCREL(%rip), %rax\n\tcall\t*xmprt_race_{}@GOTPCREL(%rip)\n",
            ending(subroutine)
        ));
        self.accesses += 1;
    }

    /// An access of `len` bytes: it continues the run of this place, or begins one.
    fn one(&mut self, len: usize, writes: bool) {
        let Self { accesses, runs, .. } = *self;
        let run = runs * RUN;
        self.add(format_args!(
            "\tcmpq\t.Lxmprt_runs+{run}(%rip), %rdi\n\tje\t.Lxmprt_next{accesses}\n"
        ));
        self.filter();
        self.add(format_args!(
            "\tleaq\t.Lxmprt_runs+{run}(%rip), %rax
\tmovl\t${}, %edx
\tcall\t*xmprt_race_begin@GOTPCREL(%rip)
\tjmp\t.Lxmprt_other{accesses}
.Lxmprt_next{accesses}:
\taddq\t${len}, .Lxmprt_runs+{run}(%rip)
",
            2 * len + usize::from(writes)
        ));
        self.runs += 1;
        self.end_access();
    }

    /// An access of as many bytes as an argument says.
    fn range(&mut self, writes: bool) {
        let run = self.runs * RUN;
        self.filter();
        self.add(format_args!(
            "\tleaq\t.Lxmprt_runs+{run}(%rip), %rax
\tmovl\t${}, %edx
\tcall\t*xmprt_race_range@GOTPCREL(%rip)
",
            usize::from(writes)
        ));
        self.runs += 1;
        self.end_access();
    }

    /// Accesses that are not contiguous, which this function enters.
    fn strided(&mut self, function: &str) {
        self.filter();
        self.add(format_args!("\tcall\t*{function}@GOTPCREL(%rip)\n"));
        self.end_access();
    }

    /// Leaves the access if its address is none that other images see.
    fn filter(&mut self) {
        let accesses = self.accesses;
        self.add(format_args!(
            "\tmovq\txmprt_race_filter@GOTPCREL(%rip), %rdx
\tmovq\t%rdi, %rax
\tsubq\t(%rdx), %rax
\tcmpq\t8(%rdx), %rax
\tjae\t.Lxmprt_other{accesses}
"
        ));
    }

    fn end_access(&mut self) {
        let accesses = self.accesses;
        self.add(format_args!(".Lxmprt_other{accesses}:\n"));
        self.accesses += 1;
    }

    /// The whole text, with the memory of the runs; `None` without an access. The system calls the functions at the end of a library in
    /// descending order of their numbers. Number 0 comes after the destructors of the library, which may access memory as well.
    fn finish(mut self) -> Option<String> {
        if self.accesses == 0 {
            return None;
        }
        let runs = self.runs * RUN;
        self.add(format_args!(
            "\t.section\t.fini_array.00000,\"aw\"
\t.balign\t8
\t.quad\txmprt_race_leave
\t.bss
\t.balign\t{RUN}
.Lxmprt_runs:
\t.zero\t{runs}
"
        ));
        Some(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_for_accesses_are_told_from_others() {
        let found = |len, writes| Some(Access::One { len, writes });
        assert_eq!(access("\tcall\t__tsan_read8"), found(8, false));
        assert_eq!(access("\tcall\t__tsan_unaligned_write16@PLT"), found(16, true));
        assert_eq!(access("\tcall\t*__tsan_volatile_read4@GOTPCREL(%rip)"), found(4, false));
        let range = access("\tcall\t__tsan_read_range@PLT");
        assert_eq!(range, Some(Access::Range { writes: false }));
        let strided = access("\tcall\t*xmprt_race_strided_write4@GOTPCREL(%rip)");
        assert_eq!(strided, Some(Access::Strided { function: "xmprt_race_strided_write4" }));
        for other in [
            "\tcall\t__tsan_init",
            "\tjmp\t__tsan_read8",
            "\tcall\t*%rax",
            "# call __tsan_read8",
            "\tcall\t__tsan_read3",
            "\tret",
        ] {
            assert_eq!(access(other), None, "{other}");
        }
    }

    #[test]
    fn calls_of_blas_follow_calls_that_enter_them() {
        let out = rewritten(b"\tleaq\tx(%rip), %rdi\n\tcall\tdaxpy_@PLT\n").unwrap();
        let its = "\tmovq\tdaxpy_@GOTPCREL(%rip), %rax\n\tcall\t*xmprt_race_blas_daxpy_@GOTPCREL(%rip)\n\tcall\tdaxpy_@PLT\n";
        assert!(out.contains(its), "{out}");
        let out = rewritten(b"\tleaq\tx(%rip), %rdi\n\tcall\tcblas_daxpy@PLT\n").unwrap();
        let its = "\tmovq\tcblas_daxpy@GOTPCREL(%rip), %rax\n\tcall\t*xmprt_race_cblas_daxpy_@GOTPCREL(%rip)\n\tcall\tcblas_daxpy@PLT\n";
        assert!(out.contains(its), "{out}");
        for other in ["my_daxpy_", "cblas_other", "cblas_daxpy_"] {
            assert_eq!(access(&format!("\tcall\t{other}")), None);
        }
    }

    #[test]
    fn subroutines_of_the_program_with_names_of_blas_are_told_from_those_of_blas() {
        let own = "\tleaq\tx(%rip), %rdi\n\tcall\tdaxpy_\ndaxpy_:\n\tret\n";
        assert_eq!(rewritten(own.as_bytes()), None, "a local one");
        let own = format!("\t.globl\tdaxpy_\n{own}");
        let out = rewritten(own.as_bytes()).unwrap();
        let marked = "\t.globl\txmprt_race_own_blas_daxpy_\nxmprt_race_own_blas_daxpy_:\ndaxpy_:\n";
        assert!(out.contains(marked) && !out.contains("xmprt_race_blas_"), "{out}");
    }

    #[test]
    fn each_access_has_a_run_of_its_own() {
        let text =
            b"\tmovq\tx(%rip), %rdi\n\tcall\t__tsan_read8\n\tcall\tf\n\tcall\t__tsan_write4@PLT\n";
        let out = rewritten(text).unwrap();
        assert!(!out.contains("__tsan_") && out.contains("\tcall\tf\n"), "{out}");
        assert!(out.contains(".Lxmprt_runs+32(%rip), %rax\n\tmovl\t$9, %edx\n"), "{out}");
        assert!(out.ends_with("\t.zero\t64\n"), "{out}");
    }

    #[test]
    fn sources_without_accesses_are_left_as_they_are() {
        for text in ["\tmovq\tx(%rip), %rdi\n\tcall\t__tsan_init\n", "\tret\n", ""] {
            assert_eq!(rewritten(text.as_bytes()), None);
        }
        assert_eq!(rewritten(b"\xff%rip __tsan_ \n\tcall\t__tsan_read8\n"), None);
    }

    #[test]
    fn the_source_is_the_one_argument_that_is_a_file() {
        let here = std::env::current_exe().unwrap();
        let arguments = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let here = here.to_str().unwrap();
        assert_eq!(input(&arguments(&["--64", "-o", here, here])), Some(3));
        assert_eq!(input(&arguments(&["--64", "-"])), Some(1));
        assert_eq!(input(&arguments(&[here, here])), None);
        assert_eq!(input(&arguments(&["--version"])), None);
    }
}
