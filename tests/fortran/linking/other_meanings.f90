!> What gfortran 12 to 14 compile to something else, and what looks like it.
module other_meanings
  use iso_fortran_env
  implicit none
  type pair
    integer :: one
    real :: two
  end type
  complex :: z[*] ! wrong: complex
  complex :: array(3)[*]
  complex, save :: x, y[2, *] ! wrong: complex
  complex, allocatable :: allocated[:]
  type(pair) :: p(4)[*]
  character(5) :: c[*], elements(3)[*]
  integer :: n[*], m(3)[*]
  real :: reals(3)[*]
  type node
    integer :: key
    type(node), pointer :: next
  end type
  type(node), allocatable :: nodes(:)[:] ! wrong in 12: loses this coarray
  type(node), allocatable :: one_node[:]
  type(node), save :: fixed_nodes(3)[*]
  character(:), allocatable :: names(:)[:]
  type box
    integer :: key
    integer, allocatable :: values(:)
  end type
  type, extends(box) :: larger_box
    integer :: size
  end type
  type(box) :: boxes(4)[*]
  type(larger_box) :: larger_boxes(2, 2)[*]
contains
  subroutine statements(d, k, r, i, team)
    character(5) :: d
    integer :: k, i(4), v(2), status
    type(pair) :: local(4)
    real :: r(4)
    type(team_type) :: team
    character(20) :: message
    d = c[1](2:3) ! wrong: substring
    c[2](1:1) = 'x' ! wrong: substring
    d = elements(2)[1](2:3) ! wrong: substring
    d = c[1]
    d = 'c[1](2:3)'
    c[2] = d(1:2) // 'zw' ! wrong: concatenation
    elements(k)[2] = 'a' // d ! wrong: concatenation
    c[2] = trim(d // 'z')
    c[2] = d ! // 'z'
    c[2] = "a//b"
    r = p(:)[1]%two ! wrong: component
    p(2:3)[1]%two = 0 ! wrong: component
    i = p(:)[1]%one
    r(1) = p(2)[1]%two
    sync all (stat=status, errmsg=message) ! wrong: errmsg
    if (k == 1) sync images (*, stat=status, errmsg=message) ! wrong: errmsg
    sync memory (stat=status)
    allocate (allocated[*], stat=status, errmsg=message) ! wrong: although an image has ended
    k = n[1, team=team] ! wrong: current team
    m(1:2) = m(2:3)[1, team=team] ! wrong: current team
    n[1, team=team] = 3
    m(2)[1, team=team] = k
    m(:) = m(:)[2]
    names(2)[1] = 'x' ! wrong: all elements
    names(:)[1] = 'x'
    d = names(2)[1]
    i(1:2) = m(v)[2] + 1 ! wrong: vector
    print *, sum(m(v)[2]) ! wrong: vector
    i(1:2) = m(v)[2]
    i(1:2) = m(v + 1)[2]
    i(1) = m(v(1))[2] + 1
    m(v)[2] = i(1:2) + 1
    local(2:3)%two = reals(1:2)[2] ! wrong: local section
    reals(1:2)[2] = local(2:3)%two ! wrong: local section
    m(1:2)[2] = local(2:3)%one
    d = elements(2) & ! wrong: substring

      ! Of one element.
      &[1](2:3)
    call take(keeps=n[2], defines=m(k + 1)[2], defines_element=i) ! wrong: copy
    call take(k, m(2:2)[1], & ! wrong: copy
              m(2)[1], n)
    call take(k, i, n[2], n[2])
    call take_value(n[2])
    call take_with_block(n[2])
    call take_box(boxes(1), boxes(1:2))
    call take_box(boxes(k), boxes(1:2)) ! wrong: first element
    call take_box(pairs=boxes(2:), any_box=boxes(1)) ! wrong: first element
    call take_larger_box(larger_boxes(2, k)) ! wrong: first element
    call take_pair(p(2))
    call take_local_box(boxes(2))
  end subroutine
  subroutine take(defines, defines_element, keeps, has_intent)
    integer :: defines, defines_element(1), keeps
    integer, intent(in), optional :: has_intent
    if (keeps > 1) defines = 1
    if (keeps == defines) defines_element(1) = keeps
    print *, keeps, has_intent
  end subroutine
  subroutine take_value(changes)
    integer changes
    value changes
    changes = 2
  end subroutine
  subroutine take_with_block(keeps)
    integer :: keeps
    block
      integer :: keeps
      keeps = 3
    end block
    print *, keeps
  end subroutine
  subroutine take_box(any_box, pairs)
    type(box) :: any_box[*], pairs(:)[*]
    any_box%key = pairs(1)%key
  end subroutine
  subroutine take_larger_box(one)
    type(larger_box) :: one[*]
    one%key = 1
  end subroutine
  subroutine take_pair(one)
    type(pair) :: one[*]
    one%one = 1
  end subroutine
  subroutine take_local_box(one)
    type(box) :: one
    one%key = 1
  end subroutine
  subroutine leave(team, k)
    type(team_type) :: team
    integer :: i, j, k, l
    outer: do i = 1, k
      change team (team)
        if (k == 1) return ! wrong: in the team
        if (k == 2) cycle ! wrong: in the team
        if (k == 3) exit outer ! wrong: in the team
        if (k == 4) go to 10 ! wrong: in the team
        if (k == 5) go to 5
        inner: do
          if (k == 6) cycle
          if (k == 7) exit inner
          exit outer ! wrong: in the team
        end do inner
        j = 0; do l = 1, 3
          if (j > 1) exit
        end do
        do l = 1, 3; if (j > 1) exit; end do
        do 20, while (j < 3)
          if (j == 2) cycle
20      continue
5       print *, k
      end team
10    if (k == 8) cycle
      if (k == 9) return
    end do outer
  end subroutine
  subroutine allocate_together(coarray, k, list)
    real, allocatable :: coarray(:)[:], other(:), third(:)
    integer :: k, list(2)
    integer, save :: index[*]
    allocate (coarray(k)[*], stat=k)
    sync all (stat=k)
    deallocate (coarray, stat=k)
    if (k == stat_failed_image) return
    allocate (coarray(list(1))[*])
    if (k > 1) allocate (coarray(list(1))[*], stat=k) ! wrong: although an image has ended
    allocate (other(index[1]), stat=k)
    allocate (third, source=[1.0, 2.0], stat=k)
  end subroutine
end module
