// A deny rule for a command also finds it where it stands literally in code of another language.
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

const deny = ["Bash(zap:*)", "Bash(git push:*)"];
const inBypass = (command: string) => bash(make(place, { mode: "bypassPermissions", deny }), place.cwd, command);

test.each([
  `python3 -c 'import os; os.system("zap x")'`,
  `python3.12 -c 'import os; os.execvp("zap", ["zap", "x"])'`,
  `python3 -c 'import subprocess; subprocess.run(["git", "push", "-f"])'`,
  `python3 <<'X'\nimport subprocess\nsubprocess.check_call(\n  ["git", "push"])\nX`,
  `echo 'import os; os.system("zap x")' | python3`,
  `cat > t.py <<'X'\nimport os; os.system("zap x")\nX\npython3 t.py`,
  `python3 -c 'print(run("x")), os.system("zap x")'`,
  `python3 -c 'os.system("ls; zap x")'`,
  `python3 -c 'subprocess.run("""\ncd a\nzap x\n""", shell=True)'`,
  `python3 -c 'os.system("zap ${"x".repeat(5000)}")'`,
  `python3 -c 'run(run(run(1), "zap x"))'`,
  `python3 -c 'os.execvp(\n  x, "zap")'`,
  `python3 -c '${"f.run(1); ".repeat(300)}os.system("zap x")'`,
  `bash -c "python3 -c 'import os; os.system(\\"zap x\\")'"`,
  `uv run python -c 'import os; os.system("zap x")'`,
  `node -e 'require("child_process").execSync("zap x")'`,
  `node -e 'require("child_process").spawnSync("git", ["push", "o"])'`,
  "node -e 'require(`child_process`).execSync(`zap x`)'",
  `ruby -e 'system "zap x"'`,
  `ruby -e 'system("git", "push")'`,
  "ruby -e '%x(zap x)'",
  `ruby -e 'IO.popen("zap x")'`,
  `perl -e 'system("zap x")'`,
  "perl -e 'exec qw(zap x)'",
  "perl -e 'qx(zap x)'",
  `perl -e 'open(F, "zap x|")'`,
  `perl -e 'open(F, "|zap x")'`,
  `perl -e 'open(F, "-|", "zap x")'`,
  `php -r 'shell_exec("zap x");'`,
  `lua -e 'os.execute("zap x")'`,
  `Rscript -e 'system("zap x")'`,
  "sed '1e zap x' a.txt",
  "sed 's/x/zap x/e' a.txt",
  "sed 's|.*|zap x|;e' a.txt",
  "make --eval='x:;zap x' x",
  "make --eval '$(shell zap x)' x",
  "make -f - <<'X'\nall:\n\t@zap x\nX",
  "printf 'x:\\n\\tzap x\\n' | make -f -",
  "make SHELL=zap x",
  "CC=zap make",
  "RUSTC_WRAPPER=zap cargo build",
  `cargo --config 'alias.x="!zap"' x`,
  `cargo run --config 'target.x.runner="zap"'`,
  "gcc -wrapper zap,x a.c",
  "npm run x --script-shell zap",
  "npm_config_script_shell=zap npm run x",
  "npm config set script-shell zap",
  "git-push origin",
  "/usr/lib/git-core/git-push origin",
])("a command that code runs is denied: %s", async (command) => {
  expect(await inBypass(command)).toBe("deny");
});

test("an alias of git whose value comes from the environment is asked about, and denied in bypass mode", async () => {
  const command = "git --config-env=alias.p=P p";
  expect(await bash(make(place, { allow: ["Bash"], deny }), place.cwd, command)).toBe("ask");
  expect(await inBypass(command)).toBe("deny");
  expect(await inBypass("git --config-env=user.name=P commit")).toBe("allow");
});

test.each([
  `python3 -c 'print("git push")'`,
  `python3 -c 'print("| zap | x |")'`,
  `python3 - <<'X'\nprint("zap it")\nX`,
  "python3 -m pytest test_zap",
  `node -e 'console.log("zap x")'`,
  `node -e 'console.log(/x/.test("zap"))'`,
  `python3 - <<'X'\napp.run()  # do not\nzap = "it is"\nX`,
  `ruby -e 'puts "zap"'`,
  "echo 'do not zap' | python3 x.py",
  "sed -i 's/the zap/a zip/' a.txt",
  "sed -e 's/some zap/x/' a.txt",
  "sed 's/a/zap b/g' a.txt",
  "make -j4 CC=clang",
  "cargo --config net.git-fetch-with-cli=true build",
  "npm config set registry zap",
  "git-lfs pull",
  `git commit -m 'run("zap x")'`,
])("a text that code does not run is not taken for a command: %s", async (command) => {
  expect(await inBypass(command)).toBe("allow");
});
