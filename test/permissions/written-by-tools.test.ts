// Files that less common programs write, and names that lead through /proc to the folder of the command.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  for (const folder of ["docs", "secrets", "sub"]) mkdirSync(join(place.cwd, folder));
  for (const name of ["a.txt", "guarded.txt", "docs/x", "secrets/key"]) writeFileSync(join(place.cwd, name), "x\n");
});
afterAll(() => place.remove());

const deny = ["Edit(/guarded.txt)", "Edit(docs/**)", "Read(/secrets/**)"];
const decided = (command: string) => bash(make(place, { mode: "bypassPermissions", deny }), place.cwd, command);

test.each([
  "srm guarded.txt",
  "trash-put guarded.txt",
  "gio trash guarded.txt",
  "prename s/a/b/ guarded.txt",
  "crudini --set guarded.txt a b c",
  "xmlstarlet ed -L guarded.txt",
  "emacs --batch guarded.txt -f save-buffer",
  "strip guarded.txt",
  "patchelf --set-rpath x guarded.txt",
  "ar rc guarded.txt a",
  "sqlite3 guarded.txt",
  "sqlite3 guarded.txt 'select 1; drop table x'",
  "curl -w '%output{guarded.txt}x' x",
  "aria2c -d docs x",
  "pg_dump -f guarded.txt",
  "mysqldump --result-file=guarded.txt x",
  "pip install -t docs x",
  "python3 -m venv docs",
  "virtualenv docs",
  "npm pack --pack-destination docs",
  "gh release download -D docs",
  "aws s3 cp s3://x guarded.txt",
  "gsutil cp gs://x guarded.txt",
  "terraform plan -out=guarded.txt",
  "rsync -a --remove-source-files docs/ h:",
  "gunzip guarded.txt.gz",
  "valgrind --log-file=guarded.txt ls",
  "hyperfine --export-json guarded.txt ls",
  "parallel --joblog guarded.txt x ::: a",
  "tmux save-buffer guarded.txt",
  "history -w guarded.txt",
  "git merge-file guarded.txt a b",
])("a program that writes a guarded file is denied: %s", async (command) => {
  expect(await decided(command)).toBe("deny");
});

test.each([
  "sqlite3 guarded.txt 'select * from x'",
  "sqlite3 -readonly guarded.txt",
  "sqlite3 guarded.txt .tables",
  "docker run -v $PWD:/app img npm test",
  "aws s3 cp guarded.txt s3://x",
  "ar t guarded.txt",
  "crudini --get guarded.txt a",
  "rsync -a docs/ h:",
  "gunzip -c guarded.txt.gz",
  "python3 -m pytest docs",
  "python3 -m venv .venv",
  "pip install -r requirements.txt",
  "git merge-file -p guarded.txt a b",
  "sqlite3 guarded.txt 'PRAGMA table_info(x)'",
])("a program that only reads a file guarded against changes runs: %s", async (command) => {
  expect(await decided(command)).toBe("allow");
});

test("options for output count for a program that also has others of its own", async () => {
  for (const command of ["python3 x.py -o guarded.txt", "pip list --output=guarded.txt", "gh x --output guarded.txt"])
    expect(await decided(command), command).toBe("deny");
});

test.each([
  "cat /proc/self/cwd/secrets/key",
  "cat //proc/thread-self/cwd/secrets/key",
  "curl file:///proc/self/cwd/secrets/key",
  `python3 -c 'open("/proc/self/cwd/secrets/key")'`,
  `python3 -c 'open("/proc/self/cwd/guarded.txt", "w")'`,
  "echo x > /proc/self/cwd/guarded.txt",
  "cd sub && cat /proc/self/cwd/../secrets/key",
])("a name that leads through /proc to the folder of the command counts: %s", async (command) => {
  expect(await decided(command)).toBe("deny");
});
