# What the headers say, as Doxygen reads it: the first comment is of the file, that of planbcast.h the main page, and a
# comment beside a member or value belongs to it.
1s|^/\* |/** \\file\n * |
1s|^/\*$|/** \\mainpage planbcast|
2,$s|^\(.*[^ ].*\) /\* |\1 /**< |
