!> The halo of an unstructured mesh: which elements an image takes from which other ones. Both forms share it.
!>
!> Each image owns as many elements, and takes as many from each of its neighbours, which are up to six images. They lie
!> anywhere in the neighbour's array, in ascending order.
module halo_mesh
  use pair_timing, only: images, me, measure, selected, tell_check, tell_wrong, dp
  implicit none
  private
  public :: make_mesh, measure_form, neighbours, source, taken, own, halo, give, chunk, place_at

  !> Elements that an image takes from a neighbour for each row.
  integer, parameter, public :: chunks(2) = [100, 2000]
  !> Elements that an image owns for each that a neighbour takes.
  integer, parameter :: own_per_taken = 10

  !> The elements of this mesh that a neighbour takes.
  integer :: chunk
  !> The images that this one takes from and gives to, in ascending order.
  integer, allocatable :: neighbours(:)
  !> The image that owns each element of the halo, and its place there.
  integer, allocatable :: source(:), taken(:)
  !> The places of own elements that the neighbours take, neighbour by neighbour.
  integer, allocatable :: give(:)
  !> The own elements, and those of others, which are one array.
  integer, pointer :: own(:) => null(), halo(:) => null()
  integer, allocatable, target :: elements(:)

contains

  !> Makes the mesh in which a neighbour takes `n` elements.
  subroutine make_mesh(n)
    integer, intent(in) :: n
    integer :: j, k

    chunk = n
    neighbours = neighbours_of(me)
    if (allocated(elements)) deallocate (elements)
    allocate (elements((own_per_taken + size(neighbours))*chunk))
    own => elements(:own_per_taken*chunk)
    halo => elements(own_per_taken*chunk + 1:)
    source = [((neighbours(j), k=1, chunk), j=1, size(neighbours))]
    taken = [((element(neighbours(j), me, k), k=1, chunk), j=1, size(neighbours))]
    give = [((element(me, neighbours(j), k), k=1, chunk), j=1, size(neighbours))]
  end subroutine make_mesh

  !> The images at most 1, 2 and 4 away in a ring.
  function neighbours_of(image) result(list)
    integer, intent(in) :: image
    integer, allocatable :: list(:)
    integer :: other, far
    logical :: is_one

    allocate (list(0))
    do other = 1, images
      is_one = .false.
      do far = 0, 2
        is_one = is_one .or. any(modulo([image - other, other - image], images) == 2**far)
      end do
      if (is_one .and. other /= image) list = [list, other]
    end do
  end function neighbours_of

  !> The k-th element of image `from` that image `to` takes.
  integer function element(from, to, k)
    integer, intent(in) :: from, to, k

    element = own_per_taken*(k - 1) + 1 + modulo(7*k + 3*from + 5*to, own_per_taken)
  end function element

  !> How many elements lie before those of this image in the halo, or in what it gives, of another one.
  integer function place_at(other)
    integer, intent(in) :: other

    place_at = chunk*count(neighbours_of(other) < me)
  end function place_at

  !> Times a form of the exchange, and looks at what it has brought in the end.
  subroutine measure_form(name, exchange)
    character(len=*), intent(in) :: name
    interface
      subroutine exchange(n)
        integer, intent(in) :: n
      end subroutine exchange
    end interface
    integer :: k

    if (.not. selected(name, chunk)) return
    own = 0
    halo = -1
    call measure(name, chunk, exchange)
    own = value_of(me, [(k, k=1, size(own))])
    call exchange(1)
    if (any(halo /= value_of(source, taken))) call tell_wrong(name, chunk)
    call tell_check(name, chunk, sum(real(halo, dp)))
  contains
    elemental integer function value_of(image, place)
      integer, intent(in) :: image, place

      value_of = 100000*image + place
    end function value_of
  end subroutine measure_form

end module halo_mesh
