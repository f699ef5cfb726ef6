// Runs once before all tests: they and the processes they start get an empty home and none of the settings of the person
// who runs them, so that a test which forgets to pass its own folder or endpoint reaches neither. What a test says of paths, modes and
// what programs print is then the same for everybody, too.
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const personal =
  /^(ANTHROPIC_|CLAUDE_|CLAUDECODE$|PAWL_|XDG_|GIT_|OTEL_|LC_|LANGUAGE$|(https?|all|no)_proxy$|NO_COLOR$|FORCE_COLOR$)/i;

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** What tests mounted there stays until here. */
function unmountWithin(folder: string): void {
  const mounts = existsSync("/proc/mounts") ? readFileSync("/proc/mounts", "utf8").split("\n") : [];
  const places = mounts.flatMap((line) => line.split(" ", 2).slice(1));
  for (const place of places.filter((each) => each.startsWith(`${folder}/`))) spawnSync("umount", ["--lazy", place]);
}

export default function setup(): () => void {
  // Not by a link, as macOS has it: a process knows its folder by its real name.
  const temporary = realpathSync(tmpdir());
  const home = mkdtempSync(join(temporary, "pawl-test-home-"));
  for (const name of Object.keys(process.env)) {
    if (personal.test(name) && name !== "PAWL_VECTORS") delete process.env[name];
  }
  const own = process.env["HOME"] ?? "";
  process.env["npm_config_cache"] ??= join(isWritable(own) ? own : home, ".npm");
  process.env["TMPDIR"] = temporary;
  process.env["HOME"] = home;
  process.env["USERPROFILE"] = home;
  // The machine's own may sign, use hooks, or allow no protocol.
  process.env["GIT_CONFIG_NOSYSTEM"] = "1";
  // One that is not installed has bash say so on stderr.
  process.env["LANG"] = "C.UTF-8";
  process.umask(0o022);
  return () => {
    unmountWithin(home);
    rmSync(home, { recursive: true, force: true });
  };
}
