//! `include` lines: the text of the file replaces them, so that directives and declarations in it count.

use super::writer::origins;
use crate::source_file;
use std::path::{Path, PathBuf};

/// The greatest depth of files that include others.
const DEPTH: usize = 16;

/// A source with the text of the files that it includes, where they are in one of the directories; marks say to the compiler
/// where lines come from. Other `include` lines stay: the compiler may find the file.
pub fn expanded(path: &str, source: &str, directories: &[PathBuf]) -> String {
    inserted(path, source, directories, 0)
}

fn inserted(path: &str, source: &str, directories: &[PathBuf], depth: usize) -> String {
    let lines: Vec<&str> = source.split_inclusive('\n').collect();
    if depth == DEPTH || !lines.iter().any(|line| included(line).is_some()) {
        return source.to_owned();
    }
    let origins = origins(path, &lines);
    let mut text = String::with_capacity(source.len());
    for (number, line) in lines.iter().enumerate() {
        let found = included(line).and_then(|name| {
            let beside = Path::new(&origins[number].1).parent();
            let places = beside.into_iter().chain(directories.iter().map(PathBuf::as_path));
            let mut files = places.map(|directory| directory.join(name));
            files.find_map(|file| {
                let text = source_file::read(&file).ok()?;
                Some((file.display().to_string(), text))
            })
        });
        let Some((file, inner)) = found else {
            text += line;
            continue;
        };
        text += &format!("# 1 \"{file}\"\n");
        text += &inserted(&file, &inner, directories, depth + 1);
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text += &format!("# {} \"{}\"\n", origins[number].0 + 1, origins[number].1);
    }
    text
}

/// The name in an `include` line.
fn included(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let word = line.get(..7).filter(|word| word.eq_ignore_ascii_case("include"))?;
    let rest = line[word.len()..].trim_start();
    let quote = rest.chars().next().filter(|quote| *quote == '\'' || *quote == '"')?;
    let (name, after) = rest[1..].split_once(quote)?;
    let after = after.trim_start();
    (after.is_empty() || after.starts_with('!')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn included_text_is_marked() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = |name: &str| directory.path().join(name).display().to_string();
        std::fs::write(path("a.inc"), "x = 1\n include \"b.inc\" ! more\n").expect("a file");
        std::fs::write(path("b.inc"), "y = 2").expect("a file");
        let source = "start\n  INCLUDE 'a.inc'\nend\ninclude 'none.inc'\ninclude = 3\n";
        let text = expanded("main.f90", source, &[directory.path().to_owned()]);
        assert_eq!(
            text,
            format!(
                "start\n# 1 \"{a}\"\nx = 1\n# 1 \"{b}\"\ny = 2\n# 3 \"{a}\"\n# 3 \"main.f90\"\nend\n\
                 include 'none.inc'\ninclude = 3\n",
                a = path("a.inc"),
                b = path("b.inc")
            )
        );
    }
}
