//! Executable directives and the statements that replace them.

use super::on::{self, NOTHING, On};
use super::reduction::with_id;
use super::unit::{TranslationResult, Unit, descriptor, integer};
use super::writer::{Code, doing};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{self, Brackets, Directive, Reference, Reflect, Subscript, Text};
use crate::meaning::Language;
use crate::meaning::communicate::{Widths, widths};
use crate::meaning::declare::unknown;
use crate::meaning::naming;

/// Flags of `xmprt_reflect`.
const ORTHOGONAL: u8 = 1;
const CARRIED: u8 = 2;

/// `XMPRT_SUM`
const SUM: u8 = 1;

impl Unit<'_> {
    /// Translates a directive.
    ///
    /// # Errors
    /// For text that is wrong or not supported.
    pub fn directive(&mut self, item: usize, directive: &Directive) -> TranslationResult {
        use directive::Kind;
        let scope = self.scope_of(item);
        self.check_brackets(directive)?;
        match &directive.kind {
            Kind::Loop(of) => self.translate_loop(item, directive, of),
            Kind::Task { on, nocomm } => {
                let enter =
                    if *nocomm { ("xmprt_is_on", "is") } else { ("xmprt_task_begin", "executes") };
                let code = self.entering(&self.on(on, scope)?, enter, scope);
                self.instead(item, code);
                if !*nocomm {
                    self.leave_by_return(item)?;
                }
                Ok(())
            }
            Kind::EndTask => {
                let leave = self.task_of(item).then(leaving);
                self.instead(item, leave.into_iter().chain(["end if".into()]).collect());
                Ok(())
            }
            // Tasks are executed one after the other, each by its own nodes.
            Kind::Tasks if !self.scopes.ends.contains_key(&item) => {
                refuse(&directive.span, "this `tasks` has no `end tasks`")
            }
            Kind::Tasks | Kind::EndTasks => Ok(()),
            Kind::Barrier { on } => {
                let on = self.on_or_nothing(on.as_ref(), scope)?;
                let call = format!("xmprt_barrier({})", on.arguments());
                self.instead(item, vec![doing("barrier", &call)]);
                Ok(())
            }
            Kind::Reduction { reduction, on, id } => {
                self.reduce(item, reduction, on.as_ref(), id.as_ref())
            }
            Kind::Bcast { variables, from, on, id } => {
                let (from, on) = self.broadcast(from.as_ref(), on.as_ref(), scope)?;
                let (from, on, id) = (from.named("from_at"), on.arguments(), with_id(id.as_ref()));
                let call = |variable: &Reference| {
                    let variable = self.text(variable);
                    let call =
                        format!("xmprt_fortran_broadcast({variable}, from={from}, {on}{id})");
                    doing(&naming("bcast", &variable), &call)
                };
                let code = variables.iter().map(call).collect();
                self.instead(item, code);
                Ok(())
            }
            Kind::Reflect(of) => self.reflect(item, of, false),
            Kind::ReduceShadow(of) => self.reflect(item, of, true),
            Kind::WaitAsync { ids, on } => {
                let mut code: Vec<Code> = ids.iter().map(wait_async).collect();
                if let Some(on) = on {
                    let on = self.on(on, scope)?;
                    let mut enter = self.entering(&on, ("xmprt_is_on", "is"), scope);
                    enter.append(&mut code);
                    code = enter.into_iter().chain(["end if".into()]).collect();
                }
                self.instead(item, code);
                Ok(())
            }
            Kind::TemplateFix { formats, template } => self.template_fix(item, formats, template),
            Kind::Gmove { mode, id } => self.gmove(item, directive, *mode, id.as_ref()),
            Kind::Post { node, tag } => {
                let node = self.node(node, scope)?;
                let call = format!("xmprt_post({node}, tag={})", integer(&tag.text));
                self.instead(item, vec![doing("post", &call)]);
                Ok(())
            }
            Kind::Wait { node, tag } => {
                let node = match node {
                    Some(node) => self.node(node, scope)?,
                    None => NOTHING.to_owned(),
                };
                let tag = tag.as_ref().map(|tag| format!(", tag={}", integer(&tag.text)));
                let call = format!("xmprt_await({node}{})", tag.unwrap_or_default());
                self.instead(item, vec![doing("wait", &call)]);
                Ok(())
            }
            Kind::Array { on } => self.array_assignment(item, directive, on),
            Kind::MasterIo { .. } | Kind::GlobalIo { .. } | Kind::EndIo { .. } => {
                self.parallel_io(item, directive)
            }
            Kind::FileSyncAll { unit } => {
                let call = format!("xmprt_fortran_file_sync({})", integer(&unit.text));
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

    /// Whether an `end task` belongs to a task with communication.
    fn task_of(&self, end: usize) -> bool {
        let starts =
            self.scopes.ends.iter().filter(|(_, last)| **last == end).map(|(start, _)| *start);
        starts.into_iter().any(|start| {
            let super::items::Item::Directive(directive) = &self.items[start] else {
                return false;
            };
            matches!(directive.kind, directive::Kind::Task { nocomm: false, .. })
        })
    }

    fn reflect(&mut self, item: usize, of: &Reflect, adds: bool) -> TranslationResult {
        let scope = self.scope_of(item);
        let mut code: Vec<Code> = Vec::new();
        for name in &of.arrays {
            let (_, array) = self.objects.array(name, scope)?;
            let descriptor = descriptor(&name.text);
            // Without widths, there is nothing to do where there is no shadow.
            let has_shadow =
                !array.shadow.is_empty() || array.variable.is_none() || of.widths.is_empty();
            let known = (name, array.dims.len());
            let widths = widths(of, known, has_shadow, Language::Fortran)?;
            let halo = |Widths { lower, upper, flag }| {
                [integer(&lower.text), integer(&upper.text), u8::from(flag).to_string()]
            };
            let widths: Vec<[String; 3]> = widths.into_iter().map(halo).collect();
            let halos = if widths.is_empty() {
                String::new()
            } else {
                format!(", halos={}", on::list(&widths))
            };
            let id = with_id(of.id.as_ref());
            // The added elements come from neighbours along one dimension anyway. The type is the array's own.
            code.push(match (adds, &of.orthogonal) {
                (true, _) => {
                    let flags = ORTHOGONAL + CARRIED;
                    let of = format!("{descriptor}, type=0, op={SUM}, flags={flags}{halos}{id}");
                    doing(
                        &naming("reduce_shadow", &name.text),
                        &format!("xmprt_reduce_shadow({of})"),
                    )
                }
                (false, orthogonal) => {
                    let flags = if orthogonal.is_some() { ORTHOGONAL } else { CARRIED };
                    let call = format!("xmprt_reflect({descriptor}, flags={flags}{halos}{id})");
                    doing(&naming("reflect", &name.text), &call)
                }
            });
        }
        self.instead(item, code);
        Ok(())
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

    /// Nodes and the subscripts of one of them.
    fn node(&self, node: &Reference, scope: usize) -> Result<String, Diagnostic> {
        self.target(node, scope)?.check_node(node)?;
        Ok(format!("{}, at={}", descriptor(&node.name.text), on::list(&on::ranges(node))))
    }

    /// The source of a broadcast, and its receivers: with a `*` in `from`, those that have the same index there.
    fn broadcast(
        &self,
        from: Option<&Reference>,
        on: Option<&Reference>,
        scope: usize,
    ) -> Result<(On, On), Diagnostic> {
        if let Some(from) = from {
            self.target(from, scope)?.check_source(from)?;
        }
        let source = self.on_or_nothing(from, scope)?;
        let is_own = |of: &Subscript| matches!(of, Subscript::Star(_));
        let line = from.filter(|from| {
            on.is_none()
                && from.subscripts.iter().any(is_own)
                && self.objects.nodes_at(&from.name.text, scope).is_some()
        });
        let Some(line) = line else { return Ok((source, self.on_or_nothing(on, scope)?)) };
        let range = |of: &Subscript| if is_own(of) { on::own_place() } else { on::whole() };
        let ranges = line.subscripts.iter().map(range);
        let at = Some(on::list(&ranges.collect::<Vec<_>>()));
        let object = source.object.clone();
        Ok((source, On { object, at }))
    }

    /// Statements that enter nodes, by a function with a result of this name: up to `then`.
    pub fn entering(&mut self, on: &On, (enter, result): (&str, &str), scope: usize) -> Vec<Code> {
        let variable = self.counter(scope);
        let call = format!("{enter}({}, {result}={variable})", on.arguments());
        vec![doing("task", &call), format!("if ({variable} /= 0) then").into()]
    }
}

/// The statement that leaves a task.
pub fn leaving() -> Code {
    doing("end task", "xmprt_task_end()")
}

/// The statement that waits for an id.
pub fn wait_async(id: &Text) -> Code {
    doing("wait_async", &format!("xmprt_wait_async(int({}, 8))", id.text))
}

fn not_supported(keyword: &Text) -> Diagnostic {
    Diagnostic::new(keyword.span.clone(), format!("`{}` is not supported in Fortran", keyword.text))
}
