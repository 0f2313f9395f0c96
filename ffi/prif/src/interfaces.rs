//! Reads `prif.F90`. Its form is fixed: two spaces a level, one dummy argument a declaration, `! Subject` before the
//! interfaces of a subject.

/// The module, as it is compiled.
const PRIF: &str = include_str!("../prif.F90");

/// The first line of the types, and the last one of the interfaces of procedures that programs pass.
const TYPES: [&str; 2] = ["  !> The version of PRIF.\n", "  end interface\n"];

/// The contents of a module of interfaces.
#[derive(Clone, Debug)]
pub struct Interfaces {
    /// Its constants, with their values.
    pub constants: Vec<(String, i32)>,
    /// Types, other constants, and interfaces of procedures that programs pass: lines of Fortran.
    pub types: String,
    /// Its subjects, each with its procedures.
    pub subjects: Vec<(String, Vec<Procedure>)>,
}

/// A procedure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Procedure {
    /// The lines of its documentation.
    pub doc: Vec<String>,
    /// Its name, without `prif_`.
    pub name: String,
    /// What is in front of `subroutine`, with a space after it.
    pub prefix: String,
    /// The symbol that a compiler refers to.
    pub symbol: String,
    /// Its dummy arguments.
    pub dummies: Vec<Dummy>,
}

/// A dummy argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dummy {
    /// Its name.
    pub name: String,
    /// Its type and attributes.
    pub before: String,
    /// Its shape, which follows the name.
    pub after: String,
}

impl Interfaces {
    /// Those of `prif.F90`.
    ///
    /// # Panics
    /// When that has another form.
    pub fn of_prif() -> Interfaces {
        let start = PRIF.find(TYPES[0]).expect("the module has types");
        let len = PRIF[start..].find(TYPES[1]).expect("the module has abstract interfaces");
        let end = start + len + TYPES[1].len();
        Interfaces {
            constants: PRIF[..start].lines().filter_map(constant).collect(),
            types: PRIF[start..end].into(),
            subjects: subjects(&PRIF[end..]),
        }
    }

    /// All procedures.
    pub fn procedures(&self) -> impl Iterator<Item = &Procedure> {
        self.subjects.iter().flat_map(|(_, procedures)| procedures)
    }

    /// The value of a constant.
    ///
    /// # Panics
    /// When there is none of this name.
    pub fn constant(&self, name: &str) -> i32 {
        let found = self.constants.iter().find(|(constant, _)| constant == name);
        found.unwrap_or_else(|| panic!("prif.F90 has no constant {name}")).1
    }
}

impl Procedure {
    /// How many of its last dummy arguments are for the outcome: `stat`, `errmsg` and `errmsg_alloc`.
    pub fn outcome(&self) -> usize {
        let is_of_outcome = |dummy: &&Dummy| {
            matches!(dummy.name.as_str(), "stat" | "errmsg" | "errmsg_alloc")
                && dummy.before.ends_with("optional")
        };
        self.dummies.iter().rev().take_while(is_of_outcome).count()
    }

    /// Its dummy arguments but those for the outcome.
    pub fn operands(&self) -> &[Dummy] {
        &self.dummies[..self.dummies.len() - self.outcome()]
    }

    /// The names of all dummy arguments.
    pub fn arguments(&self) -> Vec<&str> {
        self.dummies.iter().map(|dummy| dummy.name.as_str()).collect()
    }
}

/// `  integer(c_int), parameter, public :: NAME = VALUE`.
fn constant(line: &str) -> Option<(String, i32)> {
    let (name, value) = line.split_once(" :: ")?.1.split_once(" = ")?;
    Some((name.into(), value.parse().ok()?))
}

/// The subjects in the rest of the module.
fn subjects(text: &str) -> Vec<(String, Vec<Procedure>)> {
    let mut subjects: Vec<(String, Vec<Procedure>)> = Vec::new();
    let mut doc = Vec::new();
    let mut current: Option<Procedure> = None;
    for line in statements(text) {
        let statement = line.trim_start();
        if let Some(subject) = line.strip_prefix("  ! ") {
            subjects.push((subject.into(), Vec::new()));
        } else if let Some(line) = statement.strip_prefix("!>") {
            doc.push(line.into());
        } else if let Some((prefix, head)) = line.split_once("subroutine ") {
            current = Some(begin(prefix.trim_start(), head, std::mem::take(&mut doc)));
        } else if statement == "end subroutine" {
            let (_, procedures) = subjects.last_mut().expect("procedures have a subject");
            procedures.extend(current.take());
        } else if let Some((before, name)) = statement.split_once(" :: ") {
            let at = name.find('(').unwrap_or(name.len());
            let (name, after) = name.split_at(at);
            let procedure = current.as_mut().expect("dummy arguments are those of a procedure");
            procedure.dummies.push(Dummy {
                name: name.into(),
                before: before.into(),
                after: after.into(),
            });
        }
    }
    subjects
}

/// The lines, of which those that end with `&` go on with the next one.
fn statements(text: &str) -> Vec<String> {
    let mut statements = Vec::new();
    let mut start = String::new();
    for line in text.lines() {
        let line = if start.is_empty() { line } else { line.trim_start() };
        match line.strip_suffix('&') {
            Some(part) => start += part,
            None => statements.push(std::mem::take(&mut start) + line),
        }
    }
    statements
}

/// `NAME(...) bind(C, name='SYMBOL')`, or without `bind`: then it has the symbol of an external procedure.
fn begin(prefix: &str, head: &str, doc: Vec<String>) -> Procedure {
    let name = head.split('(').next().unwrap_or_default();
    let symbol = head.split_once("name='").and_then(|(_, rest)| rest.split('\'').next());
    Procedure {
        doc,
        name: name.trim_start_matches("xmp_").trim_start_matches("prif_").into(),
        prefix: prefix.into(),
        symbol: symbol.map_or_else(|| format!("{name}_"), String::from),
        dummies: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn procedures_on_several_lines_are_read() {
        let subjects = subjects(
            "  ! Allocation\n  interface\n    !> Allocates.\n    subroutine prif_allocate(size, stat &\n        ) \
             bind(C, name='xmp_prif_allocate')\n      import\n      integer(c_size_t), intent(in) :: size(:)\n      \
             integer(c_int), intent(out), optional :: stat\n    end subroutine\n  end interface\n",
        );
        let [(subject, procedures)] = &subjects[..] else { panic!("{subjects:?}") };
        let [procedure] = &procedures[..] else { panic!("{procedures:?}") };
        assert_eq!((subject.as_str(), procedure.name.as_str()), ("Allocation", "allocate"));
        assert_eq!((procedure.symbol.as_str(), procedure.outcome()), ("xmp_prif_allocate", 1));
        assert_eq!(procedure.doc, [" Allocates."]);
        let [operand] = procedure.operands() else { panic!("{procedure:?}") };
        assert_eq!((operand.name.as_str(), operand.after.as_str()), ("size", "(:)"));
    }

    #[test]
    fn external_procedures_have_an_underscore() {
        let procedure = begin("impure elemental ", "xmp_prif_image_status(image)", Vec::new());
        assert_eq!(procedure.symbol, "xmp_prif_image_status_");
        assert_eq!(procedure.name, "image_status");
    }

    #[test]
    fn every_procedure_has_one_interface() {
        let interfaces = Interfaces::of_prif();
        let names: BTreeSet<&str> = interfaces.procedures().map(|p| p.name.as_str()).collect();
        assert_eq!((names.len(), interfaces.procedures().count()), (109, 109));
    }
}
