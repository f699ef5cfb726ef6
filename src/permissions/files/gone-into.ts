/** Words by which a program may be told to go through a folder in a way of its own: sending or packing all that lies there. */
import { readOnlyProgram } from "../options/program-options.ts";
import { programOf, type PlausibleCommand } from "../shell/unwrap.ts";
import { goesByItself } from "./deep-words.ts";
import { isShower } from "./shown-words.ts";

/** What they do to a folder is not done to what lies in it; what a loop goes through is seen where it is used. */
const onFolders = new Set("cd pushd popd mkdir rmdir touch tree echo printf test type [ [[ git for select".split(" "));
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
    const isKnown = onFolders.has(program) || isShower(program) || goesByItself(program);
    if (isIdle || isKnown || readOnlyProgram(program) !== undefined) continue;
    const texts = words.slice(1).map(({ text }) => text);
    const isOut = texts.some((text) => elsewhere.test(text));
    for (const [at, text] of texts.entries())
      if (!leavingOut.test(text) && !leavingOut.test(texts[at - 1] ?? "") && found.get(text) !== "out")
        found.set(text, isOut && !(named.has(program) && elsewhere.test(text)) ? "out" : "path");
  }
  return found;
}
