//! The result of the benchmark, as it is printed.

use super::class::Class;
use super::form::Form;
use std::fmt;

/// Greatest relative error of zeta.
const TOLERANCE: f64 = 1e-10;

/// What came out, and how fast.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// The form.
    pub form: Form,
    /// The class.
    pub class: Class,
    /// Number of images.
    pub images: usize,
    /// The eigenvalue.
    pub zeta: f64,
    /// Time of the iterations.
    pub seconds: f64,
}

impl Report {
    /// How far zeta is from the official result.
    pub fn relative_error(&self) -> f64 {
        (self.zeta - self.class.zeta).abs() / self.class.zeta
    }

    /// Whether zeta is the official result.
    pub fn is_verified(&self) -> bool {
        // False for a NaN as well.
        self.relative_error() <= TOLERANCE
    }

    /// Millions of floating-point operations a second. Their number is that of the specification, not of what was
    /// executed.
    pub fn mops(&self) -> f64 {
        let Class { order, nonzeros, iterations, .. } = self.class;
        let products = (nonzeros * (nonzeros + 1)) as f64;
        let each = 3.0 + products + 25.0 * (5.0 + products) + 3.0;
        2.0 * f64::from(iterations) * order as f64 * each / self.seconds * 1e-6
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, " Form            = {}", self.form)?;
        writeln!(f, " Class           = {}", self.class)?;
        writeln!(f, " Size            = {}", self.class.order)?;
        writeln!(f, " Iterations      = {}", self.class.iterations)?;
        writeln!(f, " Images          = {}", self.images)?;
        writeln!(f, " Zeta            = {:.13}", self.zeta)?;
        writeln!(f, " Reference zeta  = {:.13}", self.class.zeta)?;
        writeln!(f, " Relative error  = {:9.2e}", self.relative_error())?;
        writeln!(f, " Time in seconds = {:.3}", self.seconds)?;
        writeln!(f, " Mop/s total     = {:.2}", self.mops())?;
        let verdict = if self.is_verified() { "SUCCESSFUL" } else { "FAILED" };
        write!(f, " VERIFICATION {verdict}")
    }
}
