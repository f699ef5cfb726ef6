/** What is removed without being named to `rm`: where a `find` begins that removes all that it finds, and what `xargs` is told to hand on. */
import { textsOf, type LexedCommand } from "../shell/text.ts";
import { programOf, type PlausibleCommand } from "../shell/unwrap.ts";

type Command = Pick<PlausibleCommand, "words">;

/** Whether it may remove what it finds. */
export function isRemovingFind({ words }: Command): boolean {
  return isFind({ words }) && words.some(({ text }) => text === "-delete");
}

export function isFind({ words }: Command): boolean {
  return ["find", "gfind"].includes(programOf(words[0]) ?? "");
}

/** `removes`: those of the commands that remove what they are given. */
export function removedElse(
  commands: readonly Command[],
  written: readonly LexedCommand[],
  removes: readonly Command[],
) {
  const runsRemove = ({ words }: Command): boolean =>
    removes.some(({ words: [program] }) => program !== undefined && words.slice(1).includes(program));
  const found = commands.filter(isFind).flatMap((each) => startsOf(textsOf(each.words.slice(1)), runsRemove(each)));
  const own = written.filter(({ before = "$" }) => !before.includes("$"));
  const handed = own.flatMap((each, at) => {
    const isFed = /(?:^|[^|])\|$/u.test(each.before ?? "") && programOf(each.words[0]) === "xargs";
    const before = own[at - 1];
    if (!isFed || before === undefined || !runsRemove(each)) return [];
    const texts = textsOf(before.words.slice(1));
    if (isFind(before)) return startsOf([...texts, "-delete"], false);
    return ["echo", "printf"].includes(programOf(before.words[0]) ?? "") ? texts.flatMap(wordsSaid) : [];
  });
  return [...found, ...handed];
}

function wordsSaid(text: string): string[] {
  return text.split(/\s+|\\[n0t]/u);
}

const alternative = /^(?:-o|-or|,)$/u;
const running = /^-(?:exec|ok)(?:dir)?$/u;
/** Of these, with their values, no file is left out that matters. */
const plain = /^-(?:a|and|depth|d|xdev|mount|print|print0|delete|noleaf|ignore_readdir_race)$/u;
const plainValued = /^-(?:mindepth|maxdepth|regextype)$/u;

/** Where it begins, if it removes without having chosen: by a name, an age, a size. What it is not to be leaves too much. */
function startsOf(texts: readonly string[], runsRemove: boolean): string[] {
  const first = texts.findIndex((text) => /^[-(!]/u.test(text) && !/^-(?:[HLP]|O\d)$/u.test(text));
  const starts = texts.slice(0, first < 0 ? texts.length : first).filter((text) => !text.startsWith("-"));
  let [removes, chooses] = [false, false];
  let isAll = false;
  const end = (): void => {
    isAll ||= removes && !chooses;
    [removes, chooses] = [false, false];
  };
  const rest = first < 0 ? [] : texts.slice(first);
  for (let at = 0; at < rest.length; at += 1) {
    const text = rest[at] ?? "";
    if (alternative.test(text)) end();
    else if (text === "!" || text === "-not") at += 2;
    else if (running.test(text)) {
      removes ||= runsRemove;
      while (at < rest.length && ![";", "+"].includes(rest[at] ?? "")) at += 1;
    } else if (text === "-delete") removes = true;
    else if (plainValued.test(text)) at += 1;
    else if (text === "-type") chooses ||= !/^[fd](?:,[fd])*$/u.test(rest[at + 1] ?? "");
    else if (text.startsWith("-") && !plain.test(text)) chooses ||= !/^\*+$/u.test(rest[at + 1] ?? "");
  }
  end();
  return isAll ? (starts.length > 0 ? starts : ["."]) : [];
}
