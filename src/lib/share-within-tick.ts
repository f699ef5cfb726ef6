/** Shares one lookup among callers that ask at the same time. */

/**
 * All callers that ask for the same in one tick share an answer, which is looked up after they asked, so that it is current. Later callers
 * get a new answer. `place`: everything the answer depends on; places with the same JSON text are the same.
 */
export function shareWithinTick<Place, Found>(find: (place: Place) => Found): (place: Place) => Promise<Found> {
  /** Requested but not yet looked up. */
  const pending = new Map<string, Promise<Found>>();
  return (place) => {
    const key = JSON.stringify(place);
    let found = pending.get(key);
    if (found === undefined) {
      found = Promise.resolve().then(() => {
        pending.delete(key);
        return find(place);
      });
      pending.set(key, found);
    }
    return found;
  };
}
