! The Himeno benchmark: Jacobi sweeps of a 19-point Poisson stencil in single
! precision, with halos exchanged by coarray puts. Own code; the problem, its
! sizes and the count of 34 operations a point are the benchmark's.
!
! Usage:  himeno [XS|S|M] [PxQxR|auto] [SWEEPS]    (default S; any number of images)
!
! The images form a P x Q x R grid over the three directions, by default 1 x Q x R
! so that the inner direction stays whole. Halos in the first direction are
! sections of single elements, in the second of short runs, in the third planes.
!
! Image 1 then repeats the sweeps alone, untimed, and compares field and gosa: first
! for a small rough problem, where every coefficient and every halo, edge and corner
! counts, then for the benchmark's problem. (Stored numbers would hold for one choice
! of compiler flags only: gosa is near the rounding of single precision.)
!
! Not with gfortran 15 and later: puts to module variables in module procedures crash the compiler.

! What one image needs to know of its block, and the sweep over it. No coarrays.
module himeno_block
  use, intrinsic :: iso_fortran_env, only: real32, real64
  implicit none (type, external)
  private
  public :: sp, dp, block, coefficients, block_of, fill_smooth, fill_rough, sweep

  integer, parameter :: sp = real32, dp = real64
  real(sp), parameter :: omega = 0.8_sp

  ! Interior points shift+1 .. shift+extent of the whole problem's interior, in
  ! each direction; locally they are 1 .. extent and the halo is 0 and extent+1.
  type :: block
    integer :: extent(3)
    integer :: shift(3)
  end type block

  type :: coefficients
    real(sp), allocatable :: a(:, :, :, :), b(:, :, :, :), c(:, :, :, :)
    real(sp), allocatable :: source(:, :, :), bound(:, :, :)
  end type coefficients

contains

  ! The block at a place (from 0) of a grid of blocks.
  pure type(block) function block_of(interior, parts, place)
    integer, intent(in) :: interior(3), parts(3), place(3)

    block_of%shift = interior * place / parts
    block_of%extent = interior * (place + 1) / parts - block_of%shift
  end function block_of

  subroutine allocate_coefficients(n, coef)
    integer, intent(in) :: n(3)
    type(coefficients), intent(out) :: coef

    allocate (coef%a(n(1), n(2), n(3), 4), coef%b(n(1), n(2), n(3), 3), coef%c(n(1), n(2), n(3), 3))
    allocate (coef%source(n(1), n(2), n(3)), coef%bound(n(1), n(2), n(3)))
    coef%source = 0.0_sp
    coef%bound = 1.0_sp
    coef%a(:, :, :, 1:3) = 1.0_sp
    coef%a(:, :, :, 4) = 1.0_sp / 6.0_sp
    coef%b = 0.0_sp
    coef%c = 1.0_sp
  end subroutine allocate_coefficients

  ! The benchmark's problem: pressure grows with the square of the first index.
  subroutine fill_smooth(blk, interior, p, coef)
    type(block), intent(in) :: blk
    integer, intent(in) :: interior(3)
    real(sp), intent(out) :: p(0:, 0:, 0:)
    type(coefficients), intent(out) :: coef
    integer :: i

    do i = 0, blk%extent(1) + 1
      p(i, :, :) = real((i + blk%shift(1))**2, sp) / real((interior(1) + 1)**2, sp)
    end do
    call allocate_coefficients(blk%extent, coef)
  end subroutine fill_smooth

  ! No two neighbours alike, and all 19 points of the stencil in use.
  subroutine fill_rough(blk, p, coef)
    type(block), intent(in) :: blk
    real(sp), intent(out) :: p(0:, 0:, 0:)
    type(coefficients), intent(out) :: coef
    integer :: i, j, k, m

    p = 0.0_sp
    call allocate_coefficients(blk%extent, coef)
    do k = 0, blk%extent(3) + 1
      do j = 0, blk%extent(2) + 1
        do i = 0, blk%extent(1) + 1
          m = 7919 * (i + blk%shift(1)) + 6271 * (j + blk%shift(2)) + 4409 * (k + blk%shift(3))
          p(i, j, k) = real(mod(m, 1009), sp) / 1009.0_sp
        end do
      end do
    end do
    do m = 1, 3
      coef%a(:, :, :, m) = 0.9_sp + 0.05_sp * m
      coef%b(:, :, :, m) = 0.1_sp * m
      coef%c(:, :, :, m) = 1.1_sp - 0.05_sp * m
    end do
  end subroutine fill_rough

  ! One Jacobi sweep from p to q; adds the squares of the corrections to gosa. The
  ! squares are summed in double precision, so gosa hardly depends on the blocks.
  subroutine sweep(n, coef, p, q, gosa)
    integer, intent(in) :: n(3)
    type(coefficients), intent(in) :: coef
    real(sp), contiguous, intent(in) :: p(0:, 0:, 0:)
    real(sp), contiguous, intent(inout) :: q(0:, 0:, 0:)
    real(dp), intent(inout) :: gosa
    real(sp) :: s, correction(n(1))
    real(dp) :: squares(n(1))
    integer :: i, j, k

    squares = 0.0_dp
    do k = 1, n(3)
      do j = 1, n(2)
        do i = 1, n(1)
          s = coef%a(i, j, k, 1) * p(i + 1, j, k) &
              + coef%a(i, j, k, 2) * p(i, j + 1, k) &
              + coef%a(i, j, k, 3) * p(i, j, k + 1) &
              + coef%b(i, j, k, 1) * (p(i + 1, j + 1, k) - p(i + 1, j - 1, k) &
                                      - p(i - 1, j + 1, k) + p(i - 1, j - 1, k)) &
              + coef%b(i, j, k, 2) * (p(i, j + 1, k + 1) - p(i, j - 1, k + 1) &
                                      - p(i, j + 1, k - 1) + p(i, j - 1, k - 1)) &
              + coef%b(i, j, k, 3) * (p(i + 1, j, k + 1) - p(i - 1, j, k + 1) &
                                      - p(i + 1, j, k - 1) + p(i - 1, j, k - 1)) &
              + coef%c(i, j, k, 1) * p(i - 1, j, k) &
              + coef%c(i, j, k, 2) * p(i, j - 1, k) &
              + coef%c(i, j, k, 3) * p(i, j, k - 1) &
              + coef%source(i, j, k)
          correction(i) = (s * coef%a(i, j, k, 4) - p(i, j, k)) * coef%bound(i, j, k)
          q(i, j, k) = p(i, j, k) + omega * correction(i)
        end do
        squares = squares + real(correction, dp)**2
      end do
    end do
    gosa = gosa + sum(squares)
  end subroutine sweep
end module himeno_block

! The field on all images: two copies, sweeps go from one to the other.
module himeno_field
  use himeno_block, only: sp, dp, block, coefficients, block_of, fill_smooth, fill_rough, sweep
  implicit none (type, external)
  private
  public :: setup_smooth, setup_rough, sweep_all, block_at, fetch_block, release

  type(block) :: mine
  type(coefficients) :: coef
  integer :: interior(3), parts(3)
  integer :: old = 1
  integer :: neighbour(2, 3)        ! lower and upper image, 0 at the edge
  integer :: neighbour_extent(3)    ! points of the lower one in that direction
  real(sp), allocatable :: field(:, :, :, :)[:] ! three directions, copy

contains

  subroutine setup_smooth(points, grid)
    integer, intent(in) :: points(3), grid(3)

    call setup(points, grid)
    call fill_smooth(mine, interior, field(0:mine%extent(1) + 1, 0:mine%extent(2) + 1, &
                                           0:mine%extent(3) + 1, old), coef)
    field(:, :, :, 3 - old) = field(:, :, :, old)
    sync all
  end subroutine setup_smooth

  subroutine setup_rough(points, grid)
    integer, intent(in) :: points(3), grid(3)

    call setup(points, grid)
    call fill_rough(mine, field(0:mine%extent(1) + 1, 0:mine%extent(2) + 1, &
                                0:mine%extent(3) + 1, old), coef)
    field(:, :, :, 3 - old) = field(:, :, :, old)
    sync all
  end subroutine setup_rough

  subroutine setup(points, grid)
    integer, intent(in) :: points(3), grid(3)
    type(block) :: lower
    integer :: place(3), stride(3), most(3), d

    interior = points
    parts = grid
    if (any(parts > interior)) error stop 'himeno: more images than points in one direction'
    place = place_of(this_image())
    mine = block_at(this_image())
    stride = [1, parts(1), parts(1) * parts(2)]
    neighbour = 0
    neighbour_extent = 0
    do d = 1, 3
      if (place(d) < parts(d) - 1) neighbour(2, d) = this_image() + stride(d)
      if (place(d) > 0) then
        neighbour(1, d) = this_image() - stride(d)
        lower = block_at(neighbour(1, d))
        neighbour_extent(d) = lower%extent(d)
      end if
    end do
    most = (interior + parts - 1) / parts ! one shape for all images
    allocate (field(0:most(1) + 1, 0:most(2) + 1, 0:most(3) + 1, 2)[*])
    old = 1
  end subroutine setup

  ! The place of an image in the grid, from 0.
  pure function place_of(image) result(place)
    integer, intent(in) :: image
    integer :: place(3)

    place(1) = mod(image - 1, parts(1))
    place(2) = mod((image - 1) / parts(1), parts(2))
    place(3) = (image - 1) / (parts(1) * parts(2))
  end function place_of

  ! The sweeps; gosa is that of the last one.
  subroutine sweep_all(sweeps, gosa)
    integer, intent(in) :: sweeps
    real(dp), intent(out) :: gosa
    integer :: count

    do count = 1, sweeps
      gosa = 0.0_dp
      call sweep(mine%extent, coef, field(:, :, :, old), field(:, :, :, 3 - old), gosa)
      old = 3 - old
      call exchange(old)
      call co_sum(gosa)
    end do
  end subroutine sweep_all

  ! Direction by direction, each including the halos that came before: so edges
  ! and corners travel too. One sync for each direction is enough: a neighbour
  ! reads the copy that is written here only after it, and writes into the other
  ! copy only after it has passed the same sync of the sweep in between.
  subroutine exchange(copy)
    integer, intent(in) :: copy
    integer :: n(3)

    n = mine%extent
    if (neighbour(1, 3) > 0) field(1:n(1), 1:n(2), neighbour_extent(3) + 1, copy)[neighbour(1, 3)] = &
        field(1:n(1), 1:n(2), 1, copy)
    if (neighbour(2, 3) > 0) field(1:n(1), 1:n(2), 0, copy)[neighbour(2, 3)] = &
        field(1:n(1), 1:n(2), n(3), copy)
    call sync_direction(3)

    if (neighbour(1, 2) > 0) field(1:n(1), neighbour_extent(2) + 1, 0:n(3) + 1, copy)[neighbour(1, 2)] = &
        field(1:n(1), 1, 0:n(3) + 1, copy)
    if (neighbour(2, 2) > 0) field(1:n(1), 0, 0:n(3) + 1, copy)[neighbour(2, 2)] = &
        field(1:n(1), n(2), 0:n(3) + 1, copy)
    call sync_direction(2)

    if (neighbour(1, 1) > 0) field(neighbour_extent(1) + 1, 0:n(2) + 1, 0:n(3) + 1, copy)[neighbour(1, 1)] = &
        field(1, 0:n(2) + 1, 0:n(3) + 1, copy)
    if (neighbour(2, 1) > 0) field(0, 0:n(2) + 1, 0:n(3) + 1, copy)[neighbour(2, 1)] = &
        field(n(1), 0:n(2) + 1, 0:n(3) + 1, copy)
    call sync_direction(1)
  end subroutine exchange

  subroutine sync_direction(d)
    integer, intent(in) :: d

    if (any(neighbour(:, d) > 0)) sync images (pack(neighbour(:, d), neighbour(:, d) > 0))
  end subroutine sync_direction

  pure type(block) function block_at(image)
    integer, intent(in) :: image

    block_at = block_of(interior, parts, place_of(image))
  end function block_at

  ! The points of another image's block, by get; the shape is that of its block.
  ! (An allocatable left side would cost a slower, reallocating kind of get.)
  subroutine fetch_block(image, values)
    integer, intent(in) :: image
    real(sp), intent(out) :: values(:, :, :)
    integer :: n(3)

    n = shape(values)
    values = field(1:n(1), 1:n(2), 1:n(3), old)[image]
  end subroutine fetch_block

  subroutine release()
    sync all
    deallocate (field)
  end subroutine release
end module himeno_field

program himeno
  use, intrinsic :: iso_fortran_env, only: int64
  use himeno_block, only: sp, dp, block, coefficients, block_of, fill_smooth, fill_rough, sweep
  use himeno_field, only: setup_smooth, setup_rough, sweep_all, block_at, fetch_block, release
  implicit none (type, external)

  type :: size_entry
    character(len=2) :: name
    integer :: points(3) ! with the boundary
    integer :: sweeps
  end type size_entry

  type(size_entry), parameter :: sizes(3) = [ &
      size_entry('XS', [64, 32, 32], 1000), &
      size_entry('S ', [128, 64, 64], 400), &
      size_entry('M ', [256, 128, 128], 100)]
  integer, parameter :: rough_points(3) = [31, 29, 34], rough_sweeps = 10
  real(dp), parameter :: gosa_tolerance = 1.0e-9_dp
  real(sp), parameter :: field_tolerance = 1.0e-6_sp

  type(size_entry) :: this_size
  integer :: grid(3), k
  integer(int64) :: clock_start, clock_end, clock_rate
  real(dp) :: gosa, seconds, operations
  character(len=32) :: argument

  argument = 'S'
  if (command_argument_count() >= 1) call get_command_argument(1, argument)
  this_size%points = 0
  do k = 1, size(sizes)
    if (sizes(k)%name == argument) this_size = sizes(k)
  end do
  if (this_size%points(1) == 0) call refuse('himeno: size "'//trim(argument)//'" is not one of XS, S, M')
  call choose_grid()
  call choose_sweeps()
  if (this_image() == 1) print '(a,a,a,i0,a,i0,a,i0,a,i0,a,i0,a,i0,a,i0)', 'Himeno ', trim(this_size%name), &
      ', ', this_size%points(1), ' x ', this_size%points(2), ' x ', this_size%points(3), &
      ' points, images ', num_images(), ' = ', grid(1), ' x ', grid(2), ' x ', grid(3)

  call setup_rough(rough_points, grid)
  call sweep_all(rough_sweeps, gosa)
  call compare('rough problem', rough_points, .true., rough_sweeps, gosa)
  call release()

  call setup_smooth(this_size%points - 2, grid)
  call system_clock(clock_start, clock_rate)
  call sweep_all(this_size%sweeps, gosa)
  call system_clock(clock_end)
  seconds = real(clock_end - clock_start, dp) / real(clock_rate, dp)
  call co_max(seconds)
  if (this_image() == 1) then
    operations = 34.0_dp * product(real(this_size%points - 2, dp)) * this_size%sweeps
    print '(a,i0,a,f0.3,a)', 'sweeps ', this_size%sweeps, ' in ', seconds, ' s'
    print '(a,es21.14)', 'gosa ', gosa
    print '(a,f0.1)', 'MFLOPS ', operations / seconds * 1.0e-6_dp
  end if
  call compare('benchmark', this_size%points - 2, .false., this_size%sweeps, gosa)
  call release()
  if (this_image() == 1) print '(a)', 'PASS'

contains

  ! Image 1 speaks for all; the others are ended by its error termination.
  subroutine refuse(text)
    character(len=*), intent(in) :: text

    if (this_image() == 1) error stop text
    sync all
  end subroutine refuse

  ! From the second argument, or 1 x Q x R as square as it goes.
  subroutine choose_grid()
    character(len=32) :: text
    integer :: i, status

    text = 'auto'
    if (command_argument_count() >= 2) call get_command_argument(2, text)
    if (text == 'auto') then
      grid(1) = 1
      grid(2) = int(sqrt(real(num_images()) + 0.5))
      do while (mod(num_images(), grid(2)) /= 0)
        grid(2) = grid(2) - 1
      end do
      grid(3) = num_images() / grid(2)
      return
    end if
    argument = text
    do i = 1, len(text)
      if (text(i:i) == 'x') text(i:i) = ' '
    end do
    grid = 0
    read (text, *, iostat=status) grid
    if (status /= 0 .or. any(grid < 1)) call refuse('himeno: "'//trim(argument)//'" is not a grid like 1x2x2')
    if (product(grid) /= num_images()) &
        call refuse('himeno: the grid '//trim(argument)//' is not that of all images')
  end subroutine choose_grid

  ! From the third argument, or those of the size.
  subroutine choose_sweeps()
    character(len=32) :: text
    integer :: status

    if (command_argument_count() < 3) return
    call get_command_argument(3, text)
    read (text, *, iostat=status) this_size%sweeps
    if (status /= 0 .or. this_size%sweeps < 1) call refuse('himeno: "'//trim(text)//'" is not a number of sweeps')
  end subroutine choose_sweeps

  ! Image 1 does the same sweeps alone and compares its field and gosa with those
  ! of all images. The others only wait: their blocks are fetched.
  subroutine compare(what, interior, rough, sweeps, gosa)
    character(len=*), intent(in) :: what
    integer, intent(in) :: interior(3), sweeps
    logical, intent(in) :: rough
    real(dp), intent(in) :: gosa
    type(block) :: blk
    real(sp), allocatable :: p(:, :, :), values(:, :, :)
    real(sp) :: field_error
    real(dp) :: gosa_alone, gosa_error
    integer :: image, low(3), high(3)

    sync all
    if (this_image() == 1) then
      call sweep_alone(interior, rough, sweeps, p, gosa_alone)
      gosa_error = abs(gosa - gosa_alone) / gosa_alone
      field_error = 0.0_sp
      do image = 1, num_images()
        blk = block_at(image)
        allocate (values(blk%extent(1), blk%extent(2), blk%extent(3)))
        call fetch_block(image, values)
        low = blk%shift + 1
        high = blk%shift + blk%extent
        field_error = max(field_error, maxval(abs( &
            values - p(low(1):high(1), low(2):high(2), low(3):high(3)))))
        deallocate (values)
      end do
      print '(a,a,es9.2,a,es9.2)', what, ' against one image: field differs by ', field_error, &
          ', gosa by (relative) ', gosa_error
      if (.not. (field_error <= field_tolerance .and. gosa_error <= gosa_tolerance)) then
        print '(a)', 'FAIL'
        error stop 'himeno: the result is not that of one image'
      end if
    end if
    sync all
  end subroutine compare

  subroutine sweep_alone(interior, rough, sweeps, p, gosa)
    integer, intent(in) :: interior(3), sweeps
    logical, intent(in) :: rough
    real(sp), allocatable, intent(out) :: p(:, :, :)
    real(dp), intent(out) :: gosa
    type(block) :: whole
    type(coefficients) :: coef
    real(sp), allocatable :: q(:, :, :), spare(:, :, :)
    integer :: count

    whole = block_of(interior, parts=[1, 1, 1], place=[0, 0, 0])
    allocate (p(0:interior(1) + 1, 0:interior(2) + 1, 0:interior(3) + 1))
    if (rough) then
      call fill_rough(whole, p, coef)
    else
      call fill_smooth(whole, interior, p, coef)
    end if
    q = p
    do count = 1, sweeps
      gosa = 0.0_dp
      call sweep(interior, coef, p, q, gosa)
      call move_alloc(p, spare)
      call move_alloc(q, p)
      call move_alloc(spare, q)
    end do
  end subroutine sweep_alone
end program himeno
