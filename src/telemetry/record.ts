/** Observations in the terms of OpenTelemetry, before conversion for an exporter. Times in ms since the epoch. */

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** The present value of a counter. */
export interface Point {
  name: string;
  unit: string;
  description: string;
  attributes: Attributes;
  value: number;
  fromMs: number;
  atMs: number;
}

export interface EventRecord {
  /** Such as `user_prompt`. */
  name: string;
  atMs: number;
  attributes: Attributes;
  span: SpanContext | undefined;
}

export interface SpanContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
}

export interface SpanRecord extends SpanContext {
  name: string;
  parentSpanId: string | undefined;
  fromMs: number;
  toMs: number;
  attributes: Attributes;
  isError: boolean;
}

export type Records =
  | { signal: "metrics"; records: readonly Point[]; isCumulative: boolean }
  | { signal: "logs"; records: readonly EventRecord[] }
  | { signal: "traces"; records: readonly SpanRecord[] };
