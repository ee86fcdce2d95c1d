# What the headers say, as Doxygen reads it: the first comment after the licence's is of the file, that of planbcast.h the
# main page, and a comment beside a member or value belongs to it.
1{
/SPDX/{
N
s|^[^\n]*\n||
}
s|^/\* |/** \\file\n * |
s|^/\*$|/** \\mainpage planbcast|
}
2,$s|^\(.*[^ ].*\) /\* |\1 /**< |
