/** Makes a generator end its wait as soon as it is left; otherwise it is left only once the awaited message has come. */

/** `onReturn` is called first. */
export function withImmediateReturn<T, R>(messages: AsyncGenerator<T, R>, onReturn: () => void): AsyncGenerator<T, R> {
  const leaveWith = messages.return.bind(messages);
  const throwInto = messages.throw.bind(messages);
  return Object.assign(messages, {
    return(value: R | PromiseLike<R>) {
      onReturn();
      return leaveWith(value);
    },
    throw(error: unknown) {
      onReturn();
      return throwInto(error);
    },
  });
}
