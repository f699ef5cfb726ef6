/** What is removed without being named to `rm`: the start of a `find` that removes everything it finds, and names given to `xargs`. */
import { textsOf, type LexedCommand } from "../shell/text.ts";
import { programName, type PlausibleCommand } from "../shell/unwrap.ts";
import { keywords, takesInput } from "../shell/wrappers.ts";

type Command = Pick<PlausibleCommand, "words">;

/** Whether it may remove what it finds. */
export function isRemovingFind({ words }: Command): boolean {
  const mayBe = ({ text, known, unsure }: (typeof words)[number]): boolean =>
    text === "-delete" || (unsure !== undefined && "-delete".startsWith(text.slice(0, known)));
  return isFind({ words }) && words.slice(1).some(mayBe);
}

export function isFind({ words }: Command): boolean {
  return ["find", "gfind"].includes(programName(words[0]) ?? "");
}

/** `removes`: the commands that remove their arguments. */
export function otherRemovals(
  commands: readonly Command[],
  written: readonly LexedCommand[],
  removes: readonly Command[],
) {
  const runsRemove = ({ words }: Command): boolean =>
    removes.some(({ words: [program] }) => program !== undefined && words.slice(1).includes(program));
  const found = commands
    .filter(isFind)
    .flatMap((each) => removalStarts(textsOf(each.words.slice(1)), runsRemove(each)));
  const own = written.filter(({ before = "$" }) => !before.includes("$"));
  const handed = own.flatMap((each, at) => {
    if (!each.words.some((word) => takesInput(programName(word) ?? "")) || !runsRemove(each)) return [];
    const before = /(?:^|[^|])\|&?\n*$/u.test(each.before ?? "") ? own[at - 1] : undefined;
    const read = [each, ...(before === undefined ? [] : [before])].flatMap(({ documents }) => documents);
    const [program, ...rest] = before?.words.filter(({ text }) => !keywords.has(text)) ?? [];
    const texts = textsOf(rest);
    if (program !== undefined && isFind({ words: [program] })) return removalStarts([...texts, "-delete"], false);
    const isPrinted = ["echo", "printf"].includes(programName(program) ?? "");
    return [...read, ...(isPrinted ? texts : [])].flatMap(printedWords);
  });
  return [...found, ...handed];
}

function printedWords(text: string): string[] {
  return text.split(/\s+|\\[n0t]/u);
}

const alternativeForm = /^(?:-o|-or|,)$/u;
const execAction = /^-(?:exec|ok)(?:dir)?$/u;
/** Tests that, with their values, exclude no file that matters. */
const plainTest =
  /^-(?:a|and|true|depth|d|xdev|mount|follow|daystart|print|print0|ls|delete|readable|writable|noleaf|(?:no)?warn|ignore_readdir_race)$/u;
const plainTestWithValue = /^-(?:mindepth|maxdepth|regextype|printf|fprint|fprint0|fls)$/u;
const anyName = /^[*?]+$/u;
const anyPath = /^(?:\.\*|[*?]+)$/u;
/** Programs that choose files by content. */
const contentPrograms = /^(?:[efz]?grep|rg|test|\[|cmp|diff)$/u;
/** Options in front of the first folder. */
const leadingOption = /^-(?:[HLPEXdsxfD]|O\d|-)$/u;

/** Where the find begins, if it removes files without choosing them by name, age or size. A negated test does not count as a choice. */
function removalStarts(texts: readonly string[], runsRemove: boolean): string[] {
  const first = texts.findIndex((text) => /^[-(!]/u.test(text) && !leadingOption.test(text));
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
    if (alternativeForm.test(text)) end();
    else if (text === "!" || text === "-not") at = negatedEnd(rest, at + 1);
    else if (execAction.test(text)) {
      removes ||= runsRemove;
      chooses ||= contentPrograms.test(rest[at + 1] ?? "");
      while (at < rest.length && ![";", "+"].includes(rest[at] ?? "")) at += 1;
    } else if (text === "-delete") removes = true;
    else if (plainTestWithValue.test(text)) at += 1;
    else if (text === "-type") chooses ||= !/^[fd](?:,[fd])*$/u.test(rest[at + 1] ?? "");
    else if (text.startsWith("-") && !plainTest.test(text))
      chooses ||= !(/regex|path|whole/u.test(text) ? anyPath : anyName).test(rest[at + 1] ?? "");
  }
  end();
  return isAll ? (starts.length > 0 ? starts : ["."]) : [];
}

/** The index of the last word of a negation: a test with its value, or everything in parentheses. */
function negatedEnd(texts: readonly string[], start: number): number {
  if (texts[start] !== "(") return start + 1;
  let open = 0;
  for (let at = start; at < texts.length; at += 1) {
    if (texts[at] === "(") open += 1;
    else if (texts[at] === ")") open -= 1;
    if (open === 0) return at;
  }
  return texts.length;
}
