/** What is watched, in the words of OpenTelemetry, before it is put into the form of any exporter. Times in ms since the epoch. */

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A counter, as far as it has come. */
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
  /** `user_prompt`. */
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
