//! Coarrays of C as they are declared: `int x[n]:[*];`.

use super::make::{doing, named};
use super::names::{Class, Names, Variable};
use super::normal::Normal;
use super::on::{DESCRIPTOR, PREFIX};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Directive, Kind, Subscript, Text};
use crate::meaning::naming;
use std::ops::Range;

/// A coarray.
#[derive(Clone, Debug)]
pub struct Coarray {
    /// The number of its variable.
    pub variable: usize,
    /// Its name.
    pub name: String,
    /// Its declaration.
    pub class: Class,
    /// Its sizes, in the order of C.
    pub sizes: Vec<String>,
    /// The sizes of its coshape but for the last one, which is `*`.
    pub coshape: Vec<String>,
    /// Its declaration, with the semicolon.
    pub declaration: Range<usize>,
    /// The name in it.
    pub declared_name: Range<usize>,
    /// The text from the end of the sizes to the end of the declarator: `:[*]`.
    pub codeclarator: Option<Range<usize>>,
    /// The initial value.
    pub value: Option<Range<usize>>,
    /// The nodes whose indices its cosubscripts are, instead of the executing images.
    pub on: Option<Text>,
}

/// All coarrays of a file.
#[derive(Debug, Default)]
pub struct Coarrays {
    all: Vec<Coarray>,
}

impl Coarrays {
    /// Collects them from declarations and from `coarray x : [*]`.
    pub fn of_file(
        names: &Names,
        normal: &Normal,
        source: &str,
        directives: &[Directive],
        wrong: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut all = Vec::new();
        for (number, variable) in names.all() {
            let whole = &variable.declarator.array;
            let colon = normal.cocolons.range(whole.clone()).next().copied();
            let Some(colon) = colon else { continue };
            match declared(number, variable, source, colon) {
                Ok(coarray) => all.push(coarray),
                Err(error) => wrong.push(error),
            }
        }
        for directive in directives {
            let Kind::Coarray { on: None, names: list, coshape } = &directive.kind else {
                continue;
            };
            for name in list {
                match listed(names, source, name, coshape) {
                    Ok(coarray) => all.push(coarray),
                    Err(error) => wrong.push(error),
                }
            }
        }
        for directive in directives {
            let Kind::Coarray { on: Some(nodes), names: list, .. } = &directive.kind else {
                continue;
            };
            for name in list {
                wrong.extend(place_on(&mut all, names, nodes, name).err());
            }
        }
        for coarray in &all {
            if let Err(error) = check(coarray, source) {
                wrong.push(error);
            }
        }
        Self { all }
    }

    /// The coarray that is this variable.
    pub fn of(&self, variable: usize) -> Option<&Coarray> {
        self.all.iter().find(|coarray| coarray.variable == variable)
    }

    /// All of them.
    pub fn all(&self) -> &[Coarray] {
        &self.all
    }
}

/// A variable that `coarray x : [*]` names.
fn listed(
    names: &Names,
    source: &str,
    name: &Text,
    coshape: &[Subscript],
) -> Result<Coarray, Diagnostic> {
    let Some((number, variable)) = names.meant(&name.text, name.span.start) else {
        return refuse(&name.span, format!("there is no variable `{}` here", name.text));
    };
    let text = |place: &Range<usize>| source[place.clone()].trim().to_owned();
    let cosize = |subscript: &Subscript| match subscript {
        Subscript::At(size) => Some(size.text.clone()),
        _ => None,
    };
    Ok(Coarray {
        variable: number,
        name: name.text.clone(),
        class: variable.class,
        sizes: variable.declarator.sizes.iter().map(text).collect(),
        coshape: coshape.iter().filter_map(cosize).collect(),
        declaration: variable.declaration.clone(),
        declared_name: variable.declarator.name.clone(),
        codeclarator: None,
        value: variable.declarator.value.clone(),
        on: None,
    })
}

/// A variable that is declared with cobounds.
fn declared(
    number: usize,
    variable: &Variable,
    source: &str,
    colon: usize,
) -> Result<Coarray, Diagnostic> {
    let place = &variable.declarator;
    let (sizes, images): (Vec<_>, Vec<_>) = place.sizes.iter().partition(|size| size.start < colon);
    let text = |place: &&Range<usize>| source[(*place).clone()].trim().to_owned();
    let mut coshape: Vec<String> = images.iter().map(text).collect();
    if coshape.pop().as_deref() != Some("*") {
        return Err(Diagnostic::new(colon..place.array.end, "the last size of a coshape is `*`")
            .help(format!("write `{}[..]:[*]`", variable.name)));
    }
    Ok(Coarray {
        variable: number,
        name: variable.name.clone(),
        class: variable.class,
        sizes: sizes.iter().map(text).collect(),
        coshape,
        declaration: variable.declaration.clone(),
        declared_name: place.name.clone(),
        codeclarator: Some(colon..place.array.end),
        value: place.value.clone(),
        on: None,
    })
}

/// `coarray on p :: x`
fn place_on(
    all: &mut [Coarray],
    names: &Names,
    nodes: &Text,
    name: &Text,
) -> Result<(), Diagnostic> {
    let number = names.meant(&name.text, name.span.start).map(|(number, _)| number);
    let Some(coarray) = all.iter_mut().find(|of| Some(of.variable) == number) else {
        return Err(Diagnostic::new(name.span.clone(), format!("`{}` is no coarray", name.text))
            .help("declare it with `:[*]`"));
    };
    if !coarray.coshape.is_empty() {
        let wrong = format!("`{}` is `on` nodes, but has several codimensions", name.text);
        return Err(Diagnostic::new(name.span.clone(), wrong)
            .help("declare it with `:[*]`: a cosubscript is the number of a node in their order"));
    }
    coarray.on = Some(nodes.clone());
    Ok(())
}

fn check(coarray: &Coarray, source: &str) -> Result<(), Diagnostic> {
    let name = coarray.declared_name.clone();
    if coarray.sizes.len() > 7 || coarray.coshape.len() > 6 {
        return refuse(name, "a coarray has at most 7 dimensions and 7 of its coshape");
    }
    if coarray.sizes.iter().any(String::is_empty) && coarray.class != Class::Extern {
        return refuse(name, "the sizes of a coarray have to be declared");
    }
    match coarray.class {
        Class::Parameter => Err(Diagnostic::new(name, "a parameter cannot be a coarray")
            .help("declare the coarray outside of functions")),
        Class::Local => Err(Diagnostic::new(
            name,
            format!("the coarray `{}` is declared in a function", coarray.name),
        )
        .help(
            "declare it outside of functions, or `static`: coarrays live as long as the program",
        )),
        _ => match &coarray.value {
            Some(value) if !coarray.sizes.is_empty() || source[value.clone()].starts_with('{') => {
                Err(Diagnostic::new(
                    value.clone(),
                    "an array that is a coarray has no initial values",
                )
                .help("assign them at the start of the program"))
            }
            _ => Ok(()),
        },
    }
}

impl Coarray {
    /// Its descriptor.
    pub fn descriptor(&self) -> String {
        format!("{DESCRIPTOR}{}", self.name)
    }

    /// A cosubscript as an image of the executing ones.
    pub fn image(&self, cosubscript: &str) -> String {
        match &self.on {
            Some(nodes) => format!("xmprt_image_of({PREFIX}{}, {cosubscript})", nodes.text),
            None => cosubscript.to_owned(),
        }
    }

    /// An element, for `sizeof`.
    pub fn element(&self) -> String {
        format!("(*{PREFIX}{}){}", self.name, "[0]".repeat(self.sizes.len()))
    }

    /// The statement that makes it, with all executing images.
    pub fn make(&self, source: &str) -> Vec<String> {
        let (name, element) = (format!("{PREFIX}{}", self.name), self.element());
        let list = |kind: &str, of: &[String]| match of {
            [] => "0, NULL".to_owned(),
            of => format!("{}, ({kind}[]){{{}}}", of.len(), of.join(", ")),
        };
        let call = format!(
            "xmprt_coarray_create(sizeof({element}), {}, {}, (void **)&{name}, &{})",
            list("int64_t", &self.sizes),
            list("int64_t", &self.coshape),
            self.descriptor()
        );
        let mut statements = vec![
            doing(&naming("coarray", &self.name), &call),
            named(&self.descriptor(), &self.name),
        ];
        if let Some(value) = &self.value {
            statements.push(format!("*{name} = {};", &source[value.clone()]));
        }
        statements
    }
}
