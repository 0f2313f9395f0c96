//! Declarative directives and the declarations of distributed arrays, in blocks and outside of functions.

use super::make::Statements;
use super::make_array::view;
use super::names::Class;
use super::objects::ArrayObject;
use super::on::PREFIX;
use super::syntax::function_of;
use super::unit::{Done, Unit};
use crate::diagnostics::Diagnostic;
use crate::directive::Directive;

impl Unit<'_> {
    /// A declarative directive becomes declarations, and in a block the statements that make the objects as well.
    ///
    /// # Errors
    /// For sizes and bounds that cannot be made.
    pub fn declaring(&mut self, nth: usize, directive: &Directive) -> Done {
        let mut text = Vec::new();
        let objects = self.objects;
        for nodes in objects.nodes.iter().filter(|nodes| nodes.directive == nth) {
            let name = &nodes.declared.shape.name.text;
            if nodes.home.local {
                text.push(format!("void *{PREFIX}{name} XMPT_ENDS(xmpt_end_nodes) = 0;"));
                text.extend(objects.make_nodes(nodes)?);
            } else {
                text.push(format!("static void *{PREFIX}{name};"));
            }
        }
        for template in &objects.templates {
            let name = &template.declared.name.text;
            let dims = template.declared.subscripts.len();
            if template.directive == nth {
                let (class, ends) = if template.home.local {
                    ("", " XMPT_ENDS(xmpt_end_template)")
                } else {
                    ("static ", "")
                };
                text.push(format!(
                    "{class}struct xmpt_template {PREFIX}{name}{ends} = {{.dims = {dims}}};"
                ));
                if template.home.local {
                    text.extend(objects.make_template(template)?);
                }
            }
            if template.distributed == Some(nth) && template.home.local {
                text.extend(objects.distribute_template(template)?);
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
        self.edits.replace(directive.span.clone(), text.join(" "));
        Ok(())
    }

    /// The start of the body of the function whose end is there.
    fn body_around(&self, end: usize) -> Option<usize> {
        let function =
            self.root.descendant_for_byte_range(end - 1, end - 1).and_then(function_of)?;
        Some(function.child_by_field_name("body")?.start_byte())
    }

    fn make_local(&self, array: &ArrayObject) -> Statements {
        let name = &array.name.text;
        let ends = if array.class == Class::Parameter || array.pointer {
            "xmpt_end_argument"
        } else {
            "xmpt_end_array"
        };
        let dims = array.dims.len();
        let mut statements = vec![format!(
            "struct xmpt_array {PREFIX}{name}_map XMPT_ENDS({ends}) = {{.dims = {dims}}};"
        )];
        statements.extend(self.objects.make_array(array)?);
        if !array.pointer {
            statements.push(view(array).replacen(" =", " __attribute__((unused)) =", 1));
        }
        Ok(statements)
    }

    /// Edits the declaration of a distributed array: it becomes a pointer to its part.
    pub fn declare_array(&mut self, array: &ArrayObject) {
        let name = &array.name.text;
        for variable in self.names.declarations(array.variable) {
            let place = &variable.declarator;
            if let Some(value) = &place.value {
                let wrong = Diagnostic::new(
                    value.clone(),
                    format!("the distributed array `{name}` has no initial values"),
                );
                self.wrong.push(wrong.help("assign them in a loop with the directive `loop`"));
                continue;
            }
            let storage = match variable.class {
                Class::Extern => "extern ",
                Class::FileStatic => "static ",
                _ => "",
            };
            match variable.class {
                Class::Parameter => {
                    self.edits.replace(place.name.clone(), format!("{PREFIX}{name}"))
                }
                _ if array.pointer => {}
                _ => self.edits.replace(place.array.clone(), format!("*{PREFIX}{name}")),
            }
            if array.home.local {
                continue;
            }
            let value = if variable.class == Class::Extern {
                String::new()
            } else {
                format!(" = {{.dims = {}}}", array.dims.len())
            };
            let text = format!(" {storage}struct xmpt_array {PREFIX}{name}_map{value};");
            self.edits.insert(variable.declaration.end, text);
        }
    }

    /// Functions that make the objects outside of functions when the program starts, and end them.
    pub fn at_file_scope(&mut self) -> String {
        let (mut start, mut finish) = (Vec::new(), Vec::new());
        let mut wrong = Vec::new();
        let objects = self.objects;
        // The compiler's messages name the line of the directive.
        let mut add = |at: usize, statements: Statements| match statements {
            Ok(statements) => start.push((at, statements.join(" "))),
            Err(error) => wrong.push(error),
        };
        for (nth, directive) in self.directives.iter().enumerate() {
            let at = directive.span.start;
            for nodes in
                objects.nodes.iter().filter(|nodes| nodes.directive == nth && !nodes.home.local)
            {
                add(at, objects.make_nodes(nodes));
                finish.push(format!(
                    "_XMP_finalize_nodes({PREFIX}{});",
                    nodes.declared.shape.name.text
                ));
            }
            for template in objects.templates.iter().filter(|template| !template.home.local) {
                if template.directive == nth {
                    add(at, objects.make_template(template));
                    finish.push(format!(
                        "xmpt_end_template(&{PREFIX}{});",
                        template.declared.name.text
                    ));
                }
                if template.distributed == Some(nth) {
                    add(at, objects.distribute_template(template));
                }
            }
            for array in
                objects.arrays.iter().filter(|array| array.directive == nth && !array.home.local)
            {
                let is_defined = self
                    .names
                    .declarations(array.variable)
                    .any(|variable| variable.class != Class::Extern);
                if is_defined {
                    add(at, objects.make_array(array));
                    let end = if array.pointer { "xmpt_end_argument" } else { "xmpt_end_array" };
                    finish.push(format!("{end}(&{PREFIX}{}_map);", array.name.text));
                }
            }
        }
        for coarray in self.coarrays.all() {
            if matches!(coarray.class, Class::Global | Class::FileStatic) {
                add(coarray.declaration.start, Ok(coarray.make(self.source)));
            }
        }
        self.wrong.extend(wrong);
        if start.is_empty() {
            return String::new();
        }
        finish.reverse();
        let line = |(at, text): &(usize, String)| format!("{}    {text}\n", self.line_of(*at));
        let start: String = start.iter().map(line).collect();
        let finish: String = finish.iter().map(|text| format!("    {text}\n")).collect();
        format!(
            "\n/* What this file declares by directives. */\nstatic void xmp__start(void)\n{{\n{start}}}\n\nstatic void xmp__finish(void)\n{{\n{finish}}}\n\n\
             XMPT_FILE(xmp__start, xmp__finish)\n"
        )
    }
}
