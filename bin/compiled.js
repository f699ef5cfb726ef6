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
/** A run may have come to more functions than the one that was kept where it computed so much of what that did: then V8 is asked. */
const enough = 0.75;
/** So much more bytecode, and it is worth keeping. */
const growth = 1.1;
/** What nothing has written for this long is of a version that is gone. */
const staleMilliseconds = 60 * 24 * 3600 * 1000;
/** Of the builds and flags that were run last: some tools start each process with a flag of its own. */
const foldersKept = 8;
/** Before V8's data: the sums of the chunk's text and of the data, and of the run it is of the ms of CPU and the bytes of bytecode. A multiple of 8. */
const headBytes = 16;
/** What the user has set against it. Coverage of functions that come from a cache is not exact. */
const isOff = () => Boolean(process.env.NODE_DISABLE_COMPILE_CACHE || process.env.NODE_V8_COVERAGE);

/** A folder of the user's own for compiled code; undefined for a user without a home. */
function usersFolder() {
  const { XDG_CACHE_HOME: xdg } = process.env;
  try {
    const caches = xdg && isAbsolute(xdg) ? xdg : join(homedir(), ".cache");
    // HOME may be empty: what lies in the folder worked in is not the user's, and is not run.
    return isAbsolute(caches) ? join(caches, "pawl", "compile") : undefined;
  } catch {
    return undefined;
  }
}

/** The same, made where it is missing; undefined when that cannot be, or somebody else may write there: what is in it is run. */
function cacheFolder() {
  const folder = isOff() ? undefined : usersFolder();
  return folder !== undefined && made(folder, 0o700) && isTrusted(folder) ? folder : undefined;
}

/** False where it is not there and cannot be made. */
function made(folder, mode) {
  try {
    // Level by level: below /proc, mkdir's own recursion goes round for ever.
    const missing = [];
    for (let level = folder; !fs.existsSync(level); level = dirname(level)) missing.unshift(level);
    for (const level of missing) fs.mkdirSync(level, { mode });
    return true;
  } catch {
    return false;
  }
}

/** Undefined where nothing is there, or nothing that this user may look at. */
function statOf(path) {
  try {
    return fs.statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** There, this user's, and nobody else's to write. With a file: or the owner's of that. */
function isTrusted(folder, file) {
  const { uid, mode } = statOf(folder) ?? {};
  if (mode === undefined) return false;
  if (!process.getuid) return true;
  return (mode & 0o022) === 0 && (uid === process.getuid() || (file !== undefined && uid === statOf(file)?.uid));
}

/** The exports of `entry`, with what it requires beside it. */
function loadCommand(entry) {
  const code = isOff() ? undefined : new KeptCode(entry);
  const loaded = new Map();
  const load = (file) => {
    const known = loaded.get(file);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    const folderOf = dirname(file);
    const requireFrom = (id) =>
      id.startsWith(".") ? load(join(folderOf, id)) : (process.getBuiltinModule(id) ?? require(id));
    // The build has made a function of every chunk: one made here would take its text, and memory, a second time.
    const begin = compile(file, code).runInThisContext();
    loaded.set(file, module);
    try {
      begin(module.exports, requireFrom, module, file, folderOf, importModule);
    } catch (error) {
      // Who asks again must hear of it again, and not get the half of it that is there.
      loaded.delete(file);
      throw error;
    }
    return module.exports;
  };
  return load(entry);
}

/** What is not in the build: Node's own modules, packages beside this one, files by their address. */
const importModule = (id) => import(id);

/** An update while the command runs takes away what was not loaded yet; one that was cut short leaves some of it half there. */
function missingPart(file, cause) {
  const way = "Start it again; where that does not help, install it again.";
  const error = new Error(`A part of pawl is missing, as after an update while it ran: ${file}. ${way}`, { cause });
  // For the command, which calls other errors its own.
  error.name = "MissingPart";
  return error;
}

function textOf(file) {
  let bytes;
  try {
    bytes = fs.readFileSync(file);
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") throw missingPart(file, error);
    // Of a file that is open by then Node does not say which it is.
    if (error.path === undefined) error.message += ` '${(error.path = file)}'`;
    throw error;
  }
  if (bytes.length === 0) throw missingPart(file);
  return bytes;
}

function compile(file, code) {
  // The build leaves nothing but ASCII.
  const bytes = textOf(file);
  const kept = code?.of(basename(file), bytes);
  const script = scriptOf(file, bytes, kept?.data);
  kept?.compiled(script);
  return script;
}

function scriptOf(file, bytes, cachedData) {
  try {
    return new Script(bytes.latin1Slice(), { filename: file, cachedData });
  } catch (error) {
    throw missingPart(file, error);
  }
}

/**
 * The compiled code of one build, for one Node with one set of flags: V8 takes no other. A file for each chunk, beside the
 * command, where it goes when the command goes; where that folder is another's, in one of the user.
 */
class KeptCode {
  #entry;
  #name;
  /** Where it was taken from. */
  #folder;
  #chunks = [];

  constructor(entry) {
    const { arch, env, execArgv, version } = process;
    const build = crc32(JSON.stringify([fs.readFileSync(entry, "latin1"), execArgv, env.NODE_OPTIONS ?? ""]));
    this.#entry = entry;
    this.#name = `${version}-${arch}-${build.toString(16)}`;
    const users = usersFolder();
    const inUsers = users && join(users, this.#name);
    if (inUsers && isTrusted(inUsers) && isTrusted(users)) this.#folder = inUsers;
    else if (isTrusted(this.#beside(), entry)) this.#folder = this.#beside();
    process.on("exit", () => this.#keep());
    setTimeout(() => this.#keep(), settledMilliseconds).unref();
  }

  #beside() {
    return join(dirname(this.#entry), "compiled", this.#name);
  }

  /** `bytes`: the chunk's text. */
  of(name, bytes) {
    const chunk = new KeptChunk(name, crc32(bytes), this.#folder);
    this.#chunks.push(chunk);
    return chunk;
  }

  /** Once: at the end of the run, or when it has gone on for a while. */
  #keep() {
    const chunks = this.#chunks.splice(0);
    const run = new Run();
    try {
      const due = chunks.filter((chunk) => chunk.isDue(run));
      const folder = due.length === 0 ? undefined : this.#folderToWrite();
      if (folder === undefined) return;
      // Into another folder than they came from they go all.
      for (const chunk of folder === this.#folder ? due : chunks) chunk.keep(folder, run);
    } catch {
      // A disk that is full, a folder that may not be written: the next start is a little slower, and that is all.
    }
  }

  /** Undefined: there is none that is ours alone to write. */
  #folderToWrite() {
    if (this.#folder !== undefined && isTrusted(this.#folder)) return this.#folder;
    const command = statOf(this.#entry);
    const isOurs = command !== undefined && (!process.getuid || command.uid === process.getuid());
    const beside = this.#beside();
    if (isOurs && made(beside, 0o755) && isTrusted(beside)) return removeOldBeside(beside);
    const users = cacheFolder();
    if (users === undefined) return undefined;
    const inUsers = join(users, this.#name);
    return made(inUsers, 0o700) && isTrusted(inUsers) ? removeOldBeside(inUsers) : undefined;
  }
}

/** What this process has computed and compiled. */
class Run {
  cpu = Math.ceil(process.cpuUsage().user / 1000);
  #bytecode = 0;

  /** Bytes. To ask takes some milliseconds. */
  get bytecode() {
    this.#bytecode ||= require("node:v8").getHeapCodeStatistics().bytecode_and_metadata_size;
    return this.#bytecode;
  }
}

class KeptChunk {
  #name;
  #sum;
  #script;
  #keptBytes = 0;
  #keptCpu = 0;
  #keptBytecode = 0;
  /** For V8, until it has been taken. */
  data;

  constructor(name, sum, folder) {
    this.#name = name;
    this.#sum = sum;
    if (folder === undefined) return;
    let bytes;
    try {
      bytes = fs.readFileSync(join(folder, name));
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
    this.#keptBytecode = bytes.readUInt32LE(12);
  }

  compiled(script) {
    this.#script = script;
    if (script.cachedDataRejected) this.#keptBytes = 0;
    this.data = undefined;
  }

  isDue(run) {
    if (this.#script === undefined) return false;
    if (this.#keptBytes === 0) return true;
    return run.cpu > this.#keptCpu * enough && run.bytecode > this.#keptBytecode * growth;
  }

  keep(folder, run) {
    if (this.#script === undefined) return;
    const data = this.#script.createCachedData();
    // Less than there was: V8 has thrown some of it away meanwhile.
    if (data.length < this.#keptBytes) return;
    const head = Buffer.alloc(headBytes);
    head.writeUInt32LE(this.#sum, 0);
    head.writeUInt32LE(crc32(data), 4);
    head.writeUInt32LE(Math.max(run.cpu, this.#keptCpu), 8);
    head.writeUInt32LE(run.bytecode, 12);
    const file = join(folder, this.#name);
    const next = `${file}.${process.pid}`;
    try {
      fs.writeFileSync(next, Buffer.concat([head, data]), { mode: 0o644 });
      fs.renameSync(next, file);
    } catch (error) {
      fs.rmSync(next, { force: true });
      throw error;
    }
  }
}

/** Removes what nothing wrote for long, and what is left over; gives back the one that has just been made. */
function removeOldBeside(folder) {
  const all = dirname(folder);
  const before = Date.now() - staleMilliseconds;
  const timed = (path) => ({ path, at: statOf(path)?.mtimeMs ?? before });
  const found = fs.readdirSync(all).map((name) => timed(join(all, name)));
  found.sort((one, other) => other.at - one.at);
  for (const [index, { path, at }] of found.entries())
    if (path !== folder && (index >= foldersKept || at < before)) fs.rmSync(path, { recursive: true, force: true });
  return folder;
}

module.exports = { cacheFolder, loadCommand, missingPart };
