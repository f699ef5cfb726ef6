// `import … from "node:fs"` builds a namespace that reads every export of the built-in module, and some exports are getters that
// load whole subsystems. In the output each import becomes `process.getBuiltinModule("node:fs")`, which does not read them.
import { isBuiltin } from "node:module";
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
  return {
    name: "builtin-imports",
    renderChunk: (code) => ({ code: replaceBuiltinImports(replaceCreateRequire(code)), map: null }),
  };
}

/**
 * Bundled packages `require` only built-in modules, which are loaded the same way. The bundler would create a `require` from
 * `import.meta.url` when the chunk loads. That throws in a program that a second bundler has put in one CommonJS file, without a URL.
 */
export function replaceCreateRequire(code: string): string {
  for (const [, name = ""] of code.matchAll(/\b__require\("([^"]*)"\)/gu))
    if (!isBuiltin(name)) throw new Error(`A package requires ${name}, which is no built-in module.`);
  return code
    .replace("(() => createRequire(import.meta.url))()", "process.getBuiltinModule")
    .replace(/^import \{ createRequire \} from "node:module";\n/u, "");
}

/** Replaces static imports of built-in modules by constants at the same place. */
export function replaceBuiltinImports(code: string): string {
  let result = "";
  let from = 0;
  for (const statement of parseAst(code).body as unknown as Statement[]) {
    const module = statement.type === "ImportDeclaration" ? statement.source?.value : undefined;
    if (module?.startsWith("node:") !== true) continue;
    result += code.slice(from, statement.start) + importConstants(module, statement.specifiers ?? []);
    from = statement.end;
  }
  return result + code.slice(from);
}

function importConstants(module: string, specifiers: readonly Specifier[]): string {
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
