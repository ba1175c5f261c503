/** What whoever starts the program wants of a wait for another process. */
export interface Waiting {
  /** Ends the wait: what waits rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Told once, when the wait has become long, what the other process does ("which …"). */
  onLongWait?: (doing: string) => void;
}
