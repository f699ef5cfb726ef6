// Real attempts to escape from the sandbox: each command tries, and then its target is checked.
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { textOf, whenFile } from "../../tools/support.ts";
import { confined, makePlace, openBox, put, rulesOf } from "./support.ts";

confined("a confined command writes only in the working folder and in its own temporary folder", async () => {
  const { run, repo, home, root } = await openBox();
  expect(await run("echo a > in.txt && echo b > $TMPDIR/t && cat in.txt $TMPDIR/t")).toBe("a\nb");
  expect(readFileSync(join(repo, "in.txt"), "utf8")).toBe("a\n");
  const said = await run(`echo x > ${home}/out.txt`);
  expect(said).toContain("Read-only file system");
  expect(said).toContain(`[Sandbox: ${home}/out.txt may only be read`);
  expect(said).toContain("dangerouslyDisableSandbox: true");
  await run(`touch ${root}/beside /tmp/pawl-escape /etc/pawl-escape; mkdir -p ${home}/x`);
  expect(
    [join(home, "out.txt"), join(home, "x"), join(root, "beside"), "/tmp/pawl-escape", "/etc/pawl-escape"].filter(
      (path) => existsSync(path),
    ),
  ).toEqual([]);
});

confined("denied files and folders, and credentials, cannot be read under any name", async () => {
  const place = makePlace();
  put(join(place.repo, "a/secret.txt"), "SECRET");
  put(join(place.repo, ".env"), "SECRET");
  put(join(place.home, "private/deep/key"), "SECRET");
  put(join(place.home, ".ssh/id_rsa"), "SECRET");
  put(join(place.home, ".pawl/projects/.index/sessions.sqlite"), "SECRET");
  const filesystem = { denyRead: [join(place.repo, "a/secret.txt"), join(place.home, "private")] };
  const { run, repo, home } = await openBox(
    { filesystem },
    { rules: () => rulesOf(place, { deny: ["Read(.env)"] }) },
    place,
  );
  const tries = [
    "cat a/secret.txt",
    "cat .env",
    `cat ${home}/private/deep/key; ls ${home}/private`,
    `cat ${home}/.ssh/id_rsa`,
    `cat ${home}/.pawl/projects/.index/sessions.sqlite; grep -r SECRET ${home}/.pawl`,
    "ln -s a/secret.txt link && cat link",
    "ln a/secret.txt hard; cat hard",
    "mv a b && cat b/secret.txt",
    "mkdir n; mv a n/; cat n/a/secret.txt; mv a/secret.txt a/s; cat a/s",
    `mv b a; cp -r ${repo} $TMPDIR/copy; grep -r SECRET $TMPDIR/copy .`,
    "cat /proc/self/root/$PWD/.env",
    "dd if=a/secret.txt; python3 -c 'print(open(\".env\").read())'",
  ];
  for (const command of tries) expect([command, (await run(command)).includes("SECRET")]).toEqual([command, false]);
  expect(await run("cat .env")).toContain(`[Sandbox: ${repo}/.env may not be read.`);
});

// Seen as root: one of these files names a program that the kernel starts outside when a process crashes.
confined("the settings of the kernel can be read but not opened for writing", async () => {
  const { run } = await openBox();
  const writable =
    "find /proc/sys /proc/irq /proc/bus /proc/fs -type f -perm /222 2>/dev/null | while read -r f; do [ -w $f ] && echo $f; done";
  expect(
    await run(`cat /proc/sys/kernel/ostype; ${writable}; (: >> /proc/sys/kernel/core_pattern) || echo refused`),
  ).toMatch(/^Linux\n(?:bash: .*\n)?refused/u);
});

confined("a place opened inside a hidden folder is visible, except for what is denied within it", async () => {
  const place = makePlace();
  for (const name of ["a/ok", "a/deny", "b"]) put(join(place.home, "all", name), name);
  const all = join(place.home, "all");
  const { run } = await openBox(
    { filesystem: { denyRead: [all, join(all, "a/deny")], allowRead: [join(all, "a")] } },
    {},
    place,
  );
  expect(await run(`cat ${all}/a/ok`)).toBe("a/ok");
  expect(await run(`cat ${all}/a/deny; cat ${all}/b`)).toContain("Exit code 1");
});

confined("no link leads out, whether it exists, is created or replaces an opened folder", async () => {
  const place = makePlace();
  const target = put(join(place.home, "target"), "kept");
  symlinkSync(place.home, join(place.repo, "way"));
  const { run, repo, home } = await openBox(
    { filesystem: { allowWrite: [join(place.root, "later"), join(place.repo, "out")] } },
    {},
    place,
  );
  await run(`echo x > way/target; ln -s ${home} mine && echo x > mine/target; ln -s ${home} out; echo x > out/target`);
  await run("echo x > out/target; cd way && echo x > target");
  expect(readFileSync(target, "utf8")).toBe("kept");
  // The next command's own working folder is what its path was when the session began.
  await run(`cd / && mv ${repo} ${repo}-moved; rm -rf ${repo}; ln -s ${home} ${repo}`);
  expect(lstatSync(repo).isDirectory()).toBe(true);
});

confined("/proc shows only the command's own processes, and leads to none outside", async () => {
  const { run, home } = await openBox();
  put(join(home, "outside"), "kept");
  const pids = (await run("ls /proc | grep -E '^[0-9]+$' | wc -l")).trim();
  expect(Number(pids)).toBeLessThan(10);
  const said = await run(
    `for p in /proc/[0-9]*; do cat $p/environ | tr '\\0' '\\n' | grep VITEST; echo x > $p/root${home}/outside; echo x > $p/cwd/../home/outside; done; kill -0 ${process.pid}; echo 1 > /proc/sys/kernel/core_uses_pid`,
  );
  expect(said).not.toMatch(/VITEST/u);
  expect(said).toMatch(/No such process/u);
  expect(readFileSync(join(home, "outside"), "utf8")).toBe("kept");
});

confined("a confined command gains no capability, namespace or mount", async () => {
  const { run } = await openBox();
  expect(await run("grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr -s '\\t ' ' '")).toBe(
    "CapEff: 0000000000000000\nCapBnd: 0000000000000000\nNoNewPrivs: 1\nSeccomp: 2",
  );
  expect(await run("unshare -Ur id; mount -o remount,rw /; umount /proc; echo end")).not.toContain("uid=0");
});

confined("files that make other programs run something are not changed or created", async () => {
  const place = makePlace();
  execFileSync("git", ["init", "-q"], { cwd: place.repo });
  put(join(place.repo, ".npmrc"), "a=b\n");
  put(join(place.repo, "deep/er/.git/config"), "[core]\n");
  const { run, repo } = await openBox({}, {}, place);
  const before = readFileSync(join(repo, ".git/config"), "utf8");
  const hooks = readdirSync(join(repo, ".git/hooks"));
  await run("echo '[core] fsmonitor=x' >> .git/config; git config core.fsmonitor x; echo x > .git/hooks/pre-commit");
  await run(
    "mv .git old; rmdir .git; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; mv .git/hooks .git/h; cp .git/config c && mv c .git/config",
  );
  await run("echo x > .npmrc; rm .npmrc; mv .npmrc n; echo x > deep/er/.git/config");
  await run(
    'mkdir -p .claude .pawl; echo "{}" > .claude/settings.json; echo "{}" > .pawl/settings.json; rmdir .claude; mv .claude c',
  );
  expect(readFileSync(join(repo, ".git/config"), "utf8")).toBe(before);
  expect(readdirSync(join(repo, ".git/hooks"))).toEqual(hooks);
  expect(readFileSync(join(repo, ".npmrc"), "utf8")).toBe("a=b\n");
  expect(readFileSync(join(repo, "deep/er/.git/config"), "utf8")).toBe("[core]\n");
  expect([".claude/settings.json", ".pawl/settings.json"].filter((name) => existsSync(join(repo, name)))).toEqual([]);
  expect(
    await run("git -c user.name=a -c user.email=b commit -q --allow-empty -m x && git log --oneline | wc -l"),
  ).toBe("1");
});

confined("a guarded file that a command creates is renamed, and a link that had its name is restored", async () => {
  const place = makePlace();
  symlinkSync("elsewhere", join(place.repo, ".bazelrc"));
  const { run, repo } = await openBox({}, {}, place);
  const said = await run(
    'echo "{}" > .mcp.json; mkdir .vscode; echo x > .vscode/tasks.json; rm .bazelrc; echo x > .bazelrc; echo fine > a.txt',
  );
  expect(said).toContain("can make other programs run something");
  expect(readdirSync(repo).toSorted()).toEqual([
    ".bazelrc",
    ".bazelrc.refused",
    ".claude",
    ".mcp.json.refused",
    ".pawl",
    ".vscode.refused",
    "a.txt",
  ]);
  expect(lstatSync(join(repo, ".bazelrc")).isSymbolicLink()).toBe(true);
});

confined("the machine's own servers, loopback names and sockets of other programs are closed", async () => {
  const place = makePlace();
  const server = createServer((socket) => socket.end("REACHED")).listen(0, "127.0.0.1");
  const path = join(place.repo, "daemon.sock");
  const daemon = createServer((socket) => socket.end("REACHED")).listen(path);
  onTestFinished(() => {
    for (const each of [server, daemon]) each.close();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const { run } = await openBox({ network: { allowedDomains: ["example.test"] } }, {}, place);
  for (const host of ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "127.1"]) {
    const said = await run(
      `curl -s --noproxy '*' http://${host}:${port}/; curl -sp --noproxy '' http://${host}:${port}/`,
    );
    expect([host, said.includes("REACHED")]).toEqual([host, false]);
  }
  expect(await run(`curl -s --noproxy '' http://localhost:${port}/`)).toContain("Refused by the sandbox");
  const said = await run(
    `python3 -c 'import socket; s=socket.socket(socket.AF_UNIX); s.connect("${path}"); print(s.recv(9))'; socat - UNIX-CONNECT:${path} </dev/null`,
  );
  expect(said).not.toContain("REACHED");
  expect(said).toContain("Operation not permitted");
});

confined("a process left running dies with the command, even outside its session and group", async () => {
  const { run, repo, box } = await openBox();
  const said = await run(
    "(setsid sh -c 'echo $$ > in; while :; do date +%N > beat; sleep 0.02; done' >/dev/null 2>&1 &) ; while [ ! -s beat ]; do sleep 0.01; done; echo done",
  );
  expect(said).toBe("done");
  const beat = (): string => readFileSync(join(repo, "beat"), "utf8");
  expect(box.dependencies.background.list()).toEqual([]);
  writeFileSync(join(repo, "beat"), "still");
  expect(await run("sleep 0.1; cat beat")).toBe("still");
  expect(beat()).toBe("still");
});

confined("an additional working folder is writable, unless it is denied", async () => {
  const place = makePlace();
  const other = join(place.root, "other");
  mkdirSync(join(other, "keep"), { recursive: true });
  const { run } = await openBox(
    { filesystem: { denyWrite: [join(other, "keep")] } },
    { folders: () => [place.repo, other] },
    place,
  );
  await run(`echo a > ${other}/a; echo b > ${other}/keep/b; mv ${other}/keep ${other}/k; rm -rf ${other}/keep`);
  expect(readdirSync(other).toSorted()).toEqual([".claude", ".pawl", "a", "keep"]);
  expect(readdirSync(join(other, "keep"))).toEqual([]);
});

confined("a repository that a command creates is renamed if git would run something in it", async () => {
  const fine = await openBox();
  expect(await fine.run("git init -q . && echo ok")).toBe("ok");
  expect(existsSync(join(fine.repo, ".git/config"))).toBe(true);
  const { run, repo } = await openBox();
  const said = await run("git init -q . && git config core.fsmonitor ./x && echo ok");
  expect(said).toContain(`${repo}/.git, which can make other programs run something`);
  expect(readdirSync(repo).toSorted()).toEqual([".claude", ".git.refused", ".pawl"]);
  await run("git init -q . && echo x > .git/hooks/pre-commit");
  expect(readdirSync(repo)).not.toContain(".git");
  await run("git init -q . && git config hook.x.event pre-commit && git config hook.x.command ./x");
  expect(readdirSync(repo)).not.toContain(".git");
  await run("mkdir objects refs && echo 'ref: refs/heads/main' > HEAD");
  expect(readdirSync(repo)).toContain("HEAD.refused");
});

confined("a guarded file created before the command was interrupted is renamed, and the model is told", async () => {
  const { box, repo, notices } = await openBox();
  const controller = new AbortController();
  const command = "echo x > .mcp.json; echo > begun; sleep 1000";
  const call = box.call("Bash", { command }, { cwd: repo, signal: controller.signal });
  await whenFile(join(repo, "begun"));
  controller.abort("user");
  expect(textOf(await call)).toMatch(
    /^The command was interrupted before it finished\.\n\[Sandbox: .*\/\.mcp\.json, which can make other programs run something/u,
  );
  expect(readdirSync(repo)).toContain(".mcp.json.refused");
  expect(readdirSync(repo)).not.toContain(".mcp.json");
  expect(notices).toEqual([]);
});

confined("hooks that the repository keeps in another folder are not changed or created", async () => {
  const place = makePlace();
  execFileSync("git", ["init", "-q"], { cwd: place.repo });
  execFileSync("git", ["config", "core.hooksPath", "tools/hooks"], { cwd: place.repo });
  put(join(place.repo, "tools/hooks/pre-commit"), "kept");
  const { run, repo } = await openBox({}, {}, place);
  await run("echo x > tools/hooks/pre-commit; echo x > tools/hooks/pre-push; mv tools t");
  expect(readdirSync(join(repo, "tools/hooks"))).toEqual(["pre-commit"]);
  expect(readFileSync(join(repo, "tools/hooks/pre-commit"), "utf8")).toBe("kept");
  const other = makePlace();
  execFileSync("git", ["init", "-q"], { cwd: other.repo });
  execFileSync("git", ["config", "core.hooksPath", "later"], { cwd: other.repo });
  const later = await openBox({}, {}, other);
  await later.run("mkdir later; echo x > later/pre-commit");
  expect(readdirSync(later.repo)).toContain("later.refused");
});

confined("files that the repository's configuration includes are not changed or created", async () => {
  const place = makePlace();
  const git = (...words: string[]): Buffer => execFileSync("git", words, { cwd: place.repo });
  git("init", "-q");
  git("config", "include.path", "../tools/shared");
  git("config", "includeIf.gitdir:/.path", "../later");
  const shared = put(join(place.repo, "tools/shared"), "[include]\n\tpath = more\n");
  const more = put(join(place.repo, "tools/more"), "[user]\n\tname = kept\n");
  const { run, repo } = await openBox({}, {}, place);
  const evil = "[core] fsmonitor = ./x";
  await run(`for f in tools/shared tools/more later; do echo '${evil}' > $f; done; mv tools t; echo ok > tools/new`);
  expect(readFileSync(shared, "utf8")).toContain("path = more");
  expect(readFileSync(more, "utf8")).toContain("kept");
  expect(readdirSync(repo)).toContain("later.refused");
  expect(readdirSync(join(repo, "tools"))).toContain("new");
});

confined("files that the user's own folders link to are not changed or created", async () => {
  const place = makePlace();
  const steering = put(join(place.repo, "dotfiles/settings.json"), "kept");
  put(join(place.repo, "dotfiles/other.json"), "old");
  const absent = join(place.repo, "tools/later.sh");
  const { run } = await openBox({}, { steeringPaths: () => [steering, absent] }, place);
  await run("cd dotfiles; echo x > other.json; echo x > settings.json; rm -f settings.json; mv settings.json away");
  expect(readFileSync(steering, "utf8")).toBe("kept");
  await run("cd ..; mkdir tools; echo x > tools/later.sh");
  expect(readdirSync(join(place.repo, "tools"))).toEqual(["later.sh.refused"]);
  await run("mv dotfiles moved; mkdir -p dotfiles; echo x > dotfiles/settings.json");
  expect(readFileSync(steering, "utf8")).toBe("kept");
  expect(readFileSync(join(place.repo, "dotfiles/other.json"), "utf8")).toBe("x\n");
});
