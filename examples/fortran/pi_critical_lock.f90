! Monte-Carlo pi. The samples come in chunks with a random stream each, dealt
! out to the images, so the count of hits is the same for any number of images.
! It is summed on image 1 in three ways: in a CRITICAL construct, under a LOCK,
! and by co_sum; all three must give the same, known integer.
!
! Not with gfortran 15: the coindexed operand of `hits[1] = hits[1] + ...` is taken for the local one.
program pi_critical_lock
  use, intrinsic :: iso_fortran_env, only: int64, lock_type, real64
  implicit none (type, external)
  integer, parameter :: chunks = 840, samples = 10000
  ! What the streams below give, on any image count.
  integer(int64), parameter :: known_hits = 6599449_int64
  type(lock_type) :: guard[*]
  integer(int64) :: hits_critical[*], hits_locked[*]
  integer(int64) :: hits, hits_co_sum
  integer :: chunk

  hits_critical = 0
  hits_locked = 0
  hits_co_sum = 0
  sync all

  ! One entry for each chunk, not for each image: the point is the contention.
  do chunk = this_image(), chunks, num_images()
    hits = count_hits(chunk)
    hits_co_sum = hits_co_sum + hits
    critical
      hits_critical[1] = hits_critical[1] + hits
    end critical
    lock (guard[1])
    hits_locked[1] = hits_locked[1] + hits
    unlock (guard[1])
  end do
  sync all
  call co_sum(hits_co_sum)

  if (this_image() == 1) then
    print '(a,i0,a,i0,a)', 'samples ', chunks * samples, ' on ', num_images(), ' image(s)'
    print '(a,i0)', 'hits summed in critical  ', hits_critical
    print '(a,i0)', 'hits summed under a lock ', hits_locked
    print '(a,i0)', 'hits summed by co_sum    ', hits_co_sum
    print '(a,f8.6)', 'pi is about ', &
        4.0_real64 * real(hits_co_sum, real64) / (real(chunks, real64) * samples)
    if (hits_critical /= hits_co_sum) error stop 'pi_critical_lock: an update was lost in CRITICAL'
    if (hits_locked /= hits_co_sum) error stop 'pi_critical_lock: an update was lost under the LOCK'
    if (hits_co_sum /= known_hits) error stop 'pi_critical_lock: co_sum is not the known count'
    print '(a)', 'PASS'
  end if

contains

  ! Points of the unit square that are in the quarter circle. The generator is
  ! the minimal standard, x <- 48271 x mod 2**31 - 1; chunk k has the k-th section
  ! of its sequence, reached by the power of the multiplier.
  integer(int64) function count_hits(chunk)
    integer, intent(in) :: chunk
    integer(int64), parameter :: modulus = 2_int64**31 - 1, multiplier = 48271
    integer(int64) :: state, power, x, y
    integer :: k, exponent

    state = 1
    power = multiplier
    exponent = (chunk - 1) * 2 * samples
    do while (exponent > 0)
      if (mod(exponent, 2) == 1) state = mod(state * power, modulus)
      power = mod(power * power, modulus)
      exponent = exponent / 2
    end do
    count_hits = 0
    do k = 1, samples
      state = mod(state * multiplier, modulus)
      x = state
      state = mod(state * multiplier, modulus)
      y = state
      ! Two squares below 2**62 each: the sum is below 2**63.
      if (x * x + y * y < modulus * modulus) count_hits = count_hits + 1
    end do
  end function count_hits
end program pi_critical_lock
