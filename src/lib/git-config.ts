/**
 * Parses a git configuration file as git does, character by character: a comment, a quoted value or a continued line may contain, or hide,
 * what looks like a section.
 */

export interface GitSetting {
  /** `section.name` or `section.subsection.name`: section and name in lower case, the subsection as written. */
  key: string;
  /** Without the blanks around it, unless they are quoted; null if the name has no value, which git reads as true. */
  value: string | null;
}

export interface GitConfig {
  settings: GitSetting[];
  /** The line at which git would fail, if any. */
  invalidLine: string | undefined;
}

export function readGitConfig(text: string): GitConfig {
  const reader = new ConfigReader(text.replace(/^\ufeff/u, "").replaceAll("\r\n", "\n"));
  const settings: GitSetting[] = [];
  let prefix = "";
  for (let next = reader.nextCharacter(); next !== undefined; next = reader.nextCharacter()) {
    const setting = next === "[" ? undefined : reader.readSetting();
    const header = next === "[" ? reader.readHeader() : undefined;
    if (setting !== undefined) settings.push({ key: `${prefix}${setting.name}`, value: setting.value });
    else if (header === undefined) return { settings, invalidLine: reader.currentLine() };
    else prefix = `${header}.`;
  }
  return { settings, invalidLine: undefined };
}

const escapes: Readonly<Record<string, string>> = { t: "\t", b: "\b", n: "\n", "\\": "\\", '"': '"', "\n": "" };

class ConfigReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The next character after whitespace and comments; undefined at the end. */
  nextCharacter(): string | undefined {
    for (;;) {
      this.#match(/\s*/uy);
      if (this.#match(/[#;][^\n]*/uy) === undefined) return this.#text[this.#at];
    }
  }

  /** `[section]`, `[section "sub"]`, `[section.sub]`. */
  readHeader(): string | undefined {
    const bare = this.#match(/\[([A-Za-z0-9.-]+)\]/uy)?.[1];
    if (bare !== undefined) return bare.toLowerCase();
    const [, section, sub] = this.#match(/\[([A-Za-z0-9.-]+)[^\S\n]+"((?:[^"\\\n]|\\[^\n])*)"\]/uy) ?? [];
    if (section === undefined || sub === undefined) return undefined;
    return `${section.toLowerCase()}.${sub.replaceAll(/\\([^])/gu, "$1")}`;
  }

  readSetting(): { name: string; value: string | null } | undefined {
    const name = this.#match(/[A-Za-z][A-Za-z0-9-]*/uy)?.[0].toLowerCase();
    if (name === undefined) return undefined;
    if (this.#match(/[ \t]*(?:\n|$)/uy) !== undefined) return { name, value: null };
    if (this.#match(/[ \t]*=/uy) === undefined) return undefined;
    const value = this.#readValue();
    return value === undefined ? undefined : { name, value };
  }

  /** The current line. */
  currentLine(): string {
    const start = this.#text.lastIndexOf("\n", this.#at - 1) + 1;
    this.#match(/[^\n]*/uy);
    return this.#text.slice(start, this.#at).trim();
  }

  /** Blanks count if they are quoted or have something on both sides. */
  #readValue(): string | undefined {
    let value = "";
    let isQuoted = false;
    for (;;) {
      const blanks = isQuoted ? "" : (this.#match(/[ \t\r]+/uy)?.[0] ?? "");
      const letter = this.#text[this.#at++];
      if (letter === undefined || letter === "\n") return isQuoted ? undefined : value;
      if (value !== "" && !/[#;]/u.test(letter)) value += blanks;
      if (letter === '"') isQuoted = !isQuoted;
      else if (letter === "\\") {
        const escaped = escapes[this.#text[this.#at++] ?? "\n"];
        if (escaped === undefined) return undefined;
        value += escaped;
      } else if (!isQuoted && (letter === "#" || letter === ";")) {
        this.#match(/[^\n]*/uy);
      } else value += letter;
    }
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found !== undefined) this.#at = pattern.lastIndex;
    return found;
  }
}
