// A disk in memory that outlives the processes that use it. Written data survives the death of a process. A power cut keeps a piece of
// any length of the data that was not synced, and may leave zeros in place of the rest.
import { dirname } from "node:path";
import type { FileStatus, TranscriptFileSystem } from "../../src/transcript/file-system.ts";
import type { Choices } from "./choices.ts";
import type { Owner } from "./scheduler.ts";
import type { Trace } from "./trace.ts";

interface Node {
  isFile: boolean;
  bytes: Buffer;
  size: number;
  /** The number of bytes that a power cut cannot take. */
  synced: number;
  mode: number;
  modifiedAt: number;
  /** Changes whenever the file is changed other than by an append. */
  epoch: number;
}

/** Counts over all files, so that no two have the same epoch. */
let epochs = 0;

function newFile(modifiedAt: number): Node {
  return { isFile: true, bytes: Buffer.alloc(0), size: 0, synced: 0, mode: 0o600, modifiedAt, epoch: ++epochs };
}

function newFolder(modifiedAt: number): Node {
  return { ...newFile(modifiedAt), isFile: false, mode: 0o700 };
}

export type Operation = keyof TranscriptFileSystem;

/** What goes wrong for one process. */
export interface DiskTrouble {
  /** The `at`th call of that operation fails, and `times` - 1 after it. */
  fault: { operation: Operation; code: string; at: number; times: number } | null;
  /** The process ends in its `at`th write, of which `share` (0 to 1) gets to the file. */
  death: { at: number; share: number } | null;
  /** One of this many writes takes half of its bytes; 0: none does. */
  shortWrites: number;
  /** The first write that contains these words fails, as do the next `times` - 1 writes, or it ends the process. */
  aimed: { words: string; strike: { code: string; times: number } | { share: number } } | null;
}

export const noTrouble: DiskTrouble = { fault: null, death: null, shortWrites: 0, aimed: null };

/** Thrown by every disk call of a process that is dead. */
export class ProcessDeadError extends Error {
  readonly code = "EIO";
  constructor() {
    super("this process is dead");
  }
}

function diskError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: simulated, ${path}`), { code });
}

export class Disk {
  readonly #nodes = new Map<string, Node>();
  readonly #now: () => number;
  readonly #trace: Trace;

  constructor(now: () => number, trace: Trace) {
    this.#now = now;
    this.#trace = trace;
    this.#nodes.set("/", newFolder(now()));
  }

  /** The text after the first `from` bytes. */
  text(path: string, from = 0): string {
    const node = this.#nodes.get(path);
    return node === undefined ? "" : node.bytes.toString("utf8", from, node.size);
  }

  /** While this number stays the same, what was read of the file is still there. */
  epoch(path: string): number {
    return this.#nodes.get(path)?.epoch ?? 0;
  }

  size(path: string): number {
    return this.#nodes.get(path)?.size ?? 0;
  }

  has(path: string): boolean {
    return this.#nodes.has(path);
  }

  paths(): string[] {
    return [...this.#nodes.keys()].filter((path) => this.#nodes.get(path)!.isFile);
  }

  /** Returns false if the path exists. */
  writeNew(path: string, text: string): boolean {
    if (this.#nodes.has(path)) return false;
    const bytes = Buffer.from(text);
    this.#nodes.set(path, { ...newFile(this.#now()), bytes, size: bytes.length });
    return true;
  }

  /** Syncing a new file keeps its name too, as common file systems do. */
  cutPower(choices: Choices): void {
    for (const [path, node] of this.#nodes) {
      if (!node.isFile || node.synced >= node.size) continue;
      const lost = node.size - node.synced;
      const kept = choices.pick([lost, 0, Math.floor(lost / 2), choices.below(lost + 1)]);
      const zeros = choices.chance(10) ? Math.min(lost - kept, 100) : 0;
      node.bytes.fill(0, node.synced + kept, node.synced + kept + zeros);
      node.size = node.synced + kept + zeros;
      node.epoch = ++epochs;
      this.#trace.add(`power cut ${path} keeps ${node.size}`);
      if (node.size === 0 && choices.chance(50)) this.#nodes.delete(path);
      node.synced = node.size;
    }
  }

  /** The disk as one process sees it. `onDeath` is told when a write ends the process. */
  mount(owner: Owner, trouble: DiskTrouble, onDeath: () => void): Mount {
    return new Mount(this.#nodes, { owner, trouble, onDeath, now: this.#now, trace: this.#trace });
  }
}

interface MountOptions {
  owner: Owner;
  trouble: DiskTrouble;
  onDeath: () => void;
  now: () => number;
  trace: Trace;
}

export class Mount implements TranscriptFileSystem {
  trouble: DiskTrouble;
  /** The number of faults that have struck. */
  faultCount = 0;
  readonly #nodes: Map<string, Node>;
  readonly #options: MountOptions;
  readonly #open = new Map<number, { path: string; node: Node }>();
  readonly #counts = new Map<Operation, number>();
  #next = 3;

  constructor(nodes: Map<string, Node>, options: MountOptions) {
    this.#nodes = nodes;
    this.#options = options;
    this.trouble = options.trouble;
  }

  openFiles(): string[] {
    return [...this.#open.values()].map(({ path }) => path);
  }

  countOf(operation: Operation): number {
    return this.#counts.get(operation) ?? 0;
  }

  /** Counts the call, and throws if it must fail. */
  #enter(operation: Operation, path: string): number {
    const { owner, trace } = this.#options;
    if (owner.isDead) throw new ProcessDeadError();
    const count = (this.#counts.get(operation) ?? 0) + 1;
    this.#counts.set(operation, count);
    const { fault } = this.trouble;
    if (fault?.operation === operation && count >= fault.at && count < fault.at + fault.times) {
      this.faultCount++;
      trace.add(`disk ${operation} ${fault.code} ${path}`);
      throw diskError(fault.code, path);
    }
    return count;
  }

  #node(descriptor: number): { path: string; node: Node } {
    const open = this.#open.get(descriptor);
    if (open === undefined) throw diskError("EBADF", String(descriptor));
    return open;
  }

  open(path: string, how: "append" | "read" | "create"): number {
    this.#enter("open", path);
    let node = this.#nodes.get(path);
    if (node !== undefined && how === "create") throw diskError("EEXIST", path);
    if (node === undefined) {
      if (how === "read" || this.#nodes.get(dirname(path))?.isFile !== false) throw diskError("ENOENT", path);
      node = newFile(this.#options.now());
      this.#nodes.set(path, node);
    }
    const descriptor = this.#next++;
    this.#open.set(descriptor, { path, node });
    return descriptor;
  }

  write(descriptor: number, bytes: Uint8Array, offset: number, length: number): number {
    const { path, node } = this.#node(descriptor);
    // Bytes around it in the buffer belong to other writes.
    this.#aim(bytes.subarray(offset, offset + length));
    const count = this.#enter("write", path);
    const { death, shortWrites } = this.trouble;
    if (death !== null && count === death.at) {
      const torn = Math.floor(length * death.share);
      this.#append(node, bytes.subarray(offset, offset + torn));
      this.#options.trace.add(`disk death in a write to ${path} after ${torn} of ${length}`);
      this.#options.onDeath();
      throw new ProcessDeadError();
    }
    const taken = shortWrites > 0 && count % shortWrites === 0 ? Math.ceil(length / 2) : length;
    this.#append(node, bytes.subarray(offset, offset + taken));
    this.#options.trace.add(`disk write ${path} ${taken}`);
    return taken;
  }

  #aim(bytes: Uint8Array): void {
    const { aimed } = this.trouble;
    if (aimed === null || !Buffer.from(bytes).includes(aimed.words)) return;
    const at = this.countOf("write") + 1;
    this.trouble =
      "share" in aimed.strike
        ? { ...this.trouble, aimed: null, death: { at, share: aimed.strike.share } }
        : { ...this.trouble, aimed: null, fault: { operation: "write", at, ...aimed.strike } };
  }

  #append(node: Node, bytes: Uint8Array): void {
    if (node.size + bytes.length > node.bytes.length) {
      const grown = Buffer.alloc(Math.max(4_096, (node.size + bytes.length) * 2));
      node.bytes.copy(grown, 0, 0, node.size);
      node.bytes = grown;
    }
    node.bytes.set(bytes, node.size);
    node.size += bytes.length;
    node.modifiedAt = this.#options.now();
  }

  read(descriptor: number, bytes: Uint8Array, offset: number, length: number, position: number): number {
    const { path, node } = this.#node(descriptor);
    this.#enter("read", path);
    const end = Math.min(node.size, position + length);
    if (end <= position) return 0;
    bytes.set(node.bytes.subarray(position, end), offset);
    return end - position;
  }

  status(descriptor: number): FileStatus {
    const { path, node } = this.#node(descriptor);
    this.#enter("status", path);
    return statusOf(node);
  }

  truncate(descriptor: number, size: number): void {
    const { path, node } = this.#node(descriptor);
    this.#enter("truncate", path);
    node.size = Math.min(node.size, size);
    node.epoch = ++epochs;
    node.synced = Math.min(node.synced, node.size);
  }

  setMode(descriptor: number, mode: number): void {
    const { path, node } = this.#node(descriptor);
    this.#enter("setMode", path);
    node.mode = mode;
  }

  sync(descriptor: number): void {
    const { path, node } = this.#node(descriptor);
    this.#enter("sync", path);
    node.synced = node.size;
  }

  close(descriptor: number): void {
    const { path } = this.#node(descriptor);
    this.#enter("close", path);
    this.#open.delete(descriptor);
  }

  makeFolder(path: string): void {
    this.#enter("makeFolder", path);
    for (let folder = path; folder !== "/"; folder = dirname(folder)) {
      const there = this.#nodes.get(folder);
      if (there?.isFile === true) throw diskError("ENOTDIR", folder);
      if (there === undefined) this.#nodes.set(folder, newFolder(this.#options.now()));
    }
  }

  list(path: string): string[] {
    this.#enter("list", path);
    if (this.#nodes.get(path)?.isFile !== false) throw diskError("ENOENT", path);
    return [...this.#nodes.keys()]
      .filter((other) => other !== "/" && dirname(other) === path)
      .map((other) => other.slice(path === "/" ? 1 : path.length + 1));
  }

  statusOf(path: string): FileStatus | undefined {
    this.#enter("statusOf", path);
    const node = this.#nodes.get(path);
    return node === undefined ? undefined : statusOf(node);
  }

  rename(from: string, to: string): void {
    this.#enter("rename", from);
    const node = this.#nodes.get(from);
    if (node === undefined) throw diskError("ENOENT", from);
    this.#nodes.delete(from);
    this.#nodes.set(to, node);
  }

  link(from: string, to: string): void {
    this.#enter("link", from);
    const node = this.#nodes.get(from);
    if (node === undefined) throw diskError("ENOENT", from);
    if (this.#nodes.has(to)) throw diskError("EEXIST", to);
    this.#nodes.set(to, node);
  }

  remove(path: string): void {
    this.#enter("remove", path);
    for (const other of this.#nodes.keys())
      if (other === path || other.startsWith(`${path}/`)) this.#nodes.delete(other);
  }
}

const numbers = new WeakMap<Node, number>();
let numbered = 0;

function statusOf(node: Node): FileStatus {
  const { isFile, size, mode, modifiedAt } = node;
  const number = numbers.get(node) ?? ++numbered;
  numbers.set(node, number);
  return { size, mode, isFile, isFolder: !isFile, modifiedAt, device: 1, inode: number };
}
