/** The files that programs for downloads write. */
import { parseProgramWords, valuesOfOption } from "../options/operands.ts";
import { outputOption, valuesAfterOption, type WrittenFilesReader } from "./option-files.ts";
import { anythingBelow } from "./written-paths.ts";

/** A downloaded file is named as in its URL, and is put into the folder of an option. */
function downloadedFiles(
  program: string,
  texts: readonly string[],
  isNamed: boolean,
  ...options: readonly string[]
): string[] {
  const folders = valuesOfOption(parseProgramWords(program, texts), ...options);
  const names = isNamed ? texts.filter((text) => text.includes("/")).map((text) => text.split("/").at(-1) ?? "") : [];
  return [
    ...names
      .filter((name) => name !== "")
      .flatMap((name) => ["", ...folders.map((folder) => `${folder}/`)].map((folder) => folder + name)),
    ...folders.map((folder) => folder + anythingBelow),
  ];
}

export const writtenByCurl: WrittenFilesReader = (_operands, options) => [
  ...valuesAfterOption(options, outputOption),
  ...valuesAfterOption(
    options,
    /^(?:-[a-zGIJLNORSZ]*?[Dc]|--(?:dump-header|cookie-jar|trace(?:-ascii)?|stderr|etag-save|libcurl|hsts|alt-svc)=?)(.*)$/su,
  ),
  ...downloadedFiles(
    "curl",
    options,
    options.some((text) => /^-[A-Za-z]*O|^--remote-name/u.test(text)),
    "--output-dir",
  ),
];

const wgetOutputOption = /^(?:-[A-Za-z]*?O|--output-d[a-z]*=?)(.*)$/su;
export const writtenByWget: WrittenFilesReader = (_operands, options) => [
  ...valuesAfterOption(options, wgetOutputOption),
  ...valuesAfterOption(
    options,
    /^(?:-[a-zEFHKLNS]*?[oa]|--(?:output-f|append-o|save-c|warc-f|hsts-f|rejected-l)[a-z-]*=?)(.*)$/su,
  ),
  ...downloadedFiles(
    "wget",
    options,
    !options.some((text) => wgetOutputOption.test(text) || text === "--spider"),
    "-P",
    "--directory-prefix",
  ),
];
