import { describe, expect, test } from "vitest";
import { openToolBox, textOf, type ToolBox } from "./support.ts";

// A float that JavaScript would write as 1, an integer it cannot hold, and escapes it would undo.
const source = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {"when": 1.0, "big": 12345678901234567890},
   "source": ["# T\\u00eetle"]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "work",
   "metadata": {},
   "outputs": [{"output_type": "stream", "name": "stdout", "text": ["1\\n"]}],
   "source": ["print(1)\\n", "print(2)"]
  }
 ],
 "metadata": {"language_info": {"name": "python"}},
 "nbformat": 4,
 "nbformat_minor": 5
}
`;

async function openNotebook(text = source): Promise<ToolBox> {
  const box = openToolBox();
  await box.call("Read", { file_path: box.put("a.ipynb", text) });
  return box;
}

describe("NotebookEdit", () => {
  test("replaces a source, drops the old outputs, and keeps every other byte", async () => {
    const box = await openNotebook();
    const result = await box.call("NotebookEdit", {
      notebook_path: "a.ipynb",
      cell_id: "work",
      new_source: "x = 1\ny",
    });
    expect(textOf(result)).toBe("Replaced cell work of a.ipynb.");
    const text = box.read("a.ipynb");
    const [, kept = ""] = /^([\s\S]*)"execution_count": 3/.exec(source) ?? [];
    expect(text.startsWith(kept)).toBe(true);
    expect(text.endsWith(source.slice(source.indexOf('"metadata": {"language_info"')))).toBe(true);
    const { cells } = JSON.parse(text) as { cells: unknown[] };
    expect(cells[1]).toEqual({
      cell_type: "code",
      execution_count: null,
      id: "work",
      metadata: {},
      outputs: [],
      source: ["x = 1\n", "y"],
    });
    expect(result.output).toMatchObject({
      cell_id: "work",
      cell_type: "code",
      language: "python",
      edit_mode: "replace",
      error: "",
      original_file: source,
      updated_file: text,
    });
  });

  test("inserts a cell after another or first, with an id if the format has ids", async () => {
    const box = await openNotebook();
    await box.call("NotebookEdit", {
      notebook_path: "a.ipynb",
      cell_id: "intro",
      new_source: "a = 1",
      cell_type: "code",
      edit_mode: "insert",
    });
    await box.call("NotebookEdit", {
      notebook_path: "a.ipynb",
      new_source: "# First",
      cell_type: "markdown",
      edit_mode: "insert",
    });
    const { cells } = JSON.parse(box.read("a.ipynb")) as {
      cells: { id: string; cell_type: string; source: string[] }[];
    };
    expect(cells.map((cell) => cell.source.join(""))).toEqual(["# First", "# Tîtle", "a = 1", "print(1)\nprint(2)"]);
    expect(cells.map((cell) => cell.id.length)).toEqual([8, 5, 8, 4]);
  });

  test("deletes a cell, and changes the type of another", async () => {
    const box = await openNotebook();
    await box.call("NotebookEdit", {
      notebook_path: "a.ipynb",
      cell_id: "work",
      new_source: "text",
      cell_type: "markdown",
    });
    await box.call("NotebookEdit", { notebook_path: "a.ipynb", cell_id: "intro", new_source: "", edit_mode: "delete" });
    expect((JSON.parse(box.read("a.ipynb")) as { cells: unknown[] }).cells).toEqual([
      { cell_type: "markdown", id: "work", metadata: {}, source: ["text"] },
    ]);
  });

  test.each([
    ["four blanks", 4, "\n"],
    ["tabs", "\t", "\n"],
    ["line ends of Windows", 1, "\r\n"],
  ])("keeps the indentation and line ends of the file: %s", async (_, indent, lineEnd) => {
    const written = (text: string): string =>
      JSON.stringify(JSON.parse(text), undefined, indent).replaceAll("\n", lineEnd);
    const notebook = { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 };
    const box = await openNotebook(written(JSON.stringify(notebook)));
    for (const cell_type of ["code", "markdown"]) {
      const cell = { new_source: "a\nb", cell_type, edit_mode: "insert" };
      await box.call("NotebookEdit", { notebook_path: "a.ipynb", ...cell });
    }
    const text = box.read("a.ipynb");
    expect(text).toBe(written(text));
    expect((JSON.parse(text) as { cells: unknown[] }).cells).toHaveLength(2);
  });

  test("adds outputs to a text cell only if it becomes code, and no ids before format 4.5", async () => {
    const box = await openNotebook(source.replace('"nbformat_minor": 5', '"nbformat_minor": 4'));
    const edit = async (input: Record<string, unknown>): Promise<string> =>
      textOf(await box.call("NotebookEdit", { notebook_path: "a.ipynb", ...input }));
    await edit({ cell_id: "intro", new_source: "" });
    const cellsOf = (text: string) => (JSON.parse(text) as { cells: { metadata: unknown }[] }).cells;
    const cells = (): unknown => cellsOf(box.read("a.ipynb")).slice(0, -1);
    const { metadata } = cellsOf(source)[0]!;
    expect(cells()).toEqual([{ cell_type: "markdown", id: "intro", metadata, source: [] }]);
    await edit({ cell_id: "intro", new_source: "x", cell_type: "code" });
    const code = { cell_type: "code", id: "intro", metadata, source: ["x"], outputs: [], execution_count: null };
    expect(cells()).toEqual([code]);
    const text = { cell_id: "intro", new_source: "y", cell_type: "markdown", edit_mode: "insert" };
    expect(await edit(text)).toBe("Inserted cell cell-1 of a.ipynb.");
    expect(cells()).toEqual([code, { cell_type: "markdown", metadata: {}, source: ["y"] }]);
  });

  test("names and changes each of two cells with the same id separately", async () => {
    const text = source.replace('"id": "intro"', '"id": "work"');
    const box = openToolBox();
    const read = await box.call("Read", { file_path: box.put("a.ipynb", text) });
    expect(textOf(read)).toMatch(/<cell id="work" type="markdown">[\s\S]*<cell id="cell-1" type="python">/u);
    const result = await box.call("NotebookEdit", { notebook_path: "a.ipynb", cell_id: "cell-1", new_source: "x" });
    expect(textOf(result)).toBe("Replaced cell cell-1 of a.ipynb.");
    const { cells } = JSON.parse(box.read("a.ipynb")) as { cells: { source: string[] }[] };
    expect(cells.map((cell) => cell.source)).toEqual([["# Tîtle"], ["x"]]);
  });

  test("refuses a cell named by its position after a cell before it was added or removed", async () => {
    const cell = (text: string) => ({
      cell_type: "code",
      execution_count: null,
      metadata: {},
      outputs: [],
      source: text,
    });
    const cells = ["zero", "one", "two", "three"].map(cell);
    const box = await openNotebook(
      JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 4 }, undefined, 1),
    );
    const edit = async (cell_id: string, input: Record<string, unknown>): Promise<string> =>
      textOf(await box.call("NotebookEdit", { notebook_path: "a.ipynb", cell_id, new_source: "x", ...input }));
    const told = "The cells after it that are named by their position have different names now.";
    const refused =
      /^cell-\d of a\.ipynb is a different cell now, because a cell before it was added or removed\. Read the notebook again/u;
    expect(await edit("cell-1", { edit_mode: "delete" })).toBe(`Deleted cell cell-1 of a.ipynb. ${told}`);
    expect(await edit("cell-2", {})).toMatch(refused);
    const insert = { edit_mode: "insert", cell_type: "code" };
    // The names that the model was told of new cells count.
    expect(await edit("cell-0", insert)).toBe(`Inserted cell cell-1 of a.ipynb. ${told}`);
    expect(await edit("cell-1", { ...insert, new_source: "y" })).toBe(`Inserted cell cell-2 of a.ipynb. ${told}`);
    expect(await edit("cell-2", { new_source: "z" })).toBe("Replaced cell cell-2 of a.ipynb.");
    expect(await edit("cell-3", {})).toMatch(refused);
    await box.call("Read", { file_path: "a.ipynb" });
    expect(await edit("cell-4", { new_source: "last" })).toBe("Replaced cell cell-4 of a.ipynb.");
    expect(await edit("cell-4", insert)).toBe("Inserted cell cell-5 of a.ipynb.");
    const { cells: left } = JSON.parse(box.read("a.ipynb")) as { cells: { source: unknown }[] };
    expect(left.map(({ source }) => source)).toEqual(["zero", ["x"], ["z"], "two", ["last"], ["x"]]);
  });

  test("still refuses a moved cell after a read of text lines, but not after the notebook was written", async () => {
    const cell = (text: string) => ({ cell_type: "markdown", metadata: {}, source: text });
    const text = (...cells: string[]): string =>
      JSON.stringify({ cells: cells.map(cell), metadata: {}, nbformat: 4, nbformat_minor: 4 }, undefined, 1);
    const box = await openNotebook(text("zero", "one", "two"));
    const edit = async (cell_id: string, input: Record<string, unknown> = {}): Promise<string> =>
      textOf(await box.call("NotebookEdit", { notebook_path: "a.ipynb", cell_id, new_source: "x", ...input }));
    await edit("cell-0", { edit_mode: "delete" });
    for (const offset of [1, 20]) await box.call("Read", { file_path: "a.ipynb", offset, limit: 3 });
    expect(await edit("cell-1")).toMatch(/^cell-1 of a\.ipynb is a different cell/u);
    await box.call("Write", { file_path: "a.ipynb", content: text("new", "more") });
    expect(await edit("cell-1")).toBe("Replaced cell cell-1 of a.ipynb.");
  });

  test("refuses a cell that moved because Edit added or removed a cell in the text", async () => {
    const cell = (text: string): string => JSON.stringify({ cell_type: "markdown", metadata: {}, source: [text] });
    const cells = ["zero", "one", "two", "three"].map(cell);
    const box = await openNotebook(`{"cells": [${cells.join()}], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}`);
    const put = async (old_string: string, new_string: string): Promise<string> =>
      textOf(await box.call("Edit", { file_path: "a.ipynb", old_string, new_string }));
    const replace = async (cell_id: string): Promise<string> =>
      textOf(await box.call("NotebookEdit", { notebook_path: "a.ipynb", cell_id, new_source: cell_id }));
    await put("three", "3");
    await put(`], "metadata": {}, "nbformat"`, `,${cell("four")}], "metadata": {}, "nbformat"`);
    expect(await replace("cell-3")).toBe("Replaced cell cell-3 of a.ipynb.");
    await put(`${cell("two")},`, "");
    expect(await replace("cell-1")).toBe("Replaced cell cell-1 of a.ipynb.");
    expect(await replace("cell-2")).toMatch(/^cell-2 of a\.ipynb is a different cell/u);
    await put(cell("zero"), "");
    await put(`[,`, "[");
    expect(await replace("cell-0")).toMatch(/^cell-0 of a\.ipynb is a different cell/u);
  });

  // The format refuses them in code, and Jupyter says so each time the file is opened.
  test("drops pasted pictures when a text cell becomes code", async () => {
    const box = await openNotebook(source.replace('"id": "intro",', '"id": "intro", "attachments": {"i.png": {}},'));
    const input = { notebook_path: "a.ipynb", cell_id: "intro", new_source: "x", cell_type: "code" };
    await box.call("NotebookEdit", input);
    const { cells } = JSON.parse(box.read("a.ipynb")) as { cells: object[] };
    expect(cells[0]).not.toHaveProperty("attachments");
  });

  test("refuses unread notebooks, unknown cells and inputs that do not fit", async () => {
    const box = await openNotebook();
    const edit = async (input: Record<string, unknown>): Promise<string> =>
      textOf(await box.call("NotebookEdit", { notebook_path: "a.ipynb", new_source: "", ...input }));
    expect(await edit({ cell_id: "nope" })).toBe('a.ipynb has no cell "nope". It has: intro, work.');
    expect(await edit({})).toBe("replace needs cell_id.");
    expect(await edit({ edit_mode: "insert" })).toBe("insert needs cell_type.");
    box.put("b.ipynb", source);
    expect(await edit({ notebook_path: "b.ipynb", cell_id: "intro" })).toMatch(/has not been read yet/);
    expect(await edit({ notebook_path: "c.ipynb", cell_id: "intro" })).toMatch(/^File not found: c\.ipynb/);
    expect(box.read("a.ipynb")).toBe(source);
  });
});
