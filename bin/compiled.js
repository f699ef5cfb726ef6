"use strict";
// The built command, with what V8 made of it in earlier runs. Node's own compile cache keeps what is compiled while a module
// is loaded, and nothing of the thousand functions that a start then calls: they would be compiled anew each time.
const { basename, dirname, isAbsolute, join } = require("node:path");
const { homedir } = require("node:os");
const { Script } = require("node:vm");
const { crc32 } = require("node:zlib");
// An import of it would read all that it exports, and so load fs/promises, which takes a start a millisecond.
const fs = require("node:fs");

/** A run that goes on is kept after this long, before V8 throws away what was needed at the start alone. */
const settledMilliseconds = 30_000;
/** A run that computed this much more than the one that was kept has come to more functions. */
const growth = 1.5;
const growthMilliseconds = 50;
/** What nothing has written for this long is of a version that is gone. */
const staleMilliseconds = 60 * 24 * 3600 * 1000;
/** Before V8's data: the sums of the chunk's text and of the data, and the ms of CPU of the run it is of. A multiple of 8. */
const headBytes = 16;
/** The build has made `importModule()` of every `import()`: in a script of ours Node calls that an experiment, and warns. */
const opening = "(function (exports, require, module, __filename, __dirname, importModule) {";

/**
 * The user's own folder for compiled code, or undefined when there is none or none is wanted. What is in it is run, so it
 * must be ours, and nobody else's to write: never one in the shared temporary directory.
 */
function cacheFolder() {
  const { XDG_CACHE_HOME: xdg, NODE_DISABLE_COMPILE_CACHE: off, NODE_V8_COVERAGE: coverage } = process.env;
  // Coverage of functions that come from a cache is not exact.
  if (off || coverage) return undefined;
  try {
    const base = xdg && isAbsolute(xdg) ? xdg : join(homedir(), ".cache");
    const folder = join(base, "pawl", "compile");
    // Level by level: below /proc, mkdir's own recursion goes round for ever.
    const missing = [];
    for (let level = folder; !fs.existsSync(level); level = dirname(level)) missing.unshift(level);
    for (const level of missing) fs.mkdirSync(level, { mode: 0o700 });
    if (!process.getuid) return folder;
    const { uid, mode } = fs.statSync(folder);
    return uid === process.getuid() && (mode & 0o022) === 0 ? folder : undefined;
  } catch {
    // No home, or one that cannot be written: pawl starts a little slower, and that is all.
    return undefined;
  }
}

/** The exports of `entry`, and of what it requires beside it. With a folder, compiled code is taken from there and kept there. */
function loadCommand(entry, folder) {
  const code = folder === undefined ? undefined : new KeptCode(folder, entry);
  const loaded = new Map();
  const load = (file) => {
    const known = loaded.get(file);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    loaded.set(file, module);
    const folderOf = dirname(file);
    const requireFrom = (id) =>
      id.startsWith(".") ? load(join(folderOf, id)) : (process.getBuiltinModule(id) ?? require(id));
    compile(file, code).runInThisContext()(module.exports, requireFrom, module, file, folderOf, importModule);
    return module.exports;
  };
  return load(entry);
}

/** What is not in the build: Node's own modules, packages beside this one, files by their address. */
const importModule = (id) => import(id);

function compile(file, code) {
  const bytes = fs.readFileSync(file);
  const kept = code?.of(basename(file), bytes);
  const script = new Script(`${opening}${bytes.latin1Slice()}\n})`, {
    filename: file,
    columnOffset: -opening.length,
    cachedData: kept?.data,
  });
  kept?.compiled(script);
  return script;
}

/** The compiled code of one build, for one Node with one set of flags: V8 takes no other. A file for each chunk. */
class KeptCode {
  #folder;
  #chunks = [];

  constructor(folder, entry) {
    const { arch, env, execArgv, version } = process;
    const build = crc32(JSON.stringify([fs.readFileSync(entry, "latin1"), execArgv, env.NODE_OPTIONS ?? ""]));
    this.#folder = join(folder, `${version}-${arch}-${build.toString(16)}`);
    process.on("exit", () => this.#keep());
    setTimeout(() => this.#keep(), settledMilliseconds).unref();
  }

  /** `bytes`: the chunk's text. */
  of(name, bytes) {
    const chunk = new KeptChunk(join(this.#folder, name), crc32(bytes));
    this.#chunks.push(chunk);
    return chunk;
  }

  /** Once: at the end of the run, or when it has gone on for a while. */
  #keep() {
    const chunks = this.#chunks.splice(0);
    const cpu = Math.ceil(process.cpuUsage().user / 1000);
    try {
      const due = chunks.filter((chunk) => chunk.isDue(cpu));
      if (due.length > 0 && !fs.existsSync(this.#folder)) {
        removeStale(dirname(this.#folder));
        fs.mkdirSync(this.#folder, { mode: 0o700 });
      }
      for (const chunk of due) chunk.keep(cpu);
    } catch {
      // A disk that is full, a folder that may not be written: the next start is a little slower, and that is all.
    }
  }
}

class KeptChunk {
  #file;
  #sum;
  #script;
  #keptBytes = 0;
  #keptCpu = 0;
  /** For V8, until it has been taken. */
  data;

  constructor(file, sum) {
    this.#file = file;
    this.#sum = sum;
    let bytes;
    try {
      bytes = fs.readFileSync(file);
    } catch {
      return;
    }
    // V8 looks at the beginning of its data alone, and dies of the rest where that is damaged.
    if (bytes.length <= headBytes || bytes.readUInt32LE(0) !== sum) return;
    const data = bytes.subarray(headBytes);
    if (bytes.readUInt32LE(4) !== crc32(data)) return;
    this.data = data;
    this.#keptBytes = data.length;
    this.#keptCpu = bytes.readUInt32LE(8);
  }

  compiled(script) {
    this.#script = script;
    if (script.cachedDataRejected) this.#keptBytes = 0;
    this.data = undefined;
  }

  isDue(cpu) {
    return this.#script !== undefined && (this.#keptBytes === 0 || cpu > this.#keptCpu * growth + growthMilliseconds);
  }

  keep(cpu) {
    const data = this.#script.createCachedData();
    // Less than there was: V8 has thrown some of it away meanwhile.
    if (data.length < this.#keptBytes) return;
    const head = Buffer.alloc(headBytes);
    head.writeUInt32LE(this.#sum, 0);
    head.writeUInt32LE(crc32(data), 4);
    head.writeUInt32LE(cpu, 8);
    const next = `${this.#file}.${process.pid}`;
    try {
      fs.writeFileSync(next, Buffer.concat([head, data]), { mode: 0o600 });
      fs.renameSync(next, this.#file);
    } catch (error) {
      fs.rmSync(next, { force: true });
      throw error;
    }
  }
}

/** What other versions left. */
function removeStale(folder) {
  const before = Date.now() - staleMilliseconds;
  for (const name of fs.readdirSync(folder)) {
    const path = join(folder, name);
    if (fs.statSync(path).mtimeMs < before) fs.rmSync(path, { recursive: true, force: true });
  }
}

module.exports = { cacheFolder, loadCommand };
