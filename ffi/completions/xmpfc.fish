# Completion of the compiler wrappers in fish: their own options, and those of the compiler.
for wrapper in xmpfc xmpcaf xmpf90 xmpcc xmpcxx
    complete -c $wrapper -l show -d 'print the command, and do nothing else'
    complete -c $wrapper -l check -x -a races -d 'find races of all accesses to coarrays'
    complete -c $wrapper -o static-xmp -d 'link libxmprt.a'
    complete -c $wrapper -l help -d 'explain the options'
    complete -c $wrapper -l version -d 'versions of XMP-RT and of the compiler'
end
for wrapper in xmpfc xmpcaf xmpf90
    complete -c $wrapper -w gfortran
end
complete -c xmpcc -w gcc
complete -c xmpcxx -w g++
