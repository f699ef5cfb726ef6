/** What many ask for at once is looked for once. */

/**
 * All who ask for the same in one tick share an answer, which is found after they have asked: each is told what was so then. Whoever
 * asks later gets one of his own. `place`: all that the answer depends on; two with the same JSON text are the same.
 */
export function inSameTick<Place, Found>(find: (place: Place) => Found): (place: Place) => Promise<Found> {
  /** Asked for, and not looked for yet. */
  const asked = new Map<string, Promise<Found>>();
  return (place) => {
    const key = JSON.stringify(place);
    let found = asked.get(key);
    if (found === undefined) {
      found = Promise.resolve().then(() => {
        asked.delete(key);
        return find(place);
      });
      asked.set(key, found);
    }
    return found;
  };
}
