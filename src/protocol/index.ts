/** The words of pawl: types and tiny constructors, importing nothing. Published as `pawl/protocol`. */
export * from "./message.ts";
export * from "./usage.ts";
export * from "./stop.ts";
export * from "./tool.ts";
export * from "./agent.ts";
export * from "./permission.ts";
export * from "./hook.ts";
export * from "./turn-end.ts";
export * from "./model.ts";
export * from "./event.ts";
export * from "./money.ts";
export * from "./context.ts";
export * from "./collapse.ts";
export * from "./record.ts";
export * from "./sdk.ts";
export * from "./context-usage.ts";
export * from "./sdk-history.ts";
