// From the version check to cli/main: the --version fast path, the compile cache, then the built command, or the
// sources in a clone that was not built.
import module from "node:module";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

// An import of it would read all that it exports, and so load fs/promises, which takes a start a millisecond.
const { existsSync, mkdirSync, readFileSync, statSync } = process.getBuiltinModule("node:fs");

/**
 * The user's own folder for compiled code, or undefined when there is none. Node's default is a folder in the shared
 * temporary directory, where another user could leave code for us to run: so it must be ours, and nobody else's to write.
 */
function cacheFolder() {
  const { XDG_CACHE_HOME: xdg } = process.env;
  try {
    const base = xdg && isAbsolute(xdg) ? xdg : join(homedir(), ".cache");
    const folder = join(base, "pawl", "compile");
    // Level by level: below /proc, mkdir's own recursion goes round for ever.
    const missing = [];
    for (let level = folder; !existsSync(level); level = dirname(level)) missing.unshift(level);
    for (const level of missing) mkdirSync(level, { mode: 0o700 });
    if (!process.getuid) return folder;
    const { uid, mode } = statSync(folder);
    return uid === process.getuid() && (mode & 0o022) === 0 ? folder : undefined;
  } catch {
    // No home, or one that cannot be written: pawl starts a little slower, and that is all.
    return undefined;
  }
}

const [, , ...args] = process.argv;
if (args.length === 1 && (args[0] === "--version" || args[0] === "-v")) {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  process.stdout.on("error", (error) => {
    if (error.code === "EPIPE") return;
    process.stderr.write(`pawl: the output could not be written: ${error.message}\n`);
    process.exitCode = 1;
  });
  process.stdout.write(`${JSON.parse(manifest).version}\n`);
} else {
  const cache = cacheFolder();
  if (cache) module.enableCompileCache(cache);
  const built = new URL("../dist/cli.js", import.meta.url);
  const source = new URL("../src/cli/main.ts", import.meta.url);
  const { main } = await import(existsSync(built) ? built.href : source.href);
  await main(args);
}
