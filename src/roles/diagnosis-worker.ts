import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../clock.ts';
import type { LookCall, LookResult } from '../observation/diagnosis-thread.ts';
import { observe } from '../observation/observe.ts';
import { openResolver, type ResolverDeps } from './open-resolver.ts';

// The script of the thread that looks because somebody asks.

/** What the thread is started with. */
export type DiagnosisWorkerData = Pick<ResolverDeps, 'config' | 'nameserverPort'>;

/** A diagnosis takes no longer. */
const TIME_LIMIT_MS = 10_000;

const port = parentPort;
if (port === null) throw new Error('diagnosis-worker.ts runs as a worker thread');

const data: DiagnosisWorkerData = workerData;
let answers: Record<string, number> = {};
const onAnswer = (kind: string) => {
  answers[kind] = (answers[kind] ?? 0) + 1;
};
const { resolver } = openResolver({ ...data, clock: systemClock, onAnswer });

async function look({ id, request }: LookCall): Promise<LookResult> {
  const { scope, domain, incumbent } = request;
  const depth = scope === 'name' ? scope : 'diagnosis';
  try {
    const signal = AbortSignal.timeout(TIME_LIMIT_MS);
    const { observation } = await observe(resolver, domain, incumbent, { depth, signal, random: Math.random });
    return { id, observation, answers: counted() };
  } catch (error) {
    return { id, observation: null, error: String(error), answers: counted() };
  }
}

function counted(): Record<string, number> {
  const since = answers;
  answers = {};
  return since;
}

port.on('message', async (call: LookCall) => port.postMessage(await look(call)));
