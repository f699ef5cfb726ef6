/** Works on `width` items at a time. Collects every failure, so that one run reports all of them. */
export async function runPooled<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<{ item: T; error: Error }[]> {
  const failures: { item: T; error: Error }[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) {
      const item = items[at] as T;
      try {
        await work(item);
      } catch (error) {
        failures.push({ item, error: error instanceof Error ? error : new Error(String(error)) });
      }
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  return failures;
}
