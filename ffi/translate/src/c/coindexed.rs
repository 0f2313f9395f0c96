//! Coindexed references of C, `x[i]:[k]`, on either side of an assignment and in expressions.

use super::coarray::Coarray;
use super::gmove::range;
use super::make::doing;
use super::names::Class;
use super::on::PREFIX;
use super::sections::{Chain, Pick};
use super::syntax::{ancestor, descendants};
use super::unit::{TranslationResult, Unit};
use crate::diagnostics::{Diagnostic, refuse};
use crate::meaning::naming;
use std::ops::Range;
use tree_sitter::Node;
use xmp_map::counted::counted;

/// An assignment, and its sides where they are references.
struct Sides {
    whole: Range<usize>,
    left: Range<usize>,
    to: Option<Chain>,
    right: Range<usize>,
    from: Option<Chain>,
}

impl Unit<'_> {
    /// Edits the declarations of coarrays: each becomes a pointer to the declared type.
    pub fn declare_coarrays(&mut self) {
        for coarray in self.coarrays.all() {
            let class = match coarray.class {
                Class::Extern => "extern ",
                Class::FileStatic | Class::LocalStatic => "static ",
                _ => "",
            };
            self.edits
                .replace(coarray.declared_name.clone(), format!("(*{PREFIX}{})", coarray.name));
            // `a[restrict n]`, which Omni's compiler accepts of any array.
            for size in &self.names.variable(coarray.variable).declarator.sizes {
                let bracket = self.source[..size.start].rfind('[').map_or(size.start, |at| at + 1);
                if self.source[bracket..size.start].trim() == "restrict" {
                    self.edits.replace(bracket..size.start, "");
                }
            }
            let end = match (&coarray.codeclarator, &coarray.value) {
                (Some(place), Some(value)) => Some(place.start..value.end),
                (Some(place), None) => Some(place.clone()),
                (None, Some(value)) => Some(coarray.declared_name.end..value.end),
                (None, None) => None,
            };
            if let Some(place) = end {
                self.edits.replace(place, "");
            }
            self.edits.insert(
                coarray.declaration.end,
                format!(" {class}xmprt_coarray {};", coarray.descriptor()),
            );
            if coarray.class == Class::LocalStatic {
                let made = coarray.make(self.source).join(" ");
                self.edits.insert(
                    coarray.declaration.end,
                    format!(" if (!{}.id) {{ {made} }}", coarray.descriptor()),
                );
            }
        }
    }

    /// Translates coindexed references.
    pub fn coindexed(&mut self) {
        let identifiers =
            descendants(self.root).into_iter().filter(|node| node.kind() == "identifier");
        let chains: Vec<(Node<'_>, Chain)> = identifiers
            .filter(|node| !self.edits.is_replaced(node.start_byte()))
            .map(|node| (node, self.chain(node)))
            .filter(|(node, chain)| {
                !chain.images.is_empty() && ancestor(*node, &["function_definition"]).is_some()
            })
            .collect();
        for (node, chain) in chains {
            let in_declarator =
                self.coarrays.all().iter().any(|coarray| coarray.declared_name == chain.name);
            if in_declarator || self.edits.is_replaced(node.start_byte()) {
                continue;
            }
            if let Err(error) = self.coindexed_reference(node, &chain) {
                self.wrong.push(error);
            }
        }
    }

    fn coindexed_reference(&mut self, node: Node<'_>, chain: &Chain) -> TranslationResult {
        let coarray = chain.variable.and_then(|number| self.coarrays.of(number));
        let Some(coarray) = coarray.cloned() else {
            let wrong = format!("`{}` is no coarray", &self.source[chain.name.clone()]);
            return Err(Diagnostic::new(chain.span.clone(), wrong).help("declare it with `:[*]`"));
        };
        if chain.images.len() != coarray.coshape.len() + 1 {
            let wrong = format!(
                "{} for {}",
                counted(chain.images.len(), "cosubscript"),
                counted(coarray.coshape.len() + 1, "dimension")
            );
            return refuse(&chain.span, wrong);
        }
        self.check_subscripts(chain)?;
        let remote = self.remote(chain, &coarray)?;
        let remote_text = &self.source[chain.span.clone()];
        let statement = ancestor(node, &["expression_statement"]).map(|of| of.byte_range());
        let sides = statement.and_then(|whole| self.sides(whole));
        if let Some(Sides { whole, left, to: Some(to), right, from }) = sides {
            if to.span == chain.span {
                let from = from.filter(|from| from.images.is_empty());
                if let Some(from) = from.filter(|from| self.is_section_of_local(from)) {
                    let put = put(remote_text, &remote, &self.local(&from)?);
                    self.edits.replace(whole, format!("{{ {put} }}"));
                    return Ok(());
                }
                // The value stays where it is, so that whatever is in it is translated, too.
                let element = coarray.element();
                let begin = format!("{{ __typeof__({element}) xmpt__v = ");
                let text = format!("; {} }}", put(remote_text, &remote, VALUE));
                self.edits.replace(whole.start..right.start, begin);
                self.edits.replace(right.end..whole.end, text);
                return Ok(());
            }
            if right == chain.span && chain.has_sections_or_is_array(&coarray) {
                if !self.is_section_of_local(&to) {
                    return refuse(left, "a section is assigned to what is no local array");
                }
                let get = get(remote_text, &remote, &self.local(&to)?);
                self.edits.replace(whole, format!("{{ {get} }}"));
                return Ok(());
            }
        }
        if chain.has_sections_or_is_array(&coarray) {
            return refuse(
                &chain.span,
                "a coindexed section is possible on one side of an assignment only",
            );
        }
        let element = coarray.element();
        let got = get(remote_text, &remote, VALUE);
        let text = format!("({{ __typeof__({element}) xmpt__v; {got} xmpt__v; }})");
        self.edits.replace(chain.span.clone(), text);
        Ok(())
    }

    /// The sides of a statement, if it is an assignment.
    fn sides(&self, whole: Range<usize>) -> Option<Sides> {
        let (left, right) = self.assignment(&whole, "").ok()?;
        let (to, from) = (self.as_chain(left), self.as_chain(right));
        Some(Sides { whole, left: left.byte_range(), to, right: right.byte_range(), from })
    }

    /// Whether a chain is an array or a section of one; of a distributed array, a section.
    fn is_section_of_local(&self, chain: &Chain) -> bool {
        let Some(number) = chain.variable else { return false };
        if self.objects.array_of(number).is_some() {
            return chain.has_sections();
        }
        let variable = self.names.variable(number);
        let dims = match self.coarrays.of(number) {
            Some(coarray) => coarray.sizes.len(),
            None => variable.declarator.sizes.len() + usize::from(variable.declarator.pointer),
        };
        chain.has_sections() || chain.picks.len() < dims
    }

    /// The section of the coarray and the image, as arguments.
    fn remote(&self, chain: &Chain, coarray: &Coarray) -> Result<String, Diagnostic> {
        let dims = coarray.sizes.len();
        chain.check_count(dims, &coarray.name)?;
        let mut ranges = Vec::new();
        for (dim, size) in coarray.sizes.iter().enumerate() {
            let pick = chain.picks.get(dim).map_or(&Pick::All, |(pick, _)| pick);
            ranges.extend(range(pick, Some(size)));
        }
        let ranges = if ranges.is_empty() {
            "NULL".to_owned()
        } else {
            format!("(xmprt_range[]){{{}}}", ranges.join(", "))
        };
        let images: Vec<String> = chain.images.iter().map(|image| coarray.image(image)).collect();
        Ok(format!("{}, {ranges}, (int64_t[]){{{}}}", coarray.descriptor(), images.join(", ")))
    }

    /// The section of a local array as an argument.
    fn local(&self, chain: &Chain) -> Result<String, Diagnostic> {
        self.check_subscripts(chain)?;
        let number = chain.variable.expect("it is declared");
        if let Some(array) = self.objects.array_of(number) {
            return self.part(chain, array);
        }
        let name = &self.source[chain.name.clone()];
        let variable = self.names.variable(number);
        let (base, mut sizes) = match self.coarrays.of(number) {
            Some(coarray) => (format!("(*{PREFIX}{name})"), coarray.sizes.clone()),
            None => {
                let size = |size: &Range<usize>| self.source[size.clone()].trim().to_owned();
                (name.to_owned(), variable.declarator.sizes.iter().map(size).collect())
            }
        };
        if variable.declarator.pointer {
            sizes.insert(0, String::new());
        }
        let wrong = |title: String| Diagnostic::new(chain.span.clone(), title);
        chain.check_count(sizes.len(), name)?;
        let (mut extents, mut ranges) = (Vec::new(), Vec::new());
        for (dim, size) in sizes.iter().enumerate() {
            let pick = chain.picks.get(dim).map_or(&Pick::All, |(pick, _)| pick);
            let needs_size = matches!(pick, Pick::All | Pick::Row { len: None, .. });
            if size.is_empty() && needs_size {
                return Err(wrong(format!("the size of `{name}` is not known"))
                    .help("write a section with a length: `[0:n]`"));
            }
            extents.push(if size.is_empty() { "1" } else { size });
            ranges.extend(range(pick, Some(size)));
        }
        let (dims, extents, ranges) = (sizes.len(), extents.join(", "), ranges.join(", "));
        Ok(format!(
            "&(xmprt_memory){{(void *){base}, {dims}, (int64_t[]){{{extents}}}, (xmprt_range[]){{{ranges}}}}}"
        ))
    }
}

/// A variable for the value that is put or got, as memory.
const VALUE: &str = "&(xmprt_memory){&xmpt__v, 0, NULL, NULL}";

/// A put to a coindexed reference, which the user wrote as `text`.
fn put(text: &str, remote: &str, local: &str) -> String {
    doing(&naming("put to a coarray", text), &format!("xmprt_coarray_put({remote}, {local})"))
}

/// A get from a coindexed reference, which the user wrote as `text`.
fn get(text: &str, remote: &str, local: &str) -> String {
    doing(&naming("get from a coarray", text), &format!("xmprt_coarray_get({remote}, {local})"))
}

impl Chain {
    fn has_sections_or_is_array(&self, coarray: &Coarray) -> bool {
        self.has_sections() || self.picks.len() < coarray.sizes.len()
    }
}
