//! Executable directives and the statements that replace them.

use super::unit::{TranslationResult, Unit, checked_integer};
use super::writer::doing;
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{self, Brackets, Directive, Reference, Text};
use crate::meaning::Language;
use crate::meaning::declare::unknown;

impl Unit<'_> {
    /// Translates a directive.
    ///
    /// # Errors
    /// For text that is wrong or not supported.
    pub fn directive(&mut self, item: usize, directive: &Directive) -> TranslationResult {
        use directive::Kind;
        self.check_brackets(directive)?;
        match &directive.kind {
            Kind::Loop(of) => self.translate_loop(item, directive, of),
            Kind::Task { on, nocomm } => self.task(item, on, *nocomm),
            Kind::EndTask => {
                self.end_task(item);
                Ok(())
            }
            // Tasks are executed one after the other, each by its own nodes.
            Kind::Tasks if !self.scopes.ends.contains_key(&item) => {
                refuse(&directive.span, "this `tasks` has no `end tasks`")
            }
            Kind::Tasks | Kind::EndTasks => Ok(()),
            Kind::Barrier { on } => self.barrier(item, on.as_ref()),
            Kind::Reduction { reduction, on, id } => {
                self.reduce(item, reduction, on.as_ref(), id.as_ref())
            }
            Kind::Bcast { variables, from, on, id } => {
                self.broadcast(item, variables, (from.as_ref(), on.as_ref()), id.as_ref())
            }
            Kind::Reflect(of) => self.reflect(item, of, false),
            Kind::ReduceShadow(of) => self.reflect(item, of, true),
            Kind::WaitAsync { ids, on } => self.wait_async(item, ids, on.as_ref()),
            Kind::TemplateFix { formats, template } => self.template_fix(item, formats, template),
            Kind::Gmove { mode, id } => self.gmove(item, directive, *mode, id.as_ref()),
            Kind::Post { node, tag } => self.post(item, node, tag),
            Kind::Wait { node, tag } => self.wait(item, node.as_ref(), tag.as_ref()),
            Kind::Array { on } => self.array_assignment(item, directive, on),
            Kind::MasterIo { .. } | Kind::GlobalIo { .. } | Kind::EndIo { .. } => {
                self.parallel_io(item, directive)
            }
            Kind::FileSyncAll { unit } => {
                let call = format!(
                    "xmprt_fortran_file_sync({})",
                    checked_integer("file_sync_all: unit", &unit.text)
                );
                self.instead(item, vec![doing("file_sync_all", &call)]);
                Ok(())
            }
            Kind::Image { nodes } => self.image(item, directive, nodes),
            Kind::Lock { .. } => Err(not_supported(&directive.keyword)
                .help("in Fortran the statements `lock` and `unlock` do this")),
            Kind::Nodes(_)
            | Kind::Template(_)
            | Kind::Distribute { .. }
            | Kind::Align(_)
            | Kind::Shadow { .. }
            | Kind::Coarray { .. }
            | Kind::LocalAlias { .. }
            | Kind::StaticDesc(_)
            | Kind::SaveDesc(_) => Ok(()),
        }
    }

    /// Refuses square brackets, which belong to C.
    fn check_brackets(&self, directive: &Directive) -> TranslationResult {
        use directive::Kind;
        let references: Vec<&Reference> = match &directive.kind {
            Kind::Loop(of) => vec![&of.on],
            Kind::Task { on, .. } => vec![on],
            Kind::Template(all) => all.iter().collect(),
            Kind::Nodes(all) => all.iter().map(|nodes| &nodes.shape).collect(),
            Kind::Align(align) => vec![&align.with],
            Kind::Barrier { on } | Kind::Reduction { on, .. } => on.iter().collect(),
            Kind::Bcast { from, on, .. } => from.iter().chain(on).collect(),
            _ => Vec::new(),
        };
        match references.into_iter().find(|reference| reference.brackets == Some(Brackets::Square))
        {
            Some(reference) => Err(Diagnostic::new(
                reference.span.clone(),
                "square brackets are for directives in C",
            )
            .help("write parentheses, with indices from 1")),
            None => Ok(()),
        }
    }

    fn template_fix(
        &mut self,
        item: usize,
        formats: &[directive::Format],
        reference: &Reference,
    ) -> TranslationResult {
        let scope = self.scope_of(item);
        let (_, template) = self
            .objects
            .template_at(&reference.name.text, scope)
            .ok_or_else(|| unknown("template", &reference.name, Language::Fortran))?;
        if template.is_fixed() {
            let wrong = format!("the template `{}` is fixed where it is declared", template.name);
            return refuse(&reference.name.span, wrong);
        }
        let declared = template.declared.clone();
        let bounds = if reference.brackets.is_some() { Some(reference) } else { declared.as_ref() };
        let bounds = bounds.ok_or_else(|| {
            Diagnostic::new(reference.span.clone(), "the bounds of the template are missing")
        })?;
        let code = self.fix(template, bounds, formats)?;
        self.instead(item, code);
        Ok(())
    }
}

fn not_supported(keyword: &Text) -> Diagnostic {
    Diagnostic::new(keyword.span.clone(), format!("`{}` is not supported in Fortran", keyword.text))
}
