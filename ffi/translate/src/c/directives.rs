//! The directives of a file, one after the other.

use super::communicate::wait_async;
use super::unit::{TranslationResult, Unit};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Directive, Kind, Reference};

impl Unit<'_> {
    /// Translates everything.
    pub fn translate(&mut self) {
        self.declare_coarrays();
        for nth in 0..self.objects.arrays.len() {
            self.declare_array(&self.objects.arrays[nth]);
        }
        let directives = self.directives;
        // Inner constructs first: constructs that close at the same place nest.
        for (nth, directive) in directives.iter().enumerate().rev() {
            if let Err(error) = self.directive(nth, directive) {
                self.wrong.push(error);
            }
        }
        self.atomics();
        self.coindexed();
        self.local_assignments();
        self.swaps();
        self.references();
        self.share_by_default();
        let start = self.at_file_scope();
        if !start.is_empty() {
            self.edits.insert(self.source.len(), start);
        }
        self.wrong.sort_by_key(|wrong| wrong.span.start);
    }

    fn directive(&mut self, nth: usize, directive: &Directive) -> TranslationResult {
        if directive.kind.declares() {
            return self.declaring(nth, directive);
        }
        if !self.is_in_function(directive.span.start) {
            let wrong = format!("`{}` has to be in a function", directive.keyword.text);
            return refuse(&directive.keyword.span, wrong);
        }
        match &directive.kind {
            Kind::Loop(of) => self.translate_loop(nth, directive, of),
            Kind::Task { on, nocomm } => self.task(nth, directive, on, *nocomm),
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
            Kind::Gmove { mode, id } => self.gmove(nth, directive, *mode, id.as_ref()),
            Kind::Barrier { on } => self.barrier(directive, on.as_ref()),
            Kind::Reduction { reduction, on, id } => {
                let on = self.objects.on(on.as_ref())?;
                let all = self.reduction(reduction, &on, id.as_ref())?.into_iter();
                let combine: Vec<String> = all.map(|(_, combine)| combine).collect();
                self.statement_on(directive, None, combine.join(" "))
            }
            Kind::Bcast { variables, from, on, id } => {
                let statements =
                    self.broadcast(variables, from.as_ref(), on.as_ref(), id.as_ref())?;
                self.statement_on(directive, None, statements)
            }
            Kind::WaitAsync { ids, on } => {
                let statements: Vec<String> = ids.iter().map(wait_async).collect();
                self.statement_on(directive, on.as_ref(), statements.join(" "))
            }
            Kind::Post { node, tag } => self.post(directive, node, tag),
            Kind::Wait { node, tag } => self.wait(directive, node.as_ref(), tag.as_ref()),
            Kind::Lock { unlock, variable, clauses } => {
                self.lock(directive, *unlock, variable, clauses)
            }
            Kind::Image { nodes } => self.image(nth, directive, nodes),
            _ => Err(not_supported(directive)),
        }
    }

    /// `task`: its nodes execute the statement after it.
    fn task(
        &mut self,
        nth: usize,
        directive: &Directive,
        on: &Reference,
        nocomm: bool,
    ) -> TranslationResult {
        let body = self.body_of(nth)?;
        let enter = self.objects.entering(on, nocomm)?;
        let text = if nocomm {
            format!("{{ if ({enter})")
        } else {
            format!("{{ int xmpt__in XMPRT_ENDS(xmprt_leave) = {enter}; if (xmpt__in)")
        };
        self.edits.replace(directive.span.clone(), text);
        self.edits.wrap(&body, "", " }");
        Ok(())
    }
}

fn not_supported(directive: &Directive) -> Diagnostic {
    let wrong = format!("the directive `{}` is not supported in C", directive.keyword.text);
    Diagnostic::new(directive.keyword.span.clone(), wrong)
}
