/** The permitted words of `ps`: none that shows other programs' environment, as `e` without a hyphen does. */

const columnsValue =
  /^(?:(?:pid|ppid|pgid|sid|tid|lwp|nlwp|uid|user|ruser|euser|group|stat|state|s|etimes?|time|cputime|start|lstart|start_time|bsdstart|comm|ucmd|cmd|args|command|%cpu|%mem|pcpu|pmem|rss|vsz|vsize|sz|size|tty|tt|tname|nice|ni|pri|psr|wchan)(?:=,|,|=$|$))+$/u;
const selectionValue = /^[\w.@%:+/][\w.,@%:+/-]*$/u;
/** Words without a value: letters with or without a hyphen, and some options. */
const plainWord =
  /^(?:-[AaefFjlyHTLw]+|-?auxw*|-axw*|[auxwfljm]+|[\d,]+|-[pq]\d[\d,]*|--forest|--no-headers?|--sort=[-+,%\w]+|--(?:pid|ppid|user)=[\w,]+)$/u;
const beforeColumns = /^(?:-[AaefFjlyHTLw]*o|-axw*o|[auxwfljm]*o|--format)$/u;
const beforeSelection = /^(?:-[AaefFjlyHTLw]*[pqugCt]|--pid|--ppid|--user)$/u;
const sortOrder = /^[-+]?%?\w[-+,%\w]*$/u;

/** If hyphenated letters have their BSD meaning or conflict, ps reads all words in BSD style, and `e` then shows the environment. */
function showsEnvironment(words: readonly string[]): boolean {
  const turning = words.length > 1 ? /^-\w*[xT]/u : /^-\w*(?:x|T\w*H|H\w*T)/u;
  return words.some((word) => turning.test(word)) && words.some((word) => /^-\w*e/u.test(word));
}

export function areProcessWords(words: readonly string[] | undefined): boolean {
  if (words === undefined || showsEnvironment(words)) return false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const value = beforeColumns.test(word)
      ? columnsValue
      : beforeSelection.test(word)
        ? selectionValue
        : word === "--sort"
          ? sortOrder
          : undefined;
    if (value !== undefined) {
      if (!value.test(words[(at += 1)] ?? "")) return false;
    } else if (!plainWord.test(word)) return false;
  }
  return true;
}
