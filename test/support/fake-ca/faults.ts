import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../server/src/base/clock.ts';
import type { Endpoint } from './endpoint.ts';
import { AcmeProblem } from './problem.ts';

/** A fault of a CA. */
export interface Fault {
  /** At these resources; by default at all. */
  at?: readonly Endpoint[];
  /** For so many requests; by default until it is removed. */
  times?: number;
  /** Until this time of the CA's clock, Unix milliseconds. */
  until?: number;
  /** The CA handles the request, and only its response is faulty. */
  afterwards?: boolean;
  /**
   * Answers that instead. `cut`: the connection ends without an answer. `hang`: nothing comes. `stall`: half of a body
   * comes. `endless`: the body has no end.
   */
  answer: AcmeProblem | { status: number; headers?: Record<string, string>; body?: string } | Misfortune;
}

type Misfortune = 'cut' | 'hang' | 'stall' | 'endless';

export function createFaults(clock: Clock) {
  const faults = new Set<Fault & { left: number }>();

  return {
    add(fault: Fault): () => void {
      const added = { ...fault, left: fault.times ?? Number.POSITIVE_INFINITY };
      faults.add(added);
      return () => void faults.delete(added);
    },

    /** The first that is for this resource, used once. */
    take(endpoint: Endpoint): Fault | null {
      for (const fault of faults) {
        const over = fault.left <= 0 || (fault.until !== undefined && clock.now() >= fault.until);
        if (over) faults.delete(fault);
        if (over || !(fault.at?.includes(endpoint) ?? true)) continue;
        fault.left -= 1;
        return fault;
      }
      return null;
    },

    play({ answer }: Fault, response: ServerResponse): void {
      if (answer === 'cut') response.destroy();
      else if (answer === 'stall') response.writeHead(200, { 'content-length': '100' }).write('{"status":');
      else if (answer === 'endless') pour(response.writeHead(200));
      else if (answer instanceof AcmeProblem) refuse(response, answer);
      else if (answer !== 'hang') response.writeHead(answer.status, answer.headers).end(answer.body);
    },
  };
}

/** Answers with a problem document. */
export function refuse(response: ServerResponse, { status, more, document }: AcmeProblem): void {
  const { retryAfter } = more;
  const headers = {
    'content-type': 'application/problem+json',
    ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
  };
  response.writeHead(status, headers).end(JSON.stringify(document));
}

function pour(response: ServerResponse): void {
  // A response to HEAD has no body; writes to it are dropped at once.
  if (response.req.method === 'HEAD') response.end();
  else if (!response.destroyed) response.write('x'.repeat(64 * 1024), () => pour(response));
}
