/**
 * Folders on which another machine's disk is mounted. If that machine stops responding, any access there blocks the whole process, so
 * these folders have to be recognized without accessing them.
 */
import { readFileSync } from "node:fs";

const networkFileSystems =
  /^(?:nfs4?|cifs|smb3|smbfs|afs|ceph|glusterfs|lustre|davfs|ncpfs|fuse\.(?:sshfs|rclone|s3fs|gcsfuse|goofys|davfs2?|curlftpfs|glusterfs|ceph|juicefs|blobfuse2?|smbnetfs))$/u;

/** Absolute paths; empty if the system does not list its mounts. */
export function networkPlaces(): ReadonlySet<string> {
  try {
    return networkPlacesIn(readFileSync("/proc/self/mountinfo", "utf8"));
  } catch {
    return new Set();
  }
}

/** See proc_pid_mountinfo(5). */
export function networkPlacesIn(mountInfo: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const line of mountInfo.split("\n")) {
    const [before = "", after = ""] = line.split(" - ");
    if (!networkFileSystems.test(after.split(" ")[0] ?? "")) continue;
    const path = before.split(" ")[4] ?? "";
    found.add(path.replace(/\\([0-7]{3})/gu, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8))));
  }
  return found;
}
