//! The directives of a file, one after the other, and what they declare outside of functions.

use super::communicate::with_id;
use super::declare::{self, Statements, view};
use super::names::Class;
use super::objects::{ArrayObject, Layout};
use super::on::{PREFIX, operand};
use super::syntax::function_of;
use super::unit::{Done, Unit};
use crate::diagnostics::Diagnostic;
use crate::directive::{Directive, Kind};

impl Unit<'_> {
    /// Translates everything.
    pub fn translate(&mut self) {
        self.declare_coarrays();
        for nth in 0..self.objects.arrays.len() {
            self.declare_array(&self.objects.arrays[nth]);
        }
        let directives = self.directives;
        // Inner constructs first: what closes at the same place nests.
        for (nth, directive) in directives.iter().enumerate().rev() {
            if let Err(error) = self.directive(nth, directive) {
                self.wrong.push(error);
            }
        }
        self.coindexed();
        self.local_assignments();
        self.references();
        let start = self.at_file_scope();
        if !start.is_empty() {
            self.edits.insert(self.source.len(), start);
        }
        self.wrong.sort_by_key(|wrong| wrong.span.start);
    }

    fn directive(&mut self, nth: usize, directive: &Directive) -> Done {
        let declares = match &directive.kind {
            Kind::Nodes(_)
            | Kind::Template(_)
            | Kind::Distribute { .. }
            | Kind::Align(_)
            | Kind::Shadow { .. } => true,
            // Descriptors of procedures may be kept; ours are cheap to make again.
            Kind::StaticDesc(_) | Kind::SaveDesc(_) | Kind::Coarray { on: None, .. } => true,
            _ => false,
        };
        if declares {
            return self.declaring(nth, directive);
        }
        if !self.is_in_function(directive.span.start) {
            let wrong = format!("`{}` has to stand in a function", directive.keyword.text);
            return Err(Diagnostic::new(directive.keyword.span.clone(), wrong));
        }
        match &directive.kind {
            Kind::Loop(of) => self.translate_loop(nth, directive, of),
            Kind::Task { on, nocomm } => {
                let body = self.body_of(nth)?;
                let enter = self.objects.entering(on, *nocomm)?;
                let text = match nocomm {
                    true => format!("{{ if ({enter})"),
                    false => {
                        format!("{{ int xmp__in XMPT_ENDS(xmpt_end_task) = {enter}; if (xmp__in)")
                    }
                };
                self.edits.replace(directive.span.clone(), text);
                self.edits.wrap(&body, "", " }");
                Ok(())
            }
            Kind::Tasks => {
                self.body_of(nth)?;
                self.edits.replace(directive.span.clone(), "");
                Ok(())
            }
            Kind::Array { on } => self.array_assignment(nth, directive, on),
            Kind::TemplateFix { formats, template } => {
                let statements = self.objects.fix_template(formats, template)?;
                self.statement_on(directive, None, statements.join(" "))
            }
            Kind::Reflect(of) => {
                let statements = self.reflect(of, "reflect")?;
                self.statement_on(directive, None, statements)
            }
            Kind::ReduceShadow(of) => {
                let statements = self.reflect(of, "reduce_shadow")?;
                self.statement_on(directive, None, statements)
            }
            Kind::Gmove { mode, id } => self.gmove(nth, directive, (*mode, id.as_ref())),
            Kind::Barrier { on } => self.barrier(directive, on.as_ref()),
            Kind::Reduction { reduction, on, id } => {
                let combine: Vec<String> =
                    self.reduction(reduction)?.into_iter().map(|(_, combine)| combine).collect();
                self.statement_on(directive, on.as_ref(), with_id(id.as_ref(), combine.join(" ")))
            }
            Kind::Bcast { variables, from, on, id } => {
                let statements = self.broadcast(variables, from.as_ref())?;
                self.statement_on(directive, on.as_ref(), with_id(id.as_ref(), statements))
            }
            Kind::WaitAsync { ids, on } => {
                let wait =
                    |id| format!("_XMP_wait_async__({0}); xmpc_end_async({0});", operand(id));
                let statements: Vec<String> = ids.iter().map(wait).collect();
                self.statement_on(directive, on.as_ref(), statements.join(" "))
            }
            Kind::Post { node, tag } => {
                let text = self.posting("_XMP_post", node, Some(tag))?;
                self.statement_on(directive, None, text)
            }
            Kind::Wait { node: None, .. } => {
                self.statement_on(directive, None, "_XMP_wait_noargs();".into())
            }
            Kind::Wait { node: Some(node), tag } => {
                let call = if tag.is_some() { "_XMP_wait" } else { "_XMP_wait_node" };
                let text = self.posting(call, node, tag.as_ref())?;
                self.statement_on(directive, None, text)
            }
            _ => Err(not_supported(directive)),
        }
    }

    /// A declarative directive becomes declarations, and in a block the statements that make the objects as well.
    fn declaring(&mut self, nth: usize, directive: &Directive) -> Done {
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
        let ends = match array.class == Class::Parameter || array.pointer {
            true => "xmpt_end_argument",
            false => "xmpt_end_array",
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
    fn declare_array(&mut self, array: &ArrayObject) {
        let name = &array.name.text;
        if array.pointer {
            let inner_parts = array.dims.iter().skip(1).any(|dim| dim.layout != Layout::Whole);
            if inner_parts || array.shadow.iter().skip(1).any(declare::has_width) {
                let wrong = Diagnostic::new(
                    array.name.span.clone(),
                    "of a pointer, only the first dimension may be distributed",
                );
                self.wrong
                    .push(wrong.help("declare an array, or distribute the first dimension alone"));
            }
        }
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
    fn at_file_scope(&mut self) -> String {
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

fn not_supported(directive: &Directive) -> Diagnostic {
    let wrong = format!("the directive `{}` is not supported in C", directive.keyword.text);
    Diagnostic::new(directive.keyword.span.clone(), wrong)
}
