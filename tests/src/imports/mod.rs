//! The uses between the files of a crate, from the paths in their source.
//!
//! A path counts for the file that defines what it names; a re-export on the way (`pub use`) is followed and is no use
//! by itself. What only tests compile is left out, and so are method calls, which name no module.

mod resolve;
mod source;

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use resolve::Resolver;
use source::Module;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The uses between the files of one crate.
#[derive(Debug)]
pub struct Imports {
    files: Vec<PathBuf>,
    /// From file to file, by their places in `files`, with the paths that the first one names.
    uses: BTreeMap<(usize, usize), Vec<String>>,
}

impl Imports {
    /// Reads a crate, given the directory of its sources. The files are named relative to it.
    ///
    /// # Panics
    /// When a file is missing, or is not Rust.
    pub fn of_crate(sources: &Path) -> Imports {
        let root = ["lib.rs", "main.rs"].map(|name| sources.join(name));
        let root = root.iter().find(|file| file.exists()).expect("lib.rs or main.rs");
        let imports = Imports::of_modules(&source::read(root));
        let relative = |file: &PathBuf| file.strip_prefix(sources).unwrap_or(file).to_path_buf();
        Imports { files: imports.files.iter().map(relative).collect(), ..imports }
    }

    fn of_modules(modules: &[Module]) -> Imports {
        let mut files: Vec<PathBuf> = modules.iter().map(|module| module.file.clone()).collect();
        files.sort();
        files.dedup();
        let place = |module: usize| files.binary_search(&modules[module].file).expect("listed");
        let resolver = Resolver::new(modules);
        let mut uses: BTreeMap<_, Vec<String>> = BTreeMap::new();
        for (user, module) in modules.iter().enumerate() {
            for path in module.uses() {
                let Some(used) = resolver.defining_module(user, path) else { continue };
                let arrow = (place(user), place(used));
                let named = uses.entry(arrow).or_default();
                let name = path.join("::");
                if arrow.0 != arrow.1 && !named.contains(&name) {
                    named.push(name);
                }
            }
        }
        uses.retain(|(from, to), _| from != to);
        Imports { files, uses }
    }

    /// The uses: a file, one that it uses, and the paths by which it does.
    pub fn uses(&self) -> impl Iterator<Item = (&Path, &Path, &[String])> {
        self.uses.iter().map(|(&(from, to), paths)| {
            (self.files[from].as_path(), self.files[to].as_path(), paths.as_slice())
        })
    }

    /// The circles: groups of files each of which uses each other one, directly or by way of others. Each is a text
    /// with all uses between them.
    pub fn circles(&self) -> Vec<String> {
        self.circles_between(|file| file.as_os_str())
    }

    /// The circles of modules: the files and folders beside `lib.rs`.
    pub fn circles_of_modules(&self) -> Vec<String> {
        self.circles_between(|file| {
            let first = file.components().next().expect("a path is not empty");
            Path::new(first.as_os_str()).file_stem().expect("a file or a folder")
        })
    }

    /// The circles between groups of files; `group` names that of a file.
    fn circles_between<'a>(&'a self, group: impl Fn(&'a Path) -> &'a OsStr) -> Vec<String> {
        let between: Vec<_> = self
            .uses()
            .map(|(from, to, paths)| ([group(from), group(to)], from, to, paths))
            .filter(|([one, other], ..)| one != other)
            .collect();
        let graph: DiGraphMap<&OsStr, ()> =
            between.iter().map(|&([from, to], ..)| (from, to)).collect();
        let circles = tarjan_scc(&graph).into_iter().filter(|circle| circle.len() > 1);
        let mut circles: Vec<String> = circles
            .map(|circle| {
                let within = between
                    .iter()
                    .filter(|(groups, ..)| groups.iter().all(|group| circle.contains(group)));
                let lines: Vec<String> = within
                    .map(|(_, from, to, paths)| {
                        let [from, to] = [from, to].map(|file| file.display());
                        format!("  {from} uses {to}: {}", paths.join(", "))
                    })
                    .collect();
                format!("{} use one another in a circle:\n{}", circle.len(), lines.join("\n"))
            })
            .collect();
        circles.sort();
        circles
    }
}

#[cfg(test)]
mod tests;
