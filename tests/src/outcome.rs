//! The end of a run, and the assertions of tests about it.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

/// A run that has ended. The `expect`ing methods return it again, so that they can be chained.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The command.
    pub what: String,
    /// Exit status of the launcher, or of the program.
    pub status: ExitStatus,
    /// Time from start to end.
    pub took: Duration,
    /// Standard output, whole.
    pub stdout: String,
    /// Standard error, whole.
    pub stderr: String,
}

/// What mpirun of Open MPI 4.1 says when a process that it has started was faster than itself.
const LATE_LAUNCHER: &str = "plm:rsh: Warning: setpgid";

impl Outcome {
    /// Status 0.
    #[track_caller]
    pub fn succeeded(&self) -> &Outcome {
        self.exited_with(0)
    }

    /// This exit status.
    #[track_caller]
    pub fn exited_with(&self, code: i32) -> &Outcome {
        self.check(self.status.code() == Some(code), || format!("exit status {code}"))
    }

    /// Killed by this signal itself (not: exited with 128 + signal).
    #[track_caller]
    pub fn died_of(&self, signal: i32) -> &Outcome {
        self.check(self.status.signal() == Some(signal), || format!("death by signal {signal}"))
    }

    /// Nothing on either output.
    #[track_caller]
    pub fn silent(&self) -> &Outcome {
        let is_silent = self.stdout.is_empty() && self.stderr_lines().next().is_none();
        self.check(is_silent, || "no output".into())
    }

    /// The lines of standard error, without empty ones and without what a launcher says that was late.
    pub fn stderr_lines(&self) -> impl Iterator<Item = &str> {
        self.stderr.lines().filter(|line| !line.is_empty() && !line.contains(LATE_LAUNCHER))
    }

    /// Standard output is this.
    #[track_caller]
    pub fn stdout_is(&self, text: &str) -> &Outcome {
        self.check(self.stdout == text, || format!("stdout {text:?}"))
    }

    /// Standard output has these lines, in any order, and no other ones.
    #[track_caller]
    pub fn stdout_lines(&self, lines: &[&str]) -> &Outcome {
        let mut got: Vec<&str> = self.stdout.lines().collect();
        let mut wanted = lines.to_vec();
        got.sort_unstable();
        wanted.sort_unstable();
        self.check(got == wanted, || format!("these lines on stdout: {wanted:?}"))
    }

    /// Standard error has a line that contains all these words, whatever the case of the letters.
    #[track_caller]
    pub fn stderr_line_with(&self, words: &[&str]) -> &Outcome {
        let wanted: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let found = self
            .stderr
            .lines()
            .map(str::to_lowercase)
            .any(|line| wanted.iter().all(|word| line.contains(word)));
        self.check(found, || format!("a line on stderr with {words:?}"))
    }

    /// Standard error has a message, `PLACE: images 1-4: TEXT`, of these images or of some of them: an image that comes late, on a busy
    /// machine, says nothing.
    #[track_caller]
    pub fn stderr_message_of(&self, message: &str) -> &Outcome {
        let (place, rest) = message.split_once("images ").expect("the images");
        let (_, text) = rest.split_once(": ").expect("a text");
        let mut messages =
            self.stderr.lines().filter_map(|line| line.split_once(place)?.1.split_once(": "));
        let found = messages.any(|(who, what)| who.starts_with("image") && what.contains(text));
        self.check(found, || format!("on stderr {message:?}, of one of these images at least"))
    }

    /// Standard error does not contain this.
    #[track_caller]
    pub fn stderr_without(&self, text: &str) -> &Outcome {
        self.check(!self.stderr.contains(text), || format!("stderr without {text:?}"))
    }

    /// It took no longer than this.
    #[track_caller]
    pub fn within(&self, time: Duration) -> &Outcome {
        self.check(self.took <= time, || format!("an end within {time:?}"))
    }

    #[track_caller]
    fn check(&self, ok: bool, wanted: impl Fn() -> String) -> &Outcome {
        assert!(
            ok,
            "{}\n  expected {}\n  ended after {:?}: {}\nstdout:\n{}\nstderr:\n{}",
            self.what,
            wanted(),
            self.took,
            self.status,
            self.stdout,
            self.stderr
        );
        self
    }
}
