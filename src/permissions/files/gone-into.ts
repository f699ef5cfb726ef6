/** Words by which a program may be told to go through a folder in its own way: sending or packing everything there. */
import { programOf, type PlausibleCommand } from "../shell/unwrap.ts";
import { textsOf } from "../shell/text.ts";
import { isFollowed } from "../shell/wrappers.ts";
import { mayGoInto } from "./deep-words.ts";

/** Options whose value is left out: after `=`, or after a blank unless it sounds like a switch (`--ignore-existing`, `--no-ignore`). */
const leavingOut = /^--?(?:[\w-]*-)?(?:exclude|ignore|omit|skip)[\w-]*=/u;
const leavingNext =
  /^--?(?!-?no-)(?:[\w-]*-)?(?:exclude|ignore|omit|skip)d?(?:-(?:dir|director(?:y|ie)|file|folder|glob|path|pattern)s?)?$/u;
/** Matches `host:`, `host:/path`, `user@host:path` and `scheme://place`, but not database addresses, beside which tables are named. */
const elsewhere = /^(?!(?:postgres(?:ql)?|mysql|rediss?):\/\/)(?:[\w.@+-]+:(?:\/|$)|[\w.-]+@[\w.-]+:)/u;

/** For these programs, a plain name before a colon is a volume, a container or a pod: `docker run -v config:/config`. */
const named = new Set("docker docker-compose podman nerdctl kubectl oc".split(" "));

/** Variables with lists of folders to search in, which nobody goes through: `PYTHONPATH=./lib`. */
const list = /^(?:C|CD|CLASS|DYLD_LIBRARY_|GEM_|GO|INFO|LD_LIBRARY_|LIBRARY_|MAN|NODE_|PKG_CONFIG_|PYTHON|V)?PATH\+?=/u;

/** `given`: variables, from which any program may take a folder. `out`: the command names another place, so a name is likely a folder. */
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
    // The command that a wrapper runs is judged by itself, where the meaning of a name before a colon is known.
    const isOut = !isFollowed(program) && texts.some((text) => elsewhere.test(text));
    for (const [at, text] of texts.entries())
      if (!leavingOut.test(text) && !leavingNext.test(texts[at - 1] ?? "") && found.get(text) !== "out")
        found.set(text, isOut && !(named.has(program) && elsewhere.test(text)) ? "out" : "path");
  }
  return found;
}
