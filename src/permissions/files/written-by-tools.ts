/** The files that less common programs write, by their options and operands. */
import { entriesForNames } from "../../lib/entries-for-names.ts";
import { valuesAfterOption, type WrittenFilesReader } from "./option-files.ts";
import { withContent } from "./written-paths.ts";

const everyOperand: WrittenFilesReader = (operands) => withContent(operands);
const lastOperand: WrittenFilesReader = (operands) => withContent(operands.slice(-1));

/** Changes what it is given, unless a word says that it only shows something. */
const unlessShowing =
  (shows: RegExp): WrittenFilesReader =>
  (operands, options, texts) =>
    [operands[0] ?? "", ...options].some((text) => shows.test(text)) ? [] : everyOperand(operands, options, texts);

/** Writes to the value of an option, a file or a folder. */
const valueReader =
  (option: RegExp): WrittenFilesReader =>
  (_operands, options) =>
    withContent(valuesAfterOption(options, option));

const isLocalName = (text: string): boolean => !/^[a-z\d]+:\/\//iu.test(text);

/** Statements that only show something. */
const showingStatement =
  /^\s*(?:select|explain|pragma\s+(?:table_x?info|index_x?info|foreign_key)(?:_list)?\s*\(\w+\)\s*$|values|\.(?:tables|schema|indexes|indices|headers?|mode|width|databases|show|help|fullschema|nullvalue|separator)\b|$)/iu;

/** The database, unless all that it is told only shows something. */
const writtenBySqlite: WrittenFilesReader = (operands, options) => {
  const [database, ...statements] = operands;
  if (database === undefined || options.some((text) => /^--?readonly$/u.test(text))) return [];
  const isShown =
    statements.length > 0 && statements.every((text) => text.split(";").every((each) => showingStatement.test(each)));
  return isShown ? [] : [database];
};

/** A compressed file is replaced by one without the ending. */
export const unpackedNames = (operands: readonly string[]): string[] =>
  operands.flatMap((text) => /^(.+)\.(?:gz|z|Z|bz2|xz|lzma|lz|zst)$/u.exec(text)?.[1] ?? []);

const isVirtualEnvironment: WrittenFilesReader = (operands, options) =>
  options.includes("venv") || operands.includes("venv") ? withContent(operands) : [];

const tmuxBuffers: WrittenFilesReader = (operands) => {
  const at = operands.findIndex((text) => /^(?:save-buffer|saveb)$/u.test(text));
  return at < 0 ? [] : operands.slice(at + 1);
};

const cloudCopies: WrittenFilesReader = (operands, options, texts) => {
  const isCopy = operands.some((text) => /^(?:cp|mv|rsync)$/u.test(text));
  return isCopy ? lastOperand(operands.filter(isLocalName), options, texts) : [];
};

/** For aws, `-o` and `--output` name a format. */
export const writtenByAws: WrittenFilesReader = (operands, options, texts) =>
  operands[0] === "s3" && /^(?:cp|mv|sync)$/u.test(operands[1] ?? "") && isLocalName(operands.at(-1) ?? "")
    ? lastOperand(operands, options, texts)
    : [];

export const toolWriters: readonly (readonly [string, WrittenFilesReader])[] = [
  ...entriesForNames(
    "srm trash trash-put rmtrash prename detox emacs setfattr ranlib strip objcopy virtualenv",
    everyOperand,
  ),
  ["gio", unlessShowing(/^(?:cat|info|list|tree|open|mime|monitor|help|version)$/u)],
  ["ar", unlessShowing(/^-?[tp]/u)],
  ["crudini", unlessShowing(/^--(?:get|list|format)/u)],
  ["patchelf", unlessShowing(/^--print/u)],
  [
    "xmlstarlet",
    (...words) => (words[1].some((text) => /^(?:-L|--inplace)$/u.test(text)) ? everyOperand(...words) : []),
  ],
  ...entriesForNames("python python3", isVirtualEnvironment),
  ...entriesForNames("sqlite3 sqlite", writtenBySqlite),
  ["aria2c", valueReader(/^(?:-[do]|--(?:dir|out)=?)(.*)$/su)],
  ["pg_dump", valueReader(/^(?:-f|--file=?)(.*)$/su)],
  ["pg_dumpall", valueReader(/^(?:-f|--file=?)(.*)$/su)],
  ...entriesForNames("mysqldump mariadb-dump", valueReader(/^(?:-r|--result-file=?)(.*)$/su)),
  ...entriesForNames("pip pip3", valueReader(/^(?:-[td]|--(?:target|dest|prefix|root|wheel-dir)=?)(.*)$/su)),
  ...entriesForNames("npm pnpm", valueReader(/^--(?:pack-destination|out)=?(.*)$/su)),
  ["valgrind", valueReader(/^--(?:log-file|xml-file|massif-out-file|callgrind-out-file)=?(.*)$/su)],
  ["hyperfine", valueReader(/^--export-[a-z]+=?(.*)$/su)],
  ["parallel", valueReader(/^--(?:results|joblog|tmpdir|tempdir)=?(.*)$/su)],
  ...entriesForNames("terraform tofu", valueReader(/^--?(?:out|state-out|backup|state)=?(.*)$/su)),
  ["screen", valueReader(/^-Logfile()$/u)],
  ["history", valueReader(/^-[a-z]*[wa]()$/u)],
  ["tmux", tmuxBuffers],
  ["gh", valueReader(/^(?:-[OD]|--(?:output|dir)=?)(.*)$/su)],
  ...entriesForNames("gsutil gcloud", cloudCopies),
];

/** `%output{file}` in what curl is told to show. */
export const curlOutputs: WrittenFilesReader = (_operands, _options, texts) =>
  texts.flatMap((text) => [...text.matchAll(/%output\{(?:>>)?([^}]+)\}/gu)].map(([, file = ""]) => file));

/** Sources that rsync removes once they are sent. */
export const rsyncRemoved: WrittenFilesReader = (operands, options) =>
  options.some((text) => text.startsWith("--remove-s")) ? withContent(operands.slice(0, -1)) : [];
