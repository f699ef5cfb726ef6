/** The words that programs for files write to, remove or move away. For guarding rules, whatever permits the command. */
import { entriesForNames } from "../../lib/entries-for-names.ts";
import { readOnlyProgram } from "../options/program-options.ts";
import { textsOf } from "../shell/text.ts";
import { writtenByCurl, writtenByWget } from "./downloaded-files.ts";
import { programName, type PlausibleCommand } from "../shell/unwrap.ts";
import { parseProgramWords, fileOperands, hasOption, valuesOfOption } from "../options/operands.ts";
import { hasOptionOrAbbreviation } from "../options/running-options.ts";
import {
  isOption,
  outputOption,
  writtenByOption,
  writtenByScript,
  valuesAfterOption,
  type WrittenFilesReader,
} from "./option-files.ts";
import {
  anythingBelow,
  fetchedPaths,
  transferToLast,
  createTargetNamer,
  sinks,
  readTransfer,
  withContent,
  pathsInTarget,
} from "./written-paths.ts";
import { curlOutputs, rsyncRemoved, toolWriters, unpackedNames, writtenByAws } from "./written-by-tools.ts";
import { writtenBy7z, writtenByGit, writtenByTar, writtenByUnzip, writtenByZip } from "./written-trees.ts";

const allOperands: WrittenFilesReader = (operands) => [...operands];
const removedOperands: WrittenFilesReader = (operands) => withContent(operands);

const createCopyReader =
  (program: string): WrittenFilesReader =>
  (_operands, _options, texts) => {
    const read = parseProgramWords(program, texts);
    return pathsInTarget(readTransfer(read), createTargetNamer(program, read));
  };

/** For programs that write into an existing file instead of replacing it. */
const withoutSinks =
  (reader: WrittenFilesReader): WrittenFilesReader =>
  (...words) =>
    reader(...words).filter((path) => ![...sinks].some((sink) => path === sink || path.startsWith(`${sink}/`)));

/** A word after an option may be its value. */
function createTransferReader(program: string): WrittenFilesReader {
  return (_operands, _options, texts) => {
    const read = parseProgramWords(program, texts);
    const transfer = transferToLast(read.operands);
    const isDeep = hasOptionOrAbbreviation(read, "-r", "-a", "--recursive", "--archive");
    return [
      ...pathsInTarget(transfer, createTargetNamer(program, read)),
      ...(isDeep ? fetchedPaths(transfer, program === "scp") : []),
    ];
  };
}

const rsyncSideFiles: WrittenFilesReader = (_operands, _options, texts) => {
  const read = parseProgramWords("rsync", texts);
  // For a copy on one machine, the other side is here, too.
  const optionFiles = {
    ...read,
    givenOptions: parseProgramWords("rsync", valuesOfOption(read, "-M", "--remote-option")).givenOptions.concat(
      read.givenOptions,
    ),
  };
  const names = "-T --backup-dir --log-file --only-write-batch --partial-dir --temp-dir --write-batch".split(" ");
  return withContent(valuesOfOption(optionFiles, ...names));
};

const movedFiles: WrittenFilesReader = (...words) => [
  ...createCopyReader("cp")(...words),
  ...removedOperands(...words),
];

const operandsWithOption =
  (option: RegExp): WrittenFilesReader =>
  (operands, options) =>
    options.some((text) => option.test(text)) ? [...operands] : [];
const installedFolders = operandsWithOption(/^(?:-[A-Za-z]*d|--d)/u);

/** The first word is the script, unless an option gives one. */
const sedEditedFiles: WrittenFilesReader = (_operands, options, texts) => {
  if (!options.some((text) => /^(?:-[A-Za-z]*i|--i)/u.test(text))) return [];
  return [...fileOperands("sed", parseProgramWords("sed", texts))];
};

/** For awk, which edits in place if it includes a certain file. */
const awkEditedFiles: WrittenFilesReader = (operands, options) =>
  [...options, ...operands].some((text) => /(?:^|[=/]|^-\w*i)inplace(?:\.awk)?$/u.test(text)) ? operands.slice(1) : [];

/** If there is a hexadecimal number in front of the `i`, its digits and the letters before and after it are not told apart. */
const inPlaceOption = /^-(?:[\dacdfgKlnpsStTuUvwWXy]*|(?=[^i]*0[xX])[\da-fA-FgKlnpsStTuUvwWxXy]*)i/u;

const mktempFolderOption = /^(?:-[a-z]*?p|--t[a-z]*=)(.*)$/su;

const createSecondOperandReader =
  (program: string): WrittenFilesReader =>
  (_operands, _options, texts) =>
    parseProgramWords(program, texts).operands.slice(1, 2);

/** Replaces the file by one of another name, unless told to keep it. */
const compressedFiles: WrittenFilesReader = (operands, options) => {
  const has = (option: RegExp): boolean => options.some((text) => option.test(text));
  // What follows the other letters is their value: `-Flzma`.
  if (has(/^-(?:(?![CFSTM])[A-Za-z\d])*[clt]|^--(?:stdout|to-stdout|list|test)$/u)) return [];
  if (unpackedNames(operands).length > 0) return [...withContent(operands), ...unpackedNames(operands)];
  return has(/^-[A-Za-z\d]*k|^--keep$/u) ? operands.map((text) => `${text}.gz`) : withContent(operands);
};

/** Programs that write formatted text back to the file: with one of their options, or unless one of these says otherwise. */
const createFormatterReader =
  (does: RegExp): WrittenFilesReader =>
  (operands, options) =>
    options.some((text) => does.test(text)) ? withContent(operands) : [];
const createDefaultFormatterReader =
  (shows: RegExp): WrittenFilesReader =>
  (operands, options) =>
    [...options, ...operands].some((text, at) => shows.test(text) || shows.test(`${text}=${options[at + 1] ?? ""}`))
      ? []
      : withContent(operands);
const rewriteOption = /^--(?:write|fix|in-?place)(?:=|$)/u;

/** Output formats: many programs have such words for `-o`, so that they hardly mean a file. */
const outputFormat =
  /^=?(?:json|jsonl|ndjson|ya?ml|table|wide|name|label|(?:jsonpath|custom-columns|columns|go-template)=.*)$/su;

function outputOptionValues(options: readonly string[]): string[] {
  return valuesAfterOption(options, /^(?:-o|--out(?!dated|(?:put)?-(?:format|style|encoding))[\w-]*=?)(.*)$/su);
}

/** For unknown programs: where they are told to write, and what they are told to rewrite. */
const writtenByUnknown: WrittenFilesReader = (...words) => [
  ...withContent(outputOptionValues(words[1]).filter((value) => !outputFormat.test(value))),
  ...createFormatterReader(rewriteOption)(...words),
];

/** The private key and the public one beside it. Options that only inspect keys write none. */
const sshKeyFiles: WrittenFilesReader = (_operands, options) => {
  const keys = parseProgramWords("ssh-keygen", options);
  if (hasOption(keys, ..."yleBFLQiY".split("").map((letter) => `-${letter}`))) return [];
  return valuesOfOption(keys, "-f").flatMap((file) => [file, `${file}.pub`]);
};

/** Options of ffmpeg whose value certainly is not an output file; the others are known to ffmpeg only. */
const ffmpegValueOption =
  /^-(?:i|f|v|h|help|loglevel|ss|to?|r|s|map|crf|preset|pix_fmt|vframes|(?:c|codec|b|q|filter)(?::\w+)*|[va]f|[va]codec)$/u;

const ffmpegOutputs: WrittenFilesReader = (_operands, options) =>
  options.filter(
    (text, at) => !isOption(text) && !/^(?:-|pipe:\d*)$/u.test(text) && !ffmpegValueOption.test(options[at - 1] ?? ""),
  );

/** The name may follow a format: `info:` and `png:-` name no file. */
const imageOutputs: WrittenFilesReader = (operands, options, texts) => {
  const [command, ...rest] = operands;
  if (command === "identify" || options.includes("-list")) return [];
  if (command === "mogrify") return mogrifiedImages(rest, options, texts);
  return [...operands.slice(-1), ...valuesAfterOption(options, /^[-+]write()$/u)].flatMap((file) => {
    const bare = file.replace(/^(?:\w+:)+/u, "");
    return ["", "-"].includes(bare) ? [] : [file, bare];
  });
};

const mogrifiedImages: WrittenFilesReader = (operands, options) => [
  ...operands,
  ...pathsInTarget({ sources: operands, targets: valuesAfterOption(options, /^-path()$/u) }),
];

/** What is copied into a container is written there. */
const containerCopyTargets: WrittenFilesReader = (...words) => {
  const [first = "", ...rest] = parseProgramWords("docker", words[2]).operands;
  const [command, ...operands] = ["container", "compose"].includes(first) ? rest : [first, ...rest];
  if (command !== "cp") return writtenByUnknown(...words);
  const isInside = /^[\w.-]+:/u.test(operands.at(-1) ?? "");
  return isInside ? [] : withContent(pathsInTarget(transferToLast(operands)));
};
/** Other commands of these use `-o` for an output format. */
const podCopyTargets: WrittenFilesReader = (...words) =>
  words[0].includes("cp") ? containerCopyTargets(...words) : [];

/** For programs for which the order of words matters. */
const readInOrder =
  (read: (texts: readonly string[]) => string[]): WrittenFilesReader =>
  (_operands, _options, texts) =>
    read(texts);

const writingPrograms = new Map<string, WrittenFilesReader>([
  ["tee", withoutSinks(allOperands)],
  ...entriesForNames(
    "touch mkdir mkfifo mknod truncate chmod chown chgrp dos2unix unix2dos sponge fallocate ed ex vi vim nvim nano rename setfacl chattr link",
    allOperands,
  ),
  ...entriesForNames("rm rmdir unlink shred", removedOperands),
  ["script", writtenByScript],
  [
    "mktemp",
    (operands, options) => [
      ...operands,
      ...valuesAfterOption(options, mktempFolderOption).map((folder) => folder + anythingBelow),
    ],
  ],
  ["cp", withoutSinks(createCopyReader("cp"))],
  ["install", (...words) => [...createCopyReader("install")(...words), ...installedFolders(...words)]],
  ["ln", createCopyReader("cp")],
  [
    "rsync",
    (...words) => [...createTransferReader("rsync")(...words), ...rsyncSideFiles(...words), ...rsyncRemoved(...words)],
  ],
  ["scp", createTransferReader("scp")],
  ["mv", movedFiles],
  ...entriesForNames("sed gsed", sedEditedFiles),
  ...entriesForNames("perl ruby", operandsWithOption(inPlaceOption)),
  ...entriesForNames("sort shuf", writtenByOption(outputOption)),
  ["tree", writtenByOption(/^-[A-Za-z]*?o(.*)$/su)],
  ...entriesForNames("gawk awk", awkEditedFiles),
  ...entriesForNames("gofmt goimports shfmt prettier", createFormatterReader(/^(?:-w|--write)$/u)),
  ...entriesForNames("clang-format autopep8 yapf", createFormatterReader(/^(?:-[A-Za-z]*i[A-Za-z]*|--in-?place)$/u)),
  ...entriesForNames(
    "black isort rustfmt",
    createDefaultFormatterReader(/^(?:--check(?:-only)?|-c|--diff|--emit=(?:stdout|checkstyle|json))$/u),
  ),
  [
    "ruff",
    ([command, ...operands], ...words) =>
      (command === "format"
        ? createDefaultFormatterReader(/^--(?:check|diff)$/u)
        : createFormatterReader(rewriteOption))(operands, ...words),
  ],
  ["curl", (...words) => [...writtenByCurl(...words), ...curlOutputs(...words)]],
  ["wget", writtenByWget],
  ["nmap", writtenByOption(/^-o[A-Z]()$/u)],
  ["helm", (...words) => withContent(writtenByOption(/^--output-dir=?(.*)$/su)(...words))],
  ["openssl", writtenByOption(/^-(?:(?:key|certs|resp|req|sess_)?out|writerand)()$/u)],
  ["ssh-keygen", sshKeyFiles],
  ["ffmpeg", withoutSinks(ffmpegOutputs)],
  ...entriesForNames("convert magick composite montage", withoutSinks(imageOutputs)),
  ["mogrify", mogrifiedImages],
  ...toolWriters.map(([name, read]): [string, WrittenFilesReader] => [
    name,
    (...words) => [...writtenByUnknown(...words), ...read(...words)],
  ]),
  ["aws", writtenByAws],
  ...entriesForNames("docker podman nerdctl", containerCopyTargets),
  ...entriesForNames("kubectl oc", podCopyTargets),
  ["uniq", createSecondOperandReader("uniq")],
  ["xxd", createSecondOperandReader("xxd")],
  ["split", (...words) => createSecondOperandReader("split")(...words).map((prefix) => `${prefix}aa`)],
  [
    "csplit",
    (_operands, options) => valuesAfterOption(options, /^(?:-f|--prefix=?)(.*)$/su).map((prefix) => `${prefix}00`),
  ],
  ["yq", operandsWithOption(/^(?:-(?:(?![op])[A-Za-z])*i[A-Za-z]*|--in-?place)$/u)],
  ["find", writtenByOption(/^-(?:fprintf?|fprint0|fls)()$/u)],
  ...entriesForNames(
    "gzip gunzip pigz unpigz bzip2 bunzip2 pbzip2 lbzip2 xz unxz lzma unlzma lzip compress uncompress",
    compressedFiles,
  ),
  ["zstd", (...words) => [...writtenByUnknown(...words), ...operandsWithOption(/^--rm$/u)(...words)]],
  [
    "dd",
    withoutSinks((operands) => operands.flatMap((text) => (text.startsWith("of=") ? [text.slice("of=".length)] : []))),
  ],
  ["git", readInOrder(writtenByGit)],
  ...entriesForNames("tar gtar bsdtar", readInOrder(writtenByTar)),
  ["zip", readInOrder(writtenByZip)],
  ["unzip", readInOrder(writtenByUnzip)],
  ...entriesForNames("7z 7za 7zr 7zz", readInOrder(writtenBy7z)),
]);

/** Programs whose `-o` does not name a file. */
const nonWritingPrograms = new Set(
  (
    "echo printf test [ [[ ps set shopt export declare bash sh zsh dash ksh pytest py.test mypy mvn mvnw ag ack ugrep " +
    "ssh sftp sshfs ssh-copy-id mount apt apt-get az aws systemctl loginctl journalctl " +
    "pgrep top ip ss lsblk lsns findmnt zfs zpool lvs vgs pvs"
  ).split(" "),
);

function writesNothing(program: string): boolean {
  return readOnlyProgram(program) !== undefined || nonWritingPrograms.has(program);
}

export function writtenWords({ words, isIdle }: PlausibleCommand): string[] {
  const program = programName(words[0]) ?? "";
  const texts = textsOf(words.slice(1));
  const read = writingPrograms.get(program) ?? (writesNothing(program) ? undefined : writtenByUnknown);
  if (isIdle || read === undefined) return [];
  const end = texts.indexOf("--");
  const beforeEnd = end < 0 ? texts : texts.slice(0, end);
  const operands = [...beforeEnd.filter((text) => !isOption(text)), ...(end < 0 ? [] : texts.slice(end + 1))];
  return read(operands, beforeEnd, texts);
}
