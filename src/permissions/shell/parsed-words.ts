/** Reads the words of a command line from the parser's output: what each becomes, as far as that can be known. */
import type { DoubleQuotedChild, ParsedScript, Word, WordPart } from "unbash";
import { expandBraces } from "./braces.ts";
import { numericExpansion, plainName, plainSum, shownVariables } from "./forms.ts";
import { kindWithTilde, type ShellWord } from "./step.ts";

/** The reason why a line is not understood. */
export class Problem extends Error {}

export class WordReader {
  readonly #walkScript: (script: ParsedScript | undefined) => void;

  /** `walkScript` is called with each script that runs inside a word. */
  constructor(walkScript: (script: ParsedScript | undefined) => void) {
    this.#walkScript = walkScript;
  }

  readDocument(parts: readonly WordPart[]): void {
    for (const part of parts) {
      if (part.type === "Literal") continue;
      if (part.type === "SimpleExpansion" || part.type === "ParameterExpansion" || part.type === "CommandExpansion")
        this.#expansion(part);
      else throw new Problem("its here-document expands in a way that is not understood");
    }
  }

  /** The name of the variable shown, or undefined if there is none. An expansion that does more throws a `Problem`. */
  #expansion(part: DoubleQuotedChild): string | undefined {
    switch (part.type) {
      case "Literal":
        return undefined;
      case "CommandExpansion":
        this.#walkScript(part.script);
        return undefined;
      case "ArithmeticExpansion":
        if (plainSum.test(part.text)) return undefined;
        throw new Problem(`"${part.text}" calculates with more than numbers`);
      case "SimpleExpansion":
      case "ParameterExpansion": {
        const match = plainName.exec(part.text);
        if (match === null) throw new Problem(`"${part.text}" does more than show a variable`);
        return match[1] ?? match[2] ?? undefined;
      }
      default:
        throw new Problem(`an expansion is not known (${String((part satisfies never as { type: string }).type)})`);
    }
  }

  /** Returns several words if there are braces. */
  readWords(word: Word): ShellWord[] {
    if (word.parts?.some(({ type }) => type === "BraceExpansion") !== true) return [this.readWord(word)];
    const texts = expandBraces(word.text);
    if (texts === undefined) throw new Problem(`"${word.text}" is not understood`);
    return texts.map((text) => {
      const kind = kindWithTilde(/[*?]/u.test(text) ? "glob" : "literal", text);
      return { text, source: text, kind, names: [], isFromBraces: true };
    });
  }

  readWord(word: Word): ShellWord {
    const { text } = word;
    const parts = word.parts ?? [];
    if (parts.length === 1 && parts[0]?.type === "ProcessSubstitution" && parts[0].text === text) {
      this.#walkScript(parts[0].script);
      return { text, source: text, kind: "stream", names: [] };
    }
    const names: string[] = [];
    let kind: ShellWord["kind"] = "literal";
    for (const part of parts) {
      const found = this.#part(part, names);
      if (found === "unknown" || (kind !== "literal" && found !== "literal" && found !== kind)) kind = "unknown";
      else if (kind === "literal") kind = found;
    }
    const isFixed = kind === "literal" || kind === "glob";
    const shows = kind === "unknown" ? shownVariables(parts) : undefined;
    return { text: isFixed ? word.value : text, source: text, kind: kindWithTilde(kind, text), names, shows };
  }

  /** Substitutions inside brackets run like any others. */
  #class(parts: readonly WordPart[], names: string[]): "glob" | "unknown" {
    return parts.filter((part) => this.#part(part, names) !== "literal").length === 0 ? "glob" : "unknown";
  }

  #part(part: WordPart, names: string[]): "literal" | "glob" | "data" | "unknown" {
    switch (part.type) {
      case "Literal":
      case "SingleQuoted":
        return "literal";
      case "AnsiCQuoted":
        // Bash reads as many digits as are in the braces, but the parser leaves them as they are.
        if (part.text.includes(String.raw`\x{`)) throw new Problem(`"${part.text}" is not understood`);
        return "literal";
      case "DoubleQuoted": {
        const isLiteral = part.parts.every(({ type }) => type === "Literal");
        for (const child of part.parts) {
          const name = this.#expansion(child);
          if (name !== undefined) names.push(name);
        }
        return isLiteral ? "literal" : "data";
      }
      case "Glob":
        return this.#class(part.parts ?? [], names);
      case "CommandExpansion":
        this.#walkScript(part.script);
        return "unknown";
      case "ArithmeticExpansion":
        this.#expansion(part);
        return "data";
      case "SimpleExpansion":
      case "ParameterExpansion":
        this.#expansion(part);
        return numericExpansion.test(part.text) ? "data" : "unknown";
      case "ProcessSubstitution":
        this.#walkScript(part.script);
        return "unknown";
      case "LocaleString":
      case "ExtendedGlob":
      case "BraceExpansion":
        throw new Problem(`"${part.text}" is not understood`);
      default:
        throw new Problem(`a word is not known (${String((part satisfies never as { type: string }).type)})`);
    }
  }
}
