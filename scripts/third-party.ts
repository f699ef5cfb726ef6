// Bundled code keeps its licence: collects the licence text of every package in the bundle.
import { readFileSync, readdirSync } from "node:fs";
import { join, sep } from "node:path";

const licenceFile = /^(licen[cs]e|copying)(-\w+)?(\.(md|txt))?$/i;

/** Returns the folder of a module's package, such as `<root>/node_modules/@scope/name`, or undefined for our own modules. */
function packageFolder(moduleId: string): string | undefined {
  const marker = `${sep}node_modules${sep}`;
  const at = moduleId.lastIndexOf(marker);
  if (at === -1) return undefined;
  const parts = moduleId.slice(at + marker.length).split(sep);
  const depth = parts[0]?.startsWith("@") ? 2 : 1;
  return join(moduleId.slice(0, at + marker.length), ...parts.slice(0, depth));
}

/**
 * Returns the notices of all packages among `moduleIds` (absolute paths), sorted by name. For a package without a licence file, the
 * notice has the licence and author from its manifest. Throws if the manifest has no licence, because it may not be bundled.
 */
export function thirdPartyNotices(root: string, moduleIds: readonly string[]): string {
  const folders = new Set(moduleIds.map((id) => packageFolder(id)).filter((folder) => folder !== undefined));
  const notices = [...folders].toSorted().map((folder) => {
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, unknown>;
    const file = readdirSync(folder).find((name) => licenceFile.test(name));
    const licence = manifest["license"];
    if (typeof licence !== "string")
      throw new Error(`${folder.slice(root.length + 1)} is bundled and states no licence`);
    const text =
      file === undefined
        ? `Author: ${JSON.stringify(manifest["author"])}. The package contains no licence file.`
        : readFileSync(join(folder, file), "utf8").trim();
    return `${String(manifest["name"])} ${String(manifest["version"])} (${licence})\n\n${text}\n`;
  });
  return [`The published files of pawl contain code of these packages.\n`, ...notices].join(`\n${"-".repeat(80)}\n\n`);
}
