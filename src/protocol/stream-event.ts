/** A raw stream event in the wire's own shape, for clients that asked for partial messages. */
export interface RawStreamEvent {
  type: string;
  [key: string]: unknown;
}
