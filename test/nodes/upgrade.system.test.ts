import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLedger, reconcile } from '../support/acknowledged.ts';
import { type Scene, startLoad } from '../support/load.ts';
import { type Postgres, sharedPostgres } from '../support/postgres.ts';
import { chooseSeed, seeded } from '../support/seeded-random.ts';
import { onPostgres } from '../support/server-data.ts';
import { type LogLine, launchServer, type Server, type ServerLine, startServer } from '../support/server-process.ts';
import { createSite, plant, type Site } from '../support/server-site.ts';

const SCHEDULE = { checkIntervalMs: 1000, windowMs: 6000 };
const NEXT_VERSION = join(import.meta.dirname, 'next/version.ts');

let postgres: Postgres;
let site: Site;
beforeAll(async () => {
  postgres = sharedPostgres();
  site = await createSite(SCHEDULE, onPostgres(postgres));
});
afterAll(() => site.close());

test('a node serves without one failed request while two of the next version migrate at once, and beside them; then the old version no longer starts', async () => {
  const tenants = [await plant(site), await plant(site)] as const;
  const scene: Scene = { site, tenants, ledger: createLedger(), random: seeded(chooseSeed()) };
  const start = { ...SCHEDULE, database: site.data.url, nameserverPort: site.dns.port };
  const old = await site.serve();
  const nodes = [old];
  const anyone = () => (scene.random.pick(nodes) as Server).url;
  const load = startLoad(scene, anyone, { clients: 6, pauseMs: 20, most: 40, staleMs: 1000 });
  try {
    await delay(500);
    const next = { ...start, preload: NEXT_VERSION, env: { NAMEPLATE_LOG_LEVEL: 'info' } };
    nodes.push(
      ...(await Promise.race([Promise.all([startServer(next), startServer(next)]), load.ended.then(() => [])])),
    );
    expect(nodes).toHaveLength(3);
    const isMigrated = (line: ServerLine): line is LogLine => 'msg' in line && line.msg === 'the schema was migrated';
    const told = await Promise.any(nodes.slice(1).map((node) => node.says(isMigrated)));
    expect(told).toMatchObject({ tookMs: { '9000-next': expect.any(Number) } });
    await Promise.race([delay(1500), load.ended]);
    load.finish();
    await load.ended;
    const done = await postgres.run(site.data.url, "select count(*) from kysely_migration where name = '9000-next'");
    expect(done).toEqual([{ count: '1' }]);

    const another = launchServer(start);
    expect(await another.ended).not.toBe(0);
    expect(another.complaints()).toContain('was written by a newer nameplate (it has the migration "9000-next"');

    for (const node of nodes) expect(node.errors()).toEqual([]);
    const contents = await site.data.inspect({ ...SCHEDULE, now: Date.now });
    expect(contents.faults).toEqual([]);
    expect(reconcile(scene.ledger, contents)).toEqual([]);
    console.log(scene.ledger.acknowledged);
    expect(scene.ledger.acknowledged.verified).toBeGreaterThan(0);
  } finally {
    await Promise.all(nodes.map((node) => node.kill()));
  }
}, 60_000);
