// Rules that guard find commands that another program is given by an option, a variable, a container or its input.
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

test.each([
  "docker exec web zap x",
  "docker exec -it -u root -w /app web zap x",
  "docker exec -itw /app web zap x",
  "docker exec web sh -c 'cd /a && zap x'",
  'docker exec "$C" zap x',
  "sudo docker exec web zap x",
  "docker -H tcp://a container exec web zap x",
  "docker run --rm -v $PWD:/w -p8080:80 -e A=b --name a image zap x",
  "docker run --rm --entrypoint zap image x",
  "docker run --oom-kill-disable image zap x",
  "docker run -d -p 80:80 image zap x",
  "docker run -- image zap x",
  "docker run --health-cmd 'zap x' image",
  "docker exec -e EDITOR='zap x' web git commit",
  "docker run -it -e PAGER='zap x' image",
  "docker compose run -e GIT_EDITOR='zap x' web",
  "nerdctl -n there exec web zap x",
  "podman run --tls-verify --env-host image zap x",
  "docker compose -f a.yml exec -T web zap x",
  "docker compose run --rm --no-deps web zap x",
  "docker compose run --no-TTY web zap x",
  "docker-compose exec web zap x",
  "podman run --rm image env A=b zap x",
  "podman exec -l zap x",
  "podman exec --latest -w /a zap x",
  "podman exec -itl -e A=b zap x",
  "kubectl exec -it pod -c c -n ns -- zap x",
  "kubectl -n ns exec deploy/a -- sh -c 'zap x'",
  "kubectl create job a --image=b -- zap x",
  "kubectl exec -n ns pod zap x",
  "kubectl exec -itn ns pod zap x",
  "oc rsh pod zap x",
  "lxc exec a zap x",
  "distrobox enter a -- zap x",
  "flatpak-spawn --host zap x",
  "flatpak-spawn --host --directory /a zap x",
  "flatpak run --command=zap a x",
  "wsl -d Ubuntu -u root zap x",
  "wsl.exe -e zap x",
  "wsl ~ -e zap x",
  "apptainer exec --bind a:b c.sif zap x",
  "heroku run -a app 'zap x'",
  "tmux send-keys -t dev 'zap x' Enter",
  "tmux new -d \\; send-keys cd Space a Enter zap Space x C-m",
  "tmux send-keys -t dev -- 'zap x' Enter",
  "tmux send-keys -t dev ls Enter \\; send-keys -t dev 'zap x' Enter",
  `tmux ${"send-keys ls Enter ';' ".repeat(9)}neww 'zap x'`,
  "tmux new -d \\; neww zap send",
  "tmux send-keys ls Enter\\; neww zap x",
  "tmux neww zap\\; kill-session",
  "tmux new -d\\; send-keys ls Enter\\; send-keys 'zap x' Enter",
  "tmux popup -E 'zap x'",
  "tmux split 'zap x'",
  "tmux bind-key x run-shell 'zap x'",
  "tmux bind -T copy-mode-vi x \"run-shell 'zap x'\"",
  "tmux bind x send-keys 'zap x' Enter",
  "tmux bind send run 'zap x'",
  "tmux set-hook -g after-new-window 'run-shell \"zap x\"'",
  "tmux confirm-before -p sure run-shell 'zap x'",
  "tmux confirm 'run-shell \"zap x\"'",
  "tmux command-prompt \"run-shell 'zap x'\"",
  "tmux display-menu a b \"run-shell 'zap x'\"",
  "tmux set -g status-left '#(zap x)'",
  "tmux set -g default-command 'zap x'",
  "tmux if true 'run-shell \"zap x\"'",
  "tmux if-shell -bF -t dev 1 'display hi ; new-window \"zap x\"' 'display no'",
  'tmux if true \'if true "run \\"zap x\\""\'',
  "tmux new -d \\; if 'test -f a' 'display a' 'run \"cd a; zap x\"'",
  "fish -c 'test -f a; and zap x'",
  "fish -c 'ls; or not zap x'",
  "screen -S dev -X stuff 'zap x^M'",
  "go test -exec zap ./...",
  "go test --exec zap ./...",
  "gh codespace ssh -c a 'zap x'",
  "mosh -p 60001 h zap x",
  "hyperfine --prepare='zap x' a",
  "uv tool run zap x",
  "yarn workspace a exec zap x",
  "su -c'zap x'",
  "su --session-command='zap x' a",
  "script -qc'zap x' /dev/null",
  "script --command='zap x' a",
  "flock --command='zap x' a",
  "npx --call='zap x'",
  "npx -y --userconfig a -p b -c 'zap x'",
  "flock --timeout 5 a -c'zap x'",
  "su a -- -c 'zap x'",
  "npm exec --call='zap x'",
  "doppler run --command='zap x'",
  "env --split='zap x'",
  "nix develop -c zap x",
  "nix-shell -p a --run 'zap x'",
  "rsync -avze 'zap x' a b",
  "rsync --rsh='zap x' a b",
  "ssh -o ProxyCommand='zap x' h",
  "ssh -oProxyCommand='exec zap x' h",
  "scp -o 'ProxyCommand zap x' a h:b",
  "tar -cf a.tar --checkpoint=1 --checkpoint-action=exec='zap x' b",
  "tar -xf a.tar --to-command='zap x'",
  "tar -I 'zap x' -cf a.tar b",
  "tar --use-comp='zap x' -cf a.tar b",
  "tar cfI a.tar zap b",
  "tar --rsh-command=zap -cf h:a b",
  "sort --compress-prog=zap a",
  "split --filter='zap x' a",
  "rg --pre zap x a",
  "sort --compress-program=zap a",
  "man -P 'zap x' ls",
  "less '+!zap x' a",
  "vim -c ':!zap x' a",
  "vim -es '+silent !zap x' +q",
  "expect -c 'spawn zap x'",
  "csh -c 'zap x'",
  "PAGER='zap x' git log",
  "GIT_SSH_COMMAND='zap x' git fetch",
  "export GIT_EDITOR='zap x'; git commit",
  "env EDITOR='zap x' git commit",
  "time PAGER='zap x' git log",
  "sudo -u a EDITOR='zap x' git commit",
  "sudo --user a EDITOR='zap x' git commit",
  "sudo --group a --chdir b EDITOR='zap x' git commit",
  "env --unset A EDITOR='zap x' git commit",
  "nohup env -i EDITOR='zap x' git commit",
  "declare -x EDITOR='zap x'",
  "bash -c \"GIT_EXTERNAL_DIFF='zap x' git diff\"",
  "git -c core.sshCommand='zap x' fetch",
  "git -c alias.a='!zap x' a",
  "git -C there -c core.pager='zap x' log",
  "git -c tar.a.command='zap x' archive --format=a HEAD",
  "git -c protocol.ext.allow=always fetch 'ext::zap x'",
  "git clone -c core.sshCommand='zap x' a",
  "git clone --config=core.sshCommand='zap x' a",
  "git ls-remote --exec='zap x' .",
  "git grep -3Ozap x",
  "git rebase -ix'zap x' HEAD~1",
  "V='!zap x' git --config-env=alias.a=V a",
  "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.a GIT_CONFIG_VALUE_0='!zap x' git a",
  "export GIT_CONFIG_VALUE_0='zap x'",
  "GIT_CONFIG_PARAMETERS=\"'core.pager=zap x'\" git -p log",
  "GIT_CONFIG_PARAMETERS=\"'core.pager'='zap x'\" git -p log",
  "git config --global core.editor 'zap x'",
  "git rebase -x 'zap x' HEAD~1",
  "git rebase --exec='zap x' HEAD~1",
  "git bisect run zap x",
  "git bisect run sh -c 'zap x'",
  "git --git-dir /a --work-tree /b -c core.pager='zap x' log",
  "git rebase --ex 'zap x' HEAD~1",
  "git submodule foreach 'zap x'",
  "git submodule --quiet foreach --recursive zap x",
  "git filter-branch --tree-filter 'zap x' HEAD",
  "git difftool -x 'zap x'",
  "git push --e='zap x' . HEAD",
  "git clone --up='zap x' . a",
  "git merge-index zap -a",
  "git send-email --smtp-server='zap x' a",
  "git instaweb --httpd 'zap x'",
  "git daemon --access-hook='zap x'",
  "echo 'zap x' | at now",
  "at now <<< 'zap x'",
  "batch <<E\nzap x\nE",
  "echo '0 5 * * * zap x' | crontab -",
  "docker exec -i web bash <<'E'\nzap x\nE",
  "echo 'zap x' | docker run -i -e A=1 image bash",
  "echo 'zap x' | docker exec -i web sudo bash",
  "kubectl exec -i pod -- env A=1 sh <<'E'\nzap x\nE",
  "kubectl exec -i pod -- sh -s <<'E'\nzap x\nE",
  "ssh -T h <<'E'\ncd a\nzap x\nE",
  "ssh h <<'E'\nzap -r a b c d e\nE",
  "echo 'zap a b c d e' | at now",
  "echo '*/5 1-3 * jan mon-fri zap x' | crontab -",
  "ssh -oNumberOfPasswordPrompts=0 h <<'E'\nzap x\nE",
  "echo 'zap x' | ssh -p 22 h",
  "uvx zap x",
  "pipx run zap x",
  "bun x zap x",
  "sshpass -p a ssh h zap x",
  "docker exec web docker exec web sh -c 'zap x'",
  `env ${"A=1 ".repeat(300)}EDITOR='zap x' git commit`,
])("a deny rule finds it, in every mode, and an ask rule, too: %s", async (command) => {
  for (const mode of ["default", "bypassPermissions"] as const)
    expect(await bash(make(place, { mode, allow: ["Bash"], deny: ["Bash(zap *)"] }), place.cwd, command)).toBe("deny");
  expect(await bash(make(place, { allow: ["Bash"], askRules: ["Bash(zap *)"] }), place.cwd, command)).toBe("ask");
});

test.each([
  "docker run --rm --entrypoint sh image -c 'zap -f x'",
  "docker compose run --entrypoint 'sh -c' web 'zap -f x'",
  "git bisect run zap -f x",
  "fd -Hx zap -f {}",
  "fdfind -HIX zap -f",
  "git -c alias.a='!zap' a -f x",
  "git -c alias.a=b -c alias.b='!zap' a -f x",
  "git config alias.a '!zap' && git -C there a -f x",
  "V='!zap' git --config-env=alias.a=V a -f x",
  "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.a GIT_CONFIG_VALUE_0='!zap' git a -f x",
  "git bisect run sh -c 'zap -f x'",
])("one for an option finds it as it is given: %s", async (command) => {
  const permissions = make(place, { allow: ["Bash"], deny: ["Bash(zap -f *)"] });
  expect(await bash(permissions, place.cwd, command)).toBe("deny");
});

test.each([
  "git -c alias.p='push origin' p",
  "git -c alias.p='-c a=b push' p origin",
  "docker exec web git -C app push origin",
  "docker compose run web sh -c 'git -C app push origin'",
  "kubectl exec pod -- git --no-pager push origin",
  "git submodule foreach 'git -C app push origin'",
  "tmux bind x run 'git -C app push origin'",
])(
  "one that forbids pushing finds an alias of the line itself, and options of git in front of it: %s",
  async (command) => {
    const permissions = make(place, { allow: ["Bash"], deny: ["Bash(git push *)"] });
    expect(await bash(permissions, place.cwd, command)).toBe("deny");
  },
);

test.each([
  "docker run --rm zap",
  "docker run --rm zap npm test",
  "docker run --name zap -d image",
  "docker exec zap ls",
  "podman exec -l ls zap",
  "docker run -l zap image ls",
  'docker exec "$C" sh -c "$X"',
  "docker exec $(docker ps -q) $X",
  "docker run -p 80:80 zap npm test",
  "docker run -e EDITOR=vim zap",
  "docker exec -e TERM=zap web ls",
  "docker build -t zap .",
  "docker logs zap",
  "docker compose up zap",
  "docker compose logs exec zap",
  "kubectl get pods zap",
  "kubectl exec zap -- ls",
  "kubectl exec -n zap pod ls",
  "wsl --install -d zap",
  "wsl -d zap ls",
  "flatpak run zap",
  "flatpak install zap",
  "heroku logs -a zap",
  "heroku run -a zap ls",
  "tmux send-keys -t zap ls Enter",
  `tmux new -d ${"\\; send-keys ls Enter ".repeat(9)}`,
  "gh codespace ssh -c zap ls",
  "mosh zap ls",
  "tmux kill-session -t zap",
  "tmux bind zap kill-session",
  "tmux set -g status-left zap",
  "tmux set-hook -g zap 'display hi'",
  "tmux send-keys -t dev 'ls;' Enter",
  "tmux rename-session zap\\; send-keys -t zap ls Enter",
  "tmux if 'test -f zap' 'display zap' 'select-window -t zap'",
  "fish -c 'not test -f zap; and ls'",
  "go test -run zap ./...",
  "yarn workspace zap build",
  "git clone -c user.name=zap a",
  "git push origin zap --exec=b",
  "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0='a zap' git commit",
  "tar cfz a.tgz zap",
  'npx --cache="$D" eslint src',
  'npx eslint -c "$C" src',
  'npx webpack -c"$C"',
  'npx --yes -p typescript tsc --composite="$C"',
  'npx wrangler d1 execute a --command="$Q"',
  'npm exec -- psql --command="$Q"',
  'doppler run -- psql --command="$Q"',
  'flock -n a psql -c"$Q"',
  'runuser -u a -- psql -c "$Q"',
  'npm exec --color="$C" eslint src',
  'doppler run --config="$C" -- ls',
  'doppler run -c"$C" -- ls',
  'kubectl exec "$P" -- "$X"',
  'rsync -e "ssh -p $PORT" a h:b',
  'rsync -e "$RSH" zap h:b',
  "tar -czf zap.tar.gz zap",
  "tar -I zstd -cf a.tar zap",
  "ssh -o StrictHostKeyChecking=no h ls",
  "vim zap",
  "vim +12 zap",
  "vim -c 'wq!' zap",
  "less +/zap x",
  "man zap",
  "PAGER=less git log -- zap",
  'GIT_SSH_COMMAND="ssh -i $KEY" git fetch',
  'GIT_EDITOR="$E" git commit',
  "GIT_EDITOR=true git rebase --continue",
  "git -c user.name=zap commit -m 'zap x'",
  "git config user.name zap",
  "git rebase -i zap",
  "git submodule update zap",
  "git bisect good zap",
  "git commit -m 'run zap x'",
  "at -l",
  "ssh h cat <<'E'\nzap x\nE",
  "docker exec -i web psql <<'E'\nzap x\nE",
  "echo zap x; docker exec -it web bash -c ls",
  "echo zap x | tee a",
  "crontab -l",
  "crontab -l | grep a; echo 'zap x'",
  "ssh -NL 80:a:80 h & echo 'zap x'",
  "grep -rn EDITOR=zap src",
  "git log --grep 'PAGER=zap x'",
  "git commit -m 'EDITOR=zap is honoured'",
  "echo EDITOR=zap >> sample",
  "PAGER=cat grep GIT_SSH_COMMAND=zap x",
  "nx run a:b -- zap x",
  "docker run --rm --entrypoint ls zap x",
  "bun run zap x",
  "bun add zap",
  "pipx install zap",
])("and it finds none where nothing of that name is run: %s", async (command) => {
  for (const mode of ["default", "bypassPermissions"] as const)
    expect(await bash(make(place, { mode, allow: ["Bash"], deny: ["Bash(zap *)"] }), place.cwd, command), mode).toBe(
      "allow",
    );
});

test("a long script with much to say and a shell elsewhere is within it", async () => {
  const says = Array.from({ length: 100 }, (_, at) => `echo step ${at} of one hundred`).join("\n");
  for (const mode of ["default", "bypassPermissions"] as const) {
    const permissions = make(place, { mode, allow: ["Bash"], deny: ["Bash(zap *)"] });
    expect(await bash(permissions, place.cwd, `${says}\nssh h <<'E'\nls\nE`)).toBe("allow");
  }
});

test("what is past a bound of what is followed is asked about, and refused where nobody is", async () => {
  const deep = `${"docker exec a ".repeat(6)}zap x`;
  const many = `export ${Array.from({ length: 2_500 }, (_, at) => `A${at}_PAGER=a`).join(" ")} EDITOR='zap x'`;
  for (const command of [deep, many]) {
    expect(await bash(make(place, { allow: ["Bash"], deny: ["Bash(zap *)"] }), place.cwd, command)).toBe("ask");
    const mode = "bypassPermissions";
    expect(await bash(make(place, { mode, deny: ["Bash(zap *)"] }), place.cwd, command)).toBe("deny");
    expect(await bash(make(place, { mode }), place.cwd, command)).toBe("allow");
  }
});

test("what is found there takes nothing from what a rule allows, and reads no file here", async () => {
  const permissions = make(place, { allow: ["Bash(docker exec *)", "Bash(npm test)"], deny: ["Bash(zap *)"] });
  expect(await bash(permissions, place.cwd, "npm test && docker exec web sh -c 'ls /app'")).toBe("allow");
  const files = make(place, { allow: ["Bash"], deny: ["Edit(src/**)"] });
  expect(await bash(files, place.cwd, "docker exec web sh -c 'rm -r /app/tmp'")).toBe("allow");
  const pager = make(place, { allow: ["Bash"], deny: ["Bash(cat *)"] });
  expect(await bash(pager, place.cwd, "PAGER=cat git log")).toBe("allow");
});

test("cat that shows what it is given is no cat of a file", async () => {
  const permissions = make(place, { allow: ["Bash"], deny: ["Bash(cat *)"] });
  for (const command of [
    "git -c core.pager=cat log",
    "GIT_PAGER=cat git log",
    "git config core.pager cat",
    "man -P cat ls",
  ])
    expect(await bash(permissions, place.cwd, command), command).toBe("allow");
  for (const command of ["git -c core.pager='cat .env' log", "PAGER='cat .env' git log"])
    expect(await bash(permissions, place.cwd, command), command).toBe("deny");
});
