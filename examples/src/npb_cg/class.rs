//! The classes of the benchmark.

use std::fmt;
use std::str::FromStr;

/// One class, with the official result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Class {
    /// Its letter.
    pub name: char,
    /// Order of the matrix.
    pub order: usize,
    /// Non-zeros of a generating vector.
    pub nonzeros: usize,
    /// Steps of the power iteration.
    pub iterations: u32,
    /// What is subtracted from the diagonal.
    pub shift: f64,
    /// The eigenvalue.
    pub zeta: f64,
}

impl Class {
    /// All classes, the smallest first.
    pub const ALL: [Class; 4] = [
        Class::new('S', 1400, 7, 15, 10.0, 8.5971775078648),
        Class::new('W', 7000, 8, 15, 12.0, 10.362595087124),
        Class::new('A', 14000, 11, 15, 20.0, 17.130235054029),
        Class::new('B', 75000, 13, 75, 60.0, 22.712745482631),
    ];

    const fn new(
        name: char,
        order: usize,
        nonzeros: usize,
        iterations: u32,
        shift: f64,
        zeta: f64,
    ) -> Class {
        Class { name, order, nonzeros, iterations, shift, zeta }
    }
}

impl FromStr for Class {
    type Err = String;

    fn from_str(name: &str) -> Result<Class, String> {
        let class = Class::ALL.into_iter().find(|class| name.chars().eq([class.name]));
        class.ok_or_else(|| "not one of S, W, A, B".into())
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)
    }
}
