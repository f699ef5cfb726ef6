// Runs once before all tests: they and the processes they start get an empty home and none of the settings of the person
// who runs them, so that a test that forgets to pass its own folder or endpoint reaches neither. Paths, file modes and the output of
// programs are then the same for everybody, too.
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

/** Unmounts what tests have mounted below the folder: removing the folder would fail otherwise. */
function unmountWithin(folder: string): void {
  const mounts = existsSync("/proc/mounts") ? readFileSync("/proc/mounts", "utf8").split("\n") : [];
  const places = mounts.flatMap((line) => line.split(" ", 2).slice(1));
  for (const place of places.filter((each) => each.startsWith(`${folder}/`))) spawnSync("umount", ["--lazy", place]);
}

export default function setup(): () => void {
  // On macOS the temporary folder is a link, but a process reports its folder by the real path.
  const temporary = realpathSync(tmpdir());
  const home = mkdtempSync(join(temporary, "pawl-test-home-"));
  for (const name of Object.keys(process.env)) {
    if (personal.test(name) && name !== "PAWL_VECTORS") delete process.env[name];
  }
  const userHome = process.env["HOME"] ?? "";
  process.env["npm_config_cache"] ??= join(isWritable(userHome) ? userHome : home, ".npm");
  process.env["TMPDIR"] = temporary;
  process.env["HOME"] = home;
  process.env["USERPROFILE"] = home;
  // The machine's own git configuration may sign commits, run hooks, or allow no protocol.
  process.env["GIT_CONFIG_NOSYSTEM"] = "1";
  // With a locale that is not installed, bash prints a warning to stderr.
  process.env["LANG"] = "C.UTF-8";
  process.umask(0o022);
  return () => {
    unmountWithin(home);
    rmSync(home, { recursive: true, force: true });
  };
}
