// Builds what is published: CommonJS chunks for the command, whose compiled code bin/ caches; ES modules for the four library
// entries; their declarations, and the licences of the bundled packages. The old dist stays until the new one is complete.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { rolldown, type OutputChunk, type OutputOptions, type RolldownBuild } from "rolldown";
import { entryDeclarations } from "./api/declarations.ts";
import { toAscii } from "./ascii.ts";
import { builtinImports } from "./builtin-imports.ts";
import { chunkGroups, recordImports, type ImportGraph, type Stages } from "./chunk-groups.ts";
import { chunkScript, threadFile } from "./chunk-script.ts";
import { thirdPartyNotices } from "./third-party.ts";
import { warmCommand } from "./warm-command.ts";

const root = join(import.meta.dirname, "..");
const nextFolder = join(root, "dist.next");
const command = { main: "src/cli/main.ts" };
const library = { index: "src/index.ts", protocol: "src/protocol/index.ts", testing: "src/testing/index.ts" };

function fail(message: string): never {
  rmSync(nextFolder, { recursive: true, force: true });
  console.error(`build: ${message}`);
  process.exit(1);
}

/** Returns packages that users may install next to pawl. They stay `import()`s in the output. */
function externalPackages(): string[] {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, object | undefined>;
  return [...Object.keys(manifest["optionalDependencies"] ?? {}), ...Object.keys(manifest["peerDependencies"] ?? {})];
}

/** The loop is built as one file. If it shared chunks with a session, it would load the whole session. */
const standalone = { loop: "src/loop/index.ts" };

/** A thread's file, which Node itself loads. It cannot be one of the command's chunks. */
const thread = { [basename(threadFile, ".cjs")]: "src/lib/image/shrink.ts" };

function openBundler(
  input: Record<string, string>,
  external: readonly string[],
  graph: ImportGraph,
): Promise<RolldownBuild> {
  return rolldown({
    cwd: root,
    input,
    platform: "node",
    // Prefer ES modules to UMD if a package has both, because modules that UMD requires at run time are not bundled.
    resolve: { mainFields: ["module", "main"] },
    external: [/^node:/, ...external],
    // Any log ends the build, so turn off the log of build times, which depend on the machine's load.
    checks: { bundlerTimings: false },
    plugins: [builtinImports(), recordImports(graph)],
    onLog(level, log) {
      fail(`${level}: ${log.message}`);
    },
  });
}

/** A start loads the command line, then the session. A module belongs to the first of these that needs it. */
const sessionRoots = [
  "/src/session/engine.ts",
  "/src/session/join.ts",
  "/src/session/permissions/sandbox-parts.ts",
  "/src/session/surroundings/read-surroundings.ts",
  "/src/model/anthropic/http-transport.ts",
];
/** Hooks also need the code that starts processes. The rest is loaded at the model's first shell command, which waits for it. */
const processRoots = ["/src/tools/shell/run.ts", "/src/tools/shell/environment.ts", "/src/tools/run-program.ts"];
const shellRoots = [
  "/src/permissions/judge-call.ts",
  "/src/session/trees/trees.ts",
  "/src/session/trees/turn-snapshots.ts",
  "/src/tools/shell/command.ts",
];
const commandStages: Stages = [
  ["start", ["/src/cli/main.ts"]],
  ["session", ["/src/session/compose.ts", "/src/surface/headless/run.ts", ...sessionRoots]],
  ["process", processRoots],
  ["shell", shellRoots],
];
/** Entry functions that load the rest when called stay outside, so that programs that never call them can be bundled without it. */
const libraryStages: Stages = [["session", sessionRoots]];

async function bundleAll(): Promise<OutputChunk[]> {
  const external = externalPackages();
  // Keep class names and line breaks: for an uncaught error, Node shows the name of its class and the line of code that threw it.
  const keepNames = { class: true, function: false };
  const named = { compress: { keepNames }, mangle: { keepNames }, codegen: { removeWhitespace: false } };
  const files = { entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" };
  // The declarations have the comments for users. In the code they would be a tenth of the package.
  const esm = { format: "esm", minify: named, comments: { jsdoc: false }, ...files } as const;
  const cjs = {
    format: "cjs",
    minify: true,
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
  } as const;
  const writtenChunks = [
    await writeBundle({ folder: "", shape: esm, input: library, external, stages: libraryStages }),
    await writeBundle({ folder: "", shape: esm, input: standalone, external }),
    await writeBundle({ folder: "command", shape: cjs, input: command, external, stages: commandStages }),
    await writeBundle({ folder: "command", shape: cjs, input: thread, external }),
  ].flat();
  const known = new Set([...external, ...writtenChunks.map((chunk) => chunk.fileName)]);
  for (const chunk of writtenChunks) {
    for (const name of [...chunk.imports, ...chunk.dynamicImports]) {
      if (!name.startsWith("node:") && !known.has(name)) {
        fail(
          `${chunk.fileName} imports ${name}, which an installed package would not find: bundle it or make it optional`,
        );
      }
    }
  }
  return writtenChunks;
}

interface Bundle {
  folder: string;
  shape: OutputOptions;
  input: Record<string, string>;
  external: readonly string[];
  /** Without stages, everything is in one file. */
  stages?: Stages;
}

async function writeBundle({ folder, shape, input, external, stages }: Bundle): Promise<OutputChunk[]> {
  const graph: ImportGraph = new Map();
  const build = await openBundler(input, external, graph);
  // The import graph is known only after generating.
  if (stages !== undefined) await build.generate(shape);
  const codeSplitting = stages === undefined ? false : { groups: chunkGroups(graph, stages) };
  const { output } = await build.generate({ ...shape, codeSplitting });
  await build.close();
  const chunks = output.filter((file) => file.type === "chunk");
  for (const { fileName, code } of chunks) {
    const path = join(nextFolder, folder, fileName);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, toAscii(shape.format === "cjs" ? chunkScript(fileName, code) : code));
  }
  return chunks;
}

function writeDeclarations(): void {
  try {
    const types = join(nextFolder, "types");
    mkdirSync(types);
    for (const { name, rollup } of entryDeclarations(root)) writeFileSync(join(types, `${name}.d.ts`), rollup.text);
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error));
  }
}

for (const file of Object.values({ ...command, ...library, ...standalone })) {
  if (!existsSync(join(root, file))) fail(`${file} is missing; it is one of the five entries of the package`);
}
rmSync(nextFolder, { recursive: true, force: true });
const started = performance.now();
const chunks = await bundleAll().catch((error: unknown) =>
  fail(error instanceof Error ? error.message : String(error)),
);
writeFileSync(
  join(nextFolder, "THIRD-PARTY-LICENSES.txt"),
  thirdPartyNotices(
    root,
    chunks.flatMap((chunk) => chunk.moduleIds),
  ),
);
writeDeclarations();
rmSync(join(root, "dist"), { recursive: true, force: true });
renameSync(nextFolder, join(root, "dist"));
const kilobytes = chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk.code), 0) / 1024;
console.log(
  `dist: ${chunks.length} chunks, ${kilobytes.toFixed(0)} KB, ${(performance.now() - started).toFixed(0)} ms`,
);
const problem = await warmCommand();
if (problem !== undefined) console.error(`dist: the command's compiled code was not kept, since ${problem}`);
