/** Changes one key in the text of a settings file. Comments, other keys and the formatting stay as they are. */
import { applyEdits, findNodeAtLocation, modify, parseTree, type Node } from "jsonc-parser";
import { newObject, type Json } from "../lib/json.ts";
import { withoutComments } from "./jsonc.ts";

export type KeyChange =
  | { kind: "set"; value: Json }
  /** Appends to a list, which is created if missing. */
  | { kind: "add"; value: Json }
  | { kind: "drop" }
  /** Removes an item of a list. */
  | { kind: "dropItem"; index: number };

/** `text` must be readable as settings. Throws if the key lies inside something that is not an object. */
export function editSettings(text: string, path: readonly string[], change: KeyChange): string {
  const byteOrderMark = text.startsWith("\ufeff") ? "\ufeff" : "";
  return byteOrderMark + edit(text.slice(byteOrderMark.length), path, change);
}

function edit(text: string, path: readonly string[], change: KeyChange): string {
  switch (change.kind) {
    case "set":
      return setValue(text, path, change.value);
    case "add": {
      const list = nodeAt(text, path);
      if (list?.type !== "array") return setValue(text, path, [change.value]);
      return appendEntry(text, list, change.value) ?? replaceValue(text, [...path, 0], change.value);
    }
    case "drop":
      return removeValue(text, path);
    case "dropItem":
      return removeValue(text, [...path, change.index]);
    default:
      return change satisfies never;
  }
}

function nodeAt(text: string, path: readonly (string | number)[]): Node | undefined {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  return tree === undefined ? undefined : findNodeAtLocation(tree, [...path]);
}

function setValue(text: string, path: readonly string[], value: Json): string {
  if (nodeAt(text, path) !== undefined) return replaceValue(text, path, value);
  const [name = "", ...above] = path.toReversed();
  const holder = nodeAt(text, above.toReversed());
  if (holder === undefined) return setValue(text, above.toReversed(), Object.assign(newObject(), { [name]: value }));
  const isIn = holder.type === "object" ? appendEntry(text, holder, value, name) : undefined;
  return isIn ?? replaceValue(text, path, value);
}

function replaceValue(text: string, path: readonly (string | number)[], value: Json | undefined): string {
  const indent = indentOf(text);
  const isTabs = indent.startsWith("\t");
  const formattingOptions = { insertSpaces: !isTabs, tabSize: isTabs ? 1 : indent.length, eol: eolOf(text) };
  return applyEdits(text, modify(text, [...path], value, { formattingOptions }));
}

/**
 * Removes a value with its comma and, if it has lines of its own, the comment beside it. The library would also remove the comment beside
 * the value before.
 */
function removeValue(text: string, path: readonly (string | number)[]): string {
  const node = nodeAt(text, path);
  const own = node?.parent?.type === "property" ? node.parent : node;
  const holder = own?.parent;
  if (own === undefined || holder === undefined) return replaceValue(text, path, undefined);
  const bare = withoutComments(text);
  const [open, close] = [holder.offset + 1, holder.offset + holder.length - 1];
  const [start, end] = [own.offset, own.offset + own.length];
  if (
    bare.slice(open, start).trim() === "" &&
    /^[\s,]*$/u.test(bare.slice(end, close)) &&
    text.slice(open, close) === bare.slice(open, close)
  )
    return text.slice(0, open) + text.slice(close);
  const behind = /^\s*,/u.exec(bare.slice(end, close))?.[0].length ?? 0;
  const at = behind > 0 ? -1 : bare.lastIndexOf(",", start);
  const cut = lineCutRange(text, bare, start, end + behind, close);
  const kept = text.slice(0, cut.from);
  return (at < open ? kept : kept.slice(0, at) + kept.slice(at + 1)) + text.slice(cut.to);
}

/** Cuts whole lines if nothing else is on them; otherwise only the value and the blanks after it. */
function lineCutRange(
  text: string,
  bare: string,
  start: number,
  end: number,
  close: number,
): { from: number; to: number } {
  const line = text.lastIndexOf("\n", start) + 1;
  const lineEnd = text.slice(end, close).search(/\r?\n/u);
  const commentEnd = lineEnd < 0 ? -1 : end + lineEnd;
  const isAlone = commentEnd >= 0 && text.slice(line, start).trim() === "" && bare.slice(end, commentEnd).trim() === "";
  if (isAlone && !isInComment(text, bare, commentEnd)) return { from: line, to: text.indexOf("\n", commentEnd) + 1 };
  return { from: start, to: end + (/^[ \t]*/u.exec(text.slice(end, close))?.[0].length ?? 0) };
}

/**
 * Inserts after the last item of `holder` and after the comment beside that item; the library would insert between a value and its comment.
 * Returns undefined if `holder` is empty.
 */
function appendEntry(text: string, holder: Node, value: Json, name?: string): string | undefined {
  const last = holder.children?.at(-1);
  if (last === undefined) return undefined;
  const end = last.offset + last.length;
  const close = holder.offset + holder.length - 1;
  const bare = withoutComments(text);
  const comma = bare.slice(end, close).indexOf(",");
  const after = comma < 0 ? end : end + comma + 1;
  const line = text.lastIndexOf("\n", last.offset) + 1;
  const before = text.slice(line, last.offset);
  const ownsLine = before.trim() === "" && line > holder.offset;
  const indent = ownsLine ? before : "";
  const lineEnd = text.slice(after, close).search(/\r?\n/u);
  const commentEnd = lineEnd < 0 ? after : after + lineEnd;
  const isFree = ownsLine && bare.slice(after, commentEnd).trim() === "" && !isInComment(text, bare, commentEnd);
  const at = isFree ? commentEnd : after;
  const json = JSON.stringify(value, null, ownsLine ? indentOf(text) : 0).replaceAll("\n", `${eolOf(text)}${indent}`);
  const piece = name === undefined ? json : `${JSON.stringify(name)}: ${json}`;
  const own = `${ownsLine ? eolOf(text) + indent : " "}${piece}${comma < 0 ? "" : ","}`;
  const extended = text.slice(0, at) + own + text.slice(at);
  return comma < 0 ? `${extended.slice(0, end)},${extended.slice(end)}` : extended;
}

/** Whether a comment of several lines continues past `at`. */
function isInComment(text: string, bare: string, at: number): boolean {
  const open = text.lastIndexOf("/*", at);
  if (open < 0 || bare.slice(open, open + 2) === "/*") return false;
  const close = text.indexOf("*/", open + 2);
  return close >= at;
}

function indentOf(text: string): string {
  return /^([ \t]+)\S/mu.exec(text)?.[1] ?? "  ";
}

function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}
