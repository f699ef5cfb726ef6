// A program that makes one call to the server its argument names, and does nothing to end.
import { createAnthropicModel } from "../../../src/model/index.ts";
import { hear } from "./wire.ts";

const model = createAnthropicModel({ baseUrl: process.argv[2] ?? "", version: "1.0.0" });
const { outcome } = await hear(model);
console.log(outcome.ok ? outcome.stopReason : outcome.failure.message);
