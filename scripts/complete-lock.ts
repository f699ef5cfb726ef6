// Completes package-lock.json, to be run after every `npm install` that changed it (`npm run lock` does both).
// npm leaves an optional package out of the lock when the registry in use does not have it, for example a tool's binary for
// another platform, and `npm ci` then refuses the lock. The missing entries follow from their parents' exact versions.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Entry {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

type Packages = Record<string, Entry>;

const systems = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const processors = ["arm", "arm64", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"];

/** Returns the platform in a name such as `@oxlint/binding-linux-arm64-musl`. Throws if the name has none. */
function platformOf(name: string): Pick<Entry, "os" | "cpu" | "libc"> {
  const words = name.split(/[/-]/);
  const os = words.filter((word) => systems.includes(word));
  const cpu = words.filter((word) => processors.includes(word));
  if (cpu.length !== 1) throw new Error(`${name} is not in the registry and its name states no platform`);
  const libc = words.some((word) => word.startsWith("musl")) ? ["musl"] : words.includes("gnu") ? ["glibc"] : [];
  return { ...(os.length > 0 && { os }), cpu, ...(libc.length > 0 && os[0] === "linux" && { libc }) };
}

/** Returns the entry that `name` resolves to for a package at `parent`, by Node's rule: the nearest node_modules upward. */
function resolve(packages: Packages, parent: string, name: string): Entry | undefined {
  const direct = packages[`${parent}${parent === "" ? "" : "/"}node_modules/${name}`];
  if (direct !== undefined || parent === "") return direct;
  const above = parent.slice(0, Math.max(0, parent.lastIndexOf("node_modules/") - 1));
  return resolve(packages, above, name);
}

/** Adds missing packages and returns their paths. Skips ranges other than exact versions, which only npm can resolve. */
export function completeLock(packages: Packages): string[] {
  const added: string[] = [];
  for (const [parent, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (!/^\d/.test(version) || resolve(packages, parent, name)?.version === version) continue;
      const top = `node_modules/${name}`;
      const path = packages[top] === undefined ? top : `${parent}/${top}`;
      const { cpu, libc, os } = platformOf(name);
      // In npm's order of keys, so that its next write changes nothing.
      packages[path] = {
        version,
        cpu,
        ...(entry.dev && { dev: true }),
        ...(libc && { libc }),
        optional: true,
        ...(os && { os }),
      };
      added.push(path);
    }
  }
  return added;
}

if (import.meta.main) {
  const file = join(import.meta.dirname, "..", "package-lock.json");
  const lock = JSON.parse(readFileSync(file, "utf8")) as { packages: Packages };
  const added = completeLock(lock.packages);
  const root = Object.entries(lock.packages).toSorted(([left], [right]) => left.localeCompare(right, "en"));
  lock.packages = Object.fromEntries(root);
  writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
  console.log(`package-lock.json: ${added.length} optional packages added`);
}
