!> Halo exchange of an unstructured mesh with coarrays. Images reach each other's ordinary memory through a pointer
!> component of a coarray, which lives for one exchange.
module halo_coarrays
  use halo_mesh, only: chunk, give, halo, neighbours, own, place_at, source, taken
  implicit none

  type :: box
    integer, pointer :: data(:) => null()
  end type box

  !> Elements before those of this image in what each neighbour gives, and in each neighbour's halo.
  integer, allocatable :: before(:)

contains

  !> Reads each element where it is.
  subroutine read_elements(n)
    integer, intent(in) :: n
    type(box), allocatable :: theirs[:]
    integer :: i, j

    do i = 1, n
      allocate (theirs[*])
      theirs%data => own
      sync all
      do j = 1, size(halo)
        halo(j) = theirs[source(j)]%data(taken(j))
      end do
      sync all
      deallocate (theirs)
    end do
  end subroutine read_elements

  !> Reads blocks, which their owners have put together.
  subroutine read_blocks(n)
    integer, intent(in) :: n
    type(box), allocatable :: theirs[:]
    integer :: i, j

    do i = 1, n
      allocate (theirs[*])
      allocate (theirs%data(size(give)))
      theirs%data = own(give)
      sync all
      do j = 1, size(neighbours)
        halo(chunk*(j - 1) + 1:chunk*j) = theirs[neighbours(j)]%data(before(j) + 1:before(j) + chunk)
      end do
      sync all
      deallocate (theirs%data)
      deallocate (theirs)
    end do
  end subroutine read_blocks

  !> Writes each element into the halo of the image that takes it.
  subroutine write_elements(n)
    integer, intent(in) :: n
    type(box), allocatable :: theirs[:]
    integer :: i, j, k

    do i = 1, n
      allocate (theirs[*])
      theirs%data => halo
      sync all
      do j = 1, size(neighbours)
        do k = 1, chunk
          theirs[neighbours(j)]%data(before(j) + k) = own(give(chunk*(j - 1) + k))
        end do
      end do
      sync all
      deallocate (theirs)
    end do
  end subroutine write_elements

  !> Writes blocks.
  subroutine write_blocks(n)
    integer, intent(in) :: n
    type(box), allocatable :: theirs[:]
    integer, allocatable :: mine(:)
    integer :: i, j

    do i = 1, n
      allocate (theirs[*])
      theirs%data => halo
      mine = own(give)
      sync all
      do j = 1, size(neighbours)
        theirs[neighbours(j)]%data(before(j) + 1:before(j) + chunk) = mine(chunk*(j - 1) + 1:chunk*j)
      end do
      sync all
      deallocate (theirs)
    end do
  end subroutine write_blocks

end module halo_coarrays

program halo_caf
  use halo_coarrays
  use halo_mesh, only: chunks, make_mesh, measure_form
  use pair_timing, only: end_pair, start_pair
  implicit none
  integer :: i, j

  call start_pair()
  do i = 1, size(chunks)
    call make_mesh(chunks(i))
    before = [(place_at(neighbours(j)), j=1, size(neighbours))]
    call measure_form('halo_read_elements', read_elements)
    call measure_form('halo_read_blocks', read_blocks)
    call measure_form('halo_write_elements', write_elements)
    call measure_form('halo_write_blocks', write_blocks)
  end do
  call end_pair()
end program halo_caf
