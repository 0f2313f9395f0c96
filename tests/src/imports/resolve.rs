//! From a path to the module that defines what it names.

use super::source::{Module, Segments};

/// The modules of a crate, to look names up in.
pub struct Resolver<'a> {
    modules: &'a [Module],
}

/// How many re-exports may lead to one another. More are a circle of them.
const REEXPORTS: usize = 32;

impl<'a> Resolver<'a> {
    pub fn new(modules: &'a [Module]) -> Self {
        Resolver { modules }
    }

    /// The module that defines what `path`, written in the module `user`, names; `None` for what is of another crate.
    pub fn defining_module(&self, user: usize, path: &Segments) -> Option<usize> {
        self.follow(user, path, REEXPORTS)
    }

    fn follow(&self, user: usize, path: &[String], left: usize) -> Option<usize> {
        let (mut module, rest) = self.start(user, path, left)?;
        for (at, name) in rest.iter().enumerate() {
            match self.lookup(module, name, &rest[at + 1..], left) {
                Resolution::Module(child) => module = child,
                Resolution::Defined(by) => return Some(by),
                // A macro has made it.
                Resolution::Nothing => return Some(module),
            }
        }
        Some(module)
    }

    /// Where a path begins, and what is left of it.
    fn start<'p>(
        &self,
        user: usize,
        path: &'p [String],
        left: usize,
    ) -> Option<(usize, &'p [String])> {
        let mut rest = path;
        let mut module = user;
        let (first, after) = path.split_first()?;
        match first.as_str() {
            "crate" => return Some((0, after)),
            "self" => return Some((user, after)),
            "super" => {
                while let [name, after @ ..] = rest {
                    if name != "super" {
                        break;
                    }
                    module = self.modules[module].parent?;
                    rest = after;
                }
                return Some((module, rest));
            }
            _ => {}
        }
        // A child, or what an import has brought; other names are of other crates, or types.
        let here = &self.modules[user];
        if let Some(&child) = here.children.get(first) {
            return Some((child, after));
        }
        let import = here.imports.get(first).filter(|import| import.path != path)?;
        let module = self.follow(user, &import.path, left.checked_sub(1)?)?;
        Some((module, after))
    }

    fn lookup(&self, module: usize, name: &str, rest: &[String], left: usize) -> Resolution {
        let here = &self.modules[module];
        if let Some(&child) = here.children.get(name) {
            // A function may have the name of a module: `form::form`. A path that ends here may mean either.
            return Resolution::Module(child);
        }
        if here.items.contains(name) {
            return Resolution::Defined(module);
        }
        let Some(left) = left.checked_sub(1) else { return Resolution::Nothing };
        if let Some(import) = here.imports.get(name) {
            let path: Segments = import.path.iter().chain(rest).cloned().collect();
            return self
                .follow(module, &path, left)
                .map_or(Resolution::Nothing, Resolution::Defined);
        }
        for glob in &here.globs {
            let Some(source) = self.follow(module, &glob.path, left) else { continue };
            if source == module {
                continue;
            }
            match self.lookup(source, name, rest, left) {
                Resolution::Nothing => {}
                found => return found,
            }
        }
        Resolution::Nothing
    }
}

/// What a name means in a module.
enum Resolution {
    Module(usize),
    /// Something that this module defines.
    Defined(usize),
    Nothing,
}
