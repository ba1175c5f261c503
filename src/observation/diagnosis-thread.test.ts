import { afterEach, expect, test, vi } from 'vitest';
import { aDomain, anApp, anEnvironment, aProject } from '../../test/support/entities.ts';
import { createLog } from '../log.ts';
import type { LookRequest } from './diagnose.ts';
import { type DiagnosisThread, diagnosisThread } from './diagnosis-thread.ts';

const environment = anEnvironment(anApp(aProject({ workspaceId: 'ws_1' })));

function request(name: string): LookRequest {
  return { scope: 'domain', domain: aDomain(environment, { name, kind: 'subdomain' }), incumbent: null };
}

/** A thread that answers with the name, does as its first label says, and tells who it is. */
const SCRIPT = `
  import { parentPort, threadId } from 'node:worker_threads';
  parentPort.on('message', ({ id, request }) => {
    const { name } = request.domain;
    if (name.startsWith('crash.')) throw new Error('as it was told');
    if (name.startsWith('hang.')) for (;;);
    const failed = name.startsWith('fail.');
    const observation = failed ? null : { name, threadId };
    parentPort.postMessage({ id, observation, answers: { nxdomain: 2 }, ...(failed && { error: 'as it was told' }) });
  });
`;

let thread: DiagnosisThread;
afterEach(() => thread.stop());

function start(options: { timeLimitMs?: number; restartMs?: number } = {}): Map<string, number> {
  const counted = new Map<string, number>();
  thread = diagnosisThread({
    script: new URL(`data:text/javascript,${encodeURIComponent(SCRIPT)}`),
    workerData: null,
    log: createLog('silent'),
    onAnswers: (kind, count) => counted.set(kind, (counted.get(kind) ?? 0) + count),
    restartMs: 50,
    ...options,
  });
  return counted;
}

test('each request gets its own result, and the answers are counted', async () => {
  const counted = start();
  const looks = ['a.acme.com', 'b.acme.com'].map((name) => thread.look(request(name)));
  expect(await Promise.all(looks)).toMatchObject([{ name: 'a.acme.com' }, { name: 'b.acme.com' }]);
  expect(counted).toEqual(new Map([['nxdomain', 4]]));
});

test('a look that fails is rejected alone', async () => {
  start();
  const [failed, done] = [thread.look(request('fail.acme.com')), thread.look(request('a.acme.com'))];
  await expect(failed).rejects.toThrow('as it was told');
  expect(await done).toMatchObject({ name: 'a.acme.com' });
});

test('a thread that crashes rejects what it was looking at, and the next request starts another', async () => {
  start();
  const first = await thread.look(request('a.acme.com'));
  await expect(thread.look(request('crash.acme.com'))).rejects.toThrow('the diagnosis thread has ended');
  const second = await vi.waitUntil(() => thread.look(request('a.acme.com')).catch(() => null));
  expect(second).not.toEqual(first);
});

test('a thread that crashes at its start is not started again at once', async () => {
  start({ restartMs: 60_000 });
  await expect(thread.look(request('crash.acme.com'))).rejects.toThrow('has ended');
  await expect(thread.look(request('a.acme.com'))).rejects.toThrow('has just crashed');
});

test('a thread whose loop stands still is ended', async () => {
  start({ timeLimitMs: 200 });
  await expect(thread.look(request('hang.acme.com'))).rejects.toThrow('the diagnosis thread has ended');
});
