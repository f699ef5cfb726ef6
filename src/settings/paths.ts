/** Where pawl and its elders keep their files. Only the real environment and the real home decide, never a file of a project. */
import { join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** `$PAWL_HOME`, else `~/.pawl`. */
export function pawlHome(env: Environment, home: string): string {
  return given(env["PAWL_HOME"]) ?? join(home, ".pawl");
}

/** `$CLAUDE_CONFIG_DIR`, else `~/.claude`. Read, never written. */
export function claudeHome(env: Environment, home: string): string {
  return given(env["CLAUDE_CONFIG_DIR"]) ?? join(home, ".claude");
}

/** Lowest first: ours wins over the one people already have. */
export function userSettingsFiles(env: Environment, home: string): string[] {
  return [join(claudeHome(env, home), "settings.json"), join(pawlHome(env, home), "settings.json")];
}

/** Files of the project that would be settings; not read in this version. */
export function projectSettingsFiles(cwd: string): string[] {
  return [".claude", ".pawl"].flatMap((folder) =>
    ["settings.json", "settings.local.json"].map((file) => join(cwd, folder, file)),
  );
}

function given(value: string | undefined): string | undefined {
  return value === undefined || value === "" ? undefined : value;
}
