//! The words of the languages for collective operations and types, for messages.

/// The language whose words a message uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// The words of this library, and the types of Rust.
    Rust,
    /// The functions of `xmprt.h`, and the types of C.
    C,
    /// Fortran's collective subroutines and types.
    Fortran,
    /// The directives of XcalableMP; types by their size, because its programs are in C or Fortran.
    Xmp,
}

/// What the numbers of a reduction are called.
struct Number {
    rust: &'static str,
    c: &'static str,
    fortran: &'static str,
    xmp: &'static str,
}

const NUMBERS: [Number; 12] = [
    Number { rust: "i8", c: "int8_t", fortran: "integer(1)", xmp: "integers of 1 byte" },
    Number { rust: "i16", c: "int16_t", fortran: "integer(2)", xmp: "integers of 2 bytes" },
    Number { rust: "i32", c: "int32_t", fortran: "integer(4)", xmp: "integers of 4 bytes" },
    Number { rust: "i64", c: "int64_t", fortran: "integer(8)", xmp: "integers of 8 bytes" },
    Number { rust: "u8", c: "uint8_t", fortran: "unsigned(1)", xmp: "unsigned integers of 1 byte" },
    Number {
        rust: "u16",
        c: "uint16_t",
        fortran: "unsigned(2)",
        xmp: "unsigned integers of 2 bytes",
    },
    Number {
        rust: "u32",
        c: "uint32_t",
        fortran: "unsigned(4)",
        xmp: "unsigned integers of 4 bytes",
    },
    Number {
        rust: "u64",
        c: "uint64_t",
        fortran: "unsigned(8)",
        xmp: "unsigned integers of 8 bytes",
    },
    Number { rust: "f32", c: "float", fortran: "real(4)", xmp: "reals of 4 bytes" },
    Number { rust: "f64", c: "double", fortran: "real(8)", xmp: "reals of 8 bytes" },
    Number { rust: "F80", c: "long double", fortran: "real(10)", xmp: "reals of 10 bytes" },
    Number { rust: "F128", c: "_Float128", fortran: "real(16)", xmp: "reals of 16 bytes" },
];

impl Language {
    /// What a reduction such as `sum of f64` is called: `sum of real(8)`.
    pub fn reduction(self, reduction: &str) -> String {
        let Some((operation, number)) = reduction.rsplit_once(' ') else { return reduction.into() };
        let Some(number) = NUMBERS.iter().find(|known| known.rust == number) else {
            return reduction.into();
        };
        match (self, operation.strip_suffix(" complex")) {
            (Language::Rust, _) => reduction.into(),
            (Language::C, _) => format!("{operation} {}", number.c),
            (Language::Xmp, _) => format!("{operation} {}", number.xmp),
            (Language::Fortran, None) => format!("{operation} {}", number.fortran),
            (Language::Fortran, Some(operation)) => {
                format!("{operation} {}", number.fortran.replace("real", "complex"))
            }
        }
    }

    /// What a collective operation with this reduction, if it has one, is called: `co_sum` for `allreduce`. Statements
    /// come with their own names.
    pub fn collective(self, operation: &str, reduction: &str) -> String {
        let subroutine = match operation {
            "allreduce" | "reduce" => {
                match reduction.split_once(' ').map_or("", |(first, _)| first) {
                    "sum" => "co_sum",
                    "minimum" => "co_min",
                    "maximum" => "co_max",
                    _ => "co_reduce",
                }
            }
            "broadcast" => "co_broadcast",
            _ => "",
        };
        match (self, operation) {
            (Language::Fortran, _) if !subroutine.is_empty() => subroutine.into(),
            (Language::C, _) if !subroutine.is_empty() => format!("xmprt_{subroutine}"),
            (Language::C, "sync all" | "sync team") => "xmprt_sync".into(),
            (Language::C, name) if MORE_OF_C.contains(&name) => format!("xmprt_co_{name}"),
            (Language::Xmp, "allreduce" | "reduce") => "reduction".into(),
            (Language::Xmp, "broadcast") => "bcast".into(),
            (_, name) => name.into(),
        }
    }
}

/// Operations that C has beside those of Fortran.
const MORE_OF_C: [&str; 11] = [
    "allgather",
    "allgatherv",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "alltoall",
    "alltoallv",
    "scan",
    "exscan",
    "reduce_scatter",
];

#[cfg(test)]
mod tests {
    use super::Language::{C, Fortran, Rust, Xmp};

    #[test]
    fn types_have_the_names_of_the_language() {
        assert_eq!(Fortran.reduction("sum of f64"), "sum of real(8)");
        assert_eq!(Fortran.reduction("sum of complex f32"), "sum of complex(4)");
        assert_eq!(Fortran.reduction("minimum of i64"), "minimum of integer(8)");
        assert_eq!(Fortran.reduction("maximum of characters"), "maximum of characters");
        assert_eq!(C.reduction("sum of complex f64"), "sum of complex double");
        assert_eq!(C.reduction("sum of u8"), "sum of uint8_t");
        assert_eq!(C.reduction("maximum of u64"), "maximum of uint64_t");
        assert_eq!(Xmp.reduction("maximum of i32"), "maximum of integers of 4 bytes");
        assert_eq!(Rust.reduction("sum of f64"), "sum of f64");
        assert_eq!(C.reduction(""), "");
    }

    #[test]
    fn operations_have_the_names_of_the_language() {
        assert_eq!(Fortran.collective("allreduce", "sum of f64"), "co_sum");
        assert_eq!(Fortran.collective("reduce", "maximum of characters"), "co_max");
        assert_eq!(Fortran.collective("allreduce", "program's operation"), "co_reduce");
        assert_eq!(Fortran.collective("broadcast", ""), "co_broadcast");
        assert_eq!(Fortran.collective("sync all", ""), "sync all");
        assert_eq!(C.collective("allreduce", "sum of f64"), "xmprt_co_sum");
        assert_eq!(C.collective("scatterv", ""), "xmprt_co_scatterv");
        assert_eq!(C.collective("barrier", ""), "barrier");
        assert_eq!(C.collective("sync all", ""), "xmprt_sync");
        assert_eq!(Xmp.collective("allreduce", "sum of f64"), "reduction");
        assert_eq!(Xmp.collective("broadcast", ""), "bcast");
        assert_eq!(Rust.collective("allreduce", "sum of f64"), "allreduce");
    }
}
