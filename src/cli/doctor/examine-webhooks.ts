import type { Config } from '../../config/config.ts';
import { deliversEvents } from '../../roles/deliveries-role.ts';
import type { Database } from '../../store/database.ts';
import { shortDuration } from '../output.ts';
import { type DoctorResult, ok, warn } from './doctor-result.ts';

type WebhookConfig = Partial<Pick<Config, 'roles' | 'databaseUrl' | 'encryptionKeys'>>;

const DAY_MS = 86_400_000;

/** Whether events are delivered to webhooks, by a process that has the role for it. `database`: if it can be opened. */
export async function examineWebhooks(
  { roles, databaseUrl, encryptionKeys }: WebhookConfig,
  database: Database | undefined,
  now: number,
): Promise<DoctorResult[]> {
  if (!roles?.includes('verifier') || databaseUrl === undefined) return [];
  if (!deliversEvents({ roles, databaseUrl, encryptionKeys })) {
    const advice =
      'Set NAMEPLATE_ENCRYPTION_KEY, with which the secrets of webhooks are unsealed, or leave deliveries to another process.';
    return [warn('webhooks', 'this process checks domains, and delivers no events to webhooks', advice)];
  }
  if (database === undefined) return [];
  const store = await database.open();
  const backlog = await store.deliveryBacklog().finally(() => store.close());
  const { waiting, oldestAt, failingWebhooks, disabledWebhooks } = backlog;
  const waitMs = oldestAt === null ? 0 : now - oldestAt;
  const events = waiting === 1 ? '1 event waits' : `${waiting} events wait`;
  const counts = `failing webhooks: ${failingWebhooks}, disabled: ${disabledWebhooks}`;
  if (waitMs < DAY_MS) return [ok('webhooks', `${events} to be delivered; ${counts}`)];
  const found = `${events} to be delivered, the longest for ${shortDuration(waitMs)}; ${counts}`;
  const advice =
    'Events are given up after three days. "nameplate webhooks list" shows which webhooks fail, "nameplate webhooks deliveries" what their receivers answered.';
  return [warn('webhooks', found, advice)];
}
