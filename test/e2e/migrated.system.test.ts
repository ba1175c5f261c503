import { expect, test } from 'vitest';
import { createLog } from '../../server/src/base/log.ts';
import { readServerConfig } from '../../server/src/config/config.ts';
import { startServer } from '../../server/src/main.ts';
import { temporaryDirectory } from '../support/command.ts';

test('a start with a new database, and one without migrations, logs no migration', async () => {
  const directory = temporaryDirectory();
  try {
    const path = `${directory.path}/nameplate.db`;
    for (let starts = 0; starts < 2; starts++) expect(await linesOfStart(path)).toEqual([]);
  } finally {
    directory.remove();
  }
});

/** Those about migrations. */
async function linesOfStart(path: string): Promise<unknown[]> {
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
  return logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'the schema was migrated');
}
