// Guarding rules find commands that terminals, window managers, message buses and scripts are told to run or to type.
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

const modes = ["default", "bypassPermissions"] as const;
const run = (mode: (typeof modes)[number], command: string) =>
  bash(make(place, { mode, allow: ["Bash"], deny: ["Bash(zap *)"] }), place.cwd, command);

test.each([
  "tmux send-keys -H 7a 61 70 20 78 0d",
  "tmux send-keys -t dev -H 0x6c 0x73 0d 7a 61 70",
  "tmux send-keys 0x7a 0x61 0x70 Space x Enter",
  "tmux send-keys -X copy-pipe-and-cancel 'zap x'",
  "tmux set-buffer -b a 'zap x' \\; paste-buffer -b a",
  "tmux setb 'zap x'",
  "tmux load-buffer - <<< 'zap x'",
  "tmux -c 'zap x'",
  "tmux -L a -c 'zap x'",
  "screen -X eval 'stuff \"zap x\\015\"'",
  "screen -X eval 'stuff ls^M' 'exec zap x'",
  "kitty @ send-text 'zap x\\r'",
  "kitty @ --to unix:/tmp/a send-text --match id:1 zap x",
  "kitten @ send-text 'ls\\nzap x\\n'",
  "echo 'zap x' | kitty @ send-text --stdin",
  "kitty @ launch --type tab --title a zap x",
  "kitten @ launch --type=tab sh -c 'zap x'",
  "kitty --title a sh -c 'zap x'",
  "wezterm cli send-text --pane-id 1 --no-paste 'zap x'",
  "wezterm cli send-text <<< 'zap x'",
  "wezterm cli spawn --cwd /a -- zap x",
  "wezterm cli split-pane --right zap x",
  "wezterm start zap x",
  "wezterm -e zap x",
  "zellij action write-chars 'zap x'",
  "zellij action write 108 115 13 122 97 112 32 120 13",
  "foot zap x",
  "footclient -T a sh -c 'zap x'",
  "ghostty -e zap x",
  "urxvt -e zap x",
  "terminator -x zap x",
  "tilix -e 'zap x'",
  "xfce4-terminal --command='zap x'",
  "abduco -c a zap x",
  "dtach -n a zap x",
  "echo 'zap x' | dtach -p a",
  "tsp zap x",
  "nq zap x",
  "pueue add -- zap x",
  "pm2 start 'zap x'",
  "sem -j 2 zap x",
  "xdotool type --delay 1 'zap x'",
  "ydotool type 'zap x'",
  "wtype 'zap x' -k Return",
  "i3-msg exec zap x",
  "i3-msg 'workspace 2; exec --no-startup-id zap x'",
  "swaymsg -- exec 'zap x'",
  "hyprctl dispatch exec zap x",
  "niri msg action spawn -- zap x",
  "dbus-send --dest=a --type=method_call / a.b string:'zap x'",
  "gdbus call --session --dest a --object-path /a --method a.b 'zap x'",
  "busctl call a /a a StartTransientUnit ss zap x",
  "qdbus org.kde.konsole /Sessions/1 runCommand 'zap x'",
  "systemd-run -p ExecStartPre='zap x' true",
  "systemd-run --property=ExecStopPost=-/usr/bin/zap\\ x true",
  "socat - EXEC:'zap x',pty",
  "socat SYSTEM:'cd a; zap x' -",
  "launchctl submit -l a -- zap x",
  "launchctl asuser 501 zap x",
  "cmd.exe /c zap x",
  "powershell.exe -Command 'zap x'",
  "osascript -e 'do shell script \"zap x\"'",
  "osascript -e 'tell app \"Terminal\"' -e 'do script \"cd a; zap x\"' -e 'end tell'",
  'osascript -e \'tell app "System Events" to keystroke "zap x"\'',
  "osascript -l JavaScript -e 'app.doShellScript(\"zap x\")'",
  "osascript <<'E'\ndo shell script \"zap x\"\nE",
  "emacs --batch --eval '(shell-command \"zap x\")'",
  "emacsclient -e '(shell-command-to-string \"cd a && zap x\")'",
  "expect -c 'spawn bash; send \"zap x\\r\"'",
  "expect <<'E'\nspawn zap x\nE",
  "nvim --server a --remote-send ':!zap x<CR>'",
  `busctl call ${"a ".repeat(200)}zap x`,
  `kitty @ launch ${"-a b ".repeat(100)}zap x`,
  "gdb -batch -ex 'shell zap x'",
  "ed a.txt <<< '!zap x'",
  "ex -s a.txt <<'E'\n!zap x\nE",
  "sqlite3 a.db '.shell zap x'",
  "sqlite3 a.db <<< '.system zap x'",
  "psql -c '\\! zap x'",
  "sftp h <<< '!zap x'",
  "awk 'BEGIN{system(\"zap x\")}'",
  "capsh -- -c 'zap x'",
  "multitime -n 3 zap x",
  "logsave a.log zap x",
  "ip netns exec a zap x",
  "cmake -E env A=b zap x",
  "fzf --preview 'zap x'",
  "LESSEDIT='zap x' less a",
  "echo 'zap x' > a.sh; sh a.sh",
  "cat > a.sh <<'E'\nls\nzap x\nE\nchmod +x a.sh && ./a.sh",
  "{ echo ls; echo zap x; } > a.sh; sudo bash a.sh",
  "echo zap x | tee a.sh && . ./a.sh",
  "echo zap x >> a.sh; bash --rcfile a.sh -ic ls",
])("a deny rule finds the command that another program types or starts: %s", async (command) => {
  for (const mode of modes) expect(await run(mode, command), mode).toBe("deny");
});

test.each([
  "tmux send-keys -H 6c 73 0d",
  "tmux send-keys -X copy-mode zap",
  "tmux set-buffer -b zap ls",
  "tmux load-buffer -b zap a.txt; echo zap",
  "tmux -L zap ls",
  "kitty @ send-text --match title:zap 'ls\\n'",
  "kitty @ ls zap",
  "kitty @ set-tab-title zap",
  "wezterm cli list zap",
  "wezterm cli send-text --pane-id 1 'ls'",
  "zellij action write 108 115 13",
  "zellij attach zap",
  "foot ls zap",
  "xdotool key zap",
  "i3-msg 'workspace zap'",
  "busctl status zap.service",
  "systemctl --user status zap",
  "systemd-run -p MemoryMax=1G ls",
  "socat - TCP:zap:80",
  "osascript -e 'display notification \"zap x\"'",
  "osascript -e 'do shell script \"ls zap\"'",
  "emacs zap",
  "emacs --batch --eval '(message \"zap x\")'",
  "expect -c 'puts \"zap x\"'",
  "nvim --server a --remote zap",
  "ghostty --title=zap -e ls",
  "pueue status zap",
  "echo zap x > a.txt; sh a.sh",
  "cat > a.sh <<'E'\nzap x\nE\nls; cat a.sh",
  "sqlite3 a.db 'select zap from x'",
  "psql -c 'select zap'",
  "awk '/zap/{print}' a.txt",
  "ed zap",
  "ip addr show zap",
  "pm2 logs zap",
])("a deny rule finds nothing where the program is only named: %s", async (command) => {
  for (const mode of modes) expect(await run(mode, command), mode).toBe("allow");
});

test("a shell's start file that only the running line knows is asked about", async () => {
  for (const command of ["bash --rcfile <(echo zap x) -ic ls", "bash --init-file <(cat a) -i -c ls"]) {
    expect(await run("default", command), command).toBe("ask");
    expect(await run("bypassPermissions", command), command).toBe("deny");
  }
  expect(await run("default", "bash --rcfile a.sh -ic ls")).toBe("allow");
});

test("what is typed into a terminal does not narrow an allow rule", async () => {
  const permissions = make(place, { allow: ["Bash(kitty @ *)", "Bash(wezterm cli *)"], deny: ["Bash(zap *)"] });
  for (const command of ["kitty @ launch ls", "kitty @ send-text 'ls\\n'", "wezterm cli send-text ls"])
    expect(await bash(permissions, place.cwd, command), command).toBe("allow");
});
