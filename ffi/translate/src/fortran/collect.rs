//! Declarative directives become objects.

use super::alias::alias;
use super::coarrays::on_node;
use super::components::{can_be, component};
use super::entries::entries;
use super::heads::Unit;
use super::items::Item;
use super::objects::{ArrayObject, NodesObject, Objects, TemplateObject, declared_array};
use super::scopes::Scopes;
use super::storage::{check_result, check_storage};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Align, Directive, Format, Kind, Nodes, Reference, Text, Width};
use crate::meaning::alignment::{aligned, check_template};
use crate::meaning::declare::{
    self, check_count, check_dims, check_distribution, check_shadow, fill,
    template_not_distributed, twice,
};
use crate::meaning::{Language, Layout};
use std::collections::HashSet;

/// Collects the objects of a file, in the order of its directives.
pub fn collect(
    items: &[Item],
    scopes: &Scopes,
    objects: &mut Objects,
    wrong: &mut Vec<Diagnostic>,
) {
    let mut refused = HashSet::new();
    for (number, item) in items.iter().enumerate() {
        let Item::Directive(directive) = item else { continue };
        let Some(scope) = scopes.of_item[number] else {
            wrong.push(Diagnostic::new(
                directive.span.clone(),
                "this directive is outside of program units",
            ));
            continue;
        };
        if scopes.all[scope].is_interface {
            continue;
        }
        let mut of =
            Collector { items, scopes, objects: &mut *objects, scope, refused: &mut refused };
        let done = of.directive(directive);
        let declares = matches!(done, Ok(true));
        if declares && scopes.all[scope].unit == Unit::Other {
            wrong.push(
                Diagnostic::new(
                    directive.span.clone(),
                    "this directive is not allowed in block data",
                )
                .help("declare the object in a module"),
            );
        }
        if declares && number > scopes.all[scope].body {
            wrong.push(Diagnostic::new(
                directive.span.clone(),
                "this directive has to be before the first executable statement",
            ));
        }
        wrong.extend(done.err());
    }
}

/// The context in which one directive is read.
struct Collector<'a> {
    items: &'a [Item],
    scopes: &'a Scopes,
    objects: &'a mut Objects,
    scope: usize,
    /// Arrays whose alignment was refused: one message is enough.
    refused: &'a mut HashSet<String>,
}

impl Collector<'_> {
    /// Whether the directive declares something.
    fn directive(&mut self, directive: &Directive) -> Result<bool, Diagnostic> {
        match &directive.kind {
            Kind::Nodes(all) => all.iter().try_for_each(|nodes| self.nodes(nodes))?,
            Kind::Template(all) => all.iter().try_for_each(|template| self.template(template))?,
            Kind::Distribute { templates, formats, onto, .. } => {
                for template in templates {
                    self.distribute(template, formats, onto)?;
                }
            }
            Kind::Align(align) => {
                let names = || align.arrays.iter().map(|array| array.text.clone());
                for array in &align.arrays {
                    self.align(array, align).inspect_err(|_| self.refused.extend(names()))?;
                }
            }
            Kind::Shadow { arrays, widths } => {
                for array in arrays {
                    if !self.refused.contains(&array.text) {
                        self.shadow(array, widths)?;
                    }
                }
            }
            Kind::Coarray { on: Some(nodes), names, .. } => self.coarrays(nodes, names)?,
            Kind::Coarray { on: None, .. } => {
                let wrong = "this form of the directive is one of C";
                return Err(Diagnostic::new(directive.span.clone(), wrong)
                    .help("declare the coarray in Fortran, as in `real :: x[*]`"));
            }
            Kind::LocalAlias { local, global } => {
                let names = [local, global];
                let (number, alias) =
                    alias(self.items, self.scopes, self.objects, self.scope, names)?;
                self.objects.arrays[number].alias = Some(alias);
            }
            // Descriptors last as long as their scope.
            Kind::SaveDesc(_) | Kind::StaticDesc(_) => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn nodes(&mut self, nodes: &Nodes) -> Result<(), Diagnostic> {
        let name = &nodes.shape.name;
        self.check_new(name)?;
        let dims = nodes.shape.subscripts.len();
        check_dims(dims, name, Language::Fortran)?;
        let declared = Some(nodes.clone());
        self.objects.nodes.push(NodesObject {
            name: name.text.clone(),
            home: self.scope,
            dims,
            declared,
        });
        Ok(())
    }

    fn template(&mut self, template: &Reference) -> Result<(), Diagnostic> {
        let name = &template.name;
        self.check_new(name)?;
        let dims = template.subscripts.len();
        check_dims(dims, name, Language::Fortran)?;
        self.objects.templates.push(TemplateObject {
            name: name.text.clone(),
            home: self.scope,
            dims,
            layouts: Vec::new(),
            declared: Some(template.clone()),
            distributed: None,
        });
        Ok(())
    }

    /// Coarrays whose cosubscripts are indices of nodes.
    fn coarrays(&mut self, nodes: &Text, names: &[Text]) -> Result<(), Diagnostic> {
        if self.objects.nodes_at(&nodes.text, self.scope).is_none() {
            return Err(unknown("nodes", nodes));
        }
        for name in names {
            let known = self.objects.on_node_at(&name.text, self.scope);
            if known.is_some_and(|of| of.home == self.scope) {
                return Err(twice(name, "mapped"));
            }
            let scope = &self.scopes.all[self.scope];
            let on_node = on_node(self.items, scope, self.scope, name, nodes)?;
            self.objects.on_node.push(on_node);
        }
        Ok(())
    }

    /// Nodes and templates have one name each, which no array of the scope has.
    fn check_new(&self, name: &Text) -> Result<(), Diagnostic> {
        let is_it = |home: usize, other: &str| home == self.scope && other == name.text;
        let Objects { nodes, templates, arrays, .. } = &*self.objects;
        let known = nodes.iter().any(|of| is_it(of.home, &of.name))
            || templates.iter().any(|of| is_it(of.home, &of.name))
            || arrays.iter().any(|of| is_it(of.home, &of.name));
        if known { Err(twice(name, "declared")) } else { Ok(()) }
    }

    fn distribute(
        &mut self,
        name: &Text,
        formats: &[Format],
        onto: &Text,
    ) -> Result<(), Diagnostic> {
        let scope = self.scope;
        let nodes =
            self.objects.nodes_at(&onto.text, scope).ok_or_else(|| unknown("nodes", onto))?;
        let (number, template) =
            self.objects.template_at(&name.text, scope).ok_or_else(|| unknown("template", name))?;
        if template.home != scope {
            let wrong = format!("the template `{}` is declared elsewhere", name.text);
            return Err(Diagnostic::new(name.span.clone(), wrong)
                .help("distribute it where it is declared"));
        }
        let known = (template.dims, !template.layouts.is_empty());
        check_distribution(name, known, formats, (onto, nodes.dims))?;
        let template = &mut self.objects.templates[number];
        template.layouts = formats.iter().map(Layout::of).collect();
        template.distributed = Some((formats.to_vec(), onto.clone()));
        Ok(())
    }

    fn align(&mut self, name: &Text, align: &Align) -> Result<(), Diagnostic> {
        let scope = self.scope;
        let with = &align.with;
        let (template, known) = self
            .objects
            .template_at(&with.name.text, scope)
            .ok_or_else(|| unknown("template", &with.name))?;
        check_template(align, known.dims, &known.layouts)?;
        let own = &self.scopes.all[scope];
        let (variable, designators) = if name.text.contains('%') {
            let component = component(self.items, own, name)?;
            (component.variable, component.designators)
        } else {
            check_result(self.items, own, name)?;
            check_storage(self.items, own, name)?;
            (declared_array(self.items, own, name)?, vec![name.text.clone()])
        };
        let given = (align.subscripts.len(), "subscript");
        check_count(given, variable.dims.len(), &name.text, &name.span)?;
        check_dims(variable.dims.len(), name, Language::Fortran)?;
        if self.objects.arrays.iter().any(|array| array.home == scope && array.name == name.text) {
            return Err(twice(name, "aligned"));
        }
        self.check_new(name)?;
        let is_dummy = is_dummy(self.items, self.scopes, scope, &name.text);
        let unfixed_here = known.home == scope && !known.is_fixed();
        if unfixed_here && !variable.is_deferred {
            let wrong = format!(
                "`{}` needs memory here, but its template `{}` is not fixed yet",
                name.text, with.name.text
            );
            return Err(Diagnostic::new(name.span.clone(), wrong)
                .help("make the array allocatable, and allocate it after `template_fix`"));
        }
        let dims = aligned(align, &known.layouts, Language::Fortran)?;
        let component = name.text.contains('%').then(|| name.text.clone());
        if component.is_some() && dims.iter().any(|dim| !can_be(dim.layout)) {
            return refuse(&name.span, "a component cannot be distributed in cyclic order");
        }
        self.objects.arrays.extend(designators.into_iter().map(|designator| ArrayObject {
            name: designator,
            home: scope,
            template,
            dims: dims.clone(),
            shadow: Vec::new(),
            is_dummy,
            is_deferred: variable.is_deferred,
            component: component.clone(),
            alias: None,
            variable: Some(variable.clone()),
            place: name.clone(),
        }));
        Ok(())
    }

    fn shadow(&mut self, name: &Text, widths: &[Width]) -> Result<(), Diagnostic> {
        let scope = self.scope;
        let is_component = |of: &ArrayObject| {
            of.home == scope && of.component.as_deref() == Some(name.text.as_str())
        };
        let all = self.objects.arrays.iter().enumerate().filter(|(_, of)| is_component(of));
        let mut numbers: Vec<usize> = all.map(|(number, _)| number).collect();
        if numbers.is_empty() {
            numbers.push(self.objects.array(name, scope)?.0);
        }
        for number in numbers {
            let array = &mut self.objects.arrays[number];
            check_shadow(name, &array.dims, !array.shadow.is_empty(), widths)?;
            fill(&mut array.dims, widths, Layout::Piece);
            array.shadow = widths.to_vec();
        }
        Ok(())
    }
}

/// Whether a procedure, or an entry of it, has an argument of that name.
fn is_dummy(items: &[Item], scopes: &Scopes, home: usize, name: &str) -> bool {
    let scope = &scopes.all[home];
    let Some(head) = scope.head.as_ref() else { return false };
    let arguments = head.arguments.clone().unwrap_or_default();
    let code = items[scope.first].statement().map_or("", |statement| &statement.code[arguments]);
    code.split(',').any(|argument| argument.trim() == name)
        || entries(items, scopes, home).iter().any(|of| of.arguments.iter().any(|of| of == name))
}

/// The error that something is not declared.
fn unknown(what: &str, name: &Text) -> Diagnostic {
    declare::unknown(what, name, Language::Fortran)
}

/// Templates without `distribute`.
pub fn check(objects: &Objects, wrong: &mut Vec<Diagnostic>) {
    for template in &objects.templates {
        if let (Some(declared), None) = (&template.declared, &template.distributed) {
            wrong.push(template_not_distributed(&declared.name, "add a `distribute` directive"));
        }
    }
}
