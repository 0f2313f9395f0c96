//! The ranges of a `loop`: the indices of this image, as the statements before the nest declare them.

use super::on::{LOCAL, OWN, PREFIX};
use crate::directive::{Brackets, Loop};
use crate::meaning::Target;
use crate::meaning::communicate::Widths;
use crate::meaning::nest::Counted;

/// The variable that counts the sides of a margin.
pub const SIDE: &str = "xmpt__side";

/// The nodes or the template that a loop is on.
#[derive(Clone, Copy, Debug)]
pub struct OnObject<'a> {
    target: Target,
    name: &'a str,
    /// The lowest index of nodes.
    lowest: u8,
}

impl<'a> OnObject<'a> {
    /// The object of a directive.
    pub fn of(of: &'a Loop, target: Target) -> Self {
        let lowest = u8::from(of.on.brackets != Some(Brackets::Square));
        Self { target, name: &of.on.name.text, lowest }
    }

    /// The condition that this image has an index of a dimension.
    pub fn has(self, dim: usize, index: &str) -> String {
        let Self { target, name, lowest } = self;
        match target {
            Target::Template(..) => format!("xmprt_has(&{OWN}{name}[{dim}], {index})"),
            Target::Nodes(_) => {
                format!("xmprt_node({PREFIX}{name}, {dim}, {lowest}).first == ({index})")
            }
        }
    }

    /// The indices of this image in a dimension, less an offset.
    pub fn own(self, dim: usize, offset: &str) -> String {
        let Self { target, name, lowest } = self;
        match target {
            Target::Template(..) => format!("xmprt_shifted(&{OWN}{name}[{dim}], {offset})"),
            Target::Nodes(_) => format!("xmprt_node({PREFIX}{name}, {dim}, {lowest} - {offset})"),
        }
    }
}

/// The ranges of a nest.
#[derive(Debug, Default)]
pub struct Ranges {
    /// The variables that are declared before the nest, and their values.
    declared: Vec<(String, String)>,
    /// The conditions without which this image has no iterations.
    conditions: Vec<String>,
    /// The declarations of the ranges on one side of a margin.
    sides: Vec<String>,
}

impl Ranges {
    /// Adds a condition without which this image has no iterations.
    pub fn add_condition(&mut self, condition: String) {
        self.conditions.push(condition);
    }

    /// Adds the range of a loop, of which this image has these indices. Returns its variable.
    pub fn add(&mut self, index: &Counted<'_>, own: String, is_margin: bool) -> String {
        let range = format!("{LOCAL}on_{}", index.name);
        let (lower, upper) = match index.widths {
            Some(Widths { lower, upper, .. }) => (lower.text.as_str(), upper.text.as_str()),
            None => ("0", "0"),
        };
        if is_margin {
            let variable = format!("{LOCAL}own_{}", index.name);
            let nth = self.sides.len();
            self.sides.push(format!(
                " const xmprt_blocks {range} = xmprt_blocks_side({variable}, {lower}, {upper}, {nth}, {SIDE});"
            ));
            self.declared.push((variable, own));
        } else if index.widths.is_some() {
            let own = format!("xmprt_blocks_expanded({own}, {lower}, {upper})");
            self.declared.push((range.clone(), own));
        } else {
            self.declared.push((range.clone(), own));
        }
        range
    }

    /// The declarations before the nest.
    pub fn declarations(&self) -> String {
        let conditions = self.conditions.join(" && ");
        let declare = |(nth, (name, value)): (usize, &(String, String))| {
            if nth == 0 && !conditions.is_empty() {
                format!(" const xmprt_blocks {name} = xmprt_blocks_if({conditions}, {value});")
            } else {
                format!(" const xmprt_blocks {name} = {value};")
            }
        };
        self.declared.iter().enumerate().map(declare).collect()
    }

    /// The declarations in the loop over the sides of a margin.
    pub fn sides(&self) -> &[String] {
        &self.sides
    }
}
