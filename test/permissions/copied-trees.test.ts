// What programs that copy, pack and compare take from a folder and leave out, according to their options and patterns.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  for (const folder of ["secrets", "src", "lib", "etc", "etc/conf", "../home/secrets"])
    mkdirSync(join(place.cwd, folder));
  for (const file of [".env", "secrets/a", "src/a.ts", "etc/conf/x", "etc/.ed", "../home/secrets/a"])
    writeFileSync(join(place.cwd, file), "x\n");
  symlinkSync("../secrets", join(place.cwd, "lib/linked"));
});
afterAll(() => place.remove());

const decided = (command: string) =>
  bash(
    make(place, {
      allow: ["Bash"],
      deny: ["Read(.env)", "Read(secrets/**)", "Read(~/secrets/**)", "Edit(conf/**)", "Edit(src/.ed)"],
    }),
    place.cwd,
    command,
  );

test.each([
  "tar --exclude=.env --exclude=secrets/ -cf x.tar .",
  "tar --exclude='.env ' --exclude=secrets -cf x.tar .",
  "tar --no-wildcards --exclude='.e*' --exclude=secrets -cf x.tar .",
  "tar --anchored --exclude='.e*' --exclude='s*' -cf x.tar .",
  "tar --creat -f x.tar .",
  "tar -cf x.tar . -C src",
  "tar -cf x.tar -C src -C .. .",
  "tar -cf x.tar --newer -C src .",
  "tar -cf x.tar -C 's*' .",
  "tar -cf x.tar -C . *",
  "tar cfC x.tar src ../secrets",
  "tar -cf x.tar . --exclude=.env --exclude=secrets",
  "tar --ap -f x.tar .",
  "tar --an --exclude='.e*' --exclude='s*' -cf x.tar .",
  "cp --ar . there",
  "cp -r etc/conf/ .",
  "cd src && cd .. && zip -r x.zip . && cd src",
  "cp etc/.e* src",
  "cp -t src etc/.e*",
  "cp etc/.e* s?c",
  "cp -r etc/conf l?b",
  "rm -rf etc/*",
  "cd etc && mv * ../lib",
  "git mv etc/* lib",
  "git mv -k etc lib",
  "cd etc && git mv * ../lib",
  "git mv etc/.e* src",
  "git rm -r etc/* src/a.ts",
  "git rm -r etc/c*f",
  "rsync -a etc/conf there",
  "mkdir -p there/new && cp -r etc/conf there",
  "scp -r etc/conf lib",
  "cd src && env -C ../lib/.. cp -r etc/conf lib",
  "rsync -R etc/c*/x there",
  "cp -r --parents etc/./conf lib",
  "install etc/.e* src",
  "ln etc/.e* src/",
  "rsync -t etc/.e* src/",
  "tar --deref -cf x.tar lib",
  "bsdtar -cLf x.tar lib",
  "zip --recurse-path x.zip .",
  "zip -rdb x.zip .",
  "zip -r x.zip .//secrets -x 'secrets/*'",
  "zip --recurse-patt x.zip '*'",
  "cp -r --deref lib x",
  "cp -r etc/conf .",
  "cp -r etc/conf/ .",
  "rsync -a etc/conf .",
  "rsync -ak lib there",
  "rsync -a --copy-dirlinks lib there",
  "rsync -a --copy-unsafe-links lib/ there",
  "rsync -a --exclude '\\.env' --exclude secrets . there",
  "rsync -a --exclude .env --exclude secrets/ --exclude etc --exclude-from=list . there",
  "rsync -a --exclude '.e*/' --exclude secrets . there",
  "tar -cf x.tar --exclude=/.env --exclude=./secrets .",
  "tar -cf x.tar --exclude='*/.env' --exclude=./secrets .",
  "tar -cf x.tar --exclude=./.env --exclude=./secrets/ .",
  "tar -cf x.tar --exclude=repo/secrets .//",
  "tar -cf x.tar -C src --exclude=./.env --exclude=./secrets ..",
  "rsync -a --exclude=/.env/ --exclude=/secrets --exclude=/etc . there",
  "rsync -a --exclude=./.env --exclude=/secrets --exclude=/etc . there",
  "rsync -a --exclude=/secrets secrets/ there",
  "rsync -a --exclude=~/secrets ~ there",
  "rsync -aL --exclude=/.env --exclude=/etc --exclude='/secrets/*' . there",
  "tar -chf x.tar --exclude=./.env --exclude='./secrets/*' .",
  "tar -cf x.tar --exclude=~/secrets ~",
  "rsync -aR --exclude=/.env --exclude=/secrets ./src/.. there",
  "tar -cf x.tar . && cd src && ls",
  "echo . | xargs tar -cf x.tar && cd src && ls",
  "find . -name a | xargs cat && cd src && ls",
  "bash -c 'tar -cf x.tar .' && cd src && ls",
  "(cd src && ls) && tar -cf x.tar .",
  "(cd src || tar -cf x.tar .)",
  "ls | cd src && tar -cf x.tar .",
  "CDPATH=.. && cd repo && tar -cf x.tar .",
  "shopt -s cdable_vars && d=. && cd d && tar -cf x.tar .",
  'echo "$X && cd y && z" | cd src && tar -cf x.tar .',
  "diff -r -x secrets/ . src",
  "7z a x.7z",
  "7z -mx9 a x.7z .",
  "7z a x.7z '?ib'",
  "7z a x.7z '*nv'",
  "7z a x.7z src -ir@list",
  "7z a x.7z . -xr!.env -x!secrets",
  "7z a '-xr![.]env' '-xr!secrets' '-xr!linked' x.7z .",
  "7z a '-xr!\\.env' '-xr!secrets' '-xr!linked' x.7z .",
  "ag --max-count 3 x",
  "tar -cf x.tar --remove-files etc",
  "zip -rm x.zip etc",
  "7z a -sdel x.7z etc",
  "rsync -a --remove-source-files etc there",
  "chmod -R -w etc",
  "gzip -r etc",
  "cp -r etc/* .",
  "chown -R --reference=src etc",
  "grep -r --exclude='.e* ' --exclude-dir=secrets x .",
])("a command that may take a guarded file is asked about: %s", async (command) => {
  expect(await decided(command)).toBe("ask");
});

test("files below a glob's matches are looked for in the folder in which the command certainly runs", async () => {
  const permissions = make(place, { allow: ["Bash"], deny: ["Edit(./etc/**)"] });
  expect(await bash(permissions, place.cwd, "cd src && mv * ../lib")).toBe("allow");
  for (const command of ["mv e* lib", "mv e* lib && cd src && mv e* lib", "cd src && env -C .. mv e* lib"])
    expect(await bash(permissions, place.cwd, command), command).toBe("ask");
});

test("what a glob matches is not looked for below another glob that is the target", async () => {
  const permissions = make(place, { allow: ["Bash"], deny: ["Edit(etc/conf/x)"] });
  for (const command of ["cp src/* etc/c*f", "mv src/* etc/c*f", 'for d in etc/*; do cp -r src/* "$d/"; done'])
    expect(await bash(permissions, place.cwd, command), command).toBe("allow");
  expect(await bash(permissions, place.cwd, "cp lib/x etc/c*f")).toBe("deny");
});

test("a file from another machine keeps its name, even if the machine is known only at run time", async () => {
  const permissions = make(place, { allow: ["Bash"], deny: ["Edit(conf/**)"] });
  for (const program of ["scp -r", "rsync -a"]) {
    expect(await bash(permissions, place.cwd, `${program} "$WHO@$HOST:/srv/x" lib`)).toBe("allow");
    for (const named of ['"$HOST:/srv/conf" lib', "host:conf ."])
      expect(await bash(permissions, place.cwd, `${program} ${named}`), named).toBe("deny");
    expect(await bash(permissions, place.cwd, `${program} "$FOLDER" lib`)).toBe("ask");
  }
  for (const command of [
    "scp host:conf lib",
    "rsync -a host:conf/ lib",
    "scp -r conf host:",
    "scp -r host:conf there:",
  ])
    expect(await bash(permissions, place.cwd, command), command).toBe("allow");
});

test("a final cd changes the folder of a trap that runs on exit", async () => {
  expect(await decided("trap 'cat a' EXIT && cd secrets")).toBe("deny");
});

test.each(["bash <<< 'tar -cf x.tar .' && cd src && ls", "echo 'tar -cf x.tar .' | sh && cd src && ls"])(
  "a shell that is fed a text before a cd runs it before the cd: %s",
  async (command) => {
    const bypass = make(place, { mode: "bypassPermissions", deny: ["Read(.env)"] });
    expect(await bash(bypass, place.cwd, command)).toBe("deny");
  },
);

test.each([
  "cd src && zip -r ../x.zip . && cd ..",
  "cd src && tar -cf ../x.tar . && cd -",
  "cp etc/*.ts src",
  "tar --exclude=.env --exclude=secrets -cf x.tar .",
  "rsync -a --exclude .env --exclude secrets/ --exclude etc . there",
  "tar -cf x.tar -C src .",
  "tar -cf x.tar -C src *",
  "tar czf x.tgz --exclude=.git -C src . -C ../lib .",
  "git mv src/* lib",
  "git rm -r src/*",
  "git rm -r --cached etc/* src/a.ts",
  "rm -f etc/*",
  "gzip -9 etc/*",
  "zip -m x.zip etc/*",
  "rsync -a lib there",
  "rsync -a etc/conf/ there",
  "cp -r etc/conf there",
  "mkdir -p new && cp -r etc/conf there",
  "scp -r etc/conf host:lib",
  "scp -r host:etc/. lib",
  "cp src/*.ts l?b",
  "cp -r lib x",
  "cp -r src/* lib",
  "rsync -a --log-file=x src there",
  "rsync -a --compress --group src there",
  "7z a -xr!.env -xr!secrets -xr!linked x.7z .",
  "7z a x.7z src/*",
  "7z a x.7z *.json",
  "(cd src && tar -cf ../x.tar .)",
  "npm test -- --x='a b' && cd \"src\" && zip -r ../x.zip .",
  "npm test && (cd src && zip -r ../x.zip .)",
  "tar -cf x.tar etc",
  "cp -r etc/conf/ src/new",
  "cp -r etc/conf/. .",
  "rsync -a etc/conf/ .",
  "tar -cf x.tar --exclude=./.env --exclude='./secrets/*' .",
  "tar -cf x.tar --exclude=repo/.env -C .. --exclude=repo/secrets repo",
  "rsync -a --exclude=/.env --exclude=/secrets/ --exclude='/etc/**' ./ there",
  "rsync -a --exclude='**/.env' --exclude=repo/secrets --exclude=/repo/etc ../repo there",
  "chmod -R u+w src",
])("a command that leaves the guarded files out is allowed: %s", async (command) => {
  expect(await decided(command)).toBe("allow");
});

test.each([
  "zip a.zip src -x a -dd .env",
  "zip a.zip src -lf -x .env",
  "zip a.zip src -xa .env",
  "zip a.zip -x a @ .env",
])("a pattern after an unknown option of zip may be a file: %s", async (command) => {
  expect(await decided(command)).toBe("deny");
});

test.each([
  "rsync -a --log-file=conf/x src there",
  "rsync -a --backup-dir conf src there",
  "rsync -aT conf src there",
  "rsync -a -M--log-file=conf/x src there",
  "rsync -a --write-batch=conf/x src there",
  "rsync -a src conf --info progress2",
  "cp src/a.ts etc/c?nf",
  "mv -t etc/c?nf src/a.ts",
  "tar -xf x.tar -C etc/c*f",
  "unzip x.zip -d etc/c*f",
  "rsync -R etc/conf/x there",
  "cp --parents etc/conf/x lib",
  "cp src/a.ts conf/x --suffix .b",
  "install src/a.ts conf/x -m 644",
  "zip -P word conf/x.zip src",
  "zip -s 10m conf/x.zip src",
  "zip x.zip src --out conf/x.zip",
  "zip -m x.zip conf/x",
  "zip -r -x a b -q conf/x.zip src",
])("a file that is written is found beside or before other words: %s", async (command) => {
  expect(await decided(command)).toBe("deny");
});
