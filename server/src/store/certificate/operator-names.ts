import { logChange } from '../cache/change-log.ts';
import type { Reader, Tables, Transaction } from '../engine/statement.ts';
import { OPERATOR, type Site } from '../store.ts';
import { deleteChallengesOf } from './orders.ts';

// A name of the operator's own has a certificate of the workspace `OPERATOR`, and no route.

export async function claimOperatorName(tx: Transaction, hostname: string, now: number) {
  const holder = await tx.one(selectHolder, { hostname });
  if (holder !== null) return { kind: 'held', ...holder } as const;
  const claimed = await tx.all(selectOperatorNames, {});
  for (const { hostname: other } of claimed.filter((one) => one.hostname !== hostname)) {
    await tx.execute(deleteName, { hostname: other });
    deleteChallengesOf(tx, other);
    logChange(tx, 'route', other);
  }
  if (claimed.every((one) => one.hostname !== hostname)) {
    await tx.execute(insertName, { hostname, now });
    logChange(tx, 'route', hostname);
  }
  return { kind: 'claimed' } as const;
}

export async function findOperatorSite(reader: Reader, hostname: string): Promise<Site | null> {
  const row = await reader.one(selectOperatorSite, { hostname });
  if (row === null) return null;
  const { chain, privateKey, notAfter } = row;
  const certificate =
    chain === null || privateKey === null || notAfter === null
      ? null
      : { chain, privateKey, notAfter, inherited: false };
  const place = { workspaceId: OPERATOR, domainId: OPERATOR, environmentId: OPERATOR, usageNumber: 0 };
  return { hostname, ...place, origin: null, certificate, redirect: null, suspendedStatus: null, settings: null };
}

/** A search of each workspace: there is no index of names alone. */
function selectHolder(db: Tables, p: { hostname: string }) {
  return db
    .selectFrom('domains')
    .where('workspaceId', 'in', db.selectFrom('workspaces').select('id'))
    .where('name', '=', p.hostname)
    .limit(1)
    .select(['id as domainId', 'workspaceId']);
}

function selectOperatorNames(db: Tables) {
  return db
    .selectFrom('certificates')
    .where('workspaceId', '=', OPERATOR)
    .where('begun', 'in', [0, 1])
    .select('hostname');
}

/** Its order and the certificate in use go with it (`on delete cascade`). */
function deleteName(db: Tables, p: { hostname: string }) {
  return db.deleteFrom('certificates').where('hostname', '=', p.hostname);
}

/** Takes over what a deleted route may have left behind. */
function insertName(db: Tables, p: { hostname: string; now: number }) {
  return db
    .insertInto('certificates')
    .values({
      hostname: p.hostname,
      workspaceId: OPERATOR,
      state: 'wanted',
      createdAt: p.now,
      nextTryAt: p.now,
      begun: 0,
      lease: 0,
      failures: 0,
    })
    .onConflict((on) => on.column('hostname').doUpdateSet({ workspaceId: OPERATOR }));
}

function selectOperatorSite(db: Tables, p: { hostname: string }) {
  return db
    .selectFrom('certificates')
    .leftJoin('servedCertificates as served', 'served.hostname', 'certificates.hostname')
    .where('certificates.hostname', '=', p.hostname)
    .where('certificates.workspaceId', '=', OPERATOR)
    .select(['served.chain', 'served.privateKey', 'served.notAfter']);
}
