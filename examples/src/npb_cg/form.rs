//! The ways in which the images of a grid row come together.

use std::fmt;
use std::str::FromStr;

/// How the sums over a grid row are written. All give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Each sum is a task region of the row's images.
    Tasks,
    /// Sums on the team of the row, without changing to it.
    OnTeam,
    /// Each step of the power iteration is in the team of the row; what crosses rows is in terms of the initial team.
    Steps,
    /// The team of the row is entered and left around each sum.
    Sums,
}

impl Form {
    /// All forms.
    pub const ALL: [Form; 4] = [Form::Tasks, Form::OnTeam, Form::Steps, Form::Sums];

    /// What it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Form::Tasks => "tasks",
            Form::OnTeam => "on-team",
            Form::Steps => "steps",
            Form::Sums => "sums",
        }
    }
}

impl FromStr for Form {
    type Err = String;

    fn from_str(name: &str) -> Result<Form, String> {
        let form = Form::ALL.into_iter().find(|form| form.name() == name);
        form.ok_or_else(|| format!("not one of {}", Form::ALL.map(Form::name).join(", ")))
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Form::Tasks => "task regions",
            Form::OnTeam => "sums on row teams",
            Form::Steps => "steps in row teams",
            Form::Sums => "sums in row teams",
        })
    }
}
