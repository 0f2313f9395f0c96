//! Words of coarrays that are accessed at once: atomic procedures, `lock` and `unlock`.

use super::coarray::Coarray;
use super::make::doing;
use super::sections::{Pick, brackets_after};
use super::syntax::descendants;
use super::unit::{TranslationResult, Unit};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Directive, Text};
use crate::meaning::naming;
use std::ops::Range;
use tree_sitter::Node;
use xmp_map::counted::counted;

/// An element of a coarray on an image, as arguments of a call.
struct Word {
    /// Descriptor, offset in elements.
    place: String,
    /// Cosubscripts; none for this image.
    images: Vec<String>,
}

impl Word {
    /// The arguments that say which word it is.
    fn arguments(&self) -> String {
        let images = match &self.images[..] {
            [] => "NULL".to_owned(),
            images => format!("(int64_t[]){{{}}}", images.join(", ")),
        };
        format!("{}, {images}", self.place)
    }
}

impl Unit<'_> {
    /// Translates calls of `xmp_atomic_define` and `xmp_atomic_ref`.
    pub fn atomics(&mut self) {
        for call in descendants(self.root) {
            let function = call.child_by_field_name("function").map(|name| name.byte_range());
            let is_call = call.kind() == "call_expression";
            let Some(function) = function.filter(|_| is_call) else { continue };
            let (call_name, word, value) = match &self.source[function] {
                "xmp_atomic_define" => ("define", 0, 1),
                "xmp_atomic_ref" => ("ref", 1, 0),
                _ => continue,
            };
            if let Err(error) = self.atomic(call, call_name, word, value) {
                self.wrong.push(error);
                // One message is enough.
                self.edits.replace(call.byte_range(), "");
            }
        }
    }

    /// A call, of which these arguments are the word of the coarray and the value.
    fn atomic(
        &mut self,
        call: Node<'_>,
        name: &str,
        word: usize,
        value: usize,
    ) -> TranslationResult {
        let list = call.child_by_field_name("arguments").expect("a call has arguments");
        let (Some(word), Some(value), 2) = (
            list.named_child(word as u32),
            list.named_child(value as u32),
            list.named_child_count(),
        ) else {
            return refuse(call.byte_range(), format!("`xmp_atomic_{name}` has two arguments"));
        };
        let chain = self.as_chain(word);
        let coarray = chain.as_ref().and_then(|chain| chain.variable);
        let (Some(chain), Some(coarray)) =
            (chain, coarray.and_then(|number| self.coarrays.of(number)))
        else {
            return Err(Diagnostic::new(
                word.byte_range(),
                format!("`xmp_atomic_{name}` accesses an element of a coarray"),
            )
            .help("declare it with `:[*]`"));
        };
        self.check_subscripts(&chain)?;
        let mut subscripts = Vec::new();
        for (pick, inside) in &chain.picks {
            let Pick::At(at) = pick else {
                return refuse(inside.clone(), "an atomic procedure accesses one element");
            };
            subscripts.push(at.clone());
        }
        let word = word_of(coarray, &subscripts, &chain.images, &chain.span)?;
        let arguments = word.arguments();
        let (call, value) = (call.byte_range(), value.byte_range());
        self.edits.replace(call.start..value.start, format!("xmprt_atomic_{name}({arguments}, "));
        self.edits.replace(value.end..call.end, ", __FILE__, __LINE__)");
        Ok(())
    }

    /// `lock` and `unlock` of a variable of type `xmp_lock_t`.
    ///
    /// # Errors
    /// For arguments that are no element of a coarray, and for clauses that occur twice or belong to `lock` alone.
    pub fn lock(
        &mut self,
        directive: &Directive,
        unlock: bool,
        variable: &Text,
        clauses: &[(Text, Text)],
    ) -> TranslationResult {
        let text = variable.text.as_str();
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        let name = text[..end].trim();
        let number = self.names.meant(name, variable.span.start).map(|(number, _)| number);
        let Some(coarray) = number.and_then(|number| self.coarrays.of(number)) else {
            let wrong = format!("`{name}` is no coarray");
            return Err(Diagnostic::new(variable.span.clone(), wrong)
                .help("declare it as `xmp_lock_t name:[*]`"));
        };
        // A colon is between subscripts and cosubscripts.
        let (own, images) = match text[end..].split_once(':') {
            Some((own, images)) => (own, images),
            None => (&text[end..], ""),
        };
        let inside = |text: &str| -> Vec<String> {
            let groups = brackets_after(text, 0).into_iter();
            groups.map(|group| text[group].trim().to_owned()).collect()
        };
        let word = word_of(coarray, &inside(own), &inside(images), &variable.span)?;
        let name = if unlock { "unlock" } else { "lock" };
        let results = results(unlock, clauses)?;
        let call = format!("xmprt_coarray_{name}({}, {results})", word.arguments());
        self.statement_on(directive, None, doing(&naming(name, text), &call))
    }
}

/// The addresses of the variables of the clauses.
fn results(unlock: bool, clauses: &[(Text, Text)]) -> Result<String, Diagnostic> {
    let (mut acquired, mut status) = (None, None);
    for (clause, variable) in clauses {
        let result = match clause.text.as_str() {
            "stat" => &mut status,
            _ if unlock => {
                let wrong = format!("the clause `{}` belongs to `lock`", clause.text);
                return refuse(&clause.span, wrong);
            }
            _ => &mut acquired,
        };
        if result.replace(format!("&({})", variable.text)).is_some() {
            return refuse(&clause.span, format!("the clause `{}` occurs twice", clause.text));
        }
    }
    let or_null = |result: Option<String>| result.unwrap_or("NULL".to_owned());
    let status = or_null(status);
    Ok(if unlock { status } else { format!("{}, {status}", or_null(acquired)) })
}

/// The element of a coarray with these subscripts on the image with these cosubscripts.
fn word_of(
    coarray: &Coarray,
    subscripts: &[String],
    images: &[String],
    span: &Range<usize>,
) -> Result<Word, Diagnostic> {
    let dims = coarray.sizes.len();
    if subscripts.len() != dims {
        let wrong = format!("`{}` needs {}", coarray.name, counted(dims, "subscript"));
        return refuse(span, wrong);
    }
    let codims = coarray.coshape.len() + 1;
    if !images.is_empty() && images.len() != codims {
        let wrong = format!(
            "{} for {}",
            counted(images.len(), "cosubscript"),
            counted(codims, "dimension")
        );
        return refuse(span, wrong);
    }
    let mut offset = "0".to_owned();
    for (subscript, size) in subscripts.iter().zip(&coarray.sizes) {
        offset = if offset == "0" {
            format!("({subscript})")
        } else {
            format!("({offset} * ({size}) + ({subscript}))")
        };
    }
    let place = format!("{}, {offset}", coarray.descriptor());
    let images = images.iter().map(|image| coarray.image(image)).collect();
    Ok(Word { place, images })
}
