// Reads the declaration files that tsc writes: what they declare, import and export.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseAst } from "rolldown/parseAst";
import type { Node } from "../syntax-tree.ts";

export interface Declaration {
  file: string;
  name: string;
  kind: "interface" | "type" | "class" | "function" | "const";
  /** Its comments and statements without `export`; several statements if it is overloaded. */
  text: string;
  /** The names it may refer to. */
  names: ReadonlySet<string>;
}

export type Binding = { file: string; name: string } | { package: string; name: string };

export interface DeclarationFile {
  declared: Map<string, Declaration>;
  imported: Map<string, Binding>;
  /** The local name, or the binding in another file, by exported name. */
  exported: Map<string, { local: string } | (Binding & { typeOnly: boolean })>;
  /** The sources of `export * from`. */
  stars: { file: string; typeOnly: boolean }[];
  /** Triple-slash references. */
  head: string;
}

const kinds: Record<string, Declaration["kind"]> = {
  TSInterfaceDeclaration: "interface",
  TSTypeAliasDeclaration: "type",
  ClassDeclaration: "class",
  TSDeclareFunction: "function",
  FunctionDeclaration: "function",
  VariableDeclaration: "const",
};

const files = new Map<string, DeclarationFile>();

export function declarationsIn(file: string): DeclarationFile {
  let found = files.get(file);
  if (found === undefined) files.set(file, (found = read(file)));
  return found;
}

function read(file: string): DeclarationFile {
  const inferred = new Map<string, Binding>();
  // tsc writes inferred types as `import("./other.ts").Name`.
  const code = readFileSync(file, "utf8").replaceAll(
    /import\("(\.[^"]+)"\)\.(\w+)/gu,
    (_, source: string, name: string) => {
      inferred.set(name, bindingOf(file, source, name));
      return name;
    },
  );
  const result: DeclarationFile = {
    declared: new Map(),
    imported: inferred,
    exported: new Map(),
    stars: [],
    head: code
      .split("\n")
      .filter((line) => line.startsWith("/// "))
      .join("\n"),
  };
  let from = 0;
  for (const statement of parseAst(code, { lang: "dts" }).body as unknown as Node[]) {
    takeStatement(file, code, statement, docCommentIn(code.slice(from, statement.start)), result);
    from = statement.end;
  }
  return result;
}

/** Returns the last block comment before a statement. Comments above it belong to the file. */
function docCommentIn(between: string): string {
  const last = between.lastIndexOf("/**");
  return last < 0 || !between.trimEnd().endsWith("*/") ? "" : `${between.slice(last).trim()}\n`;
}

function takeStatement(file: string, code: string, node: Node, doc: string, result: DeclarationFile): void {
  switch (node.type) {
    case "ImportDeclaration":
      return takeImport(file, node, result);
    case "ExportAllDeclaration":
      result.stars.push({ file: resolveSource(file, sourceOf(node)), typeOnly: node["exportKind"] === "type" });
      return;
    case "ExportNamedDeclaration": {
      const declaration = node["declaration"] as Node | null;
      if (declaration === null) return takeExports(file, node, result);
      for (const name of addDeclarations(file, code, declaration, doc, result)) result.exported.set(name, { local: name });
      return;
    }
    default:
      addDeclarations(file, code, node, doc, result);
  }
}

function takeImport(file: string, node: Node, result: DeclarationFile): void {
  for (const specifier of node["specifiers"] as Node[]) {
    if (specifier.type !== "ImportSpecifier") throw new Error(`${file}: ${specifier.type} is not known here`);
    result.imported.set(nameOf(specifier["local"]), bindingOf(file, sourceOf(node), nameOf(specifier["imported"])));
  }
}

function takeExports(file: string, node: Node, result: DeclarationFile): void {
  const source = node["source"] as { value: string } | null;
  for (const specifier of node["specifiers"] as Node[]) {
    const [local, name] = [nameOf(specifier["local"]), nameOf(specifier["exported"])];
    const typeOnly = node["exportKind"] === "type" || specifier["exportKind"] === "type";
    result.exported.set(name, source === null ? { local } : { ...bindingOf(file, source.value, local), typeOnly });
  }
}

function addDeclarations(file: string, code: string, node: Node, doc: string, result: DeclarationFile): string[] {
  const kind = kinds[node.type];
  if (kind === undefined) return [];
  const ids = kind === "const" ? (node["declarations"] as Node[]).map(({ id }) => id) : [node["id"]];
  const own = code.slice(node.start, node.end).replace(/^export /u, "");
  const text = `${doc}${/^(?:interface|type|declare) /u.test(own) ? own : `declare ${own}`}`;
  for (const id of ids) {
    const name = nameOf(id);
    const before = result.declared.get(name);
    const names = new Set([...(before?.names ?? []), ...namesIn(node)]);
    names.delete(name);
    const all = before === undefined ? text : `${before.text}\n${text}`;
    result.declared.set(name, { file, name, kind, text: all, names });
  }
  return ids.map(nameOf);
}

function namesIn(value: unknown, names = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const each of value) namesIn(each, names);
  else if (typeof value === "object" && value !== null) {
    const node = value as Node;
    if (node.type === "Identifier") names.add(nameOf(node));
    for (const [field, each] of Object.entries(node)) if (field !== "key" || node["computed"] === true) namesIn(each, names);
  }
  return names;
}

function nameOf(node: unknown): string {
  return (node as { name: string }).name;
}

function sourceOf(node: Node): string {
  return (node["source"] as { value: string }).value;
}

function bindingOf(file: string, source: string, name: string): Binding {
  return source.startsWith(".") ? { file: resolveSource(file, source), name } : { package: source, name };
}

function resolveSource(file: string, source: string): string {
  const found = join(dirname(file), source).replace(/\.(?:ts|js)$/u, ".d.ts");
  if (!existsSync(found)) throw new Error(`${file} imports ${source}, which is not there`);
  return found;
}
