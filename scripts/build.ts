// Builds what is published: ESM chunks for the command and the four library entries, their declarations, and the
// licences of the packages that are bundled in. The old dist stays until the new one is complete.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown, type OutputChunk, type RolldownBuild } from "rolldown";
import { declarationsOf } from "./api/declarations.ts";
import { builtinImports } from "./builtin-imports.ts";
import { chunkGroups } from "./chunk-groups.ts";
import { thirdPartyNotices } from "./third-party.ts";

const root = join(import.meta.dirname, "..");
const next = join(root, "dist.next");
const entries = {
  cli: "src/cli/main.ts",
  index: "src/index.ts",
  protocol: "src/protocol/index.ts",
  testing: "src/testing/index.ts",
};

function fail(message: string): never {
  rmSync(next, { recursive: true, force: true });
  console.error(`build: ${message}`);
  process.exit(1);
}

/** Packages the user installs next to pawl, or not at all: they stay `import()`s in the output. */
function externalPackages(): string[] {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, object | undefined>;
  return [...Object.keys(manifest["optionalDependencies"] ?? {}), ...Object.keys(manifest["peerDependencies"] ?? {})];
}

/** The loop in one file: in chunks that it shared with a session it would bring all of a session along. */
const alone = { loop: "src/loop/index.ts" };

function opened(input: Record<string, string>, external: readonly string[]): Promise<RolldownBuild> {
  return rolldown({
    cwd: root,
    input,
    platform: "node",
    // A package that offers ES modules beside UMD is taken as the former: what UMD requires at run time is not bundled.
    resolve: { mainFields: ["module", "main"] },
    external: [/^node:/, ...external],
    // How long a build took says something of the machine's load, nothing of what was built; any log ends the build.
    checks: { bundlerTimings: false },
    plugins: [builtinImports()],
    onLog(level, log) {
      fail(`${level}: ${log.message}`);
    },
  });
}

async function bundle(): Promise<OutputChunk[]> {
  const external = externalPackages();
  const build = await opened(entries, external);
  const shape = { format: "esm", entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" } as const;
  const { output: loose } = await build.generate(shape);
  const groups = chunkGroups(loose.filter((file) => file.type === "chunk"));
  const { output } = await build.write({ ...shape, dir: next, minify: true, codeSplitting: { groups } });
  await build.close();
  const loop = await opened(alone, external);
  output.push(...(await loop.write({ ...shape, dir: next, minify: true, codeSplitting: false })).output);
  await loop.close();
  const chunks = output.filter((file) => file.type === "chunk");
  const known = new Set([...external, ...output.map((file) => file.fileName)]);
  for (const chunk of chunks) {
    for (const name of [...chunk.imports, ...chunk.dynamicImports]) {
      if (!name.startsWith("node:") && !known.has(name)) {
        fail(
          `${chunk.fileName} imports ${name}, which an installed package would not find: bundle it or make it optional`,
        );
      }
    }
  }
  return chunks;
}

function declarations(): void {
  try {
    const types = join(next, "types");
    mkdirSync(types);
    for (const { name, rollup } of declarationsOf(root)) writeFileSync(join(types, `${name}.d.ts`), rollup.text);
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error));
  }
}

for (const file of Object.values({ ...entries, ...alone })) {
  if (!existsSync(join(root, file))) fail(`${file} is missing; it is one of the five entries of the package`);
}
rmSync(next, { recursive: true, force: true });
const started = performance.now();
const chunks = await bundle();
writeFileSync(
  join(next, "THIRD-PARTY-LICENSES.txt"),
  thirdPartyNotices(
    root,
    chunks.flatMap((chunk) => chunk.moduleIds),
  ),
);
declarations();
rmSync(join(root, "dist"), { recursive: true, force: true });
renameSync(next, join(root, "dist"));
const kilobytes = chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk.code), 0) / 1024;
console.log(
  `dist: ${chunks.length} chunks, ${kilobytes.toFixed(0)} KB, ${(performance.now() - started).toFixed(0)} ms`,
);
