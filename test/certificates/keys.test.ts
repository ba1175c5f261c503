import { createPrivateKey } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { internalIssuer } from '../../server/src/certificates/internal-ca.ts';
import { ENDPOINTS } from '../support/fake-ca/endpoint.ts';
import type { Fault } from '../support/fake-ca/faults.ts';
import { AcmeProblem } from '../support/fake-ca/problem.ts';
import { createIssuing, type Issuing } from './issuing.ts';

let world: Issuing;
beforeAll(async () => {
  world = await createIssuing();
});
afterAll(() => world.close());

/** A key in every likely encoding. */
function spellings(pkcs8: Uint8Array): string[] {
  const key = createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' });
  const { d = '' } = key.export({ format: 'jwk' });
  const octets = [Buffer.from(pkcs8), Buffer.from(d, 'base64url')];
  const written = octets.flatMap((one) =>
    (['hex', 'base64', 'base64url', 'latin1'] as const).map((as) => one.toString(as)),
  );
  const body = key.export({ type: 'pkcs8', format: 'pem' }).toString().split('\n')[1] ?? '';
  const listed = octets.map((one) => [...one.subarray(-20)].join(', '));
  return [...written, body, ...listed];
}

test('no key is in a log line, a message or an error, however the CA fails', async () => {
  const hmacKey = Buffer.from('an external account of a test, 32 octets').toString('base64url');
  const externalAccount = { kid: 'ours', hmacKey };
  const told: string[] = [];
  const secrets = [hmacKey, Buffer.from(hmacKey, 'base64url').toString('hex')];
  const answers: Fault['answer'][] = ['cut', new AcmeProblem(400, 'malformed', 'no'), { status: 200, body: '<html>' }];
  for (const endpoint of [...ENDPOINTS, null]) {
    for (const answer of answers) {
      const ca = await world.startCa({ externalAccounts: { ours: hmacKey } });
      if (endpoint !== null) ca.fault({ at: [endpoint], answer });
      const task = world.task();
      const issuer = world.issuer(ca, { externalAccount });
      const outcome = await issuer.issue(task).catch((error: unknown) => error);
      told.push(inspect(outcome, { depth: 20, showHidden: true, maxArrayLength: null, maxStringLength: null }));
      const account = await world.store.findCaAccount(ca.directoryUrl);
      secrets.push(...spellings(task.privateKey), ...(account === null ? [] : spellings(account.privateKey)));
    }
  }
  const task = world.task();
  const internal = internalIssuer(world);
  told.push(inspect(internal), inspect(await internal.issue(task)), await internal.rootCertificate());
  const root = await world.store.findCaAccount('internal');
  secrets.push(...spellings(root?.privateKey ?? new Uint8Array()), ...spellings(task.privateKey));

  const everything = [...world.logged, ...told].join('\n');
  expect(world.logged.length).toBeGreaterThan(100);
  expect(everything).not.toContain('PRIVATE KEY');
  expect(secrets.filter((secret) => everything.includes(secret))).toEqual([]);
});
