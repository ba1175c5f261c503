import { expect, test } from 'vitest';
import { readServerConfig } from '../../src/config/config.ts';
import { createLog } from '../../src/log.ts';
import { startServer } from '../../src/main.ts';
import { pendingMigrations } from '../../src/store/sqlite/sqlite.ts';
import { temporaryDirectory } from '../support/command.ts';

test('a start logs which migrations it has applied, and how long each took; one that applies none says nothing', async () => {
  const directory = temporaryDirectory();
  try {
    const path = `${directory.path}/nameplate.db`;
    const pending = await pendingMigrations(path);
    for (const applied of [[pending], []]) {
      expect((await linesOfStart(path)).map(({ tookMs }) => Object.keys(tookMs))).toEqual(applied);
    }
  } finally {
    directory.remove();
  }
});

/** Those about migrations. */
async function linesOfStart(path: string): Promise<{ tookMs: Record<string, number> }[]> {
  const logged: string[] = [];
  const config = readServerConfig({
    NAMEPLATE_LISTEN: '127.0.0.1:0',
    NAMEPLATE_CNAME_ZONE: 'cname.platform.test',
    NAMEPLATE_DNS_RESOLVERS: '192.0.2.53',
    NAMEPLATE_DATABASE_URL: `sqlite:${path}`,
    NAMEPLATE_ROLES: 'api',
    NAMEPLATE_METRICS_LISTEN: 'off',
  });
  const server = await startServer(config, { log: createLog('info', { write: (line) => void logged.push(line) }) });
  await server.stop();
  const lines = logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'the schema was migrated');
  for (const { tookMs } of lines) for (const ms of Object.values(tookMs)) expect(ms).toEqual(expect.any(Number));
  return lines;
}
