# Takes comments, indentation and empty lines out of C source: the device's compiler does not need them. No
# string literal of the kernels holds the marks of a comment.
s@/\*[^*]*\*+([^*/][^*]*\*+)*/@@g
/\/\*/,/\*\//{
  s@/\*.*@@
  t
  s@.*\*/@@
  t
  d
}
s@^[[:blank:]]+@@
s@[[:blank:]]+(\\?)$@ \1@
s@ $@@
/^$/d
