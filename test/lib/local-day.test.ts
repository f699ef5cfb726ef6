import { afterEach, expect, test, vi } from "vitest";
import { localDay } from "../../src/lib/local-day.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test("creates no date format for the time zone of the process itself", () => {
  const made = vi.spyOn(Intl, "DateTimeFormat");
  vi.stubEnv("TZ", "Asia/Tokyo");
  expect(localDay("2026-03-01T12:00:00.000Z", "Asia/Tokyo")).toMatch(/^2026-03-0[12]$/u);
  expect(localDay("2026-03-01T12:00:00.000Z")).toMatch(/^2026-03-0[12]$/u);
  expect(made).not.toHaveBeenCalled();
  expect(localDay("2026-03-01T20:00:00.000Z", "Asia/Seoul")).toBe("2026-03-02");
  expect(made).toHaveBeenCalledTimes(1);
});
