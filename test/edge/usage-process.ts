import { createLog } from '../../server/src/base/log.ts';
import { createSupervisor } from '../../server/src/base/threads/supervisor.ts';
import { startEdge } from '../../server/src/edge/edge.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import { startChangeFeed } from '../../server/src/store/cache/change-feed.ts';
import { sqliteStore } from '../../server/src/store/engine/sqlite/sqlite.ts';
import { onLoopback } from './loopback.ts';

// An edge on a database that is there, in a process of its own to kill: `fork('test/edge/usage-process.ts', [path])`.
// Any message makes it write its usage.

const [path = ''] = process.argv.slice(2);
const store = await sqliteStore({ path });
const log = createLog('warn');
const metrics = createMetrics();
const edge = await startEdge({
  store,
  changes: startChangeFeed(store, { log }),
  log,
  metrics,
  supervisor: createSupervisor({ log, metrics }),
  ...onLoopback,
});
process.on('message', async () => {
  await edge.flushUsage();
  process.send?.('flushed');
});
process.on('disconnect', () => process.exit());
process.send?.(Number(edge.http?.split(':').at(-1)));
