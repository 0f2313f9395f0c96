//! `--check=races`: what subroutines of BLAS access, which are in a library without hooks.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use xmp_tests::Run;
use xmp_tests::marks;
use xmp_tests::toolchain::toolchain;

const SOON: Duration = Duration::from_secs(300);

/// As much of BLAS as the program calls.
const BLAS: &str = "
subroutine daxpy(n, a, x, incx, y, incy)
integer :: n, incx, incy, i
real(8) :: a, x(*), y(*)
do i = 0, n - 1
y(1 + i * incy) = y(1 + i * incy) + a * x(1 + i * incx)
end do
end subroutine
real(8) function ddot(n, x, incx, y, incy)
integer :: n, incx, incy, i
real(8) :: x(*), y(*)
ddot = 0
do i = 0, n - 1
ddot = ddot + x(1 + (i + 1 - n) * incx) * y(1 + i * incy)
end do
end function
subroutine dgemv(trans, m, n, alpha, a, lda, x, incx, beta, y, incy)
character :: trans
integer :: m, n, lda, incx, incy
real(8) :: alpha, a(lda, *), x(*), beta, y(*)
y(1:m) = alpha * matmul(a(1:m, 1:n), x(1:n))
end subroutine
subroutine dgemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
character :: transa, transb
integer :: m, n, k, lda, ldb, ldc
real(8) :: alpha, a(lda, *), b(ldb, *), beta, c(ldc, *)
c(1:m, 1:n) = alpha * matmul(transpose(a(1:k, 1:m)), b(1:k, 1:n))
end subroutine
";

/// A subroutine of the program with a name of BLAS and other arguments, and one whose last call may become a jump.
const OWN: &str = "
subroutine last(n, from, to)
integer :: n
real(8) :: from(*), to(*)
call daxpy(n, 2d0, from, 1, to, 4) ! first last
end subroutine
subroutine dcopy(to, from)
real(8) :: to(4), from(4)
to = from
end subroutine
";

/// Image 1 calls a subroutine, then image 2 accesses its memory: the same elements, the same in order, or elements beside them.
const PROGRAM: &str = "
implicit none
real(8) :: x(20)[*], a(16)[*], own(4, 4), v(4), w(4)
real(8), external :: ddot
character(8) :: kind, how
x = 1; a = 1; own = 1; v = 1
call dcopy(w, v)
if (any(w /= 1)) error stop
call get_command_argument(1, kind)
call get_command_argument(2, how)
sync all
if (this_image() == 1) then
select case (kind)
case ('axpy'); call daxpy(3, 2d0, v, 1, x(2), 4) ! first axpy
case ('last'); call last(3, v, x(2))
case ('dot'); w(1) = ddot(2, x(3), -2, v, 1) ! first dot
case ('gemv'); call dgemv('N', 2, 3, 1d0, a(2), 4, v, 1, 0d0, w, 1) ! first gemv
case ('gemm'); call dgemm('T', 'N', 2, 2, 2, 1d0, own, 4, own, 4, 0d0, a(6), 4) ! first gemm
end select
end if
if (how == 'ordered') sync all
if (this_image() == 2 .and. how /= 'beside') then
select case (kind)
case ('axpy'); w(1) = x(10)[1] ! second axpy
case ('last'); w(1) = x(10)[1] ! second last
case ('dot'); x(5)[1] = 5 ! second dot
case ('gemv'); a(11)[1] = 5 ! second gemv
case ('gemm'); a(10)[1] = 5 ! second gemm
end select
else if (this_image() == 2) then
x(9)[1] = 5; x(11)[1] = 5; x(4)[1] = 5
a(5)[1] = 5; a(8)[1] = 5; a(14)[1] = 5
end if
sync all
if (this_image() == 1 .and. kind == 'gemm' .and. abs(a(6) - 2) > 0) error stop
end
";

/// `xmpfc` with these arguments, in a directory.
fn compile(directory: &Path, arguments: &[&str]) {
    let mut command = Command::new(toolchain().xmpfc());
    let status = command.args(arguments).current_dir(directory).status();
    assert!(status.expect("the compiler").success(), "{arguments:?}");
}

/// The place of the statement with a mark.
fn place(mark: &str) -> String {
    let line = |(file, text)| Some(format!("{file}:{}", marks::line_of(text, mark)?));
    let files = [("main.f90", PROGRAM), ("own.f90", OWN)];
    files.into_iter().find_map(line).expect("a marked line")
}

#[test]
fn what_blas_reads_and_writes_is_seen_and_no_other_element() {
    let directory = tempfile::tempdir().expect("a directory");
    let directory = directory.path();
    for (name, text) in [("blas", BLAS), ("own", OWN), ("main", PROGRAM)] {
        fs::write(directory.join(format!("{name}.f90")), text).expect("a file");
    }
    compile(directory, &["-O2", "-shared", "-fPIC", "blas.f90", "-o", "libblas_of_test.so"]);
    for optimisation in ["-O0", "-O2"] {
        let linked = ["-L.", "-lblas_of_test", "-Wl,-rpath,$ORIGIN", "-o", "program"];
        // Otherwise equal ends of statements become one, of one line.
        let options = [optimisation, "-fno-crossjumping", "-fno-tree-tail-merge"];
        let sources = ["--check=races", "main.f90", "own.f90"];
        compile(directory, &[&options[..], &sources, &linked].concat());
        let run = |kind: &str, how: &str| {
            let run = Run::new(directory.join("program")).images(2);
            let outcome = run.launcher_option("--check=races").args([kind, how]).finish();
            outcome.within(SOON);
            outcome
        };
        for kind in ["axpy", "last", "dot", "gemv", "gemm"] {
            let outcome = run(kind, "racy");
            let [first, second] = ["first", "second"].map(|turn| place(&format!("{turn} {kind}")));
            outcome.exited_with(1).stderr_line_with(&[&first, &second, "nothing orders"]);
            for how in ["ordered", "beside"] {
                let outcome = run(kind, how);
                outcome.succeeded();
                assert!(!outcome.stderr.contains("nothing orders"), "{kind}:\n{}", outcome.stderr);
            }
        }
    }
}
