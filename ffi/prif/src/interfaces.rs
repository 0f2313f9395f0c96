//! The interfaces of the module `prif`: constants and types of `head.F90`, and the procedures that the library declares.

use crate::declarations::{Declaration, declarations, forms};
use std::collections::HashMap;

/// The beginning of the module: what it is, constants, types, and interfaces of procedures that programs pass.
pub const HEAD: &str = include_str!("../head.F90");

/// The line of it that follows the constants.
const TYPES: &str = "  !> The version of PRIF.\n";

/// The sources that declare procedures, each with its subjects, in the order of the module.
const SOURCES: [(&str, &[&str]); 12] = [
    (include_str!("../../src/prif/startup.rs"), &["Start and end of a program"]),
    (include_str!("../../src/prif/images.rs"), &["Images"]),
    (include_str!("../../src/prif/storage.rs"), &["Allocation"]),
    (include_str!("../../src/prif/inquiry.rs"), &["Inquiries about coarrays"]),
    (include_str!("../../src/prif/contiguous.rs"), &["Contiguous access"]),
    (include_str!("../../src/prif/strided.rs"), &["Strided access"]),
    (include_str!("../../src/prif/sync.rs"), &["Synchronisation"]),
    (include_str!("../../src/prif/locks.rs"), &["Locks and critical constructs"]),
    (include_str!("../../src/prif/events.rs"), &["Events and notifications"]),
    (include_str!("../../src/prif/teams.rs"), &["Teams"]),
    (include_str!("../../src/prif/collectives.rs"), &["Collective subroutines"]),
    (include_str!("../../src/prif/atomics.rs"), &["Atomic operations", "Atomic accesses"]),
];

/// The sources that declare the types of parameters.
const DUMMIES: [&str; 2] =
    [include_str!("../../src/prif/dummies.rs"), include_str!("../../src/prif/static_coarrays.rs")];

/// The dummy arguments for the outcome.
const OUTCOME: [(&str, &str); 3] = [
    ("stat", "integer(c_int), intent(out), optional"),
    ("errmsg", "character(kind=c_char, len=*), intent(inout), optional"),
    ("errmsg_alloc", "character(kind=c_char, len=:), intent(inout), allocatable, optional"),
];

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
    /// Those of the library.
    ///
    /// # Panics
    /// When a source has another form.
    pub fn of_library() -> Interfaces {
        let forms = DUMMIES.into_iter().flat_map(forms).collect();
        let subjects = SOURCES.iter().flat_map(|(source, subjects)| {
            let declared = declarations(source);
            assert_eq!(declared.len(), subjects.len(), "{subjects:?}");
            subjects.iter().zip(declared).map(|(subject, declared)| {
                let procedures = declared.into_iter().map(|it| Procedure::declared(it, &forms));
                ((*subject).to_owned(), procedures.collect())
            })
        });
        let types = HEAD.find(TYPES).expect("the module has types");
        Interfaces {
            constants: HEAD[..types].lines().filter_map(constant).collect(),
            types: HEAD[types..].trim_end().to_owned() + "\n",
            subjects: subjects.collect(),
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
        found.unwrap_or_else(|| panic!("the module prif has no constant {name}")).1
    }
}

impl Procedure {
    /// The interface of a procedure that is declared in this way.
    fn declared(it: Declaration, forms: &HashMap<String, (String, String)>) -> Procedure {
        let name = it.name;
        let operand = |(name, of): (String, String)| {
            let form = forms.get(&of).unwrap_or_else(|| panic!("no `dummies!` has {of}"));
            Dummy { name, before: form.0.clone(), after: form.1.clone() }
        };
        let outcome = match it.status.as_str() {
            "" => &OUTCOME[..0],
            "stat" => &OUTCOME[..1],
            _ => &OUTCOME,
        };
        let of_outcome = |&(name, before): &(&str, &str)| Dummy {
            name: name.into(),
            before: before.into(),
            after: String::new(),
        };
        Procedure {
            doc: it.doc,
            // IMAGE_STATUS is elemental.
            prefix: if name == "image_status" { "impure elemental ".into() } else { String::new() },
            symbol: match it.kind.as_str() {
                "plain" => format!("prif_{name}"),
                "external" => format!("xmp_prif_{name}_"),
                _ => format!("xmp_prif_{name}"),
            },
            dummies: it
                .parameters
                .into_iter()
                .map(operand)
                .chain(outcome.iter().map(of_outcome))
                .collect(),
            name,
        }
    }

    /// Whether it is no interoperable procedure: compilers call it by the symbol of an external one.
    pub fn is_external(&self) -> bool {
        self.symbol.ends_with('_')
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_procedure_has_one_interface() {
        let interfaces = Interfaces::of_library();
        let names: BTreeSet<&str> = interfaces.procedures().map(|p| p.name.as_str()).collect();
        assert_eq!((names.len(), interfaces.procedures().count()), (109, 109));
    }

    #[test]
    fn external_procedures_have_an_underscore() {
        let interfaces = Interfaces::of_library();
        let external = interfaces.procedures().filter(|it| it.is_external());
        let symbols: Vec<&str> = external.map(|it| it.symbol.as_str()).collect();
        assert_eq!(symbols, ["xmp_prif_register_stop_callback_", "xmp_prif_image_status_"]);
    }
}
