//! Objects of procedures and `block` constructs that stay from one execution to the next: saved arrays, and their
//! templates and nodes.

use super::declarations::saves_all;
use super::heads::Unit as Program;
use super::objects::ArrayObject;
use super::unit::{Unit, descriptor, own};
use super::writer::Code;
use crate::directive::NodesOf;

impl Unit<'_> {
    /// The names of the objects of a procedure that stay.
    pub fn kept(&self, home: usize) -> Vec<&str> {
        let unit = self.scopes.all[home].unit;
        if !matches!(unit, Program::Subroutine | Program::Function | Program::Block) {
            return Vec::new();
        }
        let mut names: Vec<&str> = Vec::new();
        let mut nodes: Vec<&str> = Vec::new();
        for array in self.objects.arrays.iter().filter(|of| of.home == home && is_saved(of)) {
            names.push(&array.name);
            let template = &self.objects.templates[array.template];
            if template.home == home {
                names.push(&template.name);
                nodes.extend(template.distributed.as_ref().map(|(_, onto)| onto.text.as_str()));
            }
        }
        while let Some(name) = nodes.pop() {
            let known = self.objects.nodes_at(name, home).filter(|of| of.home == home);
            let Some(object) = known.filter(|of| !names.contains(&of.name.as_str())) else {
                continue;
            };
            names.push(&object.name);
            if let Some(NodesOf::Part(part)) = object.declared.as_ref().map(|of| &of.of) {
                nodes.push(&part.name.text);
            }
        }
        names
    }

    /// The attribute of variables that stay, where no statement of the scope saves all.
    pub fn saved(&self, home: usize) -> &'static str {
        if saves_all(self.items, &self.scopes.all[home]) { "" } else { ", save" }
    }

    /// Declarations of the variables for the objects of a procedure or a `block` construct. Only the variables of
    /// objects that stay keep their values.
    pub fn lasting(&self, home: usize) -> Vec<String> {
        let kept = self.kept(home);
        let stays = |text: &str| {
            let name = text.split(":: ").nth(1).map_or("", super::tokens::name_at);
            kept.iter().any(|of| name == descriptor(of) || name == own(of))
        };
        // The wrapper of a procedure has no `save` statement of the user.
        let is_block = self.scopes.all[home].unit == Program::Block;
        let save = if is_block { self.saved(home) } else { ", save" };
        let of = |text: String| {
            if stays(&text) {
                text.replace(" ::", &format!("{save} ::"))
            } else {
                text.replace(" = 0", "")
            }
        };
        self.variables(home, "").into_iter().map(of).collect()
    }
}

/// Whether an array of a procedure stays from one call to the next.
fn is_saved(array: &ArrayObject) -> bool {
    let of = array.variable.as_ref();
    of.is_some_and(|of| of.is_saved || of.initial.is_some()) && !array.is_dummy
}

/// Statements that make an object that stays, at the first call only.
pub fn once(name: &str, code: Vec<Code>) -> Vec<Code> {
    let first = Code::from(format!("if ({} == 0) then", descriptor(name)));
    std::iter::once(first).chain(code).chain(std::iter::once("end if".into())).collect()
}
