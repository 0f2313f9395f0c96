! Coarrays beside directives, posts, asynchronous operations, and tasks of parts of the nodes.
program mixture
  implicit none
  integer, parameter :: n = 24
  integer :: here, images, i, sent[*], received, shadowed(n), sums(3)
  real(8) :: x(n), peak
  logical :: is_all
  complex(8) :: z
  character(5) :: word
  !$xmp nodes p(*)
  !$xmp nodes first(1) = p(1:1)
  !$xmp template t(n)
  !$xmp distribute t(block) onto p
  !$xmp align x(i) with t(i)
  !$xmp align shadowed(i) with t(i)
  !$xmp shadow x(1)
  !$xmp shadow shadowed(1)
  here = this_image()
  images = num_images()

  ! A coarray and a distributed array.
  !$xmp loop on t(i)
  do i = 1, n
    x(i) = i
    shadowed(i) = 1
  end do
  sent = 10*here
  sync all
  received = sent[modulo(here, images) + 1]
  call require(received == 10*(modulo(here, images) + 1), 'a get')

  !$xmp reflect (x) async(7)
  !$xmp wait_async (7)
  !$xmp loop on t(i)
  do i = 2, n - 1
    call require(x(i - 1) + x(i + 1) == 2*i, 'reflect in the background')
  end do

  ! What the shadows have is added to the elements.
  !$xmp reflect (shadowed)
  !$xmp reduce_shadow (shadowed)
  received = 0
  !$xmp loop on t(i) reduction(+: received)
  do i = 1, n
    received = received + shadowed(i)
  end do
  call require(received == n + 2*(count_parts() - 1), 'reduce_shadow')

  ! Reductions of other types.
  is_all = .true.
  !$xmp loop on t(i) reduction(.and.: is_all)
  do i = 1, n
    is_all = is_all .and. x(i) > 0
  end do
  z = (0, 1)
  sums = [1, 2, 3]*here
  peak = here
  !$xmp reduction(+: z, sums)
  !$xmp reduction(max: peak) on p
  call require(is_all .and. z == (0, 1)*images .and. peak == images, 'reductions')
  call require(all(sums == [1, 2, 3]*(images*(images + 1)/2)), 'a reduction of an array')
  word = merge('right', 'wrong', here == images)
  !$xmp bcast (word) from p(images) on p(:)
  call require(word == 'right', 'a broadcast of characters')

  ! One node after the other.
  if (here > 1) then
    !$xmp wait (p(here - 1), 3)
    received = sent[here - 1]
    call require(received == here - 1, 'post and wait')
  end if
  sent = here
  if (here < images) then
    !$xmp post (p(here + 1), 3)
  end if

  !$xmp tasks
  !$xmp task on first
  call require(num_images() == 1, 'images of a task')
  !$xmp end task
  !$xmp task on p(images) nocomm
  call require(here == images, 'nocomm')
  !$xmp end task
  !$xmp end tasks
  call descriptors()

contains

  ! How many images have elements.
  integer function count_parts()
    count_parts = 0
    if (size(x) > 2) count_parts = 1
    !$xmp reduction(+: count_parts)
  end function

  subroutine descriptors()
    include 'xmp_lib.h'
    integer :: dims, width, status
    integer, external :: xmp_array_ndims, xmp_array_lshadow, xmp_nodes_size
    status = xmp_array_ndims(xmp_desc_of(x), dims)
    call require(status == 0 .and. dims == 1, 'xmp_array_ndims')
    status = xmp_array_lshadow(xmp_desc_of(x), 1, width)
    call require(status == 0 .and. width == 1, 'xmp_array_lshadow')
    status = xmp_nodes_size(xmp_desc_of(p), 1, dims)
    call require(status == 0 .and. dims == images, 'xmp_nodes_size')
  end subroutine

  subroutine require(is_so, what)
    logical, intent(in) :: is_so
    character(*), intent(in) :: what
    if (is_so) return
    print '(a,i0,2a)', 'image ', this_image(), ': not so: ', what
    error stop 1
  end subroutine
end program
