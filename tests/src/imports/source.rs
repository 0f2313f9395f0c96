//! The modules of a crate, and what each defines, imports and names.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use syn::{Attribute, Item, ItemMod, Meta, UseTree, Visibility};

/// A path, segment by segment.
pub type Segments = Vec<String>;

/// An import: `use a::b as name`.
#[derive(Debug)]
pub struct Import {
    pub path: Segments,
    /// Whether other modules can name it here.
    pub visible: bool,
}

/// A module: a file, or a block of one.
#[derive(Debug, Default)]
pub struct Module {
    pub file: PathBuf,
    pub parent: Option<usize>,
    /// Its modules, by name: their places in the list of all.
    pub children: BTreeMap<String, usize>,
    /// The names of the other items that it defines.
    pub items: BTreeSet<String>,
    pub imports: BTreeMap<String, Import>,
    /// The modules whose items it imports all.
    pub globs: Vec<Import>,
    /// All identifiers outside of imports.
    identifiers: BTreeSet<String>,
    /// All paths of two segments and more outside of imports.
    paths: BTreeSet<Segments>,
}

impl Module {
    /// The paths that this module itself uses: those in its code, private imports, and re-exports that its code names.
    pub fn uses(&self) -> impl Iterator<Item = &Segments> {
        let imports = self.imports.iter();
        let used =
            imports.filter(|(name, import)| !import.visible || self.identifiers.contains(*name));
        let globs = self.globs.iter().filter(|import| !import.visible);
        let imports = used.map(|(_, import)| import).chain(globs);
        imports.map(|import| &import.path).chain(&self.paths)
    }
}

/// Reads a crate, given its root. The root is the first module.
pub fn read(root: &Path) -> Vec<Module> {
    let mut modules = Vec::new();
    let directory = root.parent().expect("a directory");
    read_file(&mut modules, root, directory, None);
    modules
}

/// Reads a module from its file. `directory` is that of its children's files.
fn read_file(
    modules: &mut Vec<Module>,
    file: &Path,
    directory: &Path,
    parent: Option<usize>,
) -> usize {
    let text =
        fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let parsed =
        syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    read_items(modules, file, directory, parent, parsed.items)
}

fn read_items(
    modules: &mut Vec<Module>,
    file: &Path,
    directory: &Path,
    parent: Option<usize>,
    items: Vec<Item>,
) -> usize {
    let place = modules.len();
    modules.push(Module { file: file.to_path_buf(), parent, ..Module::default() });
    for item in items {
        if attributes(&item).iter().any(is_for_tests) {
            continue;
        }
        match item {
            Item::Mod(item) => {
                let name = item.ident.to_string();
                let child = read_child(modules, file, directory, place, item);
                modules[place].children.insert(name, child);
            }
            Item::Use(item) => {
                let visible = !matches!(item.vis, Visibility::Inherited);
                add_imports(&mut modules[place], Vec::new(), &item.tree, visible);
            }
            item => {
                modules[place].items.extend(names(&item));
                add_paths(&mut modules[place], item.into_token_stream());
            }
        }
    }
    place
}

fn read_child(
    modules: &mut Vec<Module>,
    file: &Path,
    directory: &Path,
    parent: usize,
    item: ItemMod,
) -> usize {
    let name = item.ident.to_string();
    let below = directory.join(&name);
    if let Some((_, items)) = item.content {
        return read_items(modules, file, &below, Some(parent), items);
    }
    let given = item.attrs.iter().find_map(given_path);
    if let Some(given) = given {
        let child = file.parent().expect("a directory").join(given);
        let directory = child.parent().expect("a directory").to_path_buf();
        return read_file(modules, &child, &directory, Some(parent));
    }
    let candidates = [directory.join(format!("{name}.rs")), below.join("mod.rs")];
    let child = candidates.iter().find(|file| file.exists());
    let child = child.unwrap_or_else(|| panic!("{}: no file of module {name}", file.display()));
    read_file(modules, child, &below, Some(parent))
}

/// The file that `#[path = "..."]` names.
fn given_path(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(value) = &attribute.meta else { return None };
    let text = value.value.to_token_stream().to_string();
    value.path.is_ident("path").then(|| text.trim_matches('"').to_owned())
}

/// Whether an item with this attribute is compiled for tests only.
fn is_for_tests(attribute: &Attribute) -> bool {
    if attribute.path().is_ident("test") {
        return true;
    }
    let Meta::List(list) = &attribute.meta else { return false };
    let text: String = list.tokens.to_string().split_whitespace().collect();
    let all = text.strip_prefix("all(").unwrap_or(&text).trim_end_matches(')');
    list.path.is_ident("cfg")
        && all.split(',').any(|condition| ["test", "loom"].contains(&condition))
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The names that an item defines.
fn names(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

fn add_imports(module: &mut Module, mut path: Segments, tree: &UseTree, visible: bool) {
    match tree {
        UseTree::Path(part) => {
            path.push(part.ident.to_string());
            add_imports(module, path, &part.tree, visible);
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                add_imports(module, path.clone(), tree, visible);
            }
        }
        UseTree::Glob(_) => module.globs.push(Import { path, visible }),
        UseTree::Name(name) => add_import(module, path, name.ident.to_string(), None, visible),
        UseTree::Rename(renamed) => {
            let alias = Some(renamed.rename.to_string());
            add_import(module, path, renamed.ident.to_string(), alias, visible);
        }
    }
}

fn add_import(
    module: &mut Module,
    mut path: Segments,
    name: String,
    alias: Option<String>,
    visible: bool,
) {
    if name != "self" {
        path.push(name);
    }
    let Some(last) = path.last() else { return };
    let mut name = alias.unwrap_or_else(|| last.clone());
    // `use a::Trait as _` has no name here.
    if name == "_" {
        name = format!("_ {}", path.join("::"));
    }
    module.imports.insert(name, Import { path, visible });
}

/// Adds the paths and identifiers of a stream of tokens. What macros are given is read, too.
fn add_paths(module: &mut Module, tokens: TokenStream) {
    let mut path: Segments = Vec::new();
    let mut colons = 0;
    for token in tokens {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
            // `$crate`
            TokenTree::Punct(mark) if mark.as_char() == '$' => {}
            TokenTree::Ident(name) => {
                let name = name.to_string();
                module.identifiers.insert(name.clone());
                if colons != 2 {
                    end_path(module, &mut path);
                }
                path.push(name);
                colons = 0;
            }
            TokenTree::Group(group) => {
                // `a::{b, c}` within a function: the paths begin alike.
                if colons == 2 && !path.is_empty() {
                    add_group(module, &path, group.stream());
                }
                end_path(module, &mut path);
                add_paths(module, group.stream());
                colons = 0;
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {
                end_path(module, &mut path);
                colons = 0;
            }
        }
    }
    end_path(module, &mut path);
}

/// Adds the paths of a group of imports in a function.
fn add_group(module: &mut Module, start: &Segments, tokens: TokenStream) {
    let text = format!("use {}::{{{tokens}}};", start.join("::"));
    if let Ok(item) = syn::parse_str::<syn::ItemUse>(&text) {
        let mut inner = Module::default();
        add_imports(&mut inner, Vec::new(), &item.tree, false);
        module.paths.extend(inner.imports.into_values().map(|import| import.path));
        module.paths.extend(inner.globs.into_iter().map(|import| import.path));
    }
}

fn end_path(module: &mut Module, path: &mut Segments) {
    if path.len() > 1 {
        module.paths.insert(std::mem::take(path));
    }
    path.clear();
}
