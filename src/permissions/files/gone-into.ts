/** Words by which a program may be told to go through a folder in a way of its own: sending or packing all that lies there. */
import { programOf, type PlausibleCommand } from "../shell/unwrap.ts";
import { mayGoInto } from "./deep-words.ts";

const leavingOut = /^--?[\w-]*(?:exclude|ignore|omit|skip)/u;
/** `host:`, `host:/path`, `user@host:path`, `scheme://place`; not a database's, beside which tables are named. */
const elsewhere = /^(?!(?:postgres(?:ql)?|mysql|rediss?):\/\/)(?:[\w.@+-]+:(?:\/|$)|[\w.-]+@[\w.-]+:)/u;

/** To them a mere name in front of a colon is a volume, a container or a pod: `docker run -v config:/config`. */
const named = new Set("docker docker-compose podman nerdctl kubectl oc".split(" "));

/** `out`: the command names another place, so that a mere name will hardly be anything else. */
export function goneInto(commands: readonly PlausibleCommand[]): Map<string, "path" | "out"> {
  const found = new Map<string, "path" | "out">();
  for (const { words, isIdle } of commands) {
    const program = programOf(words[0]) ?? "";
    const texts = words.slice(1).map(({ text }) => text);
    if (isIdle || !mayGoInto(program, texts)) continue;
    const isOut = texts.some((text) => elsewhere.test(text));
    for (const [at, text] of texts.entries())
      if (!leavingOut.test(text) && !leavingOut.test(texts[at - 1] ?? "") && found.get(text) !== "out")
        found.set(text, isOut && !(named.has(program) && elsewhere.test(text)) ? "out" : "path");
  }
  return found;
}
