import { constants, existsSync, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config, DatabaseUrl, DnsServer } from '../../config/config.ts';
import { deliversEvents } from '../../roles/roles.ts';
import { type Database, databaseAt } from '../../store/database.ts';
import type { DomainStore } from '../../store/domain/domain-store.ts';
import { messageOf } from '../cli-error.ts';
import { shortDuration } from '../output/output.ts';
import { type DoctorResult, fail, ok, warn } from './doctor-result.ts';
import { addressesOf } from './examine-edge.ts';

/** `nameplate doctor` examines whether the store can be used, the targets of domains, and deliveries to webhooks. */

interface ExaminedStore {
  finding: DoctorResult;
  /** If it can be opened as it is. */
  database?: Database;
}

/** The store: its file or server, its schema, and whether it is writable. */
export async function examineStore(url: DatabaseUrl): Promise<ExaminedStore> {
  try {
    const database = await databaseAt(url);
    const { name } = database;
    if (await database.isNew()) {
      if (url.engine === 'sqlite') return { finding: await examineDirectory(url.path) };
      return { finding: ok('store', `${name} is empty; the first start creates its tables`) };
    }
    const [pending] = await database.pendingMigrations();
    if (pending !== undefined) {
      const advice = 'Back it up. Then start serve, or run "nameplate migrate", to bring it up to date.';
      return { finding: warn('store', `${name} lacks the migration "${pending}"`, advice) };
    }
    const store = await database.open();
    await store.ping().finally(() => store.close());
    return { finding: ok('store', `${name} is writable, and its schema is current`), database };
  } catch (error) {
    const other = url.engine === 'sqlite' ? 'file' : 'database';
    return {
      finding: fail('store', messageOf(error), `Fix that, or name another ${other} in NAMEPLATE_DATABASE_URL.`),
    };
  }
}

async function examineDirectory(path: string): Promise<DoctorResult> {
  let directory = dirname(path);
  while (!existsSync(directory)) directory = dirname(directory);
  const isWritable =
    statSync(directory).isDirectory() &&
    (await access(directory, constants.W_OK).then(
      () => true,
      () => false,
    ));
  if (isWritable) return ok('store', `${path} does not exist yet; the first start creates it`);
  const advice = 'Make that a directory that this user can write to, or name another file in NAMEPLATE_DATABASE_URL.';
  return fail('store', `${path} cannot be created in ${directory}`, advice);
}

interface TargetsToExamine {
  resolvers: readonly DnsServer[];
  cnameZone: string;
  /** Whether this process is an edge, to which targets have to lead. */
  isEdge: boolean;
  database: { open(): Promise<Pick<DomainStore, 'findTargetOutside'> & { close(): Promise<void> }> };
}

/**
 * Domains keep their targets when the CNAME zone is changed, so names in the former zone have to resolve as long as
 * they are used.
 */
export async function examineTargets({
  resolvers,
  cnameZone,
  isEdge,
  database,
}: TargetsToExamine): Promise<DoctorResult[]> {
  const about = 'targets';
  const store = await database.open();
  let target: string | null;
  try {
    target = await store.findTargetOutside(cnameZone);
  } catch (error) {
    // Tens of millions of domains may take longer than the store waits for a statement: the other findings still count.
    return [warn(about, messageOf(error), 'Run doctor again when the database is less busy.')];
  } finally {
    await store.close();
  }
  if (target === null) return [];
  const zone = target.slice(target.indexOf('.') + 1);
  const [address] = await addressesOf(target, resolvers);
  const found = `domains have targets in ${zone}, and NAMEPLATE_CNAME_ZONE is ${cnameZone}`;
  const orSetAgain = `as long as domains use it. If the zone was not changed on purpose, set the variable to ${zone} again.`;
  if (address !== undefined)
    return [warn(about, `${found}; those in ${zone} resolve to ${address}`, `Keep *.${zone} ${orSetAgain}`)];
  const advice = `Publish *.${zone} with the address of your edge, ${orSetAgain}`;
  return [(isEdge ? fail : warn)(about, `${found}; those in ${zone} do not resolve`, advice)];
}

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
