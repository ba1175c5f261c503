import type { Supervisor } from '../base/threads/supervisor.ts';
import { createDiagnoser } from '../verification/observation/diagnose.ts';
import type { Diagnoser } from '../verification/observation/diagnoser.ts';
import { diagnosisThread } from '../verification/observation/diagnosis-thread.ts';
import type { DiagnosisWorkerData } from './diagnosis-worker.ts';
import type { RoleDeps } from './roles.ts';

type DiagnoserDeps = Pick<RoleDeps, 'clock' | 'log'> & { supervisor: Supervisor } & DiagnosisWorkerData;

/** Diagnoses in a thread of its own, which starts with the first diagnosis. `close` ends it. */
export function openDiagnoser({ config, clock, log, supervisor, nameserverPort }: DiagnoserDeps): {
  diagnoser: Diagnoser;
  close(): Promise<void>;
} {
  const { dnsMode, dnsResolvers, dnsAllowedNetworks } = config;
  const workerData: DiagnosisWorkerData = { config: { dnsMode, dnsResolvers, dnsAllowedNetworks }, nameserverPort };
  const script = new URL('./diagnosis-worker.ts', import.meta.url);
  const thread = diagnosisThread({ script, workerData, supervisor, log });
  return { diagnoser: createDiagnoser({ look: thread.look, clock }), close: thread.stop };
}
