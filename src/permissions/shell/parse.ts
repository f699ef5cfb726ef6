/**
 * Turns a command line into the simple commands it runs, including those in substitutions and branches, with the shell parser. Everything
 * outside the small language understood here is a problem, and a problem is asked about.
 */
import {
  parse,
  type Assignment,
  type CompoundList,
  type Command,
  type ParsedScript,
  type Redirection,
  type Statement,
  type TestExpression,
  type Word,
} from "unbash";
import { literalWord, loopProgram } from "./read-words.ts";
import { escapedLineEnd } from "./forms.ts";
import type { ShellScript, ShellStep, ShellWord } from "./step.ts";
import { splitComparisons } from "./comparisons.ts";
import { Problem, WordReader } from "./parsed-words.ts";
import { printsPattern } from "./printed-patterns.ts";
import { maxCommandLength } from "./words.ts";

const maxDepth = 30;
const maxSteps = 100;

export function parseShell(command: string): ShellScript {
  const walker = new ScriptWalker();
  if (command.length > maxCommandLength)
    return { steps: [], problem: `it is longer than ${maxCommandLength} characters` };
  if (escapedLineEnd.test(command))
    return { steps: [], problem: "a word or an operator in it continues on the next line" };
  try {
    walker.walkScript(parse(command));
    const { steps, isGrouped } = walker;
    return { steps, isGrouped };
  } catch (error) {
    // A bug of the parser only makes the line impossible to judge.
    const problem = error instanceof Problem ? error.message : "it cannot be parsed";
    return { steps: walker.steps, problem };
  }
}

function mayBecomeGlob({ kind, source }: ShellWord): boolean {
  return (kind === "unknown" || kind === "data") && printsPattern(source);
}

function hasGlobPart({ parts }: Word): boolean {
  return parts?.some(({ type }) => type === "Glob") ?? false;
}

/** Whether only output goes into the pipe: errors, which may contain any words, must go elsewhere. */
function pipesOnlyOutput(node: Statement["command"]): boolean {
  return (
    node.type === "Command" &&
    node.redirects.every(
      (each) => each.type === "Redirect" && !each.operator.endsWith("&") && each.target?.text === "/dev/null",
    )
  );
}

class ScriptWalker {
  readonly steps: ShellStep[] = [];
  isGrouped = false;
  readonly #words = new WordReader((script) => this.walkScript(script));
  #depth = 0;
  #isFed = false;
  #isLooped = false;
  #looped: ReadonlyMap<string, readonly ShellWord[]> = new Map();

  walkScript(script: ParsedScript | undefined): void {
    if (script === undefined) throw new Problem("part of it cannot be parsed");
    const [error] = script.errors ?? [];
    if (error !== undefined) throw new Problem(`it is not valid shell (${error.message})`);
    this.#statements(script.commands);
  }

  #list(list: CompoundList): void {
    this.#statements(list.commands);
  }

  #statements(statements: readonly Statement[]): void {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new Problem("it is nested too deeply");
    for (const { command } of statements) this.#node(command);
    this.#depth -= 1;
  }

  #node(node: Statement["command"]): void {
    switch (node.type) {
      case "Command":
        return this.#command(node);
      case "AndOr":
        return this.#chain(node.commands, node.operators);
      case "Pipeline":
        return this.#pipeline(node.commands, node.operators);
      case "If":
        this.#list(node.clause);
        this.#list(node.then);
        for (const { clause, then } of node.elif) {
          this.#list(clause);
          this.#list(then);
        }
        if (node.else !== undefined) this.#list(node.else);
        break;
      case "While":
        return this.#loop(node.clause, node.body);
      case "For":
        return this.#for(node);
      case "Redirected":
        this.#step([], [], node.redirects);
        this.#node(node.command);
        break;
      case "Subshell":
      case "BraceGroup":
        this.isGrouped = true;
        return this.#list(node.body);
      case "TestCommand":
        return this.#test(node.expression);
      case "Function":
        throw new Problem("it defines a function");
      case "Case":
      case "Select":
      case "Coproc":
      case "ArithmeticFor":
      case "ArithmeticCommand":
        throw new Problem(`it holds shell syntax that is not understood (${node.type})`);
      default:
        throw new Problem(
          `it holds shell syntax that is not known (${String((node satisfies never as { type: string }).type)})`,
        );
    }
  }

  /** After `&&`, a command runs in the folder to which the one before it led, if that is a single command with nothing inside its words. */
  #chain(commands: readonly Statement["command"][], operators: readonly string[]): void {
    const isSure = operators.every((operator) => operator === "&&");
    let isAlone = false;
    for (const each of commands) {
      const before = this.steps.length;
      this.#node(each);
      const [step] = this.steps.slice(before);
      if (step !== undefined && isSure && isAlone) step.followsSurely = each.type === "Command";
      isAlone = each.type === "Command" && this.steps.length === before + 1;
    }
  }

  #pipeline([first, ...others]: readonly Statement["command"][], operators: readonly string[]): void {
    const start = this.steps.length;
    if (first !== undefined) this.#node(first);
    const wasFed = this.#isFed;
    this.#isFed = true;
    // A command precedes those inside its words.
    let before = first !== undefined && pipesOnlyOutput(first) ? this.steps[start] : undefined;
    for (const [index, each] of others.entries()) {
      const at = this.steps.length;
      this.#node(each);
      const step = each.type === "Command" ? this.steps[at] : undefined;
      if (step?.isFed === true && before !== undefined && operators[index] === "|") step.fedBy = before;
      before = pipesOnlyOutput(each) ? step : undefined;
    }
    this.#isFed = wasFed;
  }

  /** The loop sets the variable itself, so its name must not be one that programs are run or steered by. */
  #for(node: Extract<Statement["command"], { type: "For" }>): void {
    const name = node.name.text;
    if (!/^[a-z]\w*$/u.test(name)) throw new Problem("its loop sets a variable that may steer programs");
    if (this.#looped.has(name)) throw new Problem("a loop in a loop sets the same variable");
    const words = node.wordlist?.flatMap((word) => this.#words.readWords(word)) ?? [];
    if (words.some(mayBecomeGlob)) throw new Problem("its loop goes through words that may become a pattern");
    const hasGlob = words.some(({ kind }) => kind === "glob") || (node.wordlist?.some(hasGlobPart) ?? false);
    if (hasGlob) this.#addStep({ words: [literalWord(loopProgram), ...words] });
    const before = this.#looped;
    if (words.length > 0) this.#looped = new Map([...before, [name, words]]);
    this.#loop(node.body);
    this.#looped = before;
  }

  #loop(...lists: CompoundList[]): void {
    const before = this.#isLooped;
    this.#isLooped = true;
    for (const list of lists) this.#list(list);
    this.#isLooped = before;
  }

  #test(expression: TestExpression): void {
    const comparisons = splitComparisons(expression);
    if (comparisons === undefined) throw new Problem("it compares in a way that is not understood");
    for (const { operator, operands } of comparisons) {
      const [first, ...others] = operands.map((operand) => this.#words.readWord(operand));
      if (first === undefined) continue;
      const compared = others.length === 0 ? [literalWord(operator), first] : [first, literalWord(operator), ...others];
      this.#addStep({ words: [literalWord("[["), ...compared] });
    }
  }

  #command(command: Command): void {
    const assignments: Assignment[] = [];
    for (const each of command.prefix) if (each.type === "Assignment") assignments.push(each);
    const words: Word[] = command.name === undefined ? [] : [command.name];
    for (const argument of command.args) {
      if (argument.type === "Assignment") throw new Problem("it sets variables for what comes after it");
      words.push(argument);
    }
    this.#step(words, assignments, command.redirects);
  }

  #step(words: readonly Word[], assignments: readonly Assignment[], redirects: readonly Redirection[]): void {
    const isFed = this.#isFed && !redirects.some(({ operator }) => operator.startsWith("<"));
    // Added before the commands of its substitutions: commands are judged in the order they are written.
    const step = this.#addStep({ isFed });
    const [program, ...others] = words;
    if (program !== undefined) step.words.push(this.#words.readWord(program));
    for (const word of others) step.words.push(...this.#words.readWords(word));
    for (const { name, value, index, append } of assignments) {
      if (value.type !== "Word" || index !== undefined || append === true)
        throw new Problem(`it sets ${name} in a way that is not understood`);
      step.assignments.push({ name, value: this.#words.readWord(value) });
    }
    for (const redirect of redirects) this.#redirect(step, redirect);
  }

  #addStep(properties: Partial<ShellStep>): ShellStep {
    if (this.steps.length >= maxSteps) throw new Problem(`it holds more than ${maxSteps} commands`);
    const looped = this.#looped.size === 0 ? {} : { looped: this.#looped };
    const step = {
      words: [],
      assignments: [],
      redirects: [],
      isFed: false,
      isLooped: this.#isLooped,
      ...looped,
      ...properties,
    };
    this.steps.push(step);
    return step;
  }

  #redirect(step: ShellStep, redirect: Redirection): void {
    if (redirect.descriptor?.type === "FileDescriptorVariable") throw new Problem("it opens a file into a variable");
    if (redirect.type === "HereDoc") {
      if (redirect.delimiter?.quoted !== true) this.#words.readDocument(redirect.body.parts ?? []);
      return;
    }
    const { target } = redirect;
    if (target === undefined) throw new Problem("a redirection has no target");
    const word = this.#words.readWord(target);
    if (redirect.type === "HereString") {
      if (word.kind === "unknown") throw new Problem(`what "${word.text}" expands to cannot be told`);
      return;
    }
    const { operator } = redirect;
    if (operator.endsWith("&")) {
      if (word.kind === "literal" && /^(?:\d+-?|-)$/u.test(word.text)) return;
      if (operator === "<&") throw new Problem("a redirection's target is not a file descriptor");
    }
    step.redirects.push({ access: operator === "<" ? "read" : "write", target: word });
  }
}
