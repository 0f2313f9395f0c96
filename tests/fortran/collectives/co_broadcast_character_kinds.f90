!> co_broadcast of characters of kinds 1 and 4, of deferred and assumed length, and of logicals of all kinds.
program co_broadcast_character_kinds
  use checks
  implicit none
  integer, parameter :: wide = selected_char_kind('ISO_10646')
  character(kind=wide, len=5) :: symbols, list(3)
  character(:), allocatable :: text
  logical(1) :: l1(3)
  logical(2) :: l2
  logical(8) :: l8(2)
  logical(16) :: l16
  integer :: me, root

  me = this_image()
  do root = 1, num_images()
    symbols = repeat(char(9728 + me, wide), 5); list = symbols; list(2) = wide_'second'
    call co_broadcast(symbols, root)
    call co_broadcast(list(1:3:2), root)
    call require(symbols == repeat(char(9728 + root, wide), 5), 'kind 4')
    call require(all(list(1:3:2) == symbols) .and. list(2) == wide_'secon', 'section of kind 4')
    text = 'from image ' // achar(iachar('0') + me)
    call co_broadcast(text, root)
    call require(text == 'from image ' // achar(iachar('0') + root) .and. len(text) == 12, 'deferred length: ' // text)
    text = repeat(achar(iachar('a') + me), 300)
    call of_assumed_length(text)
    call require(text == repeat(achar(iachar('a') + root), 300), 'assumed length')
    l1 = me == root; l2 = me == root; l8 = [me == root, me /= root]; l16 = me == root
    call co_broadcast(l1, root); call co_broadcast(l2, root); call co_broadcast(l8, root); call co_broadcast(l16, root)
    call require(all(logical(l1)) .and. logical(l2) .and. logical(l16), 'logicals')
    call require(all(logical(l8) .eqv. [.true., .false.]), 'logical(8)')
  end do

contains

  subroutine of_assumed_length(s)
    character(*), intent(inout) :: s
    call co_broadcast(s, root)
  end subroutine
end program
