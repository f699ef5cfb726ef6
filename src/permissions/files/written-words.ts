/** The words that programs for files write to, remove or move away. For guarding rules, whatever permits the command. */
import { alike } from "../../lib/alike.ts";
import { readOnlyProgram } from "../options/program-options.ts";
import { textsOf } from "../shell/text.ts";
import { programOf, type PlausibleCommand } from "../shell/unwrap.ts";
import { dividedOf, filesAmong, has, valuesOf } from "../options/operands.ts";
import { isGiven } from "../options/running-options.ts";
import { isOption, named, recorded, valuesBehind, type Reader } from "./option-files.ts";
import { anythingBelow, fetched, lastOf, nameIn, sinks, targetOf, wholly, within } from "./written-paths.ts";
import { writtenBy7z, writtenByGit, writtenByTar, writtenByUnzip, writtenByZip } from "./written-trees.ts";

const each: Reader = (operands) => [...operands];
const removed: Reader = (operands) => wholly(operands);

const placed =
  (program: string): Reader =>
  (_operands, _options, texts) => {
    const read = dividedOf(program, texts);
    return within(targetOf(read), nameIn(program, read));
  };

/** For programs that write into an existing file instead of replacing it. */
const poured =
  (reader: Reader): Reader =>
  (...words) =>
    reader(...words).filter((path) => ![...sinks].some((sink) => path === sink || path.startsWith(`${sink}/`)));

/** A word after an option may be its value. */
function sent(program: string): Reader {
  return (_operands, _options, texts) => {
    const read = dividedOf(program, texts);
    const transfer = lastOf(read.operands);
    const isDeep = isGiven(read, "-r", "-a", "--recursive", "--archive");
    return [...within(transfer, nameIn(program, read)), ...(isDeep ? fetched(transfer, program === "scp") : [])];
  };
}

const besideRsync: Reader = (_operands, _options, texts) => {
  const read = dividedOf("rsync", texts);
  // For a copy on one machine, the other side is here, too.
  const given = {
    ...read,
    given: dividedOf("rsync", valuesOf(read, "-M", "--remote-option")).given.concat(read.given),
  };
  const names = "-T --backup-dir --log-file --only-write-batch --partial-dir --temp-dir --write-batch".split(" ");
  return wholly(valuesOf(given, ...names));
};

const moved: Reader = (...words) => [...placed("cp")(...words), ...removed(...words)];

const inPlace =
  (option: RegExp): Reader =>
  (operands, options) =>
    options.some((text) => option.test(text)) ? [...operands] : [];
const installed = inPlace(/^(?:-[A-Za-z]*d|--d)/u);

/** The first word is the script, unless an option gives one. */
const edited: Reader = (_operands, options, texts) => {
  if (!options.some((text) => /^(?:-[A-Za-z]*i|--i)/u.test(text))) return [];
  return [...filesAmong("sed", dividedOf("sed", texts))];
};

/** For awk, which edits in place if it includes a certain file. */
const included: Reader = (operands, options) =>
  [...options, ...operands].some((text) => /(?:^|[=/]|^-\w*i)inplace(?:\.awk)?$/u.test(text)) ? operands.slice(1) : [];

const output = /^(?:-[A-Za-z]*?o|--o[a-z]*=?)(.*)$/su;

/** A downloaded file is named as in its URL, and is put into the folder of an option. */
function loaded(program: string, texts: readonly string[], isNamed: boolean, ...options: readonly string[]): string[] {
  const folders = valuesOf(dividedOf(program, texts), ...options);
  const names = isNamed ? texts.filter((text) => text.includes("/")).map((text) => text.split("/").at(-1) ?? "") : [];
  return [
    ...names
      .filter((name) => name !== "")
      .flatMap((name) => ["", ...folders.map((folder) => `${folder}/`)].map((folder) => folder + name)),
    ...folders.map((folder) => folder + anythingBelow),
  ];
}

const forMktemp = /^(?:-[a-z]*?p|--t[a-z]*=)(.*)$/su;

const fromCurl: Reader = (_operands, options) => [
  ...valuesBehind(options, output),
  ...valuesBehind(
    options,
    /^(?:-[a-zGIJLNORSZ]*?[Dc]|--(?:dump-header|cookie-jar|trace(?:-ascii)?|stderr|etag-save|libcurl|hsts|alt-svc)=?)(.*)$/su,
  ),
  ...loaded(
    "curl",
    options,
    options.some((text) => /^-[A-Za-z]*O|^--remote-name/u.test(text)),
    "--output-dir",
  ),
];
const toDocument = /^(?:-[A-Za-z]*?O|--output-d[a-z]*=?)(.*)$/su;
const fromWget: Reader = (_operands, options) => [
  ...valuesBehind(options, toDocument),
  ...valuesBehind(
    options,
    /^(?:-[a-zEFHKLNS]*?[oa]|--(?:output-f|append-o|save-c|warc-f|hsts-f|rejected-l)[a-z-]*=?)(.*)$/su,
  ),
  ...loaded(
    "wget",
    options,
    !options.some((text) => toDocument.test(text) || text === "--spider"),
    "-P",
    "--directory-prefix",
  ),
];

const second =
  (program: string): Reader =>
  (_operands, _options, texts) =>
    dividedOf(program, texts).operands.slice(1, 2);

/** Replaces the file by one of another name, unless told to keep it. */
const packed: Reader = (operands, options) => {
  const has = (option: RegExp): boolean => options.some((text) => option.test(text));
  // What follows the other letters is their value: `-Flzma`.
  if (has(/^-(?:(?![CFSTM])[A-Za-z\d])*[clt]|^--(?:stdout|to-stdout|list|test)$/u)) return [];
  return has(/^-[A-Za-z\d]*k|^--keep$/u) ? operands.map((text) => `${text}.gz`) : wholly(operands);
};

/** Programs that write formatted text back to the file: with one of their options, or unless one of these says otherwise. */
const formatted =
  (does: RegExp): Reader =>
  (operands, options) =>
    options.some((text) => does.test(text)) ? wholly(operands) : [];
const alwaysFormatted =
  (shows: RegExp): Reader =>
  (operands, options) =>
    [...options, ...operands].some((text, at) => shows.test(text) || shows.test(`${text}=${options[at + 1] ?? ""}`))
      ? []
      : wholly(operands);
const rewrites = /^--(?:write|fix|in-?place)(?:=|$)/u;

/** Output formats: many programs have such words for `-o`, so that they hardly mean a file. */
const shownAs =
  /^=?(?:json|jsonl|ndjson|ya?ml|table|wide|name|label|(?:jsonpath|custom-columns|columns|go-template)=.*)$/su;

function outputsIn(options: readonly string[]): string[] {
  return valuesBehind(options, /^(?:-o|--out(?!dated|(?:put)?-(?:format|style|encoding))[\w-]*=?)(.*)$/su);
}

/** For unknown programs: where they are told to write, and what they are told to rewrite. */
const unlisted: Reader = (...words) => [
  ...wholly(outputsIn(words[1]).filter((value) => !shownAs.test(value))),
  ...formatted(rewrites)(...words),
];

/** The private key and the public one beside it. Options that only inspect keys write none. */
const ofKeys: Reader = (_operands, options) => {
  const keys = dividedOf("ssh-keygen", options);
  if (has(keys, ..."yleBFLQiY".split("").map((letter) => `-${letter}`))) return [];
  return valuesOf(keys, "-f").flatMap((file) => [file, `${file}.pub`]);
};

/** Options of ffmpeg whose value certainly is not an output file; the others are known to ffmpeg only. */
const ofFfmpeg =
  /^-(?:i|f|v|h|help|loglevel|ss|to?|r|s|map|crf|preset|pix_fmt|vframes|(?:c|codec|b|q|filter)(?::\w+)*|[va]f|[va]codec)$/u;

const converted: Reader = (_operands, options) =>
  options.filter(
    (text, at) => !isOption(text) && !/^(?:-|pipe:\d*)$/u.test(text) && !ofFfmpeg.test(options[at - 1] ?? ""),
  );

/** The name may follow a format: `info:` and `png:-` name no file. */
const drawn: Reader = (operands, options, texts) => {
  const [command, ...rest] = operands;
  if (command === "identify" || options.includes("-list")) return [];
  if (command === "mogrify") return redrawn(rest, options, texts);
  return [...operands.slice(-1), ...valuesBehind(options, /^[-+]write()$/u)].flatMap((file) => {
    const bare = file.replace(/^(?:\w+:)+/u, "");
    return ["", "-"].includes(bare) ? [] : [file, bare];
  });
};

const redrawn: Reader = (operands, options) => [
  ...operands,
  ...within({ sources: operands, targets: valuesBehind(options, /^-path()$/u) }),
];

/** What is copied into a container is written there. */
const ofContainers: Reader = (...words) => {
  const [first = "", ...rest] = dividedOf("docker", words[2]).operands;
  const [command, ...operands] = ["container", "compose"].includes(first) ? rest : [first, ...rest];
  if (command !== "cp") return unlisted(...words);
  const isInside = /^[\w.-]+:/u.test(operands.at(-1) ?? "");
  return isInside ? [] : wholly(within(lastOf(operands)));
};
/** Other commands of these use `-o` for an output format. */
const ofPods: Reader = (...words) => (words[0].includes("cp") ? ofContainers(...words) : []);

/** For programs for which the order of words matters. */
const inOrder =
  (read: (texts: readonly string[]) => string[]): Reader =>
  (_operands, _options, texts) =>
    read(texts);

const programs = new Map<string, Reader>([
  ["tee", poured(each)],
  ...alike(
    "touch mkdir mkfifo mknod truncate chmod chown chgrp dos2unix unix2dos sponge fallocate ed ex vi vim nvim nano rename setfacl chattr link",
    each,
  ),
  ...alike("rm rmdir unlink shred", removed),
  ["script", recorded],
  [
    "mktemp",
    (operands, options) => [...operands, ...valuesBehind(options, forMktemp).map((folder) => folder + anythingBelow)],
  ],
  ["cp", poured(placed("cp"))],
  ["install", (...words) => [...placed("install")(...words), ...installed(...words)]],
  ["ln", placed("cp")],
  ["rsync", (...words) => [...sent("rsync")(...words), ...besideRsync(...words)]],
  ["scp", sent("scp")],
  ["mv", moved],
  ...alike("sed gsed", edited),
  ...alike("perl ruby", inPlace(/^-(?:0[xX][\da-fA-F]+(?![\da-fA-F])|[\dacdfgKlnpsStTuUvwWXy])*i/u)),
  ...alike("sort shuf", named(output)),
  ["tree", named(/^-[A-Za-z]*?o(.*)$/su)],
  ...alike("gawk awk", included),
  ...alike("gofmt goimports shfmt prettier", formatted(/^(?:-w|--write)$/u)),
  ...alike("clang-format autopep8 yapf", formatted(/^(?:-[A-Za-z]*i[A-Za-z]*|--in-?place)$/u)),
  ...alike(
    "black isort rustfmt",
    alwaysFormatted(/^(?:--check(?:-only)?|-c|--diff|--emit=(?:stdout|checkstyle|json))$/u),
  ),
  [
    "ruff",
    ([command, ...operands], ...words) =>
      (command === "format" ? alwaysFormatted(/^--(?:check|diff)$/u) : formatted(rewrites))(operands, ...words),
  ],
  ["curl", fromCurl],
  ["wget", fromWget],
  ["nmap", named(/^-o[A-Z]()$/u)],
  ["helm", (...words) => wholly(named(/^--output-dir=?(.*)$/su)(...words))],
  ["openssl", named(/^-(?:(?:key|certs|resp|req|sess_)?out|writerand)()$/u)],
  ["ssh-keygen", ofKeys],
  ["ffmpeg", poured(converted)],
  ...alike("convert magick composite montage", poured(drawn)),
  ["mogrify", redrawn],
  ...alike("docker podman nerdctl", ofContainers),
  ...alike("kubectl oc", ofPods),
  ["uniq", second("uniq")],
  ["xxd", second("xxd")],
  ["split", (...words) => second("split")(...words).map((prefix) => `${prefix}aa`)],
  ["csplit", (_operands, options) => valuesBehind(options, /^(?:-f|--prefix=?)(.*)$/su).map((prefix) => `${prefix}00`)],
  ["yq", inPlace(/^(?:-(?:(?![op])[A-Za-z])*i[A-Za-z]*|--in-?place)$/u)],
  ["find", named(/^-(?:fprintf?|fprint0|fls)()$/u)],
  ...alike("gzip gunzip pigz unpigz bzip2 bunzip2 pbzip2 lbzip2 xz unxz lzma unlzma lzip compress uncompress", packed),
  ["zstd", (...words) => [...unlisted(...words), ...inPlace(/^--rm$/u)(...words)]],
  ["dd", poured((operands) => operands.flatMap((text) => (text.startsWith("of=") ? [text.slice("of=".length)] : [])))],
  ["git", inOrder(writtenByGit)],
  ...alike("tar gtar bsdtar", inOrder(writtenByTar)),
  ["zip", inOrder(writtenByZip)],
  ["unzip", inOrder(writtenByUnzip)],
  ...alike("7z 7za 7zr 7zz", inOrder(writtenBy7z)),
]);

/** Programs whose `-o` does not name a file. */
const others = new Set(
  (
    "echo printf test [ [[ ps set shopt export declare bash sh zsh dash ksh pytest py.test mypy mvn mvnw ag ack ugrep " +
    "ssh sftp sshfs ssh-copy-id mount apt apt-get az aws systemctl loginctl journalctl " +
    "pgrep top ip ss lsblk lsns findmnt zfs zpool lvs vgs pvs"
  ).split(" "),
);

function writesNothing(program: string): boolean {
  return readOnlyProgram(program) !== undefined || others.has(program);
}

export function writtenWords({ words, isIdle }: PlausibleCommand): string[] {
  const program = programOf(words[0]) ?? "";
  const texts = textsOf(words.slice(1));
  const read = programs.get(program) ?? (writesNothing(program) ? undefined : unlisted);
  if (isIdle || read === undefined) return [];
  const end = texts.indexOf("--");
  const beforeEnd = end < 0 ? texts : texts.slice(0, end);
  const operands = [...beforeEnd.filter((text) => !isOption(text)), ...(end < 0 ? [] : texts.slice(end + 1))];
  return read(operands, beforeEnd, texts);
}
