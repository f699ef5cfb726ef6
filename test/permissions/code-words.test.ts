// Code that a line gives to interpreters, editors and consoles counts for the files it may write.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  for (const folder of ["src", "docs"]) mkdirSync(join(place.cwd, folder));
  for (const name of ["a.txt", "package.json", "README.md", "src/index.ts"])
    writeFileSync(join(place.cwd, name), "x\n");
});
afterAll(() => place.remove());

const deny = ["Edit(package.json)", "Edit(README.md)", "Edit(src/**)", "Write(docs/**)", "Edit(.env*)", "Edit(*.lock)"];
const decided = (command: string) => bash(make(place, { mode: "bypassPermissions", deny }), place.cwd, command);

test.each([
  `python3 -c 'open("package.json","w").write("x")'`,
  `python3 -Ic 'open("package.json", mode="w")'`,
  `python3 -c'open("package.json","w")'`,
  `python3.12 -c "import json; json.dump(json.load(open('package.json')), open('package.json','w'))"`,
  `python3 -c 'from pathlib import Path; Path("package.json").write_text("x")'`,
  `python3 -c 'from pathlib import Path; (Path("src")/"index.ts").unlink()'`,
  `python3 -c 'import shutil; shutil.rmtree("src")'`,
  `python3 -c 'import shutil; shutil.copy("a.txt","src/b.ts")'`,
  `python3 -c 'open("${"./".repeat(500)}package.json","w")'`,
  `python3 -c 'open("docs/new.md","w").write("x")'`,
  `python3 -c 'open(".envrc","a").write("x")'`,
  `python3 - <<'X'\nopen("package.json","w")\nX`,
  `python3 <<< 'open("package.json","w")'`,
  `echo 'open("package.json","w")' | python3`,
  `printf 'open("package.json","w")\\n' | python3 -`,
  `echo 'open("package.json","w")' > t.py; python3 t.py`,
  `cat > t.py <<'X'\nopen("package.json","w")\nX\npython3 t.py`,
  `cd src && python3 -c 'open("index.ts","w")'`,
  `f=package.json; python3 -c "open('$f','w')"`,
  `sh -c "python3 -c 'open(\\"package.json\\",\\"w\\")'"`,
  `uv run --with x python3 -c 'open("package.json","w")'`,
  `node -e 'require("fs").writeFileSync("package.json","x")'`,
  "node --eval='require(`fs`).writeFileSync(`package.json`,1)'",
  `node -p 'require("fs").rmSync("src", { recursive: true })'`,
  `npx tsx -e 'require("fs").writeFileSync("src/new.ts","x")'`,
  `deno eval 'Deno.writeTextFileSync("package.json","x")'`,
  `perl -e 'open(F,">package.json")'`,
  `perl -e 'open(F,">yarn.lock")'`,
  `perl -we 'open(F, ">", "package.json")'`,
  `perl -e 'unlink qw(package.json)'`,
  `ruby -e 'File.write(%q(package.json), "x")'`,
  `php -r 'file_put_contents("package.json", "x");'`,
  `Rscript -e 'file.remove("package.json")'`,
  `elixir -e 'File.write("package.json","x")'`,
  `emacs --batch --eval '(write-region "x" nil "package.json")'`,
  "ex -c 'w! package.json' -c q a.txt",
  "ex -c 'w src/new.ts' a.txt",
  "vim -es +'w! package.json' +q a.txt",
  `nvim --cmd 'call writefile(["x"],"package.json")' +q`,
  "ed -s a.txt <<< 'w package.json'",
  "ed a.txt <<'X'\nw src/new.ts\nq\nX",
  "printf 'w package.json\\nq\\n' | ed -s a.txt",
  "sed -f - a.txt <<< 'w package.json'",
  `awk '{print | "tee package.json"}' a.txt`,
  `awk 'BEGIN{system("rm package.json")}'`,
  "sqlite3 x.db '.output package.json' 'select 1'",
  `sqlite3 x.db "attach 'package.json' as p"`,
  `psql -c '\\o package.json'`,
  "make --eval '$(file >package.json,x)' all",
  "make -f - <<< '$(file >package.json,x)'",
])("code that may write a guarded file is denied in bypass mode: %s", async (command) => {
  expect(await decided(command)).toBe("deny");
});

test.each([
  `node -p 'require("./package.json").version'`,
  `node -e 'const p=JSON.parse(require("fs").readFileSync("package.json","utf8")); console.log(p.scripts)'`,
  `node --input-type=module -e 'import x from "./package.json"; console.log(x)'`,
  `node -e 'require("fs").readdirSync("src").forEach((f) => console.log(f))'`,
  "node --test --test-name-pattern='reads package.json'",
  `python3 -c 'import json; print(json.load(open("package.json"))["version"])'`,
  `python3 -c 'print(open("README.md", "r", encoding="utf-8").read())'`,
  `python3 -c 'from pathlib import Path; print(Path("README.md").read_text())'`,
  `python3 -c 'import os; print(os.path.exists("README.md"))'`,
  `python3 - <<'X'\nwith open("package.json") as f:\n    print(f.read())\nX`,
  "python3 -c 'print(1)'",
  "python3 x.py README.md",
  `echo "see README.md" | python3 -c 'import sys; print(sys.stdin.read())'`,
  `python3 x.py <<< 'see README.md'`,
  'python3 x.py && echo "wrote package.json"',
  `ruby -e 'puts File.read("README.md")'`,
  `perl -e 'open(my $f, "<", "README.md"); print <$f>'`,
  `perl -e 'open(F,"<README.md"); print <F>'`,
  "perl -ne 'print if /x/' README.md",
  `php -r 'echo file_get_contents("README.md");'`,
  "sed -e 's/README.md/X/' a.txt",
  `awk -F'"' '/version/{print $4}' package.json`,
  "sqlite3 app.db 'select * from src'",
  "vim -c 'r README.md' a.txt",
  'git commit -m "Update package.json (and README.md)"',
])("code that only reads a file runs although a rule guards the file against changes: %s", async (command) => {
  expect(await decided(command)).toBe("allow");
});

test("code that names a protected file to write is asked about, whatever rule permits the interpreter", async () => {
  const permissions = make(place, { allow: ["Bash(python3:*)"] });
  expect(await bash(permissions, place.cwd, `python3 -c 'open(".git/hooks/pre-commit","w")'`)).toBe("ask");
  expect(await bash(permissions, place.cwd, `python3 -c 'print(open(".git/hooks/pre-commit").read())'`)).toBe("allow");
});
