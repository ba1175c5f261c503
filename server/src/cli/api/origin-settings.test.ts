import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { closingAfterEach } from '../../../../test/support/closing.ts';
import { run } from '../../../../test/support/command.ts';
import { listen } from '../../../../test/support/listen.ts';

const closing = closingAfterEach();

it('the settings of origins are shown without options, and changed by those that are given; "none" removes', async () => {
  const calls: unknown[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { project: _, app: __, environment: ___, ...change } = JSON.parse(body);
    calls.push([request.url?.replace('/v2/environments.', ''), change]);
    const settings = { environmentId: 'env_1', hostHeader: 'origin', secret: { createdAt: 1 } };
    const secret = { secret: 'npe_new', previousExpiresAt: 2 };
    const data = request.url?.endsWith('rotateOriginSecret') ? secret : settings;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ meta: { requestId: 'req_1' }, data }));
  });
  const directory = mkdtempSync(join(tmpdir(), 'nameplate-origins-'));
  closing.push(() => rmSync(directory, { recursive: true }));
  const [certificate, key] = ['certificate.pem', 'key.pem'].map((name) => join(directory, name)) as [string, string];
  writeFileSync(certificate, 'a certificate');
  writeFileSync(key, 'a key');
  const env = { NAMEPLATE_URL: `http://127.0.0.1:${await listen(closing, server)}`, NAMEPLATE_ROOT_KEY: 'np_x' };
  const path = ['--project', 'shop', '--app', 'web', '--environment', 'live'];
  const origins = (...flags: string[]) => run(['origins', ...flags, ...path], { env });
  expect(await origins('settings')).toMatchObject({ code: 0, stdout: expect.stringContaining('made 1970') });
  await origins('settings', '--host-header', 'origin', '--client-certificate', certificate, '--client-key', key);
  await origins(
    'settings',
    '--host-header',
    'none',
    '--client-certificate',
    'none',
    '--ca',
    'none',
    '--no-secret',
    '--send-external-id',
  );
  const made = await origins('rotate-secret', '--overlap', '7d');
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('npe_new') });
  expect(calls).toEqual([
    ['getOriginSettings', {}],
    [
      'updateOriginSettings',
      { hostHeader: 'origin', clientCertificate: { certificate: 'a certificate', privateKey: 'a key' } },
    ],
    [
      'updateOriginSettings',
      { hostHeader: null, clientCertificate: null, caCertificate: null, sendExternalId: true, secret: null },
    ],
    ['rotateOriginSecret', { overlapSeconds: 604_800 }],
  ]);
});
