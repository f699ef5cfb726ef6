/** WebFetch: answers a question about a page; a small model, and it alone, reads the page. */
import { loadOnce } from "../lib/load-once.ts";
import type { Tool, ToolInputSchema } from "../protocol/tool.ts";
import type { ToolDependencies } from "./dependencies.ts";
import { ToolError } from "./failure.ts";
import { pageContent } from "./output-content.ts";
import { describeCall } from "./paths.ts";
import type { WebFetchInput } from "./web/answer-page.ts";

const inputSchema: ToolInputSchema = {
  type: "object",
  properties: {
    url: { type: "string" },
    prompt: { type: "string", description: "What to find out" },
    offset: { type: "integer", minimum: 0, description: "Character of a long page to begin at" },
  },
  required: ["url", "prompt"],
};

export function createWebFetchTool(dependencies: ToolDependencies): Tool {
  const loadAnswer = loadOnce(async () => {
    const { createPageAnswer } = await import("./web/answer-page.ts");
    return createPageAnswer(dependencies);
  });
  return {
    name: "WebFetch",
    description: "Fetches a page and answers the prompt about it. A redirect to another host is told, not followed.",
    inputSchema,
    replay: "safe",
    maxResultSizeChars: 100_000,
    isConcurrencySafe: () => true,
    isReadOnly: () => true,
    // Fetching the page and reading it.
    timeLimitMs: () => 180_000,
    permissionSubjects: () => [{ kind: "tool" }],
    describe: (input) => describeCall("WebFetch", input["url"]),
    async validateInput(input) {
      if (String(input["prompt"]).trim() === "") return { ok: false, message: "prompt is empty." };
      const { readPageUrl } = await import("./web/page-url.ts");
      try {
        readPageUrl(String(input["url"]), () => false);
      } catch (error) {
        // An invalid address needs no permission prompt.
        if (error instanceof ToolError) return { ok: false, message: error.message };
        throw error;
      }
      return { ok: true };
    },
    contentOf: pageContent,
    async call(input, { signal }) {
      const answer = await loadAnswer();
      try {
        return await answer(input as unknown as WebFetchInput, signal);
      } catch (error) {
        if (error instanceof ToolError) return { content: error.message, isError: true };
        throw error;
      }
    },
  };
}
