//! `gmove`: the assignment after it, as two operands for the runtime.

use super::communicate::id_or_null;
use super::make::doing;
use super::names::Class;
use super::on::{MAP, PREFIX};
use super::sections::{Chain, Pick};
use super::unit::{TranslationResult, Unit};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Directive, Mode, Text};
use crate::meaning::assignment::{self, expression, no_distributed_side, no_left_side};
use crate::meaning::naming;
use std::ops::Range;
use tree_sitter::Node;

impl Unit<'_> {
    /// Translates a `gmove` directive and the statement after it.
    ///
    /// # Errors
    /// When no assignment follows, or a side cannot be described.
    pub fn gmove(
        &mut self,
        nth: usize,
        directive: &Directive,
        mode: Mode,
        id: Option<&Text>,
    ) -> TranslationResult {
        let body = self.body_of(nth)?;
        let (left, right) = self.assignment(&body, "gmove")?;
        let name = naming("gmove", &self.source[left.start_byte()..right.end_byte()]);
        let (left_chain, right_chain) = (self.as_chain(left), self.as_chain(right));
        let Some(left_chain) = left_chain else {
            return Err(no_left_side(left.byte_range()));
        };
        let is_global = |chain: &Chain| {
            chain.variable.is_some_and(|number| self.objects.array_of(number).is_some())
        };
        if !is_global(&left_chain) && !right_chain.as_ref().is_some_and(is_global) {
            return Err(no_distributed_side(body));
        }
        let mode = match mode {
            Mode::Collective => "XMPRT_COLLECTIVE",
            Mode::In => "XMPRT_IN | XMPRT_MEET",
            Mode::Out => "XMPRT_OUT | XMPRT_MEET",
        };
        let rest = format!("{mode}, {}", id_or_null(id));
        let to = self.side(&left_chain)?;
        let text = match (&right_chain, to) {
            (Some(right), to) => match (to, self.side(right)?) {
                (OperandArguments::Global(to), OperandArguments::Global(from)) => {
                    doing(&name, &format!("xmprt_gmove({to}, {from}, {rest})"))
                }
                (OperandArguments::Local(to), OperandArguments::Global(from)) => {
                    doing(&name, &format!("xmprt_gmove_to({to}, {from}, {rest})"))
                }
                (
                    OperandArguments::Global(to) | OperandArguments::Local(to),
                    OperandArguments::Local(from),
                ) => doing(&name, &format!("xmprt_gmove_from({to}, {from}, {rest})")),
            },
            (None, OperandArguments::Global(to) | OperandArguments::Local(to)) => {
                self.check_value(right, id)?;
                let element = self.element_of(&left_chain);
                let value = &self.source[right.byte_range()];
                let from = "&(xmprt_memory){&xmpt__v, 0, NULL, NULL}";
                let call = doing(&name, &format!("xmprt_gmove_from({to}, {from}, {rest})"));
                format!("{{ __typeof__({element}) xmpt__v = {value}; {call} }}")
            }
        };
        self.edits.replace(directive.span.start..body.end, text);
        Ok(())
    }

    /// Checks a right side that is neither an array nor a variable.
    fn check_value(&self, right: Node<'_>, id: Option<&Text>) -> TranslationResult {
        let place = right.byte_range();
        let is_inside =
            |section: &Range<usize>| place.start <= section.start && section.end <= place.end;
        if self.normal.sections.iter().any(is_inside) {
            return Err(expression(place));
        }
        self.check_plain(right)?;
        if id.is_some() {
            let wrong = "the right side of an asynchronous `gmove` is an array or a variable";
            return refuse(place, wrong);
        }
        Ok(())
    }

    /// Both sides of the assignment after a directive, which is alone or in a block of its own.
    ///
    /// # Errors
    /// When something else follows.
    pub fn assignment(
        &self,
        body: &Range<usize>,
        directive: &str,
    ) -> Result<(Node<'_>, Node<'_>), Diagnostic> {
        let mut statement = self.root.descendant_for_byte_range(body.start, body.end);
        while let Some(block) = statement.filter(|node| node.kind() == "compound_statement") {
            statement = block.named_child(0).filter(|_| block.named_child_count() == 1);
        }
        let assigned = statement
            .filter(|node| node.kind() == "expression_statement")
            .and_then(|node| node.named_child(0));
        let sides =
            assigned.filter(|node| node.kind() == "assignment_expression").and_then(|node| {
                let operator = node.child_by_field_name("operator")?;
                let plain = &self.normal.text[operator.byte_range()] == "=";
                plain.then_some((
                    node.child_by_field_name("left")?,
                    node.child_by_field_name("right")?,
                ))
            });
        sides.ok_or_else(|| {
            assignment::missing(body.start..body.end.min(body.start + 60), directive)
        })
    }

    /// An element of the array of a chain, for `__typeof__`.
    pub fn element_of(&self, chain: &Chain) -> String {
        let name = &self.source[chain.name.clone()];
        let Some(number) = chain.variable else { return name.to_owned() };
        if let Some(array) = self.objects.array_of(number) {
            return super::make_array::element(array);
        }
        let known = self.names.variable(number);
        let dims = known.declarator.sizes.len() + usize::from(known.declarator.pointer);
        match self.coarrays.of(number) {
            Some(coarray) => format!("(*{PREFIX}{name}){}", "[0]".repeat(coarray.sizes.len())),
            None => format!("{name}{}", "[0]".repeat(dims)),
        }
    }

    /// An operand as the arguments of a call.
    fn side(&self, chain: &Chain) -> Result<OperandArguments, Diagnostic> {
        if !chain.images.is_empty() {
            return refuse(&chain.span, "a coindexed reference is not allowed in `gmove`");
        }
        self.check_subscripts(chain)?;
        let name = &self.source[chain.name.clone()];
        let Some(number) = chain.variable else {
            let wrong = format!("`{name}` is not declared in this file");
            return refuse(&chain.span, wrong);
        };
        match self.objects.array_of(number) {
            Some(array) => {
                let sizes: Vec<Option<&str>> = array.sizes.iter().map(Option::as_deref).collect();
                let ranges = self.ranges_of(chain, &sizes)?;
                let arguments = format!("{MAP}{name}.array, (xmprt_range[]){{{ranges}}}");
                Ok(OperandArguments::Global(arguments))
            }
            None => self.local_side(chain, number),
        }
    }

    /// Memory that is not distributed, as the argument of a call.
    fn local_side(&self, chain: &Chain, number: usize) -> Result<OperandArguments, Diagnostic> {
        let name = &self.source[chain.name.clone()];
        let base = match self.coarrays.of(number) {
            Some(_) => format!("(*{PREFIX}{name})"),
            None => name.to_owned(),
        };
        let mut sizes = self.declared_sizes(number);
        if sizes.is_empty() {
            return if chain.picks.is_empty() {
                Ok(OperandArguments::Local(format!("&(xmprt_memory){{&{base}, 0, NULL, NULL}}")))
            } else {
                refuse(&chain.span, format!("`{name}` is no array"))
            };
        }
        if self.names.variable(number).class == Class::Parameter {
            sizes[0] = None;
        }
        let ranges = self.ranges_of(chain, &sizes)?;
        for (dim, size) in sizes.iter().enumerate() {
            let is_whole = chain.picks.get(dim).is_none_or(|(pick, _)| *pick == Pick::All);
            if is_whole && size.is_none() {
                let wrong = format!("the size of `{name}` is not known");
                return Err(Diagnostic::new(chain.span.clone(), wrong)
                    .help("write a section with a length: `[0:n]`"));
            }
        }
        let extents: Vec<&str> = sizes.iter().map(|size| size.unwrap_or("0")).collect();
        let (dims, extents) = (sizes.len(), extents.join(", "));
        Ok(OperandArguments::Local(format!(
            "&(xmprt_memory){{(void *){base}, {dims}, (int64_t[]){{{extents}}}, (xmprt_range[]){{{ranges}}}}}"
        )))
    }

    /// The sizes of a variable that is not distributed, as they are declared.
    fn declared_sizes(&self, number: usize) -> Vec<Option<&str>> {
        let declarator = &self.names.variable(number).declarator;
        let mut sizes: Vec<Option<&str>> = match self.coarrays.of(number) {
            Some(coarray) => coarray.sizes.iter().map(|size| Some(size.as_str())).collect(),
            None => {
                let size = |size: &Range<usize>| {
                    Some(self.source[size.clone()].trim()).filter(|size| !size.is_empty())
                };
                declarator.sizes.iter().map(size).collect()
            }
        };
        if declarator.pointer {
            sizes.insert(0, None);
        }
        sizes
    }

    /// The subscripts of an array with these sizes, as ranges.
    fn ranges_of(&self, chain: &Chain, sizes: &[Option<&str>]) -> Result<String, Diagnostic> {
        let name = &self.source[chain.name.clone()];
        chain.check_count(sizes.len(), name)?;
        let ranges = sizes.iter().enumerate().map(|(dim, size)| {
            let pick = chain.picks.get(dim).map_or(&Pick::All, |(pick, _)| pick);
            range(pick, *size).ok_or_else(|| {
                let wrong = format!("the length of this section of `{name}` is not known");
                Diagnostic::new(chain.span.clone(), wrong)
            })
        });
        Ok(ranges.collect::<Result<Vec<_>, _>>()?.join(", "))
    }
}

/// An operand as the arguments of a call.
enum OperandArguments {
    /// A distributed array and ranges.
    Global(String),
    /// Memory.
    Local(String),
}

/// A subscript as a range.
pub fn range(pick: &Pick, size: Option<&str>) -> Option<String> {
    Some(match pick {
        Pick::All => "xmprt_whole()".to_owned(),
        Pick::At(at) => format!("xmprt_at({at})"),
        Pick::Row { first, len: Some(len), step } => format!("xmprt_by({first}, {len}, {step})"),
        Pick::Row { first, len: None, step } => {
            let size = size?;
            format!("xmprt_rest({first}, {size}, {step})")
        }
    })
}
