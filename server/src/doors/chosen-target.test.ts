import { describe, expect, it } from 'vitest';
import { Problem, type ProblemCode, presentError } from '../api/errors.ts';
import { sharedTargetOf } from './chosen-target.ts';
import type { Called } from './door.ts';

const listed = (...hosts: string[]): Called => ({ ok: true, data: hosts.map((host) => ({ host })) });

function refused(code: ProblemCode): Called {
  const problem = new Problem(code);
  const error = presentError(problem, { service: 'service' });
  return { ok: false, status: problem.status, error, requestId: 'req_1', problem };
}

const targetOf = (called: Called) => sharedTargetOf(async () => called);

describe('the target of new domains of a door', () => {
  it('is the shared target of the workspace, where there is exactly one and the key may use it', async () => {
    expect(await targetOf(listed('customers.platform.test'))).toEqual({ target: 'customers.platform.test' });
    for (const called of [
      listed(),
      listed('a.platform.test', 'b.platform.test'),
      refused('authorization/insufficient_permissions'),
    ])
      expect(await targetOf(called)).toEqual({});
  });

  it.each(['limits/rate_limited', 'application/internal'] as const)(
    'is not decided while the list is refused with %s',
    async (code) => {
      await expect(targetOf(refused(code))).rejects.toMatchObject({ code });
    },
  );
});
