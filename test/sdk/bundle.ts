/** A program of its own: a bundler takes half a gigabyte, and what a process has taken makes each process that it starts later dearer. */
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";

const root = resolve(import.meta.dirname, "../..");
const [input = "", file = ""] = process.argv.slice(2);
const isCommon = file.endsWith(".cjs");

const build = await rolldown({
  input,
  platform: "node",
  // As it is published: what the build makes of the sources is bundled once more.
  resolve: { alias: { pawl: join(root, "dist/index.js") } },
  // As other bundlers leave it, that know no address of a module where there are no modules.
  transform: isCommon ? { define: { "import.meta": "{}" } } : {},
  logLevel: "silent",
});
await build.write({ file, format: isCommon ? "cjs" : "esm", codeSplitting: false });
await build.close();
