!> Particles in a ring of strips, one for each image: they move, and those that leave a strip migrate to the next one. Both
!> forms share it.
module particles_domain
  use pair_timing, only: dp, images, me, measure, selected, tell_check, tell_wrong
  implicit none
  private
  public :: particle, measure_particles, move, absorb, left, right, most_migrants, mine, held

  !> Particles of an image at the start, and the most that migrate to one side in a step.
  integer, parameter :: at_start = 4000, most_migrants = 1000
  integer, parameter :: most_particles = 4*at_start
  !> Steps that are compared.
  integer, parameter :: compared_steps = 50

  type :: particle
    sequence
    real(dp) :: place, speed, number
  end type particle

  integer, protected :: left, right
  !> The particles of this image, and how many there are.
  type(particle), allocatable :: mine(:)
  integer, protected :: held

contains

  subroutine start()
    integer :: i

    left = modulo(me - 2, images) + 1
    right = modulo(me, images) + 1
    if (.not. allocated(mine)) allocate (mine(most_particles))
    held = at_start
    do i = 1, held
      mine(i) = particle(me - 1 + (i - 0.5_dp)/at_start, 0.001_dp*(modulo(37*i + 11*me, 41) - 20), (me - 1)*at_start + i)
    end do
  end subroutine start

  !> Moves the particles, and takes those out that leave: `to_left` to the left, `to_right` to the right.
  subroutine move(out_left, to_left, out_right, to_right)
    type(particle), intent(inout) :: out_left(most_migrants), out_right(most_migrants)
    integer, intent(out) :: to_left, to_right
    integer :: i, kept
    type(particle) :: p

    to_left = 0
    to_right = 0
    kept = 0
    do i = 1, held
      p = mine(i)
      p%place = p%place + p%speed
      if (p%place < me - 1) then
        if (me == 1) p%place = p%place + images
        to_left = to_left + 1
        out_left(to_left) = p
      else if (p%place >= me) then
        if (me == images) p%place = p%place - images
        to_right = to_right + 1
        out_right(to_right) = p
      else
        kept = kept + 1
        mine(kept) = p
      end if
    end do
    held = kept
  end subroutine move

  !> Adds particles that have come.
  subroutine absorb(come)
    type(particle), intent(in) :: come(:)

    mine(held + 1:held + size(come)) = come
    held = held + size(come)
  end subroutine absorb

  !> Times the steps, and looks whether all particles are there and where they are.
  subroutine measure_particles(do_steps)
    interface
      subroutine do_steps(n)
        integer, intent(in) :: n
      end subroutine do_steps
    end interface

    if (.not. selected('particles', at_start)) return
    call start()
    call measure('particles', at_start, do_steps)
    call start()
    call do_steps(compared_steps)
    if (any(mine(:held)%place < me - 1) .or. any(mine(:held)%place >= me)) call tell_wrong('particles', at_start)
    call tell_check('particles', at_start, sum(mine(:held)%number*(1 + mine(:held)%place)))
  end subroutine measure_particles

end module particles_domain
