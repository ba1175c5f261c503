import type { Supervisor } from '../base/threads/supervisor.ts';
import type { Diagnoser } from '../verification/observation/diagnoser.ts';
import { createDiagnoser } from '../verification/observation/diagnoser.ts';
import { diagnosisThread } from '../verification/observation/diagnosis-thread.ts';
import type { DiagnosisWorkerData } from './diagnosis-worker.ts';
import type { RoleDeps } from './roles.ts';

type DiagnoserDeps = Pick<RoleDeps, 'clock' | 'log'> & { supervisor: Supervisor } & DiagnosisWorkerData;

/** Asks DNS because somebody wants to know, in a thread of its own, until it is closed. The thread starts with the first diagnosis. */
export function openDiagnoser({ config, clock, log, supervisor, nameserverPort }: DiagnoserDeps): {
  diagnoser: Diagnoser;
  close(): Promise<void>;
} {
  const { dnsMode, dnsResolvers, dnsAllowedNetworks, challengeZone } = config;
  const asked = { dnsMode, dnsResolvers, dnsAllowedNetworks, challengeZone };
  const workerData: DiagnosisWorkerData = { config: asked, nameserverPort };
  const script = new URL('./diagnosis-worker.ts', import.meta.url);
  const thread = diagnosisThread({ script, workerData, supervisor, log });
  return { diagnoser: createDiagnoser({ ...thread, clock }), close: thread.stop };
}
