//! Modules: their objects are made by a subroutine that runs once; what other files have to know of them stands in a file
//! beside the compiler's.

use super::declare::Role;
use super::heads::Unit as Program;
use super::names::used;
use super::objects::{ArrayObject, Dim, Layout, NodesObject, Objects, OnNode, TemplateObject};
use super::tokens::{behind, name_at};
use super::unit::{Done, Unit, descriptor, own};
use super::writer::Code;
use crate::directive::Text;
use std::collections::HashMap;

/// The subroutine that makes the objects of a module.
fn start_of(module: &str) -> String {
    format!("xmpt_start_{module}")
}

impl Unit<'_> {
    /// Calls that make the objects of the modules that a scope uses.
    pub fn starts(&self, home: usize) -> Vec<Code> {
        let scope = &self.scopes.all[home];
        let modules = used(self.items, scope).filter(|module| self.has_objects(module));
        modules.map(|module| format!("call {}()", start_of(&module)).into()).collect()
    }

    /// Whether a module, or one that it uses, has objects.
    fn has_objects(&self, module: &str) -> bool {
        self.modules
            .get(module)
            .is_some_and(|homes| homes.iter().any(|home| self.objects.are_in(*home)))
    }

    /// Translates the declarations of a module, and adds the subroutine that makes its objects.
    ///
    /// # Errors
    /// For references that do not fit.
    pub fn module(&mut self, home: usize) -> Done {
        let scope = &self.scopes.all[home];
        let variables = self.variables(home, ", save");
        let names: Vec<&str> =
            variables.iter().filter_map(|text| Some(name_at(text.split(":: ").nth(1)?))).collect();
        let start = start_of(&scope.name);
        let public = names.into_iter().chain([start.as_str()]).collect::<Vec<_>>().join(", ");
        let mut code: Vec<Code> = vec![
            format!("subroutine {start}()").into(),
            "include 'xmp_translated.inc'".into(),
            "logical, save :: is_made = .false.".into(),
            "if (is_made) return".into(),
            "is_made = .true.".into(),
        ];
        code.extend(self.starts(home));
        code.extend(self.makes(home, true)?);
        code.push("end subroutine".into());
        match scope.contains {
            Some(contains) => self.output.behind(contains, code),
            None => {
                code.insert(0, "contains".into());
                self.output.before(scope.end, code);
            }
        }
        self.redeclare(home, |_| Role::Allocated);
        self.needs[home].variables.extend(variables);
        self.needs[home].variables.push(format!("public :: {public}"));
        Ok(())
    }

    /// Adds what belongs to the objects of modules to the lists of `use .., only:`.
    pub fn extend_lists(&mut self) {
        for scope in &self.scopes.all {
            for item in &scope.uses {
                let statement = self.statement(*item);
                let Some(rest) = behind(&statement.code, &["use"]) else { continue };
                let rest = rest.find("::").map_or(rest, |at| rest[at + 2..].trim_start());
                let module = name_at(rest);
                let lists =
                    behind(rest[module.len()..].trim_start().trim_start_matches(','), &["only"]);
                if lists.is_none() || !self.has_objects(module) {
                    continue;
                }
                let homes = &self.modules[module];
                let mut names = vec![start_of(module)];
                for home in homes {
                    let of = self.objects;
                    names.extend(
                        of.nodes
                            .iter()
                            .filter(|of| of.home == *home)
                            .map(|of| descriptor(&of.name)),
                    );
                    let parts =
                        of.templates.iter().filter(|of| of.home == *home).map(|of| &of.name);
                    let parts = parts
                        .chain(of.arrays.iter().filter(|of| of.home == *home).map(|of| &of.name));
                    names.extend(parts.flat_map(|name| [descriptor(name), own(name)]));
                }
                let comma = if statement.code.trim_end().ends_with(':') { " " } else { ", " };
                self.output.replace(
                    *item,
                    vec![format!("{}{comma}{}", statement.text, names.join(", ")).into()],
                );
            }
        }
    }

    /// The modules of this file, with what other files have to know of them.
    pub fn sidecars(&self) -> Vec<(String, String)> {
        let modules =
            self.scopes.all.iter().enumerate().filter(|(_, scope)| scope.unit == Program::Module);
        let modules = modules.filter(|(_, scope)| self.has_objects(&scope.name));
        let text = |scope: &super::scopes::Scope| {
            let homes = &self.modules[&scope.name];
            (scope.name.clone(), written(self.objects, homes))
        };
        modules.map(|(_, scope)| text(scope)).collect()
    }
}

/// The first line of such a file.
const MAGIC: &str = "XMP-RT module 2";

/// The objects of modules as text: a line each.
fn written(objects: &Objects, homes: &[usize]) -> String {
    let layout = |layout: &Layout| match layout {
        Layout::Whole => "whole",
        Layout::Piece => "piece",
        Layout::Cyclic(true) => "cyclic1",
        Layout::Cyclic(false) => "cyclic",
    };
    let mut text = format!("{MAGIC}\n");
    for nodes in objects.nodes.iter().filter(|of| homes.contains(&of.home)) {
        text += &format!("nodes {} {}\n", nodes.name, nodes.dims);
    }
    for template in objects.templates.iter().filter(|of| homes.contains(&of.home)) {
        let layouts: Vec<&str> = template.layouts.iter().map(layout).collect();
        text += &format!("template {} {} {}\n", template.name, template.dims, layouts.join(","));
    }
    for of in objects.on_node.iter().filter(|of| homes.contains(&of.home)) {
        let from = u8::from(of.counts_from_1);
        text += &format!("coarray {} {} {} {from}\n", of.name, of.nodes, of.corank);
    }
    for array in objects.arrays.iter().filter(|of| homes.contains(&of.home)) {
        let dims: Vec<String> = array
            .dims
            .iter()
            .map(|dim| {
                let with = dim.with.as_ref().map_or("-".to_owned(), |(axis, offset)| {
                    format!("{axis}:{}", offset.replace(' ', ""))
                });
                format!("{}:{with}", layout(&dim.layout))
            })
            .collect();
        let template = &objects.templates[array.template].name;
        text += &format!("array {} {template} {}\n", array.name, dims.join(","));
    }
    text
}

/// Adds the objects of a module of another file to those that are known; none if the text is none of this library.
pub fn read(text: &str, home: usize, objects: &mut Objects) -> Option<()> {
    let layout = |word: &str| match word {
        "piece" => Layout::Piece,
        "cyclic1" => Layout::Cyclic(true),
        "cyclic" => Layout::Cyclic(false),
        _ => Layout::Whole,
    };
    let mut lines = text.lines();
    if lines.next()? != MAGIC {
        return None;
    }
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["nodes", name, dims] => {
                let dims = dims.parse().ok()?;
                objects.nodes.push(NodesObject { name: name.into(), home, dims, declared: None });
            }
            ["template", name, dims, layouts] => {
                numbers.insert(name.into(), objects.templates.len());
                objects.templates.push(TemplateObject {
                    name: name.into(),
                    home,
                    dims: dims.parse().ok()?,
                    layouts: layouts.split(',').map(layout).collect(),
                    declared: None,
                    distributed: None,
                });
            }
            ["coarray", name, nodes, corank, from] => {
                objects.on_node.push(OnNode {
                    name: name.into(),
                    home,
                    nodes: nodes.into(),
                    corank: corank.parse().ok()?,
                    counts_from_1: from == "1",
                });
            }
            ["array", name, template, dims] => {
                let dim = |text: &str| {
                    let mut parts = text.splitn(3, ':');
                    let layout = layout(parts.next()?);
                    let axis = parts.next()?;
                    let with = axis
                        .parse()
                        .ok()
                        .map(|axis| (axis, parts.next().unwrap_or("0").to_owned()));
                    Some(Dim { with, layout })
                };
                objects.arrays.push(ArrayObject {
                    name: name.into(),
                    home,
                    template: *numbers.get(template)?,
                    dims: dims.split(',').map(dim).collect::<Option<_>>()?,
                    shadow: Vec::new(),
                    variable: None,
                    is_dummy: false,
                    is_deferred: false,
                    component: None,
                    alias: None,
                    place: Text { text: name.into(), span: 0..0 },
                });
            }
            _ => return None,
        }
    }
    Some(())
}
