// During a simulated run, nothing may reach the real world: code that reads the clock, draws a number, touches a file or a
// socket, or sets a real timer, is stopped and named.
import { createRequire, syncBuiltinESMExports } from "node:module";

const require = createRequire(import.meta.url);

/** Every function of these modules does something outside, or at random. */
const trappedModules = [
  "node:fs",
  "node:fs/promises",
  "node:child_process",
  "node:net",
  "node:http",
  "node:https",
  "node:dns",
];
const trappedFunctions: Record<string, readonly string[]> = {
  "node:crypto": ["randomUUID", "randomBytes", "randomInt", "randomFillSync"],
  "node:timers/promises": ["setTimeout", "setImmediate", "setInterval"],
};
const trappedGlobals = ["setTimeout", "setInterval", "setImmediate", "fetch"];

type Functions = Record<string, unknown>;

export class LeakTraps {
  readonly found: string[] = [];
  #isOn = false;

  /** Puts the traps in place; they stay open until `close`. Once a process. */
  constructor() {
    for (const name of trappedModules) this.#trapAll(name, require(name) as Functions);
    for (const [name, functions] of Object.entries(trappedFunctions))
      for (const each of functions) this.#trap(name, require(name) as Functions, each);
    for (const each of trappedGlobals) this.#trap("globalThis", globalThis as unknown as Functions, each);
    this.#trap("Math", Math as unknown as Functions, "random");
    this.#trap("performance", performance as unknown as Functions, "now");
    this.#trap("process", process as unknown as Functions, "hrtime");
    this.#trapDate();
    syncBuiltinESMExports();
  }

  /** Runs `work` with all traps closed; what they caught is in `found`. */
  async runTrapped<T>(work: () => Promise<T>): Promise<T> {
    this.found.length = 0;
    this.#isOn = true;
    try {
      return await work();
    } finally {
      this.#isOn = false;
    }
  }

  #caught(name: string): void {
    if (!this.#isOn || isLoader(new Error().stack ?? "")) return;
    this.found.push(name);
    throw new Error(`${name} was called in a simulated run`);
  }

  #trapAll(name: string, functions: Functions): void {
    for (const [key, value] of Object.entries(functions))
      if (typeof value === "function" && /^[a-z]/.test(key)) this.#trap(name, functions, key);
  }

  #trap(name: string, functions: Functions, key: string): void {
    const real = functions[key] as (...args: unknown[]) => unknown;
    const caught = (): void => this.#caught(`${name} ${key}`);
    const trapped = function (this: unknown, ...args: unknown[]): unknown {
      caught();
      return real.apply(this, args);
    };
    Object.defineProperties(trapped, Object.getOwnPropertyDescriptors(real));
    functions[key] = trapped;
  }

  #trapDate(): void {
    const caught = (): void => this.#caught("Date");
    globalThis.Date = new Proxy(Date, {
      construct(target, args: [], newTarget) {
        if (args.length === 0) caught();
        return Reflect.construct(target, args, newTarget) as Date;
      },
      apply(target) {
        caught();
        return target();
      },
      get(target, key) {
        if (key === "now") caught();
        return Reflect.get(target, key) as unknown;
      },
    });
  }
}

// A stack has it as an address, where blanks look otherwise.
const ownPaths = [import.meta.url, import.meta.filename];

/** A module that is loaded already is looked up again by the loader: nothing of the run hangs on it. */
function isLoader(stack: string): boolean {
  const caller = stack.split("\n").find((line, at) => at > 0 && !ownPaths.some((name) => line.includes(name)));
  return caller?.includes("node:internal/modules/") === true;
}
