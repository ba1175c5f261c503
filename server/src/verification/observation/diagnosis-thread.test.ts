import { afterEach, expect, test, vi } from 'vitest';
import { aDomain, anApp, anEnvironment, aProject } from '../../../../test/support/entities.ts';
import { createLog } from '../../base/log.ts';
import { createSupervisor } from '../../base/threads/supervisor.ts';
import { createMetrics } from '../../roles/metrics.ts';
import type { DiagnosisQuery } from './diagnoser.ts';
import { type DiagnosisThread, diagnosisThread } from './diagnosis-thread.ts';

const environment = anEnvironment(anApp(aProject({ workspaceId: 'ws_1' })));

function request(name: string): DiagnosisQuery {
  return { scope: 'domain', domain: aDomain(environment, { name, kind: 'subdomain' }), incumbent: null };
}

/** A thread that answers with the name, does as its first label says, and tells who it is. */
const SCRIPT = `
  import { threadId } from 'node:worker_threads';
  import { serveParent } from '${new URL('../../base/threads/thread.ts', import.meta.url)}';
  serveParent({
    observe({ domain: { name } }) {
      if (name.startsWith('crash.')) setImmediate(() => { throw new Error('as it was told') });
      if (name.startsWith('crash.')) return new Promise(() => {});
      if (name.startsWith('hang.')) for (;;);
      if (name.startsWith('fail.')) throw new Error('as it was told');
      return { name, threadId };
    },
    snapshot: () => [],
    stop: () => process.exit(),
  }).ready();
`;

let thread: DiagnosisThread;
afterEach(() => thread.stop());

function start(options: { timeLimitMs?: number } = {}): void {
  const log = createLog('silent');
  thread = diagnosisThread({
    script: new URL(`data:text/javascript,${encodeURIComponent(SCRIPT)}`),
    workerData: null,
    supervisor: createSupervisor({ log, metrics: createMetrics() }),
    log,
    ...options,
  });
}

test('each request gets its own result', async () => {
  start();
  const diagnoses = ['a.acme.com', 'b.acme.com'].map((name) => thread.observe(request(name)));
  expect(await Promise.all(diagnoses)).toMatchObject([{ name: 'a.acme.com' }, { name: 'b.acme.com' }]);
});

test('a look that fails is rejected alone', async () => {
  start();
  const [failed, done] = [thread.observe(request('fail.acme.com')), thread.observe(request('a.acme.com'))];
  await expect(failed).rejects.toThrow('as it was told');
  expect(await done).toMatchObject({ name: 'a.acme.com' });
});

test('a thread that crashes rejects what it was asking and what comes before its replacement, which then asks', async () => {
  start();
  const first = await thread.observe(request('a.acme.com'));
  await expect(thread.observe(request('crash.acme.com'))).rejects.toThrow('the thread has ended');
  await expect(thread.observe(request('a.acme.com'))).rejects.toThrow('the thread has ended');
  const again = () => thread.observe(request('a.acme.com')).catch(() => null);
  const second = await vi.waitUntil(again, { timeout: 10_000 });
  expect(second).not.toEqual(first);
});

test('a thread whose loop stands still is ended', async () => {
  start({ timeLimitMs: 200 });
  await expect(thread.observe(request('hang.acme.com'))).rejects.toThrow('the thread has ended');
});
