/** A generator that ends what it waits for when it is left: by itself it is left only once the message has come that somebody waits for. */

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
