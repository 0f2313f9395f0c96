!> Allocates a coarray of so many KiB and writes to it, then deallocates it. Prints the KiB in huge pages and all KiB of the
!> job's memory that the images have mapped: the least and the greatest of all images, and what is left at the end.
program huge_pages
  use checks, only: require
  implicit none
  integer, parameter :: region = 1, huge_pages_of = 2
  integer, allocatable :: a(:)[:]
  character(20) :: text
  integer :: kibibytes, next, sizes(2), least(2), greatest(2), left(2)

  call get_command_argument(1, text)
  read (text, *) kibibytes
  allocate (a(kibibytes * 256)[*])
  a = this_image()
  sync all
  next = merge(1, this_image() + 1, this_image() == num_images())
  call require(all(a(:)[next] == next), 'the elements of the next image')
  sizes = mapped()
  sync all
  least = sizes
  greatest = sizes
  call co_min(least)
  call co_max(greatest)
  deallocate (a)
  sync all
  left = mapped()
  call co_max(left)
  if (this_image() == 1) then
    print '(*(a,i0))', 'huge ', least(huge_pages_of), ' to ', greatest(huge_pages_of)
    print '(*(a,i0))', 'all ', least(region), ' to ', greatest(region), ' left ', left(region)
  end if

contains

  !> KiB of the region in this process, and how many of them in huge pages. The region is at 0x200000000000.
  function mapped() result(kibibytes)
    integer :: kibibytes(2)
    character(200) :: line
    character(20) :: name
    integer :: file, status, size
    logical :: is_region
    kibibytes = 0
    is_region = .false.
    open (newunit=file, file='/proc/self/smaps', action='read', status='old')
    do
      read (file, '(a)', iostat=status) line
      if (status /= 0) exit
      if (line(13:13) == '-') is_region = line(1:1) == '2' .or. line(1:1) == '3'
      if (index(line(:12), '-') > 0) is_region = .false.
      if (.not. is_region) cycle
      name = line(:index(line, ' '))
      select case (name)
      case ('Rss:', 'ShmemPmdMapped:', 'AnonHugePages:')
        read (line(index(line, ':') + 1:index(line, 'kB') - 1), *) size
        if (name == 'Rss:') then
          kibibytes(region) = kibibytes(region) + size
        else
          kibibytes(huge_pages_of) = kibibytes(huge_pages_of) + size
        end if
      end select
    end do
    close (file)
  end function
end program
