/** Words by which a program may be told to go through a folder in its own way: sending or packing everything there. */
import { programName, type PlausibleCommand } from "../shell/unwrap.ts";
import { textsOf } from "../shell/text.ts";
import { runsOtherCommands } from "../shell/wrappers.ts";
import { mayEnterFolders } from "./command-trees.ts";

/** Options whose value is left out: after `=`, or after a blank unless it sounds like a switch (`--ignore-existing`, `--no-ignore`). */
const inlineExclusion = /^--?(?:[\w-]*-)?(?:exclude|ignore|omit|skip)[\w-]*=/u;
const exclusionOption =
  /^--?(?!-?no-)(?:[\w-]*-)?(?:exclude|ignore|omit|skip)d?(?:-(?:dir|director(?:y|ie)|file|folder|glob|path|pattern)s?)?$/u;
/** Matches `host:`, `host:/path`, `user@host:path` and `scheme://place`, but not database addresses, beside which tables are named. */
const remotePlace = /^(?!(?:postgres(?:ql)?|mysql|rediss?):\/\/)(?:[\w.@+-]+:(?:\/|$)|[\w.-]+@[\w.-]+:)/u;

/** For these programs, a plain name before a colon is a volume, a container or a pod: `docker run -v config:/config`. */
const containerPrograms = new Set("docker docker-compose podman nerdctl kubectl oc".split(" "));

/** Variables with lists of folders to search in, which nobody goes through: `PYTHONPATH=./lib`. */
const pathListVariable =
  /^(?:C|CD|CLASS|DYLD_LIBRARY_|GEM_|GO|INFO|LD_LIBRARY_|LIBRARY_|MAN|NODE_|PKG_CONFIG_|PYTHON|V)?PATH\+?=/u;

/** `variables`: from these any program may take a folder. `out`: the command names another place, so a name is likely a folder. */
export function foldersEntered(
  commands: readonly PlausibleCommand[],
  variables: ReadonlySet<string>,
): Map<string, "path" | "out"> {
  const found = new Map<string, "path" | "out">();
  for (const text of variables) if (!pathListVariable.test(text)) found.set(text, "path");
  for (const { words, isIdle } of commands) {
    const program = programName(words[0]) ?? "";
    const texts = textsOf(words.slice(1));
    if (isIdle || !mayEnterFolders(program, texts)) continue;
    // The command that a wrapper runs is judged by itself, where the meaning of a name before a colon is known.
    const namesRemotePlace = !runsOtherCommands(program) && texts.some((text) => remotePlace.test(text));
    for (const [at, text] of texts.entries())
      if (!inlineExclusion.test(text) && !exclusionOption.test(texts[at - 1] ?? "") && found.get(text) !== "out")
        found.set(
          text,
          namesRemotePlace && !(containerPrograms.has(program) && remotePlace.test(text)) ? "out" : "path",
        );
  }
  return found;
}
