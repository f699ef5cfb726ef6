/** What `ps` may be given: nothing by which it shows other programs' environment, as `e` without a hyphen does. */

const columns =
  /^(?:(?:pid|ppid|pgid|sid|tid|lwp|nlwp|uid|user|ruser|euser|group|stat|state|s|etimes?|time|cputime|start|lstart|start_time|bsdstart|comm|ucmd|cmd|args|command|%cpu|%mem|pcpu|pmem|rss|vsz|vsize|sz|size|tty|tt|tname|nice|ni|pri|psr|wchan)(?:=,|,|=$|$))+$/u;
const selection = /^[\w.@%:+/][\w.,@%:+/-]*$/u;
/** The letters that stand alone, with or without a hyphen. */
const plain =
  /^(?:-[AaefFjlyHTLw]+|-?auxw*|-axw*|[auxwfljm]+|[\d,]+|-[pq]\d[\d,]*|--forest|--no-headers?|--sort=[-+,%\w]+|--(?:pid|ppid|user)=[\w,]+)$/u;
const beforeColumns = /^(?:-[AaefFjlyHTLw]*o|-axw*o|[auxwfljm]*o|--format)$/u;
const beforeSelection = /^(?:-[AaefFjlyHTLw]*[pqugCt]|--pid|--ppid|--user|--sort)$/u;

export function areProcessWords(words: readonly string[] | undefined): boolean {
  if (words === undefined) return false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const isColumns = beforeColumns.test(word);
    if (isColumns || beforeSelection.test(word)) {
      const next = words[(at += 1)] ?? "";
      if (!(isColumns ? columns.test(next) : selection.test(next) || /^-%?\w+$/u.test(next))) return false;
    } else if (!plain.test(word)) return false;
  }
  return true;
}
