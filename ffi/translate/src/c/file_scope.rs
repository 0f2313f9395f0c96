//! Functions that make the objects outside of functions when the program starts, and end them.

use super::make::Statements;
use super::names::Class;
use super::on::{MAP, PREFIX};
use super::unit::Unit;
use crate::diagnostics::Diagnostic;
use crate::directive::{Directive, Kind};

/// The statements of both functions.
#[derive(Default)]
struct StartAndFinish {
    /// Those that make objects, and the place of the directive, whose line the compiler's messages name.
    start: Vec<(usize, String)>,
    /// Those that end objects, the first object first.
    finish: Vec<String>,
    wrong: Vec<Diagnostic>,
}

impl StartAndFinish {
    fn add(&mut self, at: usize, statements: Statements) {
        match statements {
            Ok(statements) => self.start.push((at, statements.join(" "))),
            Err(error) => self.wrong.push(error),
        }
    }
}

impl Unit<'_> {
    /// The text of both functions; empty if this file declares nothing outside of functions.
    pub fn at_file_scope(&mut self) -> String {
        let mut of = StartAndFinish::default();
        for (nth, directive) in self.directives.iter().enumerate() {
            self.make_at_start(nth, directive, &mut of);
        }
        for coarray in self.coarrays.all() {
            if matches!(coarray.class, Class::Global | Class::FileStatic) {
                of.add(coarray.declaration.start, Ok(coarray.make(self.source)));
            }
        }
        self.wrong.append(&mut of.wrong);
        if of.start.is_empty() {
            return String::new();
        }
        let line = |(at, text): &(usize, String)| format!("{}    {text}\n", self.line_of(*at));
        let start: String = of.start.iter().map(line).collect();
        let finish: String = of.finish.iter().rev().map(|text| format!("    {text}\n")).collect();
        format!(
            "\n/* What this file declares by directives. */\nstatic void xmpt__start(void)\n{{\n{start}}}\n\nstatic void xmpt__finish(void)\n{{\n{finish}}}\n\n\
             XMPRT_UNIT(xmpt__start, xmpt__finish)\n"
        )
    }

    /// The objects of a directive outside of functions.
    fn make_at_start(&self, nth: usize, directive: &Directive, of: &mut StartAndFinish) {
        let (objects, at) = (self.objects, directive.span.start);
        if let Kind::LocalAlias { local, global } = &directive.kind
            && !self.is_in_function(at)
        {
            of.add(at, self.alias(local, global).map(|alias| vec![alias]));
        }
        for nodes in objects.nodes.iter().filter(|of| of.directive == nth && !of.home.local) {
            of.add(at, objects.make_nodes(nodes));
            let name = &nodes.declared.shape.name.text;
            of.finish.push(format!("xmprt_end_nodes(&{PREFIX}{name});"));
        }
        for template in objects.templates.iter().filter(|template| !template.home.local) {
            if template.directive == nth {
                of.add(at, objects.make_template(template));
                let name = &template.declared.name.text;
                of.finish.push(format!("xmprt_end_template(&{PREFIX}{name});"));
            }
            if template.distributed == Some(nth) {
                of.add(at, objects.distribute_template(template));
            }
        }
        for array in objects.arrays.iter().filter(|of| of.directive == nth && !of.home.local) {
            let mut declarations = self.names.declarations(array.variable);
            if declarations.any(|variable| variable.class != Class::Extern) {
                of.add(at, objects.make_array(array));
                of.add(at, self.initial_values(array));
                of.finish.push(format!("xmprt_end_part(&{MAP}{});", array.name.text));
            }
        }
    }
}
