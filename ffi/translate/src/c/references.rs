//! Names of distributed arrays and coarrays in code: functions get views, cyclic subscripts become local ones.

use super::decay::{check_rows, no_size, part_of};
use super::definitions::{any_used, has_word};
use super::initial::is_null;
use super::make_array::{rows_of, view};
use super::objects::ArrayObject;
use super::on::{MAP, PREFIX};
use super::syntax::{descendants, function_of, in_parentheses, is_subscripted};
use super::unit::{TranslationResult, Unit};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::Text;
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

impl Unit<'_> {
    /// Translates all uses of distributed arrays, templates and nodes by their names.
    pub fn references(&mut self) {
        // Arrays that functions use, by the places of their bodies.
        let mut uses: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for node in descendants(self.root) {
            if node.kind() != "identifier" || self.edits.is_replaced(node.start_byte()) {
                continue;
            }
            if let Err(error) = self.reference(node, &mut uses) {
                self.wrong.push(error);
            }
        }
        self.check_macros();
        for (body, arrays) in uses {
            for variable in arrays {
                let array = self.objects.array_of(variable).expect("it is one");
                let text =
                    format!(" {}", view(array).replacen(" =", " __attribute__((unused)) =", 1));
                self.edits.insert(body + 1, text);
            }
        }
        // Another error may be the reason why something was not translated.
        if self.wrong.is_empty() {
            self.wrong.extend(self.leftover());
        }
    }

    /// The message about an image index or a section that nothing has translated.
    fn leftover(&self) -> Option<Diagnostic> {
        let mut colons = self.normal.cocolons.iter().copied();
        let image = colons.find(|at| !self.edits.is_replaced(*at) && self.is_in_function(*at));
        if let Some(at) = image {
            let wrong = Diagnostic::new(at..at + 1, "an image index is not allowed here");
            return Some(wrong.help(
                "it is after the name and the subscripts of a coarray, and before members: `x[i]:[k].m`",
            ));
        }
        let mut sections = self.normal.sections.iter();
        let section = sections.find(|section| !self.edits.is_replaced(section.start + 1))?;
        let wrong = Diagnostic::new(section.clone(), "an array section is not allowed here");
        Some(wrong.help(
            "sections are for statements after `gmove` and `array`, and for assignments to and from coarrays",
        ))
    }

    fn reference(
        &mut self,
        node: Node<'_>,
        uses: &mut BTreeMap<usize, BTreeSet<usize>>,
    ) -> TranslationResult {
        let name = &self.source[node.byte_range()];
        if name == "xmp_desc_of" {
            return self.descriptor_of(node);
        }
        let Some((number, variable)) = self.names.meant(name, node.start_byte()) else {
            return Ok(());
        };
        let declares = variable.declarator.name == node.byte_range()
            || self.is_declared_at(number, node)
            || names_parameter(node)
            || node.parent().is_some_and(|parent| parent.kind().starts_with("preproc_"));
        if declares {
            return Ok(());
        }
        if self.coarrays.of(number).is_some() {
            self.edits.replace(node.byte_range(), format!("(*{PREFIX}{name})"));
            return Ok(());
        }
        let objects = self.objects;
        let Some(array) = objects.array_of(number) else { return Ok(()) };
        let Some(function) = function_of(node) else {
            return refuse(
                node.byte_range(),
                format!("`{name}` is distributed: it cannot be used here"),
            );
        };
        let body =
            function.child_by_field_name("body").expect("a function has a body").start_byte();
        if node.start_byte() < body {
            return Ok(());
        }
        if array.home.local && node.start_byte() < self.directives[array.directive].span.start {
            let wrong = format!("`{name}` is used before the directives about it");
            return Err(Diagnostic::new(node.byte_range(), wrong)
                .help("write `align` and `shadow` right after its declaration"));
        }
        if !array.pointer && !array.home.local {
            uses.entry(body).or_default().insert(number);
        }
        if array.pointer {
            self.pointer_reference(node, array)?;
        }
        let checks = self.options.check_bounds || self.checked.contains(&node.start_byte());
        let subscripts = self.rewrite_subscripts(array, in_parentheses(node).end_byte(), checks);
        match subscripts {
            0 if !array.pointer => self.bare_name(node, array),
            0 => Ok(()),
            given => check_rows(array, given, node.byte_range()),
        }
    }

    /// Refuses macros that use distributed arrays and cannot be written out: those that use themselves, or are defined in several ways.
    fn check_macros(&mut self) {
        let names = self.objects.arrays.iter().map(|array| array.name.text.clone());
        let names: BTreeSet<String> = names.collect();
        let find = |name: &str| self.macros.get(name).and_then(Option::as_ref);
        let mut wrong = Vec::new();
        for node in descendants(self.root).into_iter().filter(|node| node.kind() == "identifier") {
            let name = &self.source[node.byte_range()];
            let defines = node.parent().is_some_and(|parent| parent.kind().starts_with("preproc"));
            let is_hidden = self.names.meant(name, node.start_byte()).is_some();
            if find(name).is_none() || is_hidden || defines {
                continue;
            }
            let is_called = find(name).is_some_and(|of| of.parameters.is_none())
                || self.normal.text[node.end_byte()..].trim_start().starts_with('(');
            if is_called && any_used(name, find, |of| has_word(of, &names)) {
                let title = format!(
                    "the macro `{name}` uses a distributed array, and cannot be written out"
                );
                let help = "write the reference out, without the macro";
                wrong.push(Diagnostic::new(node.byte_range(), title).help(help));
            }
        }
        self.wrong.extend(wrong);
    }

    /// Whether an identifier is the name in one of the declarations of a variable.
    fn is_declared_at(&self, number: usize, node: Node<'_>) -> bool {
        self.names
            .declarations(number)
            .any(|variable| variable.declarator.name == node.byte_range())
    }

    /// `xmp_desc_of(x)` becomes the descriptor.
    fn descriptor_of(&mut self, node: Node<'_>) -> TranslationResult {
        let call = node.parent().filter(|call| call.kind() == "call_expression");
        let argument = call
            .and_then(|call| call.child_by_field_name("arguments"))
            .and_then(|list| list.named_child(0));
        let (Some(call), Some(argument)) = (call, argument) else {
            return refuse(node.byte_range(), "`xmp_desc_of` is followed by a name in parentheses");
        };
        let name = Text {
            text: self.source[argument.byte_range()].to_owned(),
            span: argument.byte_range(),
        };
        let array = self
            .names
            .meant(&name.text, name.span.start)
            .and_then(|(number, _)| self.objects.array_of(number));
        let text = if array.is_some() {
            format!("xmprt_descriptor(XMPRT_OBJECT({MAP}{}.array))", name.text)
        } else if self.objects.nodes_at(&name).is_some()
            || self.objects.template_at(&name).is_some()
        {
            format!("xmprt_descriptor(XMPRT_OBJECT({PREFIX}{}))", name.text)
        } else {
            return refuse(
                name.span,
                format!("`{}` is no distributed array, template or node array", name.text),
            );
        };
        self.edits.replace(call.byte_range(), text);
        Ok(())
    }

    /// A name without subscripts is the part of this image, from its start.
    fn bare_name(&mut self, node: Node<'_>, array: &ArrayObject) -> TranslationResult {
        let name = &array.name.text;
        let index = node.parent().and_then(|parent| parent.child_by_field_name("index"));
        if index == Some(node) {
            return Err(Diagnostic::new(node.byte_range(), format!("`{name}` is no subscript"))
                .help("write the array before the brackets"));
        }
        let parent = node.parent();
        // `sizeof *a` is the size of an element.
        let other = parent.filter(|parent| {
            parent.kind() != "pointer_expression"
                || self.normal.text[parent.start_byte()..].starts_with('&')
        });
        let around = [parent, other.and_then(|other| other.parent())];
        if around.into_iter().flatten().any(|around| around.kind() == "sizeof_expression") {
            return Err(no_size(name, node.byte_range()));
        }
        self.check_decay(name, node)?;
        self.edits.replace(node.byte_range(), part_of(array));
        Ok(())
    }

    /// A pointer holds the address of global index 0. An assignment shifts the result of `xmp_malloc`,
    /// and `free` gets it back.
    fn pointer_reference(&mut self, node: Node<'_>, array: &ArrayObject) -> TranslationResult {
        if self.swapped.contains(&node.start_byte()) {
            return Ok(());
        }
        let name = &array.name.text;
        let parent = node.parent().expect("it is in a function");
        if is_subscripted(in_parentheses(node)) {
            let rows = rows_of(array);
            if rows != *name {
                self.edits.replace(node.byte_range(), rows);
            }
            return Ok(());
        }
        let assigned = match parent.kind() {
            "assignment_expression" if parent.child_by_field_name("left") == Some(node) => {
                parent.child_by_field_name("right")
            }
            _ => None,
        };
        let Some(value) = assigned else {
            self.check_decay(name, node)?;
            self.edits.replace(node.byte_range(), part_of(array));
            return Ok(());
        };
        let call = descendants(value).into_iter().find(|node| {
            let function = node.child_by_field_name("function");
            node.kind() == "call_expression"
                && function
                    .is_some_and(|function| &self.source[function.byte_range()] == "xmp_malloc")
        });
        let Some(call) = call else {
            if is_null(&self.source[value.byte_range()]) {
                return Ok(());
            }
            return Err(Diagnostic::new(
                node.byte_range(),
                format!("`{name}` is distributed: this does not say where its part is"),
            )
            .help(format!(
                "assign `xmp_malloc(xmp_desc_of({name}), ..)`, another pointer that is aligned as it is, one that holds such a pointer, \
                 or NULL"
            )));
        };
        let before = format!("xmprt_allocated(&{MAP}{name}, ");
        let after = ", __FILE__, __LINE__)";
        self.edits.wrap(&call.byte_range(), before, after);
        Ok(())
    }
}

/// Whether an identifier is the name of a parameter, which is another variable than one of the file, also in a prototype.
fn names_parameter(identifier: Node<'_>) -> bool {
    let mut node = identifier;
    while let Some(parent) = node.parent() {
        let is_declarator = parent.child_by_field_name("declarator") == Some(node)
            || parent.kind() == "parenthesized_declarator";
        match parent.kind() {
            _ if !is_declarator => return false,
            "parameter_declaration" => return true,
            _ => node = parent,
        }
    }
    false
}
