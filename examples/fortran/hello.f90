! Every image leaves a greeting in its own coarray; image 1 fetches and prints
! them in image order, so the output is the same on every run.
program hello
  implicit none (type, external)
  character(len=40) :: greeting[*]
  character(len=40) :: line
  integer :: me, images, image, total

  me = this_image()
  images = num_images()
  write (greeting, '(a,i0,a,i0)') 'hello from image ', me, ' of ', images
  sync all

  if (me == 1) then
    do image = 1, images
      line = greeting[image]
      print '(a)', trim(line)
    end do
  end if

  total = me
  call co_sum(total)
  if (total /= images * (images + 1) / 2) error stop 'hello: the sum of the image indices is wrong'
end program hello
