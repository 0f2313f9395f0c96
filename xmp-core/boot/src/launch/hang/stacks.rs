//! The statements of stacks of other processes. Images of one program have the same stacks but for the addresses at which the
//! system has put the program and its libraries. So where thousands of images wait in a few statements, the mappings of few
//! processes are read.

use super::process;
use std::fs;
use std::path::PathBuf;
use xmp_source::{Modules, Statement};

/// The system moves files by multiples of this.
const PAGE_BYTES: usize = 4096;
/// Known stacks that a stack is compared with, the newest ones.
const MAX_KNOWN: usize = 64;

/// The meaning of the return addresses of a thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Stack {
    /// The statement of the program: `file:line`, or another description.
    pub(super) place: Option<String>,
    /// The functions of the library that the statement has called, outermost first.
    pub(super) functions: Vec<String>,
}

/// The stacks that were looked up.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    files: Modules,
    known: Vec<(Calls, Stack)>,
}

impl Stacks {
    /// The stack of a thread of this process, from its return addresses, innermost first. A process that ends meanwhile has none.
    pub(super) fn of(&mut self, pid: u32, callers: &[usize]) -> Stack {
        let program = fs::read_link(format!("/proc/{pid}/exe")).ok();
        let is_same = |(calls, _): &&(Calls, Stack)| calls.are_those_of(program.as_ref(), callers);
        if let Some((_, stack)) = self.known.iter().rev().take(MAX_KNOWN).find(is_same) {
            return stack.clone();
        }
        let maps = process::read(&format!("/proc/{pid}/maps")).unwrap_or_default();
        let modules = self.files.with_maps_of(pid, &maps);
        let (statement, functions) = Statement::of_thread(&modules, callers);
        let place = statement.map(|statement| statement.to_string());
        let stack = Stack { place, functions };
        let together = |one, other| modules.are_together(one, other);
        if let Some(calls) = program.and_then(|program| Calls::new(program, callers, together)) {
            self.known.push((calls, stack.clone()));
        }
        stack
    }
}

/// The calls that a thread is in.
#[derive(Debug)]
struct Calls {
    program: PathBuf,
    callers: Vec<usize>,
    /// For each address, the index of another one in the same file.
    others: Vec<usize>,
}

impl Calls {
    /// `None` where an address is the only one in its file: it does not tell where the system has put the file.
    fn new(
        program: PathBuf,
        callers: &[usize],
        together: impl Fn(usize, usize) -> bool,
    ) -> Option<Calls> {
        let other = |(number, &address): (usize, &usize)| {
            let is_other =
                |&(other, &there): &(usize, &usize)| other != number && together(address, there);
            callers.iter().enumerate().find(is_other).map(|(other, _)| other)
        };
        let others = callers.iter().enumerate().map(other).collect::<Option<Vec<usize>>>()?;
        Some(Calls { program, callers: callers.to_vec(), others })
    }

    /// Whether a thread of a process of this program is in the same calls: each file is moved as a whole, by some pages.
    fn are_those_of(&self, program: Option<&PathBuf>, callers: &[usize]) -> bool {
        let moved = |number: usize| callers[number].wrapping_sub(self.callers[number]);
        program == Some(&self.program)
            && callers.len() == self.callers.len()
            && self.others.iter().enumerate().all(|(number, &other)| {
                moved(number) == moved(other) && moved(number).is_multiple_of(PAGE_BYTES)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In the library twice, in the program, in the C library twice, in the program again.
    const STACK: [usize; 6] = [0x7130, 0x7200, 0x5100, 0x9040, 0x9050, 0x5200];

    /// Files are at multiples of 2^12.
    fn together(one: usize, other: usize) -> bool {
        one >> 12 == other >> 12
    }

    fn are_those_of(callers: &[usize]) -> bool {
        let calls = Calls::new("/a".into(), &STACK, together).unwrap();
        calls.are_those_of(Some(&"/a".into()), callers)
    }

    #[test]
    fn calls_are_the_same_wherever_the_files_are() {
        assert!(are_those_of(&STACK));
        let moved = |address: usize| match address >> 12 {
            5 => address + 0x1234_0000_0000,
            7 => address - 0x3000,
            _ => address,
        };
        assert!(are_those_of(&STACK.map(moved)));
    }

    #[test]
    fn other_calls_are_not_the_same() {
        for number in 0..STACK.len() {
            for by in [1, 0x1000] {
                let mut other = STACK;
                other[number] += by;
                assert!(!are_those_of(&other), "{number} {by}");
            }
        }
        assert!(!are_those_of(&STACK.map(|address| address + 1)));
        assert!(!are_those_of(&STACK[..5]));
        let calls = Calls::new("/a".into(), &STACK, together).unwrap();
        assert!(
            !calls.are_those_of(Some(&"/b".into()), &STACK) && !calls.are_those_of(None, &STACK)
        );
        assert!(Calls::new("/a".into(), &STACK[..5], together).is_none());
    }

    #[inline(never)]
    fn here() -> Vec<usize> {
        // A result that is only passed on comes from a jump instead of a call, after which this function is not on the stack.
        std::hint::black_box(xmp_source::callers())
    }

    #[test]
    fn a_known_stack_is_told_again() {
        let mut stacks = Stacks::default();
        let (callers, own) = (here(), std::process::id());
        let first = stacks.of(own, &callers);
        assert!(first.functions.iter().any(|name| name == "here"), "{first:?}");
        let again = stacks.of(own, &callers);
        assert_eq!((again.place, again.functions), (first.place, first.functions));
        assert_eq!(stacks.known.len(), 1);
        assert!(stacks.of(u32::MAX, &callers).functions.iter().all(|name| name != "here"));
    }
}
