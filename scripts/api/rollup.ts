// Puts one entry's declarations in one file: its exports and all types they refer to, but nothing else of the rooms behind it.
import { declarationsIn, type Binding, type Declaration } from "./modules.ts";

export interface Exported {
  name: string;
  declared: Declaration;
  /** It is exported as a type although it is a value. */
  typeOnly: boolean;
}

export interface Rollup {
  text: string;
  /** Sorted by name. */
  exports: Exported[];
}

const headerNote = "// Written by `npm run api`. What is exported here is what semantic versioning holds for.";

export function rollup(entry: string): Rollup {
  const exports = exportsOf(entry, false, new Map());
  const packages = new Map<string, Set<string>>();
  const all = reachableFrom([...exports.values()].map(({ declared }) => declared), packages);
  const sorted = [...all].sort((one, other) => compare(one.name, other.name) || compare(one.file, other.file));
  const textOf = withUniqueNames(sorted);
  const listed = [...exports.values()].sort((one, other) => compare(one.name, other.name));
  const inline = new Set(listed.filter(isInline).map(({ declared }) => declared));
  const parts = [
    ...[headerNote, declarationsIn(entry).head].filter((line) => line !== ""),
    ...[...packages].sort(([one], [other]) => compare(one, other)).map(importLine),
    ...sorted.map((declared) => (inline.has(declared) ? withExportKeyword(textOf(declared)) : textOf(declared))),
    ...listed.filter((each) => !isInline(each)).map(exportLine),
    "export {};",
  ];
  return { text: `${parts.join("\n")}\n`, exports: listed };
}

/** Returns these declarations and all that they refer to. */
function reachableFrom(waiting: Declaration[], packages: Map<string, Set<string>>): Set<Declaration> {
  const all = new Set<Declaration>();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (all.has(next)) continue;
    all.add(next);
    waiting.push(...referencesOf(next, packages));
  }
  return all;
}

/** Numbers declarations of different files that share a name, except the first. `sorted` is sorted by name. */
function withUniqueNames(sorted: readonly Declaration[]): (declared: Declaration) => string {
  const uniqueNames = new Map<Declaration, string>();
  let number = 1;
  for (const [at, declared] of sorted.entries()) {
    number = sorted[at - 1]?.name === declared.name ? number + 1 : 1;
    if (number > 1) uniqueNames.set(declared, `${declared.name}_${number}`);
  }
  return (declared) => {
    let { text } = declared;
    for (const [other, name] of uniqueNames) {
      const isMeant = other === declared || referencesOf(declared, new Map()).includes(other);
      if (isMeant) text = text.replaceAll(new RegExp(`(?<![\\w.$])${other.name}(?![\\w$?:(])`, "gu"), name);
    }
    return text;
  };
}

function isInline({ name, declared, typeOnly }: Exported): boolean {
  const isValue = declared.kind !== "interface" && declared.kind !== "type";
  return name === declared.name && !(typeOnly && isValue);
}

function exportLine({ name, declared, typeOnly }: Exported): string {
  return `export ${typeOnly ? "type " : ""}{ ${declared.name === name ? name : `${declared.name} as ${name}`} };`;
}

function importLine([source, names]: [string, Set<string>]): string {
  return `import type { ${[...names].sort(compare).join(", ")} } from "${source}";`;
}

/** Adds `export` to each statement, after its comment. */
function withExportKeyword(text: string): string {
  return text.replaceAll(/^(?=(?:declare|interface|type) )/gmu, "export ");
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function exportsOf(file: string, typeOnly: boolean, into: Map<string, Exported>): Map<string, Exported> {
  const { exported, stars } = declarationsIn(file);
  for (const [name, what] of exported) {
    const declared = resolveBinding("local" in what ? { file, name: what.local } : what);
    if (declared === undefined) throw new Error(`${file} exports ${name}, which is declared nowhere`);
    if (!into.has(name)) into.set(name, { name, declared, typeOnly: typeOnly || ("typeOnly" in what && what.typeOnly) });
  }
  for (const star of stars) exportsOf(star.file, typeOnly || star.typeOnly, into);
  return into;
}

function referencesOf({ file, names }: Declaration, packages: Map<string, Set<string>>): Declaration[] {
  const { declared, imported } = declarationsIn(file);
  return [...names].flatMap((name) => {
    const local = declared.get(name);
    if (local !== undefined) return local;
    const binding = imported.get(name);
    if (binding === undefined) return [];
    if ("file" in binding) return resolveBinding(binding) ?? [];
    if (!binding.package.startsWith("node:"))
      throw new Error(`${file}: the types of ${binding.package} would be published with ${name}, and are not installed`);
    packages.set(binding.package, (packages.get(binding.package) ?? new Set()).add(binding.name));
    return [];
  });
}

/** Follows imports and exports to the declaration. */
function resolveBinding(binding: Binding): Declaration | undefined {
  if ("package" in binding) return undefined;
  const { declared, imported, exported, stars } = declarationsIn(binding.file);
  const local = declared.get(binding.name);
  if (local !== undefined) return local;
  const from = exported.get(binding.name);
  if (from !== undefined && "local" in from) {
    const importedBinding = imported.get(from.local);
    return declared.get(from.local) ?? (importedBinding === undefined ? undefined : resolveBinding(importedBinding));
  }
  if (from !== undefined) return resolveBinding(from);
  for (const star of stars) {
    const found = resolveBinding({ file: star.file, name: binding.name });
    if (found !== undefined) return found;
  }
  const again = imported.get(binding.name);
  return again === undefined ? undefined : resolveBinding(again);
}
