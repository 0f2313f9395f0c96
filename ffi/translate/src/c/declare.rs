//! Declarative directives and the declarations of distributed arrays, in blocks and outside of functions.

use super::initial::is_null;
use super::make::Statements;
use super::make_array::view;
use super::names::{Class, Variable};
use super::objects::{ArrayObject, Home, NodesObject, Objects, TemplateObject};
use super::on::{BOUNDS, MAP, OWN, PREFIX, VALUES};
use super::syntax::{ancestor, descendants, function_of};
use super::unit::{TranslationResult, Unit};
use crate::diagnostics::Diagnostic;
use crate::directive::{Directive, Kind, Text};
use std::ops::Range;

impl Unit<'_> {
    /// A declarative directive becomes declarations, and in a block the statements that make the objects as well.
    ///
    /// # Errors
    /// For sizes and bounds that cannot be made.
    pub fn declaring(&mut self, nth: usize, directive: &Directive) -> TranslationResult {
        let (mut text, mut outside) = (Vec::new(), Vec::new());
        let objects = self.objects;
        for nodes in objects.nodes.iter().filter(|nodes| nodes.directive == nth) {
            let declared = objects.declare_nodes(nodes)?;
            if nodes.home.local { &mut text } else { &mut outside }.extend(declared);
        }
        for template in &objects.templates {
            let home = &template.home;
            if template.directive == nth {
                let declared = objects.declare_template(template)?;
                if home.local { &mut text } else { &mut outside }.extend(declared);
            }
            if template.distributed == Some(nth) && home.local {
                let name = &template.declared.name.text;
                let made = objects.distribute_template(template)?.join(" ");
                text.push(once(home.kept, &format!("!{OWN}{name}[0].period"), made));
            }
        }
        for array in
            objects.arrays.iter().filter(|array| array.directive == nth && array.home.local)
        {
            let made = self.make_local(array)?;
            let body = self.body_around(array.home.scope.end);
            match body {
                Some(body) if directive.span.start < body => {
                    self.edits.insert(body + 1, format!(" {}", made.join(" ")))
                }
                _ => text.extend(made),
            }
        }
        if let Kind::Coarray { on: Some(nodes), .. } = &directive.kind
            && objects.nodes_at(nodes).is_none_or(|nodes| nodes.home.local)
        {
            let wrong = Diagnostic::new(
                nodes.span.clone(),
                format!("there are no nodes `{}` outside of functions", nodes.text),
            );
            return Err(wrong.help("declare them there, as the coarrays"));
        }
        if let Kind::LocalAlias { local, global } = &directive.kind {
            let alias = self.alias(local, global)?;
            if self.is_in_function(directive.span.start) {
                text.push(alias);
            }
        }
        let function = self.function_at(directive.span.start).map(|function| function.start_byte());
        match function {
            Some(start) if !outside.is_empty() => {
                self.edits.insert(start, outside.join(" ") + " ");
            }
            _ => text.append(&mut outside),
        }
        self.edits.replace(directive.span.clone(), text.join(" "));
        Ok(())
    }

    /// `local_alias`: the statement that has a pointer point to the part of an array.
    ///
    /// # Errors
    /// When one is no pointer, or the other one no array with memory.
    pub fn alias(&self, local: &Text, global: &Text) -> Result<String, Diagnostic> {
        let array = self.array(global)?;
        if array.pointer {
            let wrong = format!("`{}` has no memory yet", global.text);
            return Err(Diagnostic::new(global.span.clone(), wrong)
                .help("use the pointer itself after `xmp_malloc`"));
        }
        let found = self.names.meant(&local.text, local.span.start);
        if !found.is_some_and(|(_, variable)| variable.declarator.pointer) {
            let wrong = format!("`{}` is no pointer", local.text);
            let help = format!("declare it as a pointer to what a row of `{}` is", global.text);
            return Err(Diagnostic::new(local.span.clone(), wrong).help(help));
        }
        Ok(format!("{} = {MAP}{}.part;", local.text, global.text))
    }

    /// The start of the body of the function whose end is there.
    fn body_around(&self, end: usize) -> Option<usize> {
        let function =
            self.root.descendant_for_byte_range(end - 1, end - 1).and_then(function_of)?;
        Some(function.child_by_field_name("body")?.start_byte())
    }

    fn make_local(&self, array: &ArrayObject) -> Statements {
        let name = &array.name.text;
        let kept = array.home.kept;
        let (class, ends) =
            if kept { ("static ", "") } else { ("", " XMPRT_ENDS(xmprt_end_part)") };
        let mut statements =
            vec![format!("{class}xmprt_part {MAP}{name}{ends} = {{.array = {{0}}}};")];
        let mut made = self.objects.make_array(array)?;
        made.extend(self.initial_values(array)?);
        statements.push(once(kept, &format!("!{MAP}{name}.array.id"), made.join(" ")));
        if !array.pointer {
            statements.push(view(array).replacen(" =", " __attribute__((unused)) =", 1));
        }
        Ok(statements)
    }

    /// Edits the declaration of a distributed array: it becomes a pointer to its part.
    pub fn declare_array(&mut self, array: &ArrayObject) {
        let (name, qualifier) = (&array.name.text, array.qualifier());
        for variable in self.names.declarations(array.variable) {
            let place = &variable.declarator;
            let storage = match variable.class {
                Class::Extern => "extern ",
                Class::FileStatic => "static ",
                _ => "",
            };
            match variable.class {
                _ if variable.of.is_some() => self.declare_member(variable, storage),
                Class::Parameter => {
                    let names = self.name_in_list(place.name.start).into_iter();
                    for place in names.chain([place.name.clone()]) {
                        self.edits.replace(place, format!("{PREFIX}{name}"));
                    }
                }
                _ if array.pointer => {
                    let value = place
                        .value
                        .as_ref()
                        .filter(|value| !is_null(&self.source[(*value).clone()]));
                    if let Some(value) = value {
                        let wrong =
                            format!("`{name}` is distributed: this does not say where its part is");
                        let wrong = Diagnostic::new(value.clone(), wrong);
                        self.wrong.push(wrong.help("assign it after the directives"));
                    }
                }
                _ if place.value.is_some() => {
                    let value = place.value.as_ref().expect("it is there");
                    self.edits.replace(place.name.clone(), format!("{VALUES}{name}"));
                    self.edits.insert(value.end, format!(", *{qualifier}{PREFIX}{name}"));
                }
                _ => {
                    self.edits.replace(place.array.clone(), format!("*{qualifier}{PREFIX}{name}"));
                }
            }
            if array.home.local {
                continue;
            }
            let text = format!(" {storage}xmprt_part {MAP}{name};");
            self.edits.insert(variable.declaration.end, text);
        }
    }

    /// The name in the parentheses of a function in the old style of C, whose parameters are declared after them.
    fn name_in_list(&self, declared: usize) -> Option<Range<usize>> {
        let node = self.root.descendant_for_byte_range(declared, declared + 1)?;
        let around = ancestor(node, &["declaration", "parameter_declaration"])?;
        let function = around.parent().filter(|of| of.kind() == "function_definition")?;
        let list = descendants(function.child_by_field_name("declarator")?)
            .into_iter()
            .find(|node| node.kind() == "parameter_list")?;
        let mut names = descendants(list).into_iter().filter(|of| of.kind() == "identifier");
        let name = &self.source[node.byte_range()];
        names.find(|of| &self.source[of.byte_range()] == name).map(|of| of.byte_range())
    }

    /// Declares the part of a member beside the variable; the structure keeps a pointer, which has the type.
    fn declare_member(&mut self, variable: &Variable, storage: &str) {
        let member = variable.of.as_ref().expect("it is a member");
        let place = &variable.declarator.array;
        if !self.edits.is_replaced(place.start) {
            self.edits.replace(place.clone(), format!("*{PREFIX}{}", member.name));
        }
        let text = format!(
            " {storage}__typeof__(*{}.{PREFIX}{}) *{PREFIX}{};",
            member.variable, member.name, variable.name
        );
        self.edits.insert(variable.declaration.end, text);
    }
}

impl Objects {
    /// The declaration of nodes, and in a block the statements that make them.
    fn declare_nodes(&self, nodes: &NodesObject) -> Statements {
        let name = &nodes.declared.shape.name.text;
        if !nodes.home.local {
            return Ok(vec![format!("static xmprt_nodes {PREFIX}{name};")]);
        }
        let mut made = self.make_nodes(nodes)?;
        if nodes.home.kept {
            let made = made.join(" ");
            return Ok(vec![format!(
                "static xmprt_nodes {PREFIX}{name}; if (!{PREFIX}{name}.id) {{ {made} }}"
            )]);
        }
        let declared = format!("xmprt_nodes {PREFIX}{name} XMPRT_ENDS(xmprt_end_nodes) = {{0}};");
        made.insert(0, declared);
        Ok(made)
    }

    /// The declaration of a template, and in a block the statement that makes it.
    fn declare_template(&self, template: &TemplateObject) -> Statements {
        let name = &template.declared.name.text;
        let dims = template.declared.subscripts.len();
        let Home { local, kept, .. } = template.home;
        let class = if kept || !local { "static " } else { "" };
        let ends = if local && !kept { " XMPRT_ENDS(xmprt_end_template)" } else { "" };
        let mut statements = vec![format!(
            "{class}xmprt_template {PREFIX}{name}{ends} = {{0}}; \
             {class}xmprt_blocks {OWN}{name}[{dims}] = {{{{0}}}}; \
             {class}xmprt_extent {BOUNDS}{name}[{dims}] = {{{{0}}}};"
        )];
        if local {
            let made = self.make_template(template)?.join(" ");
            statements.push(once(kept, &format!("!{PREFIX}{name}.id"), made));
        }
        Ok(statements)
    }
}

/// Statements of something that is kept: they are executed only while a condition holds.
fn once(kept: bool, condition: &str, statements: String) -> String {
    if kept { format!("if ({condition}) {{ {statements} }}") } else { statements }
}
