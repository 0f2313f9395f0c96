//! The four message techniques of UHCAF (Ge, Eachempati, Khaldi, Chapman: An Evaluation of Anticipated Extensions for
//! Fortran Coarrays, PGAS 2015, section IV). Each can be switched off to measure its effect.

/// A set of techniques. All images of a job use the same: the launcher writes them into the job page.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Techniques(u32);

impl Techniques {
    /// Credits of channels outlast an operation, so that none begins with a synchronisation of its partners.
    pub const DOUBLE_BUFFERING: Techniques = Techniques(1);
    /// Several packets may be in transit to a partner before it has taken the first.
    pub const WORK_BUFFERS: Techniques = Techniques(2);
    /// A packet is announced by its own last word, where the transport delivers bytes in order.
    pub const CANARY: Techniques = Techniques(4);
    /// Images of a host combine first, and their leader exchanges messages with other hosts.
    pub const TWO_LEVEL: Techniques = Techniques(8);
    /// None of them.
    pub const NONE: Techniques = Techniques(0);
    /// All of them: the default.
    pub const ALL: Techniques = Techniques(15);

    /// Single techniques with their names.
    pub const NAMES: [(&'static str, Techniques); 4] = [
        ("double-buffering", Techniques::DOUBLE_BUFFERING),
        ("work-buffers", Techniques::WORK_BUFFERS),
        ("canary", Techniques::CANARY),
        ("two-level", Techniques::TWO_LEVEL),
    ];

    /// Whether all of `others` are in this set.
    #[inline(always)]
    pub fn has(self, others: Techniques) -> bool {
        self.0 & others.0 == others.0
    }

    /// These and `others`.
    #[must_use]
    pub fn with(self, others: Techniques) -> Techniques {
        Techniques(self.0 | others.0)
    }

    /// These without `others`.
    #[must_use]
    pub fn without(self, others: Techniques) -> Techniques {
        Techniques(self.0 & !others.0)
    }

    /// `all`, `none` or a list of names; the error is the text of the valid values.
    pub(super) fn parse(text: &str) -> Result<Techniques, String> {
        let find = |name: &str| Techniques::NAMES.iter().find(|(known, _)| *known == name.trim());
        let refused = || {
            let names = Techniques::NAMES.map(|(name, _)| name).join(", ");
            format!("\"all\", \"none\" or a list of {names}")
        };
        match text {
            "all" => Ok(Techniques::ALL),
            "none" => Ok(Techniques::NONE),
            list => list.split(',').try_fold(Techniques::NONE, |set, name| {
                find(name).map(|(_, technique)| set.with(*technique)).ok_or_else(refused)
            }),
        }
    }
}

impl Default for Techniques {
    fn default() -> Self {
        Techniques::ALL
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn lists_of_names_are_sets() {
        assert_eq!(Techniques::parse("all"), Ok(Techniques::ALL));
        assert_eq!(Techniques::parse("none"), Ok(Techniques::NONE));
        let both = Techniques::CANARY.with(Techniques::TWO_LEVEL);
        assert_eq!(Techniques::parse("two-level, canary"), Ok(both));
        assert_eq!(both.without(Techniques::CANARY), Techniques::TWO_LEVEL);
        assert!(both.has(Techniques::CANARY) && !both.has(Techniques::ALL));
        let names = Techniques::NAMES.map(|(name, _)| name).join(",");
        assert_eq!(Techniques::parse(&names), Ok(Techniques::ALL));
    }

    #[test]
    fn other_names_are_refused() {
        for bad in ["", "canaries", "canary,", "canary,all", "All"] {
            assert!(Techniques::parse(bad).unwrap_err().contains("two-level"), "{bad}");
        }
    }
}
