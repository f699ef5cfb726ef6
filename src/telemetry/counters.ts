/** Counters by name and attributes. Distinct points are limited to what collectors accept; further ones go to one overflow point. */
import type { Attributes, Point } from "./record.ts";

const maxPoints = 2_000;

export class Counters {
  readonly #isCumulative: boolean;
  #points = new Map<string, Point>();
  #fromMs: number;

  constructor(isCumulative: boolean, nowMs: number) {
    this.#isCumulative = isCumulative;
    this.#fromMs = nowMs;
  }

  add(
    metric: Pick<Point, "name" | "unit" | "description">,
    value: number,
    attributes: Attributes,
    nowMs: number,
  ): void {
    const key = `${metric.name} ${JSON.stringify(Object.entries(attributes).toSorted(([one], [other]) => (one < other ? -1 : 1)))}`;
    const isFull = this.#points.size >= maxPoints && !this.#points.has(key);
    const overflow: Attributes = { "otel.metric.overflow": true };
    this.#merge(isFull ? `${metric.name} overflow` : key, {
      ...metric,
      attributes: isFull ? overflow : attributes,
      value,
      fromMs: this.#fromMs,
      atMs: nowMs,
    });
  }

  #merge(key: string, point: Point): void {
    const known = this.#points.get(key);
    if (known === undefined) this.#points.set(key, point);
    else {
      known.value += point.value;
      known.atMs = Math.max(known.atMs, point.atMs);
      known.fromMs = Math.min(known.fromMs, point.fromMs);
    }
  }

  get size(): number {
    return this.#points.size;
  }

  /** Returns the points to send now. `putBack`: called if they could not be sent, to include them next time. */
  collect(nowMs: number): { points: Point[]; putBack: () => void } {
    const points = [...this.#points.values()].map((point) => ({ ...point, atMs: nowMs }));
    if (this.#isCumulative) return { points, putBack: () => undefined };
    const collected = this.#points;
    this.#points = new Map();
    this.#fromMs = nowMs;
    const putBack = (): void => {
      for (const [key, point] of collected) this.#merge(key, point);
    };
    return { points, putBack };
  }
}
