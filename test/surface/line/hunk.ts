// A hunk of a patch: a line kept, a line changed, a line added, and no line end at the end of the file.

export const hunk = {
  oldStart: 9,
  oldLines: 2,
  newStart: 9,
  newLines: 3,
  lines: [" a", "-b", "+B\tc", "+d", "\\ No newline"],
};
