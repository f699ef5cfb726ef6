/** Words by which a program may be told to go through a folder in a way of its own: sending or packing all that lies there. */
import { programOf, type PlausibleCommand } from "../shell/unwrap.ts";
import { textsOf } from "../shell/text.ts";
import { isFollowed } from "../shell/wrappers.ts";
import { mayGoInto } from "./deep-words.ts";

/** What stands behind it is left out, and behind a blank as well where it does not sound like a switch: `--ignore-existing`, `--no-ignore`. */
const leavingOut = /^--?(?:[\w-]*-)?(?:exclude|ignore|omit|skip)[\w-]*=/u;
const leavingNext =
  /^--?(?!-?no-)(?:[\w-]*-)?(?:exclude|ignore|omit|skip)d?(?:-(?:dir|director(?:y|ie)|file|folder|glob|path|pattern)s?)?$/u;
/** `host:`, `host:/path`, `user@host:path`, `scheme://place`; not a database's, beside which tables are named. */
const elsewhere = /^(?!(?:postgres(?:ql)?|mysql|rediss?):\/\/)(?:[\w.@+-]+:(?:\/|$)|[\w.-]+@[\w.-]+:)/u;

/** To them a mere name in front of a colon is a volume, a container or a pod: `docker run -v config:/config`. */
const named = new Set("docker docker-compose podman nerdctl kubectl oc".split(" "));

/** What is looked for in a list of folders is no one's to go through: `PYTHONPATH=./lib`. */
const list = /^(?:C|CD|CLASS|DYLD_LIBRARY_|GEM_|GO|INFO|LD_LIBRARY_|LIBRARY_|MAN|NODE_|PKG_CONFIG_|PYTHON|V)?PATH\+?=/u;

/** `given`: variables, which any of them may take a folder from. `out`: the command names another place, so that a mere name will hardly be anything else. */
export function goneInto(
  commands: readonly PlausibleCommand[],
  given: ReadonlySet<string>,
): Map<string, "path" | "out"> {
  const found = new Map<string, "path" | "out">();
  for (const text of given) if (!list.test(text)) found.set(text, "path");
  for (const { words, isIdle } of commands) {
    const program = programOf(words[0]) ?? "";
    const texts = textsOf(words.slice(1));
    if (isIdle || !mayGoInto(program, texts)) continue;
    // What a wrapper runs is met by itself: only there is it known what a name in front of a colon is.
    const isOut = !isFollowed(program) && texts.some((text) => elsewhere.test(text));
    for (const [at, text] of texts.entries())
      if (!leavingOut.test(text) && !leavingNext.test(texts[at - 1] ?? "") && found.get(text) !== "out")
        found.set(text, isOut && !(named.has(program) && elsewhere.test(text)) ? "out" : "path");
  }
  return found;
}
