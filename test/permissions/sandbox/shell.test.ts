// A confined command works like any other: folder, exit code, timeout, interruption, and output that is read while it runs.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { textOf, whenFile } from "../../tools/support.ts";
import { confined, makePlace, openBox } from "./support.ts";

confined(
  "a confined command keeps its folder, reports codes and signals, and spills long output to a file",
  async () => {
    const { run, repo, box } = await openBox();
    mkdirSync(join(repo, "sub"));
    expect(await run("cd sub && pwd")).toBe(join(repo, "sub"));
    expect(await run("pwd; exit 7")).toBe(`Exit code 7\n${join(repo, "sub")}`);
    expect(await run("kill -KILL $$")).toBe("Exit code 137");
    expect(await run("exit 0")).toBe("[The command finished and printed nothing.]");
    const result = await box.call("Bash", { command: "seq 20000" }, { cwd: repo });
    expect(result.output).toMatchObject({ persistedOutputSize: 108_894 });
    expect(await run("cd / && true")).toContain(`Shell cwd was reset to ${repo}`);
  },
);

confined("a confined command may open its output by name", async () => {
  const { box, repo } = await openBox();
  writeFileSync(join(repo, "script.sh"), "echo a > /dev/stdout; echo b | tee /dev/stderr");
  const { output } = await box.call("Bash", { command: "sh script.sh" }, { cwd: repo });
  expect(output).toMatchObject({ stdout: "a\nb\n", stderr: "b\n" });
});

confined("a command longer than an argument may be runs in the sandbox, too", async () => {
  const { run } = await openBox();
  expect(await run(`: ${"x".repeat(150_000)}\necho long`)).toBe("long");
});

confined("an interruption ends every process of a confined command", async () => {
  const { box, repo } = await openBox();
  const controller = new AbortController();
  const call = box.call(
    "Bash",
    { command: "trap '' TERM; (setsid sleep 1000 &); echo $$ > started; sleep 1000" },
    { cwd: repo, signal: controller.signal },
  );
  await whenFile(join(repo, "started"));
  controller.abort("user");
  expect(textOf(await call)).toContain("The command was interrupted");
  const left = readdirSync("/proc").filter((pid) => /^\d+$/u.test(pid) && cwdOf(pid) === repo);
  expect(left).toEqual([]);
});

function cwdOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").match(/(?:^|\0)PWD=([^\0]*)/u)?.[1] ?? "";
  } catch {
    return "";
  }
}

confined("a confined command in the background runs on and ends with TaskStop", async () => {
  const { box, repo, base } = await openBox({ network: { allowedDomains: ["a.test"] } });
  const started = await box.call(
    "Bash",
    { command: "echo first; echo > ready; sleep 1000", run_in_background: true },
    { cwd: repo },
  );
  await whenFile(join(repo, "ready"));
  const { backgroundTaskId } = started.output as { backgroundTaskId: string };
  expect(box.dependencies.background.get(backgroundTaskId)?.status).toBe("running");
  expect(readdirSync(base)).toContain("net1.http");
  await box.call("TaskStop", { task_id: backgroundTaskId });
  expect(box.dependencies.background.get(backgroundTaskId)?.status).toBe("killed");
  expect(readdirSync(base).toSorted()).toEqual(["filter", "kept-empty.json", "tmp"]);
});

confined("withheld variables are not in the environment of a confined command", async () => {
  const { run, base } = await openBox({ credentials: { files: [], envVars: ["HOME"] } });
  expect(await run("echo ${HOME-none} $TMPDIR")).toBe(`none ${join(base, "tmp")}`);
});

confined("commands that the settings exclude or a person lets out run outside the sandbox", async () => {
  const place = makePlace();
  const { run, home } = await openBox({ excludedCommands: ["touch *"] }, {}, place);
  await run(`touch ${home}/a && touch ${home}/b`);
  await run(`touch ${home}/c; echo x`);
  await run(`echo x > ${home}/d`, { dangerouslyDisableSandbox: true });
  expect(["a", "b", "c", "d"].filter((name) => existsSync(join(home, name)))).toEqual(["a", "b", "d"]);
});

confined("a command never leaves the sandbox if the settings forbid it", async () => {
  const { run, home } = await openBox({ allowUnsandboxedCommands: false });
  await run(`echo x > ${home}/d`, { dangerouslyDisableSandbox: true });
  expect(existsSync(join(home, "d"))).toBe(false);
});

confined(
  "the folders that the session created are removed at its end, unless somebody put something there",
  async () => {
    const { run, repo, base, box } = await openBox();
    await run("true");
    expect(readdirSync(repo)).toEqual([".claude", ".pawl"]);
    mkdirSync(join(repo, ".pawl/kept"));
    box.dependencies.sandbox?.dispose();
    expect(readdirSync(repo)).toEqual([".pawl"]);
    expect(existsSync(base)).toBe(false);
  },
);

confined("folders that two sessions keep empty stay until both are over", async () => {
  const place = makePlace();
  const one = await openBox({}, {}, place);
  const other = await openBox({}, {}, { ...place, base: join(place.root, "other") });
  await one.run("true");
  await other.run("true");
  one.box.dependencies.sandbox?.dispose();
  expect(readdirSync(place.repo)).toEqual([".claude", ".pawl"]);
  other.box.dependencies.sandbox?.dispose();
  expect(readdirSync(place.repo)).toEqual([]);
});

confined("with the disk open, a command writes anywhere, and the network stays closed", async () => {
  const { run, home } = await openBox({ filesystem: { disabled: true } });
  expect(await run(`echo x > ${home}/a; cat ${home}/a; grep -c : /proc/net/dev`)).toBe("x\n1");
});
