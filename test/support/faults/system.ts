/** What this machine lets a test do to it: mount a small disk, be somebody else, have few files open. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";

/** A file system of so many KiB at `folder`; null where this user may not mount one. Unmount before the folder goes. */
export function mountSmallDisk(folder: string, kilobytes: number): { grow(): void; unmount(): void } | null {
  mkdirSync(folder, { recursive: true });
  const options = `size=${kilobytes}k,mode=0755`;
  if (spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]).status !== 0) return null;
  return {
    grow: () => void execFileSync("mount", ["-o", "remount,size=64m", folder]),
    unmount: () => void execFileSync("umount", ["--lazy", folder]),
  };
}

/** A line of shell that runs `"$@"` as a user whom file permissions bind; null where there is no way to. */
export function unprivilegedShellLine(): string | null {
  if (process.getuid?.() !== 0) return 'exec "$@"';
  const line = 'exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"';
  return spawnSync("bash", ["-c", line, "bash", process.execPath, "-e", "0"]).status === 0 ? line : null;
}

export function fileLimitShellLine(maxOpenFiles: number): string {
  return `ulimit -n ${maxOpenFiles}; exec "$@"`;
}

/** Whether Node itself, without us, gets along with so few. */
export function canNodeRunWithLimit(maxOpenFiles: number): boolean {
  const program = "require('net').connect(9, '127.0.0.1').on('error', () => 0); require('fs').openSync('/dev/null')";
  return (
    spawnSync("bash", ["-c", fileLimitShellLine(maxOpenFiles), "bash", process.execPath, "-e", program]).status === 0
  );
}
