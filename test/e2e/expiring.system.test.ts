import { expect, test } from 'vitest';
import { createLog } from '../../server/src/base/log.ts';
import { readServerConfig } from '../../server/src/config/config.ts';
import { startServer } from '../../server/src/main.ts';
import { databaseAt, keyringFor } from '../../server/src/store/database.ts';
import { anIssuedCertificate, aSave, DAY_MS, verify } from '../support/certificates.ts';
import { closingAfterEach } from '../support/closing.ts';
import { temporaryDirectory } from '../support/command.ts';
import { plant } from '../support/entities.ts';
import { startReceiver } from '../webhooks/receivers.ts';
import { SECRET, subscribe } from '../webhooks/world.ts';

const closing = closingAfterEach();

test('a server with the role for certificates sends a receiver the event of an expiring one', async () => {
  const directory = temporaryDirectory();
  closing.push(directory.remove);
  const config = readServerConfig({
    NAMEPLATE_CNAME_ZONE: 'cname.example.net',
    NAMEPLATE_DNS_RESOLVERS: '192.0.2.53',
    NAMEPLATE_DATABASE_URL: `sqlite:${directory.path}/nameplate.db`,
    NAMEPLATE_ROLES: 'verifier,certificates',
    NAMEPLATE_ISSUER: 'internal',
    NAMEPLATE_MONITORING: 'off',
    NAMEPLATE_METRICS_LISTEN: 'off',
    NAMEPLATE_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1',
    NAMEPLATE_WEBHOOK_SCHEMES: 'https,http',
  });
  const receiver = await startReceiver(closing, SECRET);
  const database = await databaseAt(config.databaseUrl);
  const store = await database.open({ keyring: keyringFor(database) });
  const planted = await plant(store);
  const now = Date.now();
  // A tenth of its lifetime is left, and somebody else renews it: it is due tomorrow.
  const times = { notBefore: now - 82 * DAY_MS, notAfter: now + 8 * DAY_MS, issuedAt: now - 82 * DAY_MS };
  const domain = await verify(store, planted.environment, { at: now });
  const [due] = await store.claimCertificates({ now, limit: 1, leaseMs: 1000, newNames: true });
  if (due === undefined) throw new Error('no certificate was due');
  const issued = { state: 'issued', issued: anIssuedCertificate(times), nextTryAt: now + DAY_MS, now } as const;
  await store.saveCertificate(aSave(due, issued));
  await subscribe({ store, clock: { now: () => now, advance() {} } }, planted, receiver.url);
  await store.close();

  const server = await startServer(config, { log: createLog('silent') });
  closing.push(server.stop);
  await receiver.got(1);
  expect(receiver.received).toMatchObject([{ type: 'certificate.expiring', domain: domain.name }]);
  expect(JSON.parse(receiver.received[0]?.body ?? '').data.certificate).toMatchObject({
    state: 'issued',
    notAfter: times.notAfter,
  });
});
