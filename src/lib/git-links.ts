/** The folders that a repository's index names as repositories of their own, by the index alone. Format: git's `gitformat-index`. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { readGitConfig } from "./git-config.ts";
import { readRegularFile } from "./regular-file.ts";

const maxBytes = 512 * 1024 * 1024;
/** Of an entry, before the object's name. */
const fixedLength = 40;
const linkMode = 0xe000;

/** Relative to the working tree. Undefined where it cannot be told. */
export function linkedFolders(gitFolder: string): string[] | undefined {
  try {
    const shared = readdirSync(gitFolder).filter((name) => name.startsWith("sharedindex."));
    const links: string[] = [];
    for (const name of ["index", ...shared]) {
      const status = statSync(join(gitFolder, name), { throwIfNoEntry: false });
      if (status === undefined) continue;
      if (!status.isFile() || status.size > maxBytes) return undefined;
      const bytes = readFileSync(join(gitFolder, name));
      // Hardly any index holds these four bytes at all.
      if (!bytes.includes(Buffer.of(0, 0, 0xe0, 0))) continue;
      const found = linksIn(bytes, gitFolder);
      if (found === undefined) return undefined;
      links.push(...found);
    }
    return links;
  } catch {
    return undefined;
  }
}

function linksIn(bytes: Buffer, gitFolder: string): string[] | undefined {
  const version = bytes.readUInt32BE(4);
  // The fourth shortens names, and with other hashes entries are longer: few have either.
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || ![2, 3].includes(version) || !hasUsualHashes(gitFolder))
    return undefined;
  const links: string[] = [];
  let at = 12;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const flags = at + fixedLength + 20;
    const isExtended = (bytes.readUInt16BE(flags) & 0x4000) !== 0;
    const start = flags + (isExtended ? 4 : 2);
    const end = bytes.indexOf(0, start);
    if (end < 0) return undefined;
    if (bytes.readUInt32BE(at + 24) === linkMode) links.push(bytes.toString("utf8", start, end));
    at += (end - at + 8) & ~7;
  }
  return links.some((name) => name.includes("\ufffd")) ? undefined : links;
}

function hasUsualHashes(gitFolder: string): boolean {
  const read = readRegularFile(join(gitFolder, "config"), 64 * 1024);
  if (!read.ok) return false;
  return !readGitConfig(read.text).settings.some(({ key }) => key === "extensions.objectformat");
}
