// Bytes that the serializers of opentelemetry-js 0.301.1 made of the same records, without the fields that they write although they are 0.
import { afterEach, expect, test } from "vitest";
import { otlpBody } from "../../src/telemetry/otlp.ts";
import { toProtobuf } from "../../src/telemetry/protobuf.ts";
import type { Records } from "../../src/telemetry/record.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "../session/support.ts";
import { closeCollectors, startCollector } from "./collector.ts";

clearGroundsAfterwards();
afterEach(disposeAll);
afterEach(closeCollectors);

const atMs = 1_795_382_916_186;
const attributes = { s: "té", b: true, i: -5, big: 2 ** 40, d: 1.5 };
const span = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
const name = "claude_code.x";

const resource = "0a220a160a0c736572766963652e6e616d6512060a047061776c0a080a016e120318ac02";
const scope = "0a0d0a047061776c1205312e302e30";

test.each<[records: Records, bytes: string]>([
  [
    { signal: "logs", records: [{ name: "user_prompt", atMs, attributes, span }] },
    `0ad101${resource}12aa01${scope}12980109804a12fb3f7bea1810091a04494e464f2a190a17636c617564655f636f64652e757365725f70726f6d7074320a0a017312050a0374c3a932070a01621202100132100a0169120b18fbffffffffffffffff01320e0a03626967120718808080808020320e0a0164120921000000000000f83f4a100af7651916cd43dd8448eb211c80319c5208b7ad6b716920333159804a12fb3f7bea18`,
  ],
  [
    {
      signal: "metrics",
      isCumulative: false,
      records: [{ name, description: "d", unit: "u", attributes, value: 2.5, fromMs: atMs, atMs: atMs + 5 }],
    },
    `0ab701${resource}129001${scope}127f0a0d636c617564655f636f64652e781201641a01753a680a6211804a12fb3f7bea1819c0955efb3f7bea182100000000000004403a0a0a017312050a0374c3a93a070a0162120210013a100a0169120b18fbffffffffffffffff013a0e0a036269671207188080808080203a0e0a0164120921000000000000f83f10011801`,
  ],
  [
    {
      signal: "traces",
      records: [
        {
          ...span,
          name: "claude_code.tool",
          parentSpanId: "a7ad6b7169203331",
          fromMs: atMs,
          toMs: atMs + 5,
          attributes,
          isError: true,
        },
      ],
    },
    `0ad001${resource}12a901${scope}1297010a100af7651916cd43dd8448eb211c80319c1208b7ad6b71692033312208a7ad6b71692033312a10636c617564655f636f64652e746f6f6c300139804a12fb3f7bea1841c0955efb3f7bea184a0a0a017312050a0374c3a94a070a0162120210014a100a0169120b18fbffffffffffffffff014a0e0a036269671207188080808080204a0e0a0164120921000000000000f83f7a021802`,
  ],
])("encodes $signal like the serializers of OpenTelemetry", (records, bytes) => {
  const body = otlpBody(records, { "service.name": "pawl", n: 300 }, "1.0.0");
  expect(toProtobuf(body).toString("hex")).toBe(bytes);
});

test("a session with http/protobuf sends all three signals in that encoding", async () => {
  const { env, taken } = await startCollector();
  const engine = await openOn(layGround(), scripted({ fallback: "Said." }), {
    env: { ...env, OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" },
  });
  await turn(engine, "One.");
  await engine.dispose();
  expect(taken.map(({ path }) => path).toSorted()).toEqual(["/v1/logs", "/v1/metrics", "/v1/traces"]);
  for (const { headers, body } of taken) {
    expect(headers["content-type"]).toBe("application/x-protobuf");
    expect(body[0]).toBe(0x0a);
    expect(body.toString("latin1")).toContain("claude_code.");
  }
});
