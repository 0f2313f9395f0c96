//! `--check=races`: what subroutines of BLAS access, which are in a library without hooks.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use xmp_tests::marks;
use xmp_tests::toolchain::toolchain;
use xmp_tests::{Outcome, Run};

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

/// What only BLAS has.
const XERBLA: &str = "
subroutine xerbla(name, number)
character(*) :: name
integer :: number
error stop
end subroutine
";

/// As much of the interface for C as the program calls.
const CBLAS: &str = "
void cblas_daxpy(int n, double a, const double *x, int incx, double *y, int incy)
{
    for (int i = 0; i < n; i++)
        y[i * incy] += a * x[i * incx];
}
void cblas_zaxpy(int n, const double *a, const double *x, int incx, double *y, int incy)
{
    for (int i = 0; i < n; i++) {
        y[2 * i * incy] += a[0] * x[2 * i * incx] - a[1] * x[2 * i * incx + 1];
        y[2 * i * incy + 1] += a[0] * x[2 * i * incx + 1] + a[1] * x[2 * i * incx];
    }
}
void cblas_dgemm(int layout, int transa, int transb, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc)
{
    (void)transa, (void)transb;
    if (layout == 101)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int l = 0; l < k; l++)
                    sum += a[i * lda + l] * b[l * ldb + j];
                c[i * ldc + j] = alpha * sum + beta * c[i * ldc + j];
            }
}
";

/// The same as [`PROGRAM`] in C: a matrix by rows, one number by its address.
const C_PROGRAM: &str = "
#include <string.h>
#include <xmprt.h>
void cblas_daxpy(int, double, const double *, int, double *, int);
void cblas_zaxpy(int, const void *, const void *, int, void *, int);
void cblas_dgemm(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *, int);
int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : \"\", *how = argc > 2 ? argv[2] : \"\";
    int me = xmprt_this_image(XMPRT_CURRENT);
    double own[16] = {1, 1, 1, 1}, two[2] = {2, 0}, five = 5, *x;
    void *block;
    xmprt_allocate(20 * sizeof *x, &block);
    x = block;
    xmprt_sync(XMPRT_CURRENT);
    if (me == 1 && !strcmp(kind, \"axpy\"))
        cblas_daxpy(3, 2.0, own, 1, x + 1, 4); /* first axpy */
    else if (me == 1 && !strcmp(kind, \"zaxpy\"))
        cblas_zaxpy(2, two, own, 1, x + 5, 2); /* first zaxpy */
    else if (me == 1 && !strcmp(kind, \"gemm\"))
        cblas_dgemm(101, 111, 111, 2, 3, 2, 1.0, own, 4, own, 4, 0.0, x + 5, 4); /* first gemm */
    if (!strcmp(how, \"ordered\"))
        xmprt_sync(XMPRT_CURRENT);
    /* All write x[9], and none writes the others. */
    if (me == 2 && strcmp(how, \"beside\"))
        xmprt_put(XMPRT_CURRENT, 1, x + 9, &five, sizeof five); /* second */
    else if (me == 2) {
        xmprt_put(XMPRT_CURRENT, 1, x + 8, &five, sizeof five);
        xmprt_put(XMPRT_CURRENT, 1, x + 12, &five, sizeof five);
    }
    xmprt_sync(XMPRT_CURRENT);
    return me == 1 && !strcmp(kind, \"axpy\") && !strcmp(how, \"beside\") && x[9] != 2;
}
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
    execute(directory, toolchain().xmpfc(), arguments);
}

/// A command with these arguments, in a directory.
fn execute(directory: &Path, command: impl AsRef<OsStr>, arguments: &[&str]) {
    let mut command = Command::new(command);
    let status = command.args(arguments).current_dir(directory).status();
    assert!(status.expect("the command").success(), "{arguments:?}");
}

/// Runs a program with a kind of race and the second turn.
fn run(directory: &Path, kind: &str, how: &str) -> Outcome {
    let run = Run::new(directory.join("program")).images(2);
    let outcome = run.launcher_option("--check=races").args([kind, how]).finish();
    outcome.within(SOON);
    outcome
}

/// The program finds the races of these kinds, and none where the accesses are ordered or beside one another.
fn finds_all(directory: &Path, kinds: &[&str], places: impl Fn(&str) -> [String; 2]) {
    for kind in kinds {
        let [first, second] = places(kind);
        let outcome = run(directory, kind, "racy");
        outcome.exited_with(1).stderr_line_with(&[&first, &second, "nothing orders"]);
        for how in ["ordered", "beside"] {
            let outcome = run(directory, kind, how);
            outcome.succeeded();
            assert!(!outcome.stderr.contains("nothing orders"), "{kind}:\n{}", outcome.stderr);
        }
    }
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
        let kinds = ["axpy", "last", "dot", "gemv", "gemm"];
        finds_all(directory, &kinds, |kind| {
            ["first", "second"].map(|turn| place(&format!("{turn} {kind}")))
        });
    }
}

/// The program has a subroutine of its own with a name of BLAS, which is not taken for one.
#[test]
fn what_blas_accesses_is_seen_in_programs_that_contain_it() {
    let directory = tempfile::tempdir().expect("a directory");
    let directory = directory.path();
    for (name, text) in [("blas", BLAS), ("xerbla", XERBLA), ("own", OWN), ("main", PROGRAM)] {
        fs::write(directory.join(format!("{name}.f90")), text).expect("a file");
    }
    compile(directory, &["-O2", "-c", "blas.f90", "xerbla.f90"]);
    execute(directory, "ar", &["crs", "libnumbers.a", "blas.o", "xerbla.o"]);
    // The linker takes XERBLA where something needs it, as the matrices of BLAS do.
    let linked = ["-L.", "-Wl,-u,xerbla_", "-lnumbers", "-o", "program"];
    let options = ["-O1", "--check=races", "main.f90", "own.f90"];
    compile(directory, &[&options[..], &linked].concat());
    finds_all(directory, &["axpy", "last", "gemv", "gemm"], |kind| {
        ["first", "second"].map(|turn| place(&format!("{turn} {kind}")))
    });
}

/// A program has no XERBLA of a static library that it takes AXPY alone from.
#[test]
fn what_one_subroutine_of_a_static_library_of_blas_accesses_is_seen() {
    let directory = tempfile::tempdir().expect("a directory");
    let directory = directory.path();
    let axpy = "subroutine daxpy(n, a, x, dx, y, dy)
integer :: n, dx, dy
real(8) :: a, x(*), y(*)
y(1:n) = y(1:n) + a * x(1:n)
end
";
    let main = "real(8) :: x(10)[*], v(10), w
character(8) :: how
call get_command_argument(1, how)
x = 1; v = 1
sync all
if (this_image() == 1) call daxpy(4, 2d0, v, 1, x(2), 1)
if (how == 'ordered') sync all
if (this_image() == 2 .and. how /= 'beside') w = x(5)[1]
if (this_image() == 2 .and. how == 'beside') w = x(6)[1]
sync all
end
";
    for (name, text) in [("axpy", axpy), ("main", main)] {
        fs::write(directory.join(format!("{name}.f90")), text).expect("a file");
    }
    compile(directory, &["-O2", "-c", "axpy.f90"]);
    for (library, link) in [("libblas_of_test.a", "-lblas_of_test"), ("libblis.a", "./libblis.a")] {
        execute(directory, "ar", &["crs", library, "axpy.o"]);
        compile(directory, &["-O1", "--check=races", "main.f90", "-L.", link, "-o", "program"]);
        let run = |how: &str| {
            let run = Run::new(directory.join("program")).images(2);
            run.launcher_option("--check=races").args([how]).finish()
        };
        let outcome = run("racy");
        outcome.exited_with(1).within(SOON);
        outcome.stderr_line_with(&["main.f90:6", "main.f90:8", "nothing orders"]);
        for how in ["ordered", "beside"] {
            run(how).succeeded().within(SOON);
        }
    }
}

#[test]
fn what_the_interface_of_blas_for_c_accesses_is_seen_and_no_other_element() {
    let directory = tempfile::tempdir().expect("a directory");
    let directory = directory.path();
    for (name, text) in [("cblas", CBLAS), ("main", C_PROGRAM)] {
        fs::write(directory.join(format!("{name}.c")), text).expect("a file");
    }
    execute(directory, "gcc", &["-O2", "-shared", "-fPIC", "cblas.c", "-o", "libcblas_of_test.so"]);
    for optimisation in ["-O0", "-O2"] {
        let linked = ["-L.", "-lcblas_of_test", "-Wl,-rpath,$ORIGIN", "-o", "program"];
        let options = [optimisation, "-fno-crossjumping", "--check=races", "main.c"];
        execute(directory, toolchain().xmpcc(), &[&options[..], &linked].concat());
        finds_all(directory, &["axpy", "zaxpy", "gemm"], |kind| {
            let line = |mark: &str| marks::line_of(C_PROGRAM, mark).expect("a marked line");
            [format!("first {kind}"), "second".into()].map(|mark| format!("main.c:{}", line(&mark)))
        });
    }
}
