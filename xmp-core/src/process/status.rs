//! What a process's exit status says.

/// Exit status of error termination because of an error that an image or the runtime has found.
pub const ERROR_STATUS: i32 = 1;
/// Exit status of a process that could not become an image, as for a wrong command line.
pub const START_STATUS: u8 = 2;

/// The exit status for a code of STOP or ERROR STOP: its low byte, which is all that the system keeps, but
/// never 0 for a code that is not, so that a failure is not taken for a success.
pub fn exit_status(code: i32) -> u8 {
    match code as u8 {
        0 if code != 0 => 1,
        status => status,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_0_is_success() {
        for (code, status) in
            [(0, 0), (7, 7), (255, 255), (256, 1), (i32::MIN, 1), (257, 1), (-1, 255)]
        {
            assert_eq!(exit_status(code), status, "{code}");
        }
    }
}
