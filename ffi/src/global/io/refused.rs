//! Statements of `global_io` that are not executed.

use std::ffi::c_int;
use std::io;
use xmp_collectives::file::Failure;
use xmp_core::Error;

/// The value of IOSTAT= at the end of a file (IOSTAT_END of gfortran).
const END: c_int = -1;

/// Why a statement was not executed: the value of IOSTAT=, and the text for the end of the job.
#[derive(Debug)]
pub struct Refused {
    /// The value of IOSTAT=.
    pub number: c_int,
    /// The text.
    pub why: String,
}

impl Refused {
    /// A statement that is wrong.
    pub fn because(why: impl Into<String>) -> Refused {
        Refused { number: libc::EINVAL, why: why.into() }
    }

    /// The file has too few bytes.
    pub fn end_of_file() -> Refused {
        Refused { number: END, why: "the end of the file".into() }
    }
}

/// The outcome of a statement.
pub type StatementResult<T = ()> = Result<T, Stop>;

/// The reason why a statement ends early.
#[derive(Debug)]
pub enum Stop {
    /// An error that the program may handle.
    Refused(Refused),
    /// An error of the runtime.
    Runtime(Error),
}

impl From<Refused> for Stop {
    fn from(refused: Refused) -> Stop {
        Stop::Refused(refused)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        match failure {
            Failure::Runtime(Error::Invalid(why)) => Stop::Refused(Refused::because(why)),
            Failure::Runtime(error) => Stop::Runtime(error),
            Failure::System(number) => {
                let why = io::Error::from_raw_os_error(number).to_string();
                Stop::Refused(Refused { number, why })
            }
        }
    }
}
