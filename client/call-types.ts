/** Options of a call. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** Options of a call that creates something, or rotates a secret. */
export interface CreationOptions extends CallOptions {
  /**
   * Names the creation: for 24 hours, a repeat of the call with the same key and input gets the first response, and
   * neither creates nor rotates anything. Unless given, each call has a random one, kept over its retries. Give your own to repeat a call
   * that another process began; null sends none.
   */
  idempotencyKey?: string | null | undefined;
}

/** One page of a list. */
export interface Page<Item> {
  items: Item[];
  /** Where the next page starts; undefined on the last one. */
  cursor: string | undefined;
}
