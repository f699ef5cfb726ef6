// Parses the flags of developer programs. A wrong flag prints one line and exits with code 2.
import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

type Values<T extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: T }>>["values"];

export function parseFlags<const T extends ParseArgsOptionsConfig>(options: T): Values<T> {
  try {
    return parseArgs<{ options: T }>({ options }).values;
  } catch (error) {
    const known = Object.keys(options).map((name) => `--${name}`);
    console.error(`${error instanceof Error ? error.message : String(error)}\nFlags: ${known.join(", ")}.`);
    process.exit(2);
  }
}
