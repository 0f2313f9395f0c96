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
                let place = right.byte_range();
                let is_inside = |section: &std::ops::Range<usize>| {
                    place.start <= section.start && section.end <= place.end
                };
                if self.normal.sections.iter().any(is_inside) {
                    return Err(expression(place));
                }
                self.check_plain(right)?;
                if id.is_some() {
                    return refuse(
                        right.byte_range(),
                        "the right side of an asynchronous `gmove` is an array or a variable",
                    );
                }
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

    /// Both sides of the assignment after a directive, which is alone or in a block of its own.
    ///
    /// # Errors
    /// When something else follows.
    pub fn assignment(
        &self,
        body: &std::ops::Range<usize>,
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
        let wrong = |title: String| Diagnostic::new(chain.span.clone(), title);
        let unknown = || wrong(format!("the length of this section of `{name}` is not known"));
        let number = chain.variable;
        if let Some(array) = number.and_then(|number| self.objects.array_of(number)) {
            let dims = array.dims.len();
            chain.check_count(dims, name)?;
            let mut ranges = Vec::new();
            for dim in 0..dims {
                let pick = chain.picks.get(dim).map_or(&Pick::All, |(pick, _)| pick);
                let size = array.sizes[dim].as_deref();
                ranges.push(range(pick, size).ok_or_else(unknown)?);
            }
            let ranges = ranges.join(", ");
            return Ok(OperandArguments::Global(format!(
                "{MAP}{name}.array, (xmprt_range[]){{{ranges}}}"
            )));
        }
        let Some(number) = number else {
            return Err(wrong(format!("`{name}` is not declared in this file")));
        };
        let base = match self.coarrays.of(number) {
            Some(_) => format!("(*{PREFIX}{name})"),
            None => name.to_owned(),
        };
        let known = self.names.variable(number);
        let mut sizes: Vec<Option<&str>> = match self.coarrays.of(number) {
            Some(coarray) => coarray.sizes.iter().map(|size| Some(size.as_str())).collect(),
            None => known
                .declarator
                .sizes
                .iter()
                .map(|size| Some(self.source[size.clone()].trim()).filter(|size| !size.is_empty()))
                .collect(),
        };
        if known.declarator.pointer {
            sizes.insert(0, None);
        }
        if sizes.is_empty() {
            return if chain.picks.is_empty() {
                Ok(OperandArguments::Local(format!("&(xmprt_memory){{&{base}, 0, NULL, NULL}}")))
            } else {
                Err(wrong(format!("`{name}` is no array")))
            };
        }
        let dims = sizes.len();
        chain.check_count(dims, name)?;
        if known.class == Class::Parameter {
            sizes[0] = None;
        }
        let (mut extents, mut ranges) = (Vec::new(), Vec::new());
        for (dim, size) in sizes.iter().enumerate() {
            let pick = chain.picks.get(dim).map_or(&Pick::All, |(pick, _)| pick);
            if *pick == Pick::All && size.is_none() {
                return Err(wrong(format!("the size of `{name}` is not known"))
                    .help("write a section with a length: `[0:n]`"));
            }
            ranges.push(range(pick, *size).ok_or_else(unknown)?);
            extents.push(size.unwrap_or("0"));
        }
        let (extents, ranges) = (extents.join(", "), ranges.join(", "));
        Ok(OperandArguments::Local(format!(
            "&(xmprt_memory){{(void *){base}, {dims}, (int64_t[]){{{extents}}}, (xmprt_range[]){{{ranges}}}}}"
        )))
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
