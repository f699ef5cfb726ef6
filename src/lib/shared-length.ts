/** The number of UTF-16 units that two texts have in common at their beginning. */
export function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
