// Tools that wait to be loaded are found by words of any language.
import { expect, test } from "vitest";
import type { Catalog, CatalogEntry } from "../../src/mcp/catalog.ts";
import { searchTool } from "../../src/mcp/tool-search.ts";
import { outsideContext } from "../../src/session/tools/outside-call.ts";

async function answered(description: string, query: string) {
  const entries = [
    { name: "mcp__test__one", definition: { description } },
    { name: "mcp__test__two", definition: { description: "Sends a mail." } },
  ] as CatalogEntry[];
  const catalog = { deferred: () => entries, requestTool: () => {} } as unknown as Catalog;
  const signal = new AbortController().signal;
  const context = outsideContext({ sessionId: "s", key: "k", signal, cwd: "/" });
  return await searchTool(catalog).call({ query }, context, () => {});
}

const found = async (description: string, query: string): Promise<unknown> =>
  (await answered(description, query)).output;

test.each([
  ["查询指定城市的天气。", "天气查询"],
  ["指定した都市の天気を調べます。", "天気予報を調べる"],
  ["도시의 날씨를 조회합니다", "날씨 조회"],
  ["शहर का मौसम बताता है", "मौसम"],
  ["พยากรณ์อากาศของเมือง", "อากาศ"],
  ["Прогноз ПОГОДЫ в городе", "погоды"],
  ["Zeigt die Größe", "größe".normalize("NFD")],
  ["Shows the weather", "ｗｅａｔｈｅｒ"],
  ["写一封信", "信"],
])("finds %s by the query %s", async (description, query) => {
  expect(await found(description, query)).toEqual({ matches: ["mcp__test__one"] });
});

test("finds nothing for words that do not occur", async () => {
  expect(await found("查询指定城市的天气。", "删除文件 a !")).toEqual({ matches: [] });
  expect((await answered("Shows the weather", "zebra")).content).toContain(
    "None of the tools that can be loaded matches",
  );
  expect((await answered("Shows the weather", "weather")).content).toContain("mcp__test__one");
});
