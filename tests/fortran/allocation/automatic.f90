!> Local allocatable coarrays are freed when their procedure ends; saved ones and those of modules are not.
module owner
  implicit none
  real, allocatable :: field(:)[:]
contains
  subroutine make(n)
    integer, intent(in) :: n
    if (.not. allocated(field)) allocate (field(n)[*])
    field = n
  end subroutine
end module

program automatic
  use checks
  use owner
  implicit none
  integer :: k

  do k = 1, 100
    call local(k)
    call kept(k)
    call make(k)
    call require(all(field == k) .and. size(field) == 1, 'coarray of a module')
  end do
  call freed_in_block()

contains

  subroutine local(k)
    integer, intent(in) :: k
    integer, allocatable :: a(:)[:]

    call require(.not. allocated(a), 'allocated at the start of a procedure')
    allocate (a(10 * k)[*])
    a = k
    sync all
    call require_equal(a(10 * k)[right_of(this_image())], k, 'local coarray')
    if (mod(k, 2) == 0) return
    a(1) = 0
  end subroutine

  subroutine kept(k)
    integer, intent(in) :: k
    integer, allocatable, save :: a(:)[:]

    if (k == 1) then
      allocate (a(3)[*])
      a = 0
    end if
    call require(allocated(a), 'saved coarray')
    a = a + 1
    call require(all(a == k), 'value of a saved coarray')
  end subroutine

  subroutine freed_in_block()
    integer :: j
    do j = 1, 3
      block
        integer, allocatable :: b[:]
        allocate (b[*])
        b = j
        sync all
        call require_equal(b[left_of(this_image())], j, 'coarray of a block')
      end block
    end do
  end subroutine
end program
