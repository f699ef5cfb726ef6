/** A program of its own: a bundler takes half a gigabyte, and what a process has taken makes each process that it starts later dearer. */
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const root = resolve(import.meta.dirname, "../..");
const [input = "", file = ""] = process.argv.slice(2);
const isCommon = file.endsWith(".cjs");
// Without modules there is no address of one; webpack writes where a module lay when it was bundled.
const gone = JSON.stringify(pathToFileURL(join(input, "../gone/shrink-1.js")).href);
const asElsewhere = { common: { "import.meta": "{}" }, moved: { "import.meta.url": gone }, plain: {} };

const build = await rolldown({
  input,
  platform: "node",
  // As it is published: what the build makes of the sources is bundled once more.
  resolve: { alias: { pawl: join(root, "dist/index.js") } },
  transform: { define: asElsewhere[isCommon ? "common" : file.endsWith("moved.mjs") ? "moved" : "plain"] },
  logLevel: "silent",
});
await build.write({ file, format: isCommon ? "cjs" : "esm", codeSplitting: false });
await build.close();
