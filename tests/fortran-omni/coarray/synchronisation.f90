! SYNC IMAGES (with and without an asterisk, with STAT=), SYNC MEMORY, CRITICAL, locks, atomics.
subroutine xmpf_main()
  use expecting
  implicit none
  integer :: x(2), me, images, next, before, n, i, stat, value, others(64)
  logical :: flag, l
  character(len=40) :: message
  integer(8) :: dx, dl, dk, locks(2)
  pointer (px, x), (pl, l), (pk, locks)
  common /xmpf_descptr_sync/ dx, dl, dk
  common /xmpf_crayptr_sync/ px, pl, pk

  me = xmpf_this_image_generic()
  images = xmpf_num_images_generic()
  next = mod(me, images) + 1
  before = mod(me + images - 2, images) + 1
  x = 0
  l = .false.
  call xmpf_sync_all(x)

  ! A ring, in which the number goes round.
  do n = 1, 10
    if (me == 1) then
      call xmpf_coarray_put_generic(dx, next, x(1), x(1) + 1)
      if (images > 1) call xmpf_sync_images(1, next, x)
      if (images > 1) call xmpf_sync_images(1, before, x)
    else
      call xmpf_sync_images(1, before, x)
      call xmpf_coarray_put_generic(dx, next, x(1), x(1) + 1)
      call xmpf_sync_images(1, next, x)
    end if
  end do
  if (me == 1) call expect(x(1) == 10 * images, 'a ring')
  ! A star; each image with all images.
  others(1:images) = [(i, i=1, images)]
  do n = 1, 5
    call xmpf_sync_images(images, others(1:images), x)
    call xmpf_sync_images(0, 0, x)
    if (me == 1) then
      call xmpf_sync_images(0, 0, x)
    else
      call xmpf_sync_images(1, 1, x)
    end if
  end do

  ! STAT= and ERRMSG=.
  stat = -1
  message = 'as it was'
  call xmpf_sync_all_stat(stat)
  call expect(stat == 0, 'stat of sync all')
  call xmpf_sync_allimages_stat_wrap('*', stat, message)
  call expect(stat == 0 .and. message == 'as it was', 'stat of sync images(*)')
  call xmpf_sync_images_stat_wrap(others(1:images), stat, message)
  call expect(stat == 0, 'stat of sync images')
  call xmpf_sync_memory_stat_wrap(stat)
  call expect(stat == 0, 'stat of sync memory')
  call xmpf_sync_image_stat_wrap(images + 1, stat, message)
  call expect(stat > 0 .and. index(message, 'image index') > 0, 'an image that there is not')
  call xmpf_sync_images_stat_wrap([1, 1], stat)
  call expect(stat > 0, 'an image twice')

  ! CRITICAL: nothing is lost.
  x = 0
  call xmpf_sync_all(x)
  do n = 1, 20
    call xmpf_critical()
    value = xmpf_coarray_get_generic(dx, images, x(2))
    call xmpf_coarray_put_generic(dx, images, x(2), value + 1)
    call xmpf_end_critical()
  end do
  call xmpf_sync_all(x)
  call expect(xmpf_coarray_get_generic(dx, images, x(2)) == 20 * images, 'critical')
  ! The second lock of image 1: nothing is lost either. The first one stays open.
  call xmpf_sync_all(x)
  do n = 1, 20
    call xmp_lock(locks(2), 1)
    value = xmpf_coarray_get_generic(dx, images, x(2))
    call xmpf_coarray_put_generic(dx, images, x(2), value + 1)
    call xmp_unlock(locks(2), 1)
  end do
  call xmpf_sync_all(x)
  call expect(xmpf_coarray_get_generic(dx, images, x(2)) == 40 * images, 'a lock')
  call expect(all(locks == 0), 'locks are open again')

  ! A value that others wait for; they do nothing but look.
  call xmpf_sync_all(x)
  if (me == 1) then
    do i = 1, images
      call xmpf_atomic_define_generic(dx, i, x(1), 7)
      call xmpf_atomic_define_generic(dl, i, l, .true.)
    end do
  end if
  value = 0
  flag = .false.
  do while (value /= 7 .or. .not. flag)
    call xmpf_atomic_ref_generic(dx, x(1), value)
    call xmpf_atomic_ref_generic(dl, l, flag)
    call xmpf_sync_memory()
  end do
  call xmpf_atomic_define_generic(dx, x(2), me)
  call xmpf_sync_all(x)
  call xmpf_atomic_ref_generic(dx, next, x(2), value)
  call expect(value == next, 'an atomic value of another image')
  call xmpf_atomic_ref_generic(dl, next, l, flag)
  call expect(flag, 'an atomic flag of another image')
  call xmpf_sync_all(x)
end subroutine xmpf_main

subroutine xmpf_traverse_countcoarray()
  call xmpf_coarray_count_size(2, 4)
  call xmpf_coarray_count_size(1, 4)
  call xmpf_coarray_count_size(2, 8)
end subroutine xmpf_traverse_countcoarray

subroutine xmpf_traverse_initcoarray()
  integer(8) :: descptr(3), crayptr(3)
  common /xmpf_descptr_sync/ descptr
  common /xmpf_crayptr_sync/ crayptr
  call xmpf_coarray_alloc_static(descptr(1), crayptr(1), 2, 4, 1, 'x')
  call xmpf_coarray_alloc_static(descptr(2), crayptr(2), 1, 4, 1, 'l')
  call xmpf_coarray_alloc_static(descptr(3), crayptr(3), 2, 8, 5, 'locks')
end subroutine xmpf_traverse_initcoarray
