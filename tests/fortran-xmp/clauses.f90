! Clauses of OpenMP in distributed loops of all formats, each loop with four threads: the last value, the order, vectors. Each node
! has elements of all arrays: the last value of no iterations is not defined.
program clauses
  implicit none
  integer, parameter :: n = 48
  integer, allocatable :: m(:)
  integer :: i, k, last, count, seen, sum, list(n)
  integer :: a(n), b(n), c(n)
  !$xmp nodes p(*)
  !$xmp template ta(n)
  !$xmp distribute ta(block) onto p
  !$xmp template tb(n)
  !$xmp distribute tb(cyclic) onto p
  !$xmp template tc(n)
  !$xmp distribute tc(cyclic(3)) onto p
  !$xmp template td(:)
  !$xmp distribute td(gblock(*)) onto p
  integer, allocatable :: e(:)
  !$xmp align a(i) with ta(i)
  !$xmp align b(i) with tb(i)
  !$xmp align c(i) with tc(i)
  !$xmp align e(i) with td(i)
  ! The first nodes have few elements, the last one has the others.
  m = [(i, i = 1, num_images())]
  m(num_images()) = n - num_images()*(num_images() - 1)/2
  !$xmp template_fix(gblock(m)) td(n)
  allocate (e(n))

  last = -1
  !$xmp loop on td(i)
  !$omp parallel do lastprivate(last) firstprivate(k) num_threads(4) schedule(dynamic)
  do i = 1, n
    e(i) = 3*i
    last = i
  end do
  if (last /= ubound(e, 1)) error stop 'the last value, gblock'
  sum = 0
  !$xmp loop on td(i) reduction(+: sum)
  !$omp parallel do reduction(+: sum) num_threads(4)
  do i = n, 1, -1
    sum = sum + e(i)
  end do
  if (sum /= 3*n*(n + 1)/2) error stop 'a sum, gblock'
  count = 0
  !$xmp loop on td(i)
  !$omp parallel do ordered num_threads(4) schedule(dynamic)
  do i = 2, n, 3
    !$omp ordered
    count = count + 1
    list(count) = i
    !$omp end ordered
  end do
  do k = 2, count
    if (list(k) /= list(k - 1) + 3) error stop 'the order, gblock'
  end do
  !$xmp loop on td(i)
  !$omp simd safelen(4)
  do i = 2, n
    e(i) = e(i) + i
  end do
  sum = 0
  !$xmp loop on td(i) reduction(+: sum)
  !$omp parallel do simd reduction(+: sum) num_threads(4) default(none) shared(e)
  do i = 1, n
    sum = sum + e(i)
  end do
  if (sum /= 4*n*(n + 1)/2 - 1) error stop 'vectors, gblock'

  last = -1
  !$xmp loop on ta(i)
  !$omp parallel do lastprivate(last, i) num_threads(4)
  do i = 1, n
    a(i) = i
    last = 10*i
  end do
  if (last /= 10*ubound(a, 1) .or. i /= ubound(a, 1) + 1) error stop 'the last value, block'
  count = 0
  !$xmp loop on ta(i)
  !$omp parallel do ordered num_threads(4) schedule(static, 1)
  do i = n, 1, -1
    !$omp ordered
    count = count + 1
    list(count) = i
    !$omp end ordered
  end do
  do k = 2, count
    if (list(k) /= list(k - 1) - 1) error stop 'the order, block'
  end do

  last = -1
  !$xmp loop on tb(i)
  !$omp parallel do lastprivate(last) num_threads(4) schedule(static, 1)
  do i = 1, n
    b(i) = i
    last = i
  end do
  seen = -1
  !$xmp loop on tb(i)
  do i = 1, n
    seen = i
  end do
  if (last /= seen) error stop 'the last value, cyclic'
  count = 0
  !$xmp loop on tb(i)
  !$omp parallel do ordered num_threads(4) schedule(dynamic)
  do i = 1, n
    !$omp ordered
    count = count + 1
    list(count) = i
    !$omp end ordered
  end do
  do k = 2, count
    if (list(k) /= list(k - 1) + num_images()) error stop 'the order, cyclic'
  end do

  last = -1
  !$xmp loop on tc(i)
  !$omp parallel do lastprivate(last) num_threads(4) schedule(dynamic)
  do i = 1, n
    c(i) = i
    last = i
  end do
  seen = -1
  !$xmp loop on tc(i)
  do i = 1, n
    seen = i
  end do
  if (last /= seen) error stop 'the last value, cyclic blocks'
  sum = 0
  !$xmp loop on tc(i) reduction(+: sum)
  !$omp parallel do simd reduction(+: sum) num_threads(4)
  do i = 1, n
    sum = sum + c(i)
  end do
  if (sum /= n*(n + 1)/2) error stop 'vectors, cyclic blocks'
end program
