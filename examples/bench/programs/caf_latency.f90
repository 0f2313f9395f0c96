!> The words that the rows of `caf_latency` access.
module caf_words
  use caf_timing, only: dp, page
  implicit none
  private
  real(dp), save, public :: word(page)[*]
  !> The eight variables of the eight-variable ping-pong, individual on purpose.
  real(dp), save, public :: v1(page)[*], v2(page)[*], v3(page)[*], v4(page)[*]
  real(dp), save, public :: v5(page)[*], v6(page)[*], v7(page)[*], v8(page)[*]
  !> Keeps the values read alive.
  real(dp), save, public :: sink
end module caf_words

!> Rows of one 8-byte word: put, get, to another image and to itself, and the ping-pongs.
!>
!> What puts is an external procedure: where a module procedure puts to a variable of a module, gfortran 15 and 16 name
!> the accessor's index (`__caf_send_to_remote_fn_index_*`), and define it nowhere.
module caf_latency
  use caf_words, only: sink, v8, word
  use caf_timing, only: dp, last_count, me, measure, partner, report_wrong, row_body
  implicit none
  private
  public :: run_latency, run_pingpong

  integer, parameter :: word_bytes = 8

  procedure(row_body) :: put_word, put_word_sync, get_word, put_self, get_self, copy_between_images, pingpong
  procedure(row_body) :: pingpong_eight, pingpong_eight_blocking

contains

  !> put8, put8_sync, get8, put8_self, get8_self, sendget8.
  subroutine run_latency()
    word = 0
    call measure('put8', word_bytes, put_word)
    call check_word('put8')
    call measure('put8_sync', word_bytes, put_word_sync)
    call check_word('put8_sync')
    word = me
    call measure('get8', word_bytes, get_word)
    if (me == 1 .and. sink /= real(partner, dp)*last_count) call report_wrong('get8', word_bytes)
    call measure('put8_self', word_bytes, put_self)
    word = me
    call measure('get8_self', word_bytes, get_self)
    if (me == 1 .and. sink /= real(last_count, dp)) call report_wrong('get8_self', word_bytes)
    call measure('sendget8', word_bytes, copy_between_images)
  end subroutine run_latency

  !> pingpong, pingpong_eight, and the latter with every put completed by itself.
  subroutine run_pingpong()
    word = 0
    call measure('pingpong', word_bytes, pingpong)
    if (plays() .and. word(1) /= last_count) call report_wrong('pingpong', word_bytes)
    v8 = 0
    call measure('pingpong_eight', word_bytes, pingpong_eight)
    if (plays() .and. v8(1) /= last_count) call report_wrong('pingpong_eight', word_bytes)
    v8 = 0
    call measure('pingpong_eight_blocking', word_bytes, pingpong_eight_blocking)
    if (plays() .and. v8(1) /= last_count) call report_wrong('pingpong_eight_blocking', word_bytes)
  end subroutine run_pingpong

  !> Whether this image takes part in the ping-pongs.
  logical function plays()
    plays = me == 1 .or. me == partner
  end function plays

  !> The last value put must have arrived.
  subroutine check_word(name)
    character(len=*), intent(in) :: name
    if (me == partner .and. word(1) /= last_count) call report_wrong(name, word_bytes)
    sync all
    word = 0
  end subroutine check_word

end module caf_latency

!> Steady state: the puts are completed together, once a batch.
subroutine put_word(n)
  use caf_timing, only: dp, me, partner
  use caf_words, only: word
  implicit none
  integer, intent(in) :: n
  integer :: i
  if (me /= 1) return
  do i = 1, n
    word(1)[partner] = real(i, dp)
  end do
  sync memory
end subroutine put_word

subroutine put_word_sync(n)
  use caf_timing, only: dp, me, partner
  use caf_words, only: word
  implicit none
  integer, intent(in) :: n
  integer :: i
  if (me /= 1) return
  do i = 1, n
    word(1)[partner] = real(i, dp)
    sync memory
  end do
end subroutine put_word_sync

subroutine get_word(n)
  use caf_timing, only: dp, me, partner
  use caf_words, only: sink, word
  implicit none
  integer, intent(in) :: n
  integer :: i
  real(dp) :: total
  if (me /= 1) return
  total = 0
  do i = 1, n
    total = total + word(1)[partner]
  end do
  sink = total
end subroutine get_word

subroutine put_self(n)
  use caf_timing, only: dp, me
  use caf_words, only: word
  implicit none
  integer, intent(in) :: n
  integer :: i
  if (me /= 1) return
  do i = 1, n
    word(1)[me] = real(i, dp)
  end do
  sync memory
end subroutine put_self

subroutine get_self(n)
  use caf_timing, only: dp, me
  use caf_words, only: sink, word
  implicit none
  integer, intent(in) :: n
  integer :: i
  real(dp) :: total
  if (me /= 1) return
  total = 0
  do i = 1, n
    total = total + word(1)[me]
  end do
  sink = total
end subroutine get_self

!> Both sides coindexed: from the last image to image 2.
subroutine copy_between_images(n)
  use caf_timing, only: images, me, partner
  use caf_words, only: v1, v2
  implicit none
  integer, intent(in) :: n
  integer :: i
  if (me /= 1) return
  do i = 1, n
    v1(1)[partner] = v2(1)[images]
  end do
  sync memory
end subroutine copy_between_images

!> There and back: put, `sync images`; the other image answers in the same way.
subroutine pingpong(n)
  use caf_timing, only: dp, images, me, partner
  use caf_words, only: word
  implicit none
  integer, intent(in) :: n
  integer :: i
  if (me == 1) then
    do i = 1, n
      word(1)[partner] = real(i, dp)
      sync images (partner)
      sync images (partner)
    end do
  else if (me == partner) then
    do i = 1, n
      sync images (1)
      word(1)[1] = real(i, dp)
      sync images (1)
    end do
  end if
end subroutine pingpong

subroutine pingpong_eight(n)
  use caf_timing, only: dp, images, me, partner
  implicit none
  integer, intent(in) :: n
  integer :: i
  if (me == 1) then
    do i = 1, n
      call put_eight(partner, real(i, dp))
      sync images (partner)
      sync images (partner)
    end do
  else if (me == partner) then
    do i = 1, n
      sync images (1)
      call put_eight(1, real(i, dp))
      sync images (1)
    end do
  end if
end subroutine pingpong_eight

subroutine put_eight(image, value)
  use caf_timing, only: dp
  use caf_words, only: v1, v2, v3, v4, v5, v6, v7, v8
  implicit none
  integer, intent(in) :: image
  real(dp), intent(in) :: value
  v1(1)[image] = value
  v2(1)[image] = value
  v3(1)[image] = value
  v4(1)[image] = value
  v5(1)[image] = value
  v6(1)[image] = value
  v7(1)[image] = value
  v8(1)[image] = value
end subroutine put_eight

!> The same, but each put is complete before the next one starts.
subroutine pingpong_eight_blocking(n)
  use caf_timing, only: dp, images, me, partner
  implicit none
  integer, intent(in) :: n
  integer :: i
  if (me == 1) then
    do i = 1, n
      call put_eight_blocking(partner, real(i, dp))
      sync images (partner)
      sync images (partner)
    end do
  else if (me == partner) then
    do i = 1, n
      sync images (1)
      call put_eight_blocking(1, real(i, dp))
      sync images (1)
    end do
  end if
end subroutine pingpong_eight_blocking

subroutine put_eight_blocking(image, value)
  use caf_timing, only: dp
  use caf_words, only: v1, v2, v3, v4, v5, v6, v7, v8
  implicit none
  integer, intent(in) :: image
  real(dp), intent(in) :: value
  v1(1)[image] = value
  sync memory
  v2(1)[image] = value
  sync memory
  v3(1)[image] = value
  sync memory
  v4(1)[image] = value
  sync memory
  v5(1)[image] = value
  sync memory
  v6(1)[image] = value
  sync memory
  v7(1)[image] = value
  sync memory
  v8(1)[image] = value
  sync memory
end subroutine put_eight_blocking
