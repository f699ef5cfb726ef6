/** `fetch` whose answers have an end: no server fills the memory with one message. */

/** One JSON answer, or one event of a stream. */
const maxBytes = 16 * 1024 * 1024;

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export function boundedFetch(fetchImpl: Fetch = fetch): Fetch {
  return async (url, init) => {
    const response = await fetchImpl(url, init);
    const { body } = response;
    if (body === null) return response;
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const bounded = new Response(body.pipeThrough(counter(isStream)), response);
    // A response that is made has no address of its own, and relative ones in it refer to that.
    Object.defineProperty(bounded, "url", { value: response.url });
    return bounded;
  };
}

function counter(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        return controller.error(new Error(`the server sent more than ${maxBytes / 1024 / 1024} MiB at once`));
      if (isStream && endsEvent(chunk)) bytes = 0;
      controller.enqueue(chunk);
    },
  });
}

function endsEvent(chunk: Uint8Array): boolean {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  return text.includes("\n\n") || text.includes("\r\n\r\n");
}
