// `import … from "node:fs"` builds a namespace that reads every export of the built-in module, and some of those are getters
// that load whole subsystems nobody asked for. In the output each becomes `process.getBuiltinModule("node:fs")`, which does not.
import { parseAst } from "rolldown/parseAst";
import type { Plugin } from "rolldown";

interface Specifier {
  type: string;
  local: { name: string };
  imported?: { name?: string; value?: string };
}

interface Statement {
  type: string;
  start: number;
  end: number;
  source?: { value: string };
  specifiers?: Specifier[];
}

export function builtinImports(): Plugin {
  return { name: "builtin-imports", renderChunk: (code) => ({ code: withoutNamespaces(code), map: null }) };
}

/** Static imports of built-in modules, as constants at the same place. */
export function withoutNamespaces(code: string): string {
  let result = "";
  let from = 0;
  for (const statement of parseAst(code).body as unknown as Statement[]) {
    const module = statement.type === "ImportDeclaration" ? statement.source?.value : undefined;
    if (module?.startsWith("node:") !== true) continue;
    result += code.slice(from, statement.start) + constants(module, statement.specifiers ?? []);
    from = statement.end;
  }
  return result + code.slice(from);
}

function constants(module: string, specifiers: readonly Specifier[]): string {
  const loaded = `process.getBuiltinModule(${JSON.stringify(module)})`;
  const named = specifiers.filter(({ type }) => type === "ImportSpecifier");
  const whole = specifiers.filter(({ type }) => type !== "ImportSpecifier");
  const lines = whole.map(({ local }) => `const ${local.name} = ${loaded};`);
  const pairs = named.map(
    ({ local, imported }) => `${JSON.stringify(imported?.name ?? imported?.value)}: ${local.name}`,
  );
  if (named.length > 0) lines.push(`const { ${pairs.join(", ")} } = ${loaded};`);
  return lines.join("\n");
}
