// Runs once before all tests: they and the processes they start get an empty home and none of the settings of the person
// who runs them, so that a test which forgets to pass its own folder or endpoint reaches neither.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const personal =
  /^(ANTHROPIC_|CLAUDE_|CLAUDECODE$|PAWL_|XDG_|GIT_|OTEL_|(https?|all|no)_proxy$|NO_COLOR$|FORCE_COLOR$)/i;

export default function setup(): () => void {
  const home = mkdtempSync(join(tmpdir(), "pawl-test-home-"));
  for (const name of Object.keys(process.env)) {
    if (personal.test(name) && name !== "PAWL_VECTORS") delete process.env[name];
  }
  process.env["npm_config_cache"] ??= join(process.env["HOME"] ?? home, ".npm");
  process.env["HOME"] = home;
  process.env["USERPROFILE"] = home;
  return () => rmSync(home, { recursive: true, force: true });
}
