/** One step of the demo, as `nameplate demo --json` prints it. */
export interface Step {
  title: string;
  /** Records that were just published. */
  zone?: ZoneLine[];
  /** `path` is a whole URL if the request is not to the API; `fields` are the header fields that matter. */
  request?: { method: 'GET' | 'POST'; path: string; fields?: Record<string, string>; body?: unknown };
  /** `body` is a string if it is not JSON. */
  answer?: { status: number; body: unknown };
}

export interface ZoneLine {
  name: string;
  type: string;
  value: string;
}

export function unexpected(expected: string, found: unknown): Error {
  return new Error(`The demo failed: expected ${expected}, got ${JSON.stringify(found)}`);
}
