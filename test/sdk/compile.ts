// The compiler's word on programs that somebody else writes against the library, strictly: against `api/`, which the check of that name holds
// to be what the sources export, as it is published. The sources behind it would be read and checked anew in every run.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** Source by name, each a program of its own. */
export function complaintsAbout(programs: Record<string, string>): string[] {
  const folder = mkdtempSync(join(tmpdir(), "pawl-types-"));
  try {
    for (const [name, source] of Object.entries(programs)) writeFileSync(join(folder, `${name}.ts`), source);
    const tsconfig = {
      compilerOptions: {
        target: "es2024",
        module: "nodenext",
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        verbatimModuleSyntax: true,
        allowImportingTsExtensions: true,
        skipLibCheck: true,
        noEmit: true,
        typeRoots: [join(root, "node_modules/@types")],
        types: ["node"],
        paths: { pawl: [join(root, "api/pawl.d.ts")], "pawl/testing": [join(root, "api/testing.d.ts")] },
      },
      files: Object.keys(programs).map((name) => `${name}.ts`),
    };
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
    const { stdout } = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder], {
      encoding: "utf8",
    });
    return stdout.split("\n").filter((line) => line.includes("error"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
