/** Makes a generator end its wait as soon as it is left; otherwise it is left only once the awaited message has come. */

/** `ending` is called first. */
export function leftAtOnce<T, R>(messages: AsyncGenerator<T, R>, ending: () => void): AsyncGenerator<T, R> {
  const leaveWith = messages.return.bind(messages);
  const throwInto = messages.throw.bind(messages);
  return Object.assign(messages, {
    return(value: R | PromiseLike<R>) {
      ending();
      return leaveWith(value);
    },
    throw(error: unknown) {
      ending();
      return throwInto(error);
    },
  });
}
