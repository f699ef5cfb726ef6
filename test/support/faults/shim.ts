/**
 * Preloaded into the real command (`--import`): counts every call that changes a file below the given folders, or sends
 * something, and at the chosen one ends the process as `kill -9` does, or fails as the system does. No tracer is needed.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import { planVariable, type Death, type FaultPlan, type Point } from "./plan.ts";

type Call = (this: unknown, ...args: unknown[]) => unknown;
type Holder = Record<string, unknown>;

const plan = JSON.parse(process.env[planVariable] ?? '{"below":[]}') as FaultPlan;
const real = {
  writeSync: fs.writeSync,
  existsSync: fs.existsSync,
  log: plan.log === undefined ? undefined : fs.openSync(plan.log, "a"),
};
const paths = new Map<number, string>();
let count = 0;

function die(): never {
  process.kill(process.pid, "SIGKILL");
  // The signal is on its way: nothing more may happen here.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function isBelow(path: string): boolean {
  return plan.below.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

/** Null: the call goes on as it is. */
function reachPoint(point: Point): { die: Death } | { fail: string } | null {
  const at = count++;
  if (real.log !== undefined) real.writeSync(real.log, `${JSON.stringify(point)}\n`);
  if (plan.die?.at === at) return { die: plan.die.how };
  const { fail } = plan;
  // Removing needs no room.
  if (fail !== undefined && /^(ENOSPC|EDQUOT)$/.test(fail.code) && /^(rm|unlink)/.test(point.call)) return null;
  return fail !== undefined && at >= fail.from && at < fail.from + fail.count ? { fail: fail.code } : null;
}

function systemError(code: string, call: string, path: string): Error {
  return Object.assign(new Error(`${code}: injected, ${call} '${path}'`), { code, syscall: call, path });
}

interface CallPatch {
  /** The path a call changes; undefined: it changes none of ours. */
  pathOf: (args: unknown[], self: unknown) => string | undefined;
  /** What it writes, for a torn write. */
  bytesOf?: (args: unknown[]) => Uint8Array | undefined;
  /** Writes a part of it. */
  tear?: (args: unknown[], self: unknown, part: Uint8Array) => void;
}

function patchCall(holder: Holder, name: string, patch: CallPatch, isAsync: boolean): void {
  const original = holder[name] as Call;
  holder[name] = function (this: unknown, ...args: unknown[]): unknown {
    const path = patch.pathOf(args, this);
    if (path === undefined || !isBelow(path)) return original.apply(this, args);
    const bytes = patch.bytesOf?.(args);
    const fate = reachPoint({ call: name, path, ...(bytes === undefined ? {} : { bytes: bytes.length }) });
    if (fate === null) return original.apply(this, args);
    if ("fail" in fate) {
      const error = systemError(fate.fail, name, path);
      if (isAsync) return Promise.reject(error);
      throw error;
    }
    if (fate.die === "after") {
      const done = original.apply(this, args);
      return isAsync ? Promise.resolve(done).then(die, die) : die();
    }
    if (fate.die !== "before" && bytes !== undefined) patch.tear?.(args, this, bytes.subarray(0, fate.die.torn));
    return die();
  };
}

const text = (value: unknown): string => (value instanceof URL ? value.pathname : String(value));
const firstPath: CallPatch["pathOf"] = ([path]) => text(path);
const secondPath: CallPatch["pathOf"] = ([, path]) => text(path);
const existingPath: CallPatch["pathOf"] = ([path]) => (real.existsSync(text(path)) ? text(path) : undefined);
const missingPath: CallPatch["pathOf"] = ([path]) => (real.existsSync(text(path)) ? undefined : text(path));
const pathOfDescriptor: CallPatch["pathOf"] = ([descriptor]) => paths.get(descriptor as number);
const pathOfHandle: CallPatch["pathOf"] = (_, self) => paths.get((self as { fd: number }).fd);

/** Opening makes a file, or it changes nothing. */
const createdPath: CallPatch["pathOf"] = ([path, flags]) => {
  const makes =
    typeof flags === "number" ? (flags & fs.constants.O_CREAT) !== 0 : typeof flags === "string" && /[wa]/.test(flags);
  return makes && !real.existsSync(text(path)) ? text(path) : undefined;
};

function bytesToWrite(data: unknown, from: unknown, length: unknown): Uint8Array | undefined {
  if (typeof data === "string") return Buffer.from(data);
  if (!(data instanceof Uint8Array)) return undefined;
  const start = typeof from === "number" ? from : 0;
  return data.subarray(start, typeof length === "number" ? start + length : undefined);
}

function patchFiles(): void {
  const sync = fs as unknown as Holder;
  const promises = fs.promises as unknown as Holder;
  for (const name of ["rename", "link", "copyFile", "symlink"]) {
    patchCall(sync, `${name}Sync`, { pathOf: secondPath }, false);
    patchCall(promises, name, { pathOf: secondPath }, true);
  }
  for (const name of ["unlink", "rm", "rmdir", "chmod", "truncate"]) {
    patchCall(sync, `${name}Sync`, { pathOf: existingPath }, false);
    patchCall(promises, name, { pathOf: existingPath }, true);
  }
  for (const [name, isAsync] of [
    ["mkdirSync", false],
    ["mkdir", true],
    ["mkdtempSync", false],
  ] as const)
    patchCall(isAsync ? promises : sync, name, { pathOf: missingPath }, isAsync);
  for (const name of ["writeFile", "appendFile"]) {
    const patch: CallPatch = { pathOf: firstPath, bytesOf: (args) => bytesToWrite(args[1], 0, undefined) };
    patchCall(sync, `${name}Sync`, patch, false);
    patchCall(promises, name, patch, true);
  }
  patchCall(
    sync,
    "writeSync",
    {
      pathOf: pathOfDescriptor,
      bytesOf: (args) => bytesToWrite(args[1], args[2], args[3]),
      tear: ([descriptor], _, part) => void real.writeSync(descriptor as number, part),
    },
    false,
  );
  for (const name of ["fdatasyncSync", "fsyncSync", "ftruncateSync", "fchmodSync"])
    patchCall(sync, name, { pathOf: pathOfDescriptor }, false);
  patchCall(sync, "openSync", { pathOf: createdPath }, false);
  patchCall(promises, "open", { pathOf: createdPath }, true);
  followDescriptors(sync, promises);
}

/** Which path is behind a descriptor: learnt where it is opened. */
function followDescriptors(sync: Holder, promises: Holder): void {
  const openSync = sync["openSync"] as Call;
  sync["openSync"] = function (this: unknown, ...args: unknown[]): unknown {
    const descriptor = openSync.apply(this, args) as number;
    paths.set(descriptor, text(args[0]));
    return descriptor;
  };
  const closeSync = sync["closeSync"] as Call;
  sync["closeSync"] = function (this: unknown, ...args: unknown[]): unknown {
    paths.delete(args[0] as number);
    return closeSync.apply(this, args);
  };
  const open = promises["open"] as Call;
  promises["open"] = async function (this: unknown, ...args: unknown[]): Promise<unknown> {
    const handle = (await open.apply(this, args)) as { fd: number };
    patchHandle(Object.getPrototypeOf(handle) as Holder);
    paths.set(handle.fd, text(args[0]));
    return handle;
  };
}

let isPatched = false;

function patchHandle(prototype: Holder): void {
  if (isPatched) return;
  isPatched = true;
  const tear: CallPatch["tear"] = (_, self, part) => void real.writeSync((self as { fd: number }).fd, part);
  for (const name of ["write", "writeFile", "appendFile"])
    patchCall(
      prototype,
      name,
      { pathOf: pathOfHandle, bytesOf: ([data]) => bytesToWrite(data, 0, undefined), tear },
      true,
    );
  for (const name of ["sync", "datasync", "truncate", "chmod", "chown"])
    patchCall(prototype, name, { pathOf: pathOfHandle }, true);
  const close = prototype["close"] as Call;
  prototype["close"] = function (this: { fd: number }, ...args: unknown[]): unknown {
    paths.delete(this.fd);
    return close.apply(this, args);
  };
}

/** What leaves the process: the first and the last piece of a request to the model, and what it prints. */
function patchSockets(): void {
  const holder = net.Socket.prototype as unknown as Holder;
  const write = holder["write"] as Call;
  holder["write"] = function (this: net.Socket, ...args: unknown[]): unknown {
    const bytes = bytesToWrite(args[0], 0, undefined) ?? Buffer.alloc(0);
    const isOutput = this === (process.stdout as unknown);
    if (!isOutput && bytes.length > 0 && !Buffer.from(bytes.subarray(0, 5)).equals(Buffer.from("POST ")))
      return write.apply(this, args);
    const fate = reachPoint({ call: "send", path: isOutput ? "stdout" : "request", bytes: bytes.length });
    // A socket is not refused here, it is only the moment that counts.
    if (fate === null || "fail" in fate) return write.apply(this, args);
    if (fate.die === "after") write.apply(this, args);
    return die();
  };
}

function patchClock(hours: number): void {
  const RealDate = Date;
  const wallClock = RealDate.now.bind(RealDate);
  let state = 20_261_121;
  const now = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return wallClock() + Math.round((state / 2 ** 31 - 1) * hours * 3_600_000);
  };
  class JumpingDate extends RealDate {
    constructor(...args: unknown[]) {
      if (args.length === 0) super(now());
      else super(...(args as [number]));
    }
    static override now(): number {
      return now();
    }
  }
  globalThis.Date = JumpingDate as DateConstructor;
}

patchFiles();
if (plan.sockets === true) patchSockets();
if (plan.clockHours !== undefined) patchClock(plan.clockHours);
syncBuiltinESMExports();
