//! References with subscripts and sections in statements: `a[i][0:n]`, `x[:]:[k]`.

use super::objects::ArrayObject;
use super::on::{MAP, OWN};
use super::syntax::descendants;
use super::unit::Unit;
use crate::diagnostics::Diagnostic;
use crate::directive::Format;
use crate::meaning::Layout;
use crate::meaning::declare::check_count;
use std::ops::Range;
use tree_sitter::Node;

/// One subscript of a reference in a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pick {
    /// `[:]`
    All,
    /// `[i]`
    At(String),
    /// `[first:length:step]`; without a length, up to the end.
    Row { first: String, len: Option<String>, step: String },
}

/// A name with subscripts.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The name.
    pub name: Range<usize>,
    /// Its variable, if the file declares it.
    pub variable: Option<usize>,
    /// Subscripts, and their places without the brackets.
    pub picks: Vec<(Pick, Range<usize>)>,
    /// Cosubscripts.
    pub images: Vec<String>,
    /// All of it.
    pub span: Range<usize>,
}

impl Chain {
    /// Checks that there is a subscript for each dimension of an array, or none.
    ///
    /// # Errors
    /// Names the array and both numbers.
    pub fn check_count(&self, dims: usize, name: &str) -> Result<(), Diagnostic> {
        match self.picks.len() {
            0 => Ok(()),
            given => check_count((given, "subscript"), dims, name, &self.span),
        }
    }

    /// Whether a subscript is a section.
    pub fn has_sections(&self) -> bool {
        self.picks.iter().any(|(pick, _)| !matches!(pick, Pick::At(_)))
    }
}

/// The inside of the brackets that follow a place, one after the other.
pub fn brackets_after(text: &str, mut at: usize) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut groups = Vec::new();
    loop {
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        if bytes.get(at) != Some(&b'[') {
            return groups;
        }
        let start = at + 1;
        let mut depth = 0_usize;
        loop {
            match bytes.get(at) {
                None => return groups,
                Some(b'[' | b'(' | b'{') => depth += 1,
                Some(b']' | b')' | b'}') => depth -= 1,
                Some(b'"' | b'\'') => {
                    let quote = bytes[at];
                    at += 1;
                    while bytes.get(at).is_some_and(|byte| *byte != quote) {
                        at += if bytes[at] == b'\\' { 2 } else { 1 };
                    }
                }
                Some(_) => {}
            }
            at += 1;
            if depth == 0 {
                break;
            }
        }
        groups.push(start..at - 1);
    }
}

impl Unit<'_> {
    /// Rewrites the subscripts after a name: in cyclic dimensions, and in all dimensions where they are to be checked.
    /// Returns the number of subscripts.
    pub fn rewrite_subscripts(&mut self, array: &ArrayObject, after: usize, checks: bool) -> usize {
        let groups = brackets_after(&self.normal.text, after);
        for (dim, inside) in groups.iter().enumerate().take(array.dims.len()) {
            if let Some((before, after)) = self.around_subscript(array, dim, checks) {
                self.edits.wrap(inside, before, after);
            }
        }
        groups.len()
    }

    /// The text around the subscript of a dimension, which makes a place of it and, with `checks`, checks it; none
    /// where the index is the place.
    pub fn around_subscript(
        &self,
        array: &ArrayObject,
        dim: usize,
        checks: bool,
    ) -> Option<(String, String)> {
        let name = &array.name.text;
        let map = format!("{MAP}{name}");
        let of = &array.dims[dim];
        let (before, after) = match &of.layout {
            Layout::Cyclic(true) => ("(".to_owned(), format!(") / {map}.origin[{dim}]")),
            Layout::Cyclic(false) => (
                "xmprt_cyclic_place(".to_owned(),
                format!(", {map}.origin[{dim}], {})", self.block_width(array, dim)),
            ),
            _ if checks => (String::new(), String::new()),
            _ => return None,
        };
        if !checks {
            return Some((before, after));
        }
        Some(match (&of.layout, &of.with) {
            (Layout::Cyclic(_), Some((axis, offset))) => {
                let template = &self.objects.templates[array.template].declared.name.text;
                (
                    format!("{before}XMPRT_OWNED("),
                    format!(", &{OWN}{template}[{axis}], {offset}, {dim}, \"{name}\"){after}"),
                )
            }
            _ => ("XMPRT_WITHIN(".to_owned(), format!(", &{map}, {dim}, \"{name}\")")),
        })
    }

    /// The width of the blocks of a cyclic dimension.
    fn block_width(&self, array: &ArrayObject, dim: usize) -> &str {
        let formats = &self.objects.templates[array.template].formats;
        match array.dims[dim].with.as_ref().map(|(axis, _)| &formats[*axis]) {
            Some(Format::Cyclic(Some(width), _)) => &width.text,
            _ => "1",
        }
    }

    /// The chain that begins with this identifier.
    pub fn chain(&self, identifier: Node<'_>) -> Chain {
        let name = identifier.byte_range();
        let groups = brackets_after(&self.normal.text, name.end);
        let variable =
            self.names.meant(&self.source[name.clone()], name.start).map(|(number, _)| number);
        let mut chain =
            Chain { span: name.clone(), name, variable, picks: Vec::new(), images: Vec::new() };
        let mut before = chain.name.end;
        for group in groups {
            let is_image = !chain.images.is_empty()
                || self.normal.cocolons.range(before..group.start).next().is_some();
            before = group.end + 1;
            chain.span.end = before;
            if is_image {
                chain.images.push(self.source[group].trim().to_owned());
            } else {
                chain.picks.push((self.pick(&group), group));
            }
        }
        chain
    }

    /// Reads the inside of brackets.
    fn pick(&self, inside: &Range<usize>) -> Pick {
        let text = &self.source[inside.clone()];
        let is_section =
            self.normal.sections.iter().any(|section| section.start + 1 == inside.start);
        if !is_section {
            return Pick::At(text.trim().to_owned());
        }
        let mut parts = vec![String::new()];
        let (mut depth, mut questions) = (0_usize, 0_usize);
        for c in text.chars() {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                '?' if depth == 0 => questions += 1,
                ':' if depth == 0 && questions > 0 => questions -= 1,
                ':' if depth == 0 => {
                    parts.push(String::new());
                    continue;
                }
                _ => {}
            }
            parts.last_mut().expect("there is one").push(c);
        }
        let part =
            |nth: usize| parts.get(nth).map(|part| part.trim()).filter(|part| !part.is_empty());
        match (part(0), part(1), part(2)) {
            (None, None, None) => Pick::All,
            (first, len, step) => Pick::Row {
                first: format!("({})", first.unwrap_or("0")),
                len: len.map(|len| format!("({len})")),
                step: step.map_or("1".to_owned(), |step| format!("({step})")),
            },
        }
    }

    /// The chain that an expression is, if it is nothing else.
    pub fn as_chain(&self, expression: Node<'_>) -> Option<Chain> {
        let mut node = expression;
        while node.kind() == "subscript_expression" {
            node = node.child_by_field_name("argument")?;
        }
        if node.kind() != "identifier" {
            return None;
        }
        let chain = self.chain(node);
        (chain.span.end >= expression.end_byte()).then_some(chain)
    }

    /// Refuses distributed arrays and coarrays in an expression that generated code takes over as it is.
    ///
    /// # Errors
    /// Names the first one.
    pub fn check_plain(&self, node: Node<'_>) -> Result<(), Diagnostic> {
        for node in descendants(node) {
            if node.kind() != "identifier" {
                continue;
            }
            let name = &self.source[node.byte_range()];
            let Some((number, _)) = self.names.meant(name, node.start_byte()) else { continue };
            let what = if self.objects.array_of(number).is_some() {
                "an element of a distributed array"
            } else if self.coarrays.of(number).is_some() {
                "a coarray"
            } else {
                continue;
            };
            let wrong = Diagnostic::new(
                node.byte_range(),
                format!("{what} is not allowed in this expression"),
            );
            return Err(wrong.help("assign it to a variable in a statement before"));
        }
        Ok(())
    }

    /// As [`Unit::check_plain`], of the subscripts of a chain.
    ///
    /// # Errors
    /// Names the first one.
    pub fn check_subscripts(&self, chain: &Chain) -> Result<(), Diagnostic> {
        for (_, span) in &chain.picks {
            for node in self
                .root
                .descendant_for_byte_range(span.start, span.end)
                .map(descendants)
                .unwrap_or_default()
            {
                if span.start <= node.start_byte() && node.end_byte() <= span.end {
                    self.check_plain(node)?;
                }
            }
        }
        Ok(())
    }
}
