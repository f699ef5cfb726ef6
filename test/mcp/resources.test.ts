// What servers have to be read, as the model lists it.
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import type { Connection } from "../../src/mcp/connection.ts";
import { readResource, resourceTools } from "../../src/mcp/resources.ts";
import { outsideContext } from "../../src/session/tools/outside-call.ts";

type Answers = Record<string, Record<string, unknown> | Error>;

/** A server that answers these questions, and knows no other. */
function serverWith(name: string, answers: Answers): Connection {
  const client = {
    request: async ({ method }: { method: string }) => {
      const answer = answers[method];
      if (answer === undefined)
        throw new ProtocolError(Number(ProtocolErrorCode.MethodNotFound), `${name} knows no ${method}`);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  const use = async (_signal: AbortSignal, work: (given: unknown) => Promise<unknown>): Promise<unknown> =>
    await work(client);
  return { server: { name }, inventory: { hasResources: true }, use } as unknown as Connection;
}

async function listed(connections: Connection[], input: object) {
  const servers = { connection: () => undefined, connections: () => connections, keyOf: (name: string) => name };
  const [list] = resourceTools(servers, (name) => name === "mcp__hidden__resource", 1_000);
  const { signal } = new AbortController();
  const { content, isError } = await list!.call(
    input as never,
    outsideContext({ sessionId: "s", key: "k", signal, cwd: "/" }),
    () => {},
  );
  return isError === true ? content : (JSON.parse(content as string) as unknown);
}

const page = (uri: string): Record<string, unknown> => ({ resources: [{ uri, name: uri, size: 3 }] });

test("lists the resources and templates of each server, even if another one fails", async () => {
  const templates = { resourceTemplates: [{ uriTemplate: "b:{day}", name: "day" }, null] };
  const servers = [
    serverWith("a", { "resources/list": page("a:1") }),
    serverWith("b", { "resources/list": page("b:1"), "resources/templates/list": templates }),
    serverWith("c", {}),
    serverWith("patterns alone", { "resources/templates/list": templates }),
    serverWith("hidden", { "resources/list": page("h:1") }),
  ];
  expect(await listed(servers, {})).toEqual([
    { server: "a", uri: "a:1", name: "a:1" },
    { server: "b", uri: "b:1", name: "b:1" },
    { server: "b", uriTemplate: "b:{day}", name: "day" },
    { server: "c", error: "c knows no resources/list" },
    { server: "patterns alone", uriTemplate: "b:{day}", name: "day" },
  ]);
});

test("lists the resources of one server on request, and names the servers if there is none of that name", async () => {
  const servers = ["a", "b"].map((name) => serverWith(name, { "resources/list": page(`${name}:1`) }));
  expect(await listed(servers, { server: "b" })).toEqual([{ server: "b", uri: "b:1", name: "b:1" }]);
  expect(await listed(servers, { server: "c" })).toBe("No connected MCP server c has resources; these have: a, b.");
});

test("says that there are more resources than it lists", async () => {
  const resources = Array.from({ length: 1_001 }, (_, at) => ({ uri: `a:${at}` }));
  const list = (await listed([serverWith("a", { "resources/list": { resources } })], {})) as unknown[];
  expect(list.slice(999)).toEqual([
    { server: "a", uri: "a:999" },
    { server: "a", note: "It has more; these are the first 1000." },
  ]);
});

// Seen: a server whose list failed had patterns of addresses alone, and nothing said that there was more.
test("reports a failed listing beside the server's templates", async () => {
  const templates = { resourceTemplates: [{ uriTemplate: "b:{day}", name: "day" }] };
  const broken = serverWith("b", {
    "resources/list": new Error("the database is locked"),
    "resources/templates/list": templates,
  });
  expect(await listed([broken], {})).toEqual([
    { server: "b", uriTemplate: "b:{day}", name: "day" },
    { server: "b", error: "the database is locked" },
  ]);
});

test("lists nothing that has no address", async () => {
  const resources = [{}, { name: "nowhere" }, { uri: 5 }, { uri: "a:1" }];
  expect(await listed([serverWith("a", { "resources/list": { resources } })], {})).toEqual([
    { server: "a", uri: "a:1" },
  ]);
});

function read(answer: Record<string, unknown>) {
  return readResource(serverWith("a", { "resources/read": answer }), "a:1", new AbortController().signal);
}

test("reads a resource that is not in a list, or is elsewhere", async () => {
  const part = { uri: "a:1", text: "words" };
  expect(await read({ contents: part })).toEqual(await read({ contents: [part] }));
  for (const odd of [part, { contents: "words" }, { content: [{ type: "text", text: "words" }] }])
    expect(await read(odd)).toEqual([{ type: "text", text: JSON.stringify(odd) }]);
  for (const nothing of [{}, { contents: [] }, { contents: null }]) expect(await read(nothing)).toEqual([]);
});

test("takes no error for a resource", async () => {
  await expect(read({ contents: [], error: "it is gone" })).rejects.toThrow("it is gone");
  const contents = [{ uri: "a:1", text: "it is gone" }];
  for (const isError of [true, "true"]) await expect(read({ contents, isError })).rejects.toThrow("it is gone");
});

test("says that a resource has more parts than it reads", async () => {
  const contents = Array.from({ length: 102 }, (_, at) => ({ uri: `a:${at}`, text: "x" }));
  const blocks = await read({ contents });
  expect(blocks.slice(100)).toEqual([{ type: "text", text: "[2 more parts were left out]" }]);
});
