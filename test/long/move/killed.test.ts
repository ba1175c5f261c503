import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCommand } from '../../support/command.ts';
import { issueChain, keyPem } from '../../support/issue-chain.ts';
import { chooseSeed, seeded } from '../../support/seeded-random.ts';
import { startServer } from '../../support/server-process.ts';
import { createSite, plant, until } from '../../support/server-site.ts';

const NAMES = 1000;
const REFUSED = 5;
const KILLS = 10;
/** Rows of one request: names and their certificates. */
const BATCH = 200;
const SCHEDULE = { checkIntervalMs: 60_000, windowMs: 86_400_000 };

/** Caddy's storage with so many names, and some that cannot be moved. */
function writeStorage(root: string): string[] {
  const put = (name: string, chain: string, key: string) => {
    const folder = join(root, 'certificates/acme-v02.api.letsencrypt.org-directory', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.crt`), chain);
    writeFileSync(join(folder, `${name}.key`), key);
  };
  const names = Array.from({ length: NAMES }, (_, at) => `n${at}.customer.example`);
  for (const name of names) {
    const { leaf, intermediate, key } = issueChain(name);
    put(name, leaf + intermediate, keyPem(key));
  }
  for (let at = 0; at < REFUSED; at += 1) put(`alien${at}.example`, 'GIF89a', '');
  return names.toSorted();
}

test(`a move that is killed ${KILLS} times adds each name once, never without its certificate, and none is missing`, async () => {
  const random = seeded(chooseSeed());
  const site = await createSite(SCHEDULE);
  const { data, directory, dns } = site;
  // Each command sends all certificates, and would wait at the limit of 600 a minute.
  const env = { NAMEPLATE_RATE_LIMITS: 'domains.uploadCertificate=60000/1m' };
  const { key } = await plant(site);
  const server = await startServer({ ...SCHEDULE, database: data.url, nameserverPort: dns.port, roles: 'api', env });
  try {
    const names = writeStorage(join(directory, 'caddy'));
    const report = join(directory, 'move.csv');
    const path = ['--project', 'ppp', '--app', 'aaa', '--environment', 'eee', '--report', report];
    const command = () =>
      startCommand('./bin/nameplate', ['move', 'from', 'caddy', join(directory, 'caddy'), ...path, '--json'], {
        env: { NAMEPLATE_URL: server.url, NAMEPLATE_ROOT_KEY: key },
      });
    const count = async (table: string) =>
      Number((await data.query(`select count(*) as count from ${table}`))[0]?.count);
    const done = async () => (await count('domains')) + (await count('staged_certificates'));
    let interrupted = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const moving = command();
      const goal = Math.min(kill * BATCH + random.below(BATCH), 2 * NAMES - BATCH);
      await until(`${goal} rows`, async () => (await done()) >= goal || moving.child.exitCode !== null);
      moving.child.kill('SIGKILL');
      if ((await moving.ended).signal === 'SIGKILL') interrupted += 1;
      expect(existsSync(report)).toBe(false);
      const bare = 'select name from domains where id not in (select domain_id from staged_certificates)';
      expect(await data.query(bare)).toEqual([]);
    }
    expect(interrupted).toBe(KILLS);

    const { code, stdout } = await command().ended;
    expect(code).toBe(3);
    const { created, existing, certificates, ...counts } = JSON.parse(stdout);
    expect(counts).toMatchObject({ refused: REFUSED, leftOut: 0 });
    expect([created + existing, certificates.uploaded + certificates.existing]).toEqual([NAMES, NAMES]);
    expect(existing).toBeGreaterThan(0);
    expect((await data.query('select name from domains order by name')).map(({ name }) => name)).toEqual(names);
    expect(
      (await data.query('select hostname from staged_certificates order by hostname')).map(({ hostname }) => hostname),
    ).toEqual(names);
    const actions = await data.query('select action, count(*) as count from audit_entries group by action');
    console.log({ kills: interrupted, names: NAMES, actions });
    expect(actions.find(({ action }) => action === 'domains.createDomains')?.count).toBe(NAMES);
    expect(actions.map(({ action }) => action)).not.toContain('domains.uploadCertificate');
    expect(readFileSync(report, 'utf8').trimEnd().split('\n')).toHaveLength(1 + REFUSED);
    expect(server.errors()).toEqual([]);
  } finally {
    await server.kill();
    await site.close();
  }
}, 600_000);
