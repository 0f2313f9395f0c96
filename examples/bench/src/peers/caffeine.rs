//! The sides of the suite of PRIF: ours, and Caffeine where Debian's package of it is installed.

use super::find::{in_path, ours};
use super::{Absent, Compiler, Kind, Launcher, Peer};
use crate::options::RunOptions;
use std::fs;
use std::path::{Path, PathBuf};

/// Ours and Caffeine.
pub fn with_caffeine(options: &RunOptions) -> Vec<Result<Peer, Absent>> {
    vec![ours(options), caffeine()]
}

/// Caffeine on GASNet-EX, images of one host by shared memory.
fn caffeine() -> Result<Peer, Absent> {
    let (id, title, kind) = ("caffeine", "Caffeine", Kind::Caffeine);
    let missing = |what: &str| Absent {
        id,
        title,
        kind,
        missing: format!(
            "{what}; `apt-get install libfortran-caffeine-dev libfortran-assert-dev libgasnet-dev libopenmpi-dev` (Debian \
             sid), and the flang that it was built with"
        ),
    };
    let (compiler, modules) =
        installation(Path::new("/usr/lib")).ok_or_else(|| missing("no module prif of Caffeine"))?;
    let program = in_path(&compiler).ok_or_else(|| missing(&format!("no {compiler}")))?;
    let fortran = modules.parent().expect("the directory of modules lies in one");
    let include = format!("-I{}", modules.display());
    let libraries = format!("-L{}", fortran.join("flang").display());
    let compiler = Compiler {
        before: leaked(vec![include]),
        after: leaked(vec![
            "-lcaffeine-smp".into(),
            "-lgasnet-smp-seq".into(),
            "-lm".into(),
            libraries,
            "-lassert".into(),
            // GASNet wants what the libraries of its MPI want.
            "-Wl,--copy-dt-needed-entries".into(),
            "-lmpi".into(),
        ]),
        ..Compiler::plain(program)
    };
    let launcher = Launcher::Environment("GASNET_PSHM_NODES");
    Ok(Peer { id, title, kind, compiler: Some(compiler), fortran: None, launcher })
}

/// The flang whose modules Caffeine's are, and their directory: `LIB/TRIPLET/fortran/flang-mod-VERSION`.
fn installation(lib: &Path) -> Option<(String, PathBuf)> {
    let entries = |directory: &Path| {
        let entries = fs::read_dir(directory).into_iter().flatten();
        entries.filter_map(|entry| Some(entry.ok()?.path())).collect::<Vec<_>>()
    };
    let triplets = entries(lib).into_iter();
    triplets.flat_map(|triplet| entries(&triplet.join("fortran"))).find_map(|modules| {
        let version = modules.file_name()?.to_str()?.strip_prefix("flang-mod-")?;
        modules.join("prif.mod").is_file().then(|| (format!("flang-{version}"), modules.clone()))
    })
}

/// Options that live as long as the program, which makes a handful of them.
fn leaked(options: Vec<String>) -> &'static [&'static str] {
    let options = options.into_iter().map(|option| &*option.leak());
    options.collect::<Vec<_>>().leak()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flang_is_that_of_the_modules() {
        let lib = tempfile::tempdir().expect("a directory");
        assert_eq!(installation(lib.path()), None);
        let modules = lib.path().join("x86_64-linux-gnu/fortran/flang-mod-22");
        fs::create_dir_all(&modules).expect("a directory");
        assert_eq!(installation(lib.path()), None);
        fs::write(modules.join("prif.mod"), "").expect("a file");
        assert_eq!(installation(lib.path()), Some(("flang-22".into(), modules)));
    }
}
