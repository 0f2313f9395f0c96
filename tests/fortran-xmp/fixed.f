C     Fixed form: continued directives and statements, labelled loops, comments in column 1.
      program fixed
      implicit none
      integer n
      parameter (n = 30)
      real*8 a, b
      dimension a(n,n), b(n,n)
      integer i, j
      real*8 total
c$xmp nodes p(1,*)
!$xmp template t(n,n)                                                   00000030
C$XMP distribute t(block,                                               00000040
C$XMP+  block) onto p                                                   00000050
*$xmp align a(i,j) with t(i,j)
!$xmp align b(i,j) with t(i,j)
!$xmp shadow a(1,1)
!$xmp loop (i,j) on t(i,j)
      DO 10 J = 1, N
      DO 10 I = 1, N
        a(i,j) = i*j
   10 CONTINUE
!$xmp reflect (a)                                                       REFL0001
!$xmp loop (i,j) on t(i,j)
      do 30 j = 2, n - 1
        do 20 i = 2, n - 1
          b(i,j) = a(i-1,j) + a(i+1,j) + a(i,j-1)
     &           + a(i,j+1)
   20   continue
   30 continue
      total = 0
!$xmp loop (i,j) on t(i,j) reduction(+:total)
      do 50 j = 2, n - 1
        do 40 i = 2, n - 1
          if (b(i,j) .ne. 4*i*j) stop 1
   40     total = total + 1
   50 continue
      if (total .ne. (n - 2)**2) stop 2
C     A longer word leaves the columns that count; the number of a card.
      total = 0
!$xmp loop (i,j) on t(i,j) reduction(+:total)
!$omp parallel do private(i) default(none) shared(b) reduction(+: total)
      do 70 j = 2, n - 1
        do 60 i = 2, n - 1
   60     total = total + b(i,j)
   70 continue
      if (total .ne. 4*(n*(n - 1)/2 - 1)**2) stop 3
      total = 0
!$xmp loop (i,j) on t(i,j) reduction(+:total)
c$omp parallel do  default( none )     private(i)                shared(00000010
c$omp+ b) reduction(+: total)                                           00000020
      do 90 j = 2, n - 1
        do 80 i = 2, n - 1
   80     total = total + b(i,j)
   90 continue
      if (total .ne. 4*(n*(n - 1)/2 - 1)**2) stop 4
      end
