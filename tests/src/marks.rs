//! Statements of test programs that comments at the ends of their lines mark.

use std::fs;
use std::path::Path;

/// The number of the line, from 1, that ends with a comment of Fortran, C or C++ with this text.
pub fn line_of(text: &str, mark: &str) -> Option<usize> {
    let endings = ["! ", "// ", "/* "].map(|sign| format!("{sign}{mark}"));
    let is_marked = |line: &str| {
        let line = line.strip_suffix(" */").unwrap_or(line);
        endings.iter().any(|ending| line.ends_with(ending))
    };
    text.lines().position(is_marked).map(|line| line + 1)
}

/// The marked line of a file, as `file:line`.
///
/// # Panics
/// When the file cannot be read or has no such mark.
pub fn place(source: &Path, mark: &str) -> String {
    let text = fs::read_to_string(source).expect("the program's source");
    let name = source.file_name().expect("a name").to_string_lossy();
    format!("{name}:{}", line_of(&text, mark).expect("a marked line"))
}
