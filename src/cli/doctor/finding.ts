/** What `nameplate doctor` found, one thing each. */
export interface Finding {
  about: string;
  level: 'ok' | 'warn' | 'fail';
  /** What was found. */
  found: string;
  /** What to do about it; absent where all is well. */
  advice?: string;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
