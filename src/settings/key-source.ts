/** The API key from a command the user configured, run once, and once more where the server refused what it gave. */
import { execFile } from "node:child_process";

export interface KeySource {
  /** The key; throws with a sentence for people where the command fails or says nothing. */
  get(): Promise<string>;
}

const limitMs = 30_000;

export function createKeyHelper(command: string, env: Readonly<Record<string, string | undefined>>): KeySource {
  return {
    get: () =>
      new Promise((resolve, reject) => {
        const options = { env: { ...env }, timeout: limitMs, maxBuffer: 64 * 1024 };
        const child = execFile("/bin/sh", ["-c", command], options, (error, stdout) => {
          const key = stdout.trim();
          if (error !== null)
            reject(
              new Error(
                `apiKeyHelper failed (${error.killed === true ? "no answer in 30 s" : `exit ${String(error.code)}`}): run it by hand and see what it says.`,
              ),
            );
          else if (key === "") reject(new Error("apiKeyHelper printed nothing; it should print the key."));
          else resolve(key);
        });
        child.stdin?.end();
      }),
  };
}
