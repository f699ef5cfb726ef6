// Programs that write files by name, held against rules for edits: whatever permits the command, and in the mode that permits everything.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

describe("a command that changes a file by its name", () => {
  const writing = [
    "tee keep/a < b",
    "echo x | tee -a keep/a",
    "sed -i s/1/2/ keep/a",
    "sed -Ei.bak s/1/2/ keep/a",
    "sed --in-place=.bak s/1/2/ keep/a",
    "perl -pi -e s/1/2/ keep/a",
    "perl -gpi -e s/1/2/ keep/a",
    "perl -0xffpi -e s/1/2/ keep/a",
    "ruby -dpi -e 1 keep/a",
    "tar xfO a.tar keep/a",
    "cp b keep/a",
    "cp b keep",
    "cp -t keep b",
    "cp --target-directory=keep b",
    "install -m 644 b keep/a",
    "install -dm 755 keep/c other",
    "mv keep/a b",
    "mv keep b",
    "mv b keep/a",
    "rm keep/a",
    "rm -rf keep",
    "rm -- keep/a",
    "cd keep && rm a",
    "truncate -s0 keep/a",
    "touch keep/a",
    "dd if=/dev/null of=keep/a",
    "ln -sf b keep/a",
    "sort -o keep/a b",
    "curl -so keep/a http://localhost",
    "wget -O keep/a http://localhost",
    "rsync -rt b keep/a",
    "chmod 600 keep/a",
    "sudo tee keep/a < b",
    "sh -c 'rm keep/a'",
    "find . -name a -exec rm keep/a ';'",
    "git checkout -- keep/a",
    "git checkout HEAD~1 keep/a",
    "git -C keep checkout -- a",
    "git -C . -C keep checkout -- a",
    "cd . && git -C keep rm a",
    "git restore keep/a",
    "git restore --source=HEAD keep",
    "git -c core.pager=cat rm -f keep/a",
    "git mv keep/a b",
    "git mv b keep",
    "git symbolic-ref ../keep/a refs/heads/b",
    "git symbolic-ref -m why ../keep/a refs/heads/b",
    "tar -xf a.tar -C keep",
    "tar xf a.tar --directory=keep",
    "tar xzf a.tgz keep/a",
    "tar xfC a.tar keep",
    "tar cIf gzip keep/a b",
    "tar -xf a.tar -Ckeep",
    "tar xf a.tar --one-top-level=keep",
    "tar -cf keep/a b",
    "tar -czfkeep/a.tar.xz b",
    "tar -Ixz -cf keep/a.tar.xz b",
    "tar --creat --file keep/a b",
    "tar --extr -f a.tar --dir=keep",
    "tar -Af keep/a b.tar",
    "tar --delete -f keep/a b",
    "tar -cf b.tar --remove-files keep",
    "tar -cf b.tar --remove-f -C keep a",
    "tar -cf b.tar -g keep/to b",
    "tar -tvf b.tar --index-file=keep/a",
    "unzip a.zip -d keep",
    "unzip a.zip -dkeep",
    "unzip -o a.zip keep/a",
    "unzip -x a.zip keep/a",
    "unzip -P w -x a.zip keep/a",
    "unzip a.zip -x b -d keep",
    "mktemp -p keep",
    "script -qc 'ls b' keep/a",
    "script -T t keep/a",
    "script -qOkeep/a",
    "script a --log-timing keep/a -c 'ls b'",
    "mktemp -dpkeep",
    "mktemp --tmpd=keep",
    "mktemp --tmpdir=keep x.XXX",
    "unzip -Ptest a.zip keep/a",
    "unzip -qod keep a.zip",
    "7z x a.7z keep/a",
    "cd keep && 7z e ../a.7z",
    "git restore --staged --work keep/a",
    "git restore -S -Wq keep/a",
    "sort -okeep/a b",
    "sort b -rokeep/to",
    "sort --outp=keep/a b",
    "shuf -o keep/a b",
    "ssh-keygen -t ed25519 -N '' -f keep/a",
    "ssh-keygen -qf keep/a",
    "ssh-keygen -fkeep/a",
    "ssh-keygen -tecdsa -Cme@example -Nsecret -f keep/a",
    "ssh-keygen -N -y -f keep/a",
    "ffmpeg -y -i b -c:v copy keep/a",
    "ffmpeg -i b keep/a c",
    "ffmpeg -y -i keep/a keep/a",
    "xz -Flzma keep/a",
    "pigz keep/a",
    "zstd -q --rm keep/a",
    "zstd -19 a -o keep/a",
    "yq -iP '.a = 1' keep/a",
    "yapf -ir keep",
    "autopep8 -aai keep/a",
    "isort -ca keep/a",
    "black keep json",
    "rustfmt --emit files keep/a",
    "openssl req -x509 -newkey rsa -keyout keep/a -out b",
    "curl -sSLD keep/a http://localhost",
    "curl -Lc keep/a http://localhost",
    "wget -No keep/a http://localhost",
    "wget --rejected-log=keep/a http://localhost",
    "convert b -resize 50% keep/a",
    "convert b png:keep/a",
    "magick b keep/a",
    "magick b -write keep/a c",
    "mogrify -resize 50% keep/a",
    "mogrify -path keep -resize 50% a",
    "magick b +write keep/a info:",
    "docker cp box:/etc/a keep",
    "docker container cp box:/etc/a keep/a",
    "docker --context far cp box:/etc/a keep/a",
    "docker compose -f c.yml cp box:/etc/a keep/a",
    "docker cp box:/keep .",
    "podman cp box:/a keep/a",
    "kubectl -n one cp box:/a keep/a",
    "git clone b keep --depth 1",
    "git worktree add -b topic keep",
    "git init keep -b main",
    "git submodule add -b main b keep",
    "git submodule add b keep -b main",
    "git init --separate-git-dir keep/g b",
    "git clone --separate-git-dir=keep/g a b",
    "git worktree move b keep/b",
    "git config -f keep/a x.y z",
    "git config --file=keep/a --unset x.y",
    "tar -x --xattrs-include -O -f a.tar keep/a",
    "zip -tt 01012020 keep/a.zip b",
    "zip -db keep/a.zip b",
    "zip -Z store keep/a.zip b",
    "7z a keep/a.7z b",
    "7z d keep/a.7z b",
    "7z u x.7z b '-u!keep/a.7z'",
    "docker build -o keep/a .",
    "cp -tkeep/test b",
    "cp --target-dir=keep b",
    "sed --in-pl s/1/2/ keep/a",
    "sed -n 's|1|2|gw keep/a' b",
    "sed -n '/[/]/!w keep/a' b",
    "sed -e 1d -e 's/x/y\\' -e '/w keep/a' b",
    "sed -n '/x/!{p;w keep/a\n}' b",
    "sed -n 's/1[]/]*/2/w keep/a' b",
    "sed -n 's/-w/x/w keep/a' b",
    "sed -n '/1/Is|1|2|w keep/a' b",
    "sed -n '\\,1,w keep/a' b",
    "sed -n '1{\\%1%w keep/a\n}' b",
    "sed -n 's/a|w/x|r/w keep/a' b",
    "curl -sokeep/to http://localhost",
    "curl -D keep/a http://localhost",
    "curl --cookie-jar=keep/a http://localhost",
    "wget -o keep/a http://localhost",
    "wget -nc -P keep http://localhost/a",
    "uniq --skip-fields 1 b keep/a",
    "gawk -i inplace 1 keep/a",
    "gawk --include=inplace 1 keep/a",
    "cc -o keep/a b.c",
    "gpg --output keep/a -d b",
    "go build -o keep/ ./...",
    "npx prettier --write keep/a",
    "eslint --fix keep",
    "gofmt -w keep/a",
    "black keep",
    "ruff format keep/a",
    "git log --output=keep/a",
    "git diff --output keep/a",
    "git archive -o keep/a HEAD",
    "git format-patch -1 -okeep",
    "git clone . keep/b",
    "git worktree add keep/b",
    "echo keep | xargs -I{} touch {}/new",
    "cp {b,keep/a}",
    "mv {b,{c,keep/a}}",
    "cp b{,ak} {x,keep}",
    "sort -o {keep,other}/a b",
    "git diff --outp=keep/a",
    "sed --expression='w keep/a' b",
    "sed -ne'w keep/a' b",
    "tree -L 2 -o keep/a",
    "echo 'kee' | xargs -I% rm '%p/a'",
  ];

  test.each(writing)("is refused by a rule for edits: %s", async (command) => {
    const deny = ["Edit(./keep/**)"];
    expect(await bash(make(place, { deny, allow: ["Bash"] }), place.cwd, command)).toBe("deny");
    expect(await bash(make(place, { deny, mode: "bypassPermissions" }), place.cwd, command)).toBe("deny");
  });

  test.each([
    "cp keep/a b",
    "cp {keep/a,b}",
    "cp keep/a{,x} other",
    "cp -r keep b",
    "sed -n 1p keep/a",
    "sed s/1/2/ keep/a",
    "dd if=keep/a of=b",
    "sort keep/a -o b",
    "ssh-keygen -yf keep/a",
    "ssh-keygen -lf keep/a",
    "ffmpeg -y -i keep/a -f null -",
    "ffmpeg -i keep/a -c:v libx264 b",
    "convert keep/a -resize 50% b",
    "magick identify keep/a",
    "docker cp keep/a box:/etc/a",
    "docker run -v ./keep:/keep box",
    "sort -ob keep/a",
    "cc -o b keep/a.c",
    "grep -o keep/a b",
    "echo -o keep/a",
    "npx prettier --check keep/a",
    "eslint keep",
    "black --check keep",
    "isort -c keep",
    "rustfmt --emit stdout keep/a",
    "xz -vlk keep/a",
    "gzip -9c keep/a",
    "yq -P . keep/a",
    "yq -oini . keep/a",
    "script -q b cat -c keep/a",
    "curl -XDELETE http://localhost/keep/a",
    "gofmt -l keep/a",
    "ruff check keep",
    "git ls-files -o keep",
    "git log --oneline -- keep/a",
    "git clone ./keep b",
    "perl -ne'if (/1/) { print }' keep/a",
    "tar xOf a.tar keep/a",
    "7z e -so a.7z keep/a",
    "unzip -Pkeep -p a.zip keep/a",
    "git checkout -qb new keep/a",
    "git config -f keep/a --get x.y",
    "git clone b -b keep",
    "git worktree add b -b keep",
    "kubectl cp keep/a box:/etc/a",
    "kubectl get pods -o name",
    "curl -sd @keep/a -o b http://localhost",
    "curl -d 'x: -o' -H 'a: b' http://localhost/keep/a",
    "sed -n 's|keep/a|b|p' b",
    "ssh -o keep/a host",
    "echo keep | xargs -I{} cat {}/a",
    "node keep/a.js",
    "ln -s keep/a b",
    "rsync -rt keep/a b",
    "rm other/a",
    "git commit -m 'rm keep/a'",
    "echo rm keep/a",
    "curl -o b http://localhost/keep/a",
    "git checkout -b keep/a",
    "git restore --staged keep/a",
    "git rm --cached keep/a",
    "git -C keep log -- a",
    "git log -- keep/a",
    "tar -xf a.tar -C other",
    "tar -cf b keep",
    "tar -tf keep/a",
    "tar -xfkeep/archive.tar -C other",
    "unzip -l keep/a.zip",
    "unzip -o a.zip -x keep/a 'keep/*' -d other",
    "mktemp -p other",
  ])("is not where it only reads there: %s", async (command) => {
    const permissions = make(place, { deny: ["Edit(./keep/**)"], allow: ["Bash"] });
    expect(await bash(permissions, place.cwd, command)).toBe("allow");
  });

  test.each([
    "kubectl get pods -o wide",
    "kubectl get pods -o=jsonpath='{.items[0]}'",
    "helm list -o json",
    "az account show -o table",
    "aws s3 ls --output json",
    "journalctl -n 5 -o json",
    "lsblk -o NAME,SIZE",
    "ffmpeg -v error -i b -c:v copy -f null -",
    "ffmpeg -i b -f null /dev/null",
    "ffmpeg -i b -f wav pipe:1",
    "ffmpeg -h encoder=libx264",
    "convert b -format '%[mean]' info:",
    "convert b -format %c histogram:info:-",
    "magick compare a b null:",
    "magick b png:-",
    "magick -list format",
    "ssh-keygen -Y verify -f b -I me -n git -s c",
    "dd if=b of=/dev/null bs=1M",
    "cp b /dev/stdout",
    "wget -q --spider http://localhost/x",
    "bash -o pipefail -c 'ls | head'",
    "pytest -o log_cli=true src",
    "pip list --outdated --format=json",
    "k get pods -o yaml",
    "k get pods -o name",
    "bazel query //... --output=label",
    "hcloud server list -o columns=id,name",
    "nmap -oG - host",
    "ls missing 2>/dev/null; cat b > /dev/null 2>&1",
    "curl -sS -o /dev/null -w '%{http_code}' http://localhost",
    "psql -o /dev/stdout -c 'select 1'",
    "tsc --outDir /dev/null",
    "sort b | tee /dev/stderr",
    "wget -qO- http://localhost/x",
    "k get pods -o jsonpath='{.items[0]}'",
    "argocd app list --output json",
    "flux get all -o wide",
    "systemctl -o json status b",
    "apt-get -o Acquire::Retries=3 update",
    "sftp -o BatchMode=yes host",
    "zfs list -o name,used",
    "ss -o state established",
    "top -b -n 1 -o %CPU",
    "ag -o word",
    "mvn -o test",
    "pylint --output-format=json src",
    "golangci-lint run --out-format json",
    'sed -n \'s/.*"web": "\\(.*\\)"/\\1/p\' package.json',
    "sed 's/-rc//; s/_write//' b",
    "sed 's/error/warn/; s/read/write/' b",
    "sed 's/\\(word\\).*/\\1/' b",
    "sed 's/web/x/' b",
    "sed -E 's#(/read)/[^/]+#\\1/where#g; s/ w / x /2; $!d' b",
    "sed -n '/while x/,/end w/p' src/web.ts",
    "sed -ne '/w[a-z]/{s/r/w/;p}' src/worker.ts",
    "sed 1,5d src/write.ts",
  ])("nor where it may write nothing at all: %s", async (command) => {
    const permissions = make(place, { deny: ["Edit(**)"], allow: ["Bash"] });
    expect(await bash(permissions, place.cwd, command)).toBe("allow");
  });

  test.each(["chmod 600 /dev/null", "ln -sf b /dev/null", "rm -f /dev/null"])(
    "but what changes such a place itself is refused: %s",
    async (command) => {
      const permissions = make(place, { deny: ["Edit(**)"], allow: ["Bash"] });
      expect(await bash(permissions, place.cwd, command)).toBe("deny");
    },
  );

  test.each(["tee .git/hooks/pre-commit < b", "cp b .claude/settings.json", "sed -i s/a/b/ .mcp.json"])(
    "is a person's to approve where the file is protected, whatever rule permits the command: %s",
    async (command) => {
      const allow = ["Bash(tee *)", "Bash(cp *)", "Bash(sed *)"];
      expect(await bash(make(place, { allow }), place.cwd, command)).toBe("ask");
    },
  );
});

describe("a pattern is what it finds on the disk", () => {
  beforeAll(() => {
    mkdirSync(join(place.cwd, "here"));
    for (const name of ["here/.env", "here/notes", "here/.other"]) writeFileSync(join(place.cwd, name), "x");
  });

  test.each([
    "cat here/.e*",
    "cat h*/.env",
    "cat here/.en?",
    "cat < here/.e*",
    "cd here && cat .[e]nv",
    "dd if=here/.env",
    "git -C here show HEAD:.env",
  ])("and does not pass a rule for what it reads: %s", async (command) => {
    const permissions = make(place, { deny: ["Read(./here/.env)"], allow: ["Bash"] });
    expect(await bash(permissions, place.cwd, command)).toBe("deny");
  });

  test.each(["rm here/.e*", "mv here/.e* b", "tee h*/.env < b"])("nor one for what it writes: %s", async (command) => {
    const permissions = make(place, { deny: ["Edit(./here/.env)"], allow: ["Bash"] });
    expect(await bash(permissions, place.cwd, command)).toBe("deny");
  });

  test("however many it finds, by their names, and where the first of them are links, by where these lead", async () => {
    const many = join(place.cwd, "many");
    mkdirSync(many);
    for (let at = 0; at < 300; at += 1) writeFileSync(join(many, `f${at}`), "");
    symlinkSync("../here/.env", join(many, "link"));
    const denied = (rule: string, command: string) =>
      bash(make(place, { deny: [rule], allow: ["Bash"] }), place.cwd, command);
    for (let at = 0; at < 300; at += 50) expect(await denied(`Read(./many/f${at})`, "cat many/*")).toBe("deny");
    expect(await denied("Read(./many/f300)", "cat many/*")).toBe("allow");
    expect(await denied("Read(./here/.env)", "cat many/l*")).toBe("deny");
  });

  test.each(["cat here/*", "cat here/.o*", "cat 'here/.e*'", "cat here/.e*x"])(
    "and of others is run: %s",
    async (command) => {
      const permissions = make(place, { deny: ["Read(./here/.env)"], allow: ["Bash"] });
      expect(await bash(permissions, place.cwd, command)).toBe("allow");
    },
  );
});
