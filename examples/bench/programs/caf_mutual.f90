!> Rows of mutual exclusion and atomics: locks, critical, atomic subroutines.
module caf_mutual
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, lock_type
  use caf_timing, only: images, last_count, me, measure, page, partner, report_wrong, total_count
  implicit none
  private
  public :: run_locks, run_atomics

  integer, parameter :: counter_bytes = 4
  type(lock_type), save :: gate(page)[*]
  integer(atomic_int_kind), save :: counter(page)[*]
  !> Keeps the values read alive.
  integer(atomic_int_kind), save :: sink

contains

  !> lock_local, lock_remote, lock_contended, critical_one, critical_all.
  !>
  !> A contended row's time is that of one lock and unlock as one image sees it while all images
  !> compete: on average every other image has had the lock once in between.
  subroutine run_locks()
    call measure('lock_local', 0, lock_local)
    call measure('lock_remote', 0, lock_remote)
    call measure('lock_contended', 0, lock_contended)
    call measure('critical_one', 0, critical_one)
    call measure('critical_all', 0, critical_all)
  end subroutine run_locks

  !> atomic_add, atomic_fetch_add, atomic_cas, their contended forms, atomic_ref_local.
  subroutine run_atomics()
    call clear_counter()
    call measure('atomic_add', counter_bytes, add_remote)
    call check_counter('atomic_add', partner, total_count)
    call measure('atomic_fetch_add', counter_bytes, fetch_add_remote)
    call check_counter('atomic_fetch_add', partner, total_count)
    call measure('atomic_cas', counter_bytes, cas_remote)
    call check_counter('atomic_cas', partner, last_count)
    call measure('atomic_add_all', counter_bytes, add_contended)
    call check_counter('atomic_add_all', 1, total_count*images)
    call measure('atomic_fetch_add_all', counter_bytes, fetch_add_contended)
    call check_counter('atomic_fetch_add_all', 1, total_count*images)
    call measure('atomic_fetch_add_fifth', counter_bytes, fetch_add_among_a_fifth)
    call check_counter('atomic_fetch_add_fifth', partner, total_count*(1 + a_fifth()))
    call measure('atomic_ref_local', counter_bytes, ref_local)
  end subroutine run_atomics

  subroutine clear_counter()
    call atomic_define(counter(1), 0)
    sync all
  end subroutine clear_counter

  !> The counter of `image` must be `expected` (modulo its range); then all counters become 0.
  subroutine check_counter(name, image, expected)
    character(len=*), intent(in) :: name
    integer, intent(in) :: image, expected
    integer(atomic_int_kind) :: value
    if (me == image) then
      call atomic_ref(value, counter(1))
      if (value /= expected) call report_wrong(name, counter_bytes)
    end if
    sync all
    call clear_counter()
  end subroutine check_counter

  subroutine lock_local(n)
    integer, intent(in) :: n
    integer :: i
    if (me /= 1) return
    do i = 1, n
      lock (gate(1))
      unlock (gate(1))
    end do
  end subroutine lock_local

  subroutine lock_remote(n)
    integer, intent(in) :: n
    integer :: i
    if (me /= 1) return
    do i = 1, n
      lock (gate(1)[partner])
      unlock (gate(1)[partner])
    end do
  end subroutine lock_remote

  subroutine lock_contended(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      lock (gate(1)[1])
      unlock (gate(1)[1])
    end do
    sync all
  end subroutine lock_contended

  subroutine critical_one(n)
    integer, intent(in) :: n
    if (me == 1) call enter_critical(n)
  end subroutine critical_one

  subroutine critical_all(n)
    integer, intent(in) :: n
    call enter_critical(n)
    sync all
  end subroutine critical_all

  subroutine enter_critical(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      critical
        sink = i
      end critical
    end do
  end subroutine enter_critical

  subroutine add_remote(n)
    integer, intent(in) :: n
    integer :: i
    if (me /= 1) return
    do i = 1, n
      call atomic_add(counter(1)[partner], 1)
    end do
  end subroutine add_remote

  subroutine fetch_add_remote(n)
    integer, intent(in) :: n
    integer :: i
    integer(atomic_int_kind) :: old
    if (me /= 1) return
    do i = 1, n
      call atomic_fetch_add(counter(1)[partner], 1, old)
    end do
    sink = old
  end subroutine fetch_add_remote

  !> Every exchange succeeds: the batch starts from whatever the one before left.
  subroutine cas_remote(n)
    integer, intent(in) :: n
    integer :: i
    integer(atomic_int_kind) :: old, before
    if (me /= 1) return
    call atomic_define(counter(1)[partner], 0)
    do i = 1, n
      ! A variable: of an expression gfortran 16 passes the value where its address is meant.
      before = i - 1
      call atomic_cas(counter(1)[partner], old, before, i)
    end do
    sink = old
  end subroutine cas_remote

  subroutine add_contended(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      call atomic_add(counter(1)[1], 1)
    end do
    sync all
  end subroutine add_contended

  subroutine fetch_add_contended(n)
    integer, intent(in) :: n
    integer :: i
    integer(atomic_int_kind) :: old
    do i = 1, n
      call atomic_fetch_add(counter(1)[1], 1, old)
    end do
    sink = old
    sync all
  end subroutine fetch_add_contended

  !> Image 1's time, while a fifth of the images do the same to the same counter, from image 1's host where there are
  !> several.
  subroutine fetch_add_among_a_fifth(n)
    integer, intent(in) :: n
    integer :: i
    integer(atomic_int_kind) :: old
    if (me > 1 + a_fifth()) return
    do i = 1, n
      call atomic_fetch_add(counter(1)[partner], 1, old)
    end do
    sink = old
  end subroutine fetch_add_among_a_fifth

  integer function a_fifth()
    a_fifth = min(max(1, images/5), partner - 2)
  end function a_fifth

  subroutine ref_local(n)
    integer, intent(in) :: n
    integer :: i
    integer(atomic_int_kind) :: value
    if (me /= 1) return
    do i = 1, n
      call atomic_ref(value, counter(1))
    end do
    sink = value
  end subroutine ref_local

end module caf_mutual
