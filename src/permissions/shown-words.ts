/** The words by which programs are told which files to show, send or copy: for those of which only the shell will know what they are. */
import { divided, valuesOf } from "./operands.ts";
import { hole } from "./shell-fill.ts";

interface Shower {
  /** Options that take a value. */
  letters: string;
  names: readonly string[];
  /** The first operand is no file, unless one of these options was given. */
  givesPattern?: RegExp;
}

const plain: Shower = { letters: "", names: [] };
const lines: Shower = { letters: "nc", names: ["--lines", "--bytes"] };
const searched: Shower = {
  letters: "ABCmefdDgtTjMrE",
  names:
    "--regexp --file --include --exclude --exclude-dir --max-count --context --after-context --before-context --glob --iglob --type --max-depth".split(
      " ",
    ),
  givesPattern: /^(?:-[ef]|--regexp|--file|--files)$/u,
};
const scripted: Shower = {
  letters: "efFvlEI",
  names: ["--expression", "--file"],
  givesPattern: /^(?:-[ef]|--expression|--file)$/u,
};
const filtered: Shower = { letters: "fL", names: ["--arg", "--indent"], givesPattern: /^(?:-f|--from-file)$/u };

const programs = new Map<string, Shower>([
  ..."cat tac less more most bat batcat nl rev pr fold fmt expand unexpand paste column join comm cmp diff sdiff colordiff vimdiff strings od xxd hexdump hd base64 base32 base58 iconv look shuf zcat bzcat xzcat gunzip gzip bzip2 xz zstd zip tar gtar bsdtar cp mv ln install rsync scp pax cpio view vim vi nano emacs ed ex cut sort uniq split csplit dd mapfile xmllint openssl pbcopy xclip csvlook highlight pygmentize enscript a2ps curl wget nc ncat socat"
    .split(" ")
    .map((name): [string, Shower] => [name, plain]),
  ["head", lines],
  ["tail", lines],
  ...["grep", "egrep", "fgrep", "zgrep", "rgrep", "rg", "ag", "ack"].map((name): [string, Shower] => [name, searched]),
  ...["sed", "gsed", "awk", "gawk", "mawk", "nawk"].map((name): [string, Shower] => [name, scripted]),
  ...["jq", "yq", "jaq", "gojq"].map((name): [string, Shower] => [name, filtered]),
  ["cut", { letters: "dfbc", names: ["--delimiter", "--fields"] }],
  ["sort", { letters: "ktST", names: ["--key", "--field-separator"] }],
  [
    "curl",
    {
      letters: "oXHAbcmuewxyz",
      names:
        "--output --request --header --user-agent --max-time --user --write-out --proxy --retry --connect-timeout --url".split(
          " ",
        ),
    },
  ],
  ["wget", { letters: "OoPtTUQ", names: ["--output-document", "--directory-prefix"] }],
]);

/** Of git, what shows a file that is named. */
const ofGit = new Set("show cat-file blame annotate".split(" "));
/** What is sent to an address is no file. */
const address = /^[a-z][\w+.-]*:\/\//iu;

export function isShower(program: string): boolean {
  return programs.has(program);
}

/** What it is to take is named in a list, or comes from its input. */
function readsList(program: string, texts: readonly string[]): boolean {
  if (program === "cpio" || program === "pax") return !texts.some((text) => /^-[A-Za-z]*[it]/u.test(text));
  if (program === "zip") return texts.some((text) => /^-[A-Za-z]*@$|^-@/u.test(text));
  const isTar = program === "tar" || program === "gtar" || program === "bsdtar";
  return isTar && texts.some((text) => /^-[A-Za-z]*T|^--files-from/u.test(text));
}

/** `texts`: behind the program. */
export function shownWords(program: string, texts: readonly string[]): string[] {
  if (readsList(program, texts)) return [hole];
  if (program === "git") return ofGit.has(texts[0] ?? "") ? texts.slice(1).filter((text) => !text.startsWith("-")) : [];
  const shower = programs.get(program);
  if (shower === undefined) return [];
  const { given, operands } = divided(texts, shower.letters, shower.names);
  const isPattern = shower.givesPattern !== undefined && !given.some(({ name }) => shower.givesPattern?.test(name));
  const files = isPattern ? operands.slice(1) : operands;
  if (program !== "curl" && program !== "wget") return files;
  // Only what begins with an at sign, or names a file to send, is one.
  const sent = divided(texts, "oXHAbcmuewxyzTK", ["--upload-file", "--config"]);
  const uploads = valuesOf(sent, "-T", "--upload-file", "-K", "--config");
  return [...texts.filter((text) => /(?:^|^-[A-Za-z]+|=)[@<]/u.test(text) && !address.test(text)), ...uploads];
}
