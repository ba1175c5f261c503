import { sql } from 'kysely';
import type { DeliveryClaim, DueDelivery } from '../contract/store.ts';
import type { CertificateClaim } from '../sql/certificates/fairness.ts';
import { certificateClaimer } from '../sql/certificates/leases.ts';
import { claimDue } from '../sql/checks.ts';
import { claimMonitored } from '../sql/monitors.ts';
import { addRequests } from '../sql/request-counts.ts';
import type { Tables, Transaction } from '../sql/statement.ts';
import { deliveryClaimer } from '../sql/webhooks/delivery-claims.ts';
import { saveDeliveries } from '../sql/webhooks/delivery-results.ts';
import { parkQueues } from '../sql/webhooks/queue-rows.ts';
import { NO_LOCKS, UNSYNCED, write } from '../sql/writes.ts';

/** The writes that are SQLite's own. */
export const sqliteWrites = {
  addRequests: write(addRequests, NO_LOCKS, UNSYNCED),
  claimCertificates: write(claimCertificates, NO_LOCKS, UNSYNCED),
  claimDeliveries: write(claimDeliveries, NO_LOCKS, UNSYNCED),
  claimDue: write(claimDue, NO_LOCKS, UNSYNCED),
  claimMonitored: write(claimMonitored, NO_LOCKS, UNSYNCED),
  saveDeliveries: write(saveDeliveries, NO_LOCKS, UNSYNCED),
  writePage: write(writePage, NO_LOCKS, UNSYNCED),
};

/** Both of the writer thread. */
const claimer = certificateClaimer();
const claimOutbox = deliveryClaimer();

async function claimCertificates(tx: Transaction, claim: CertificateClaim) {
  return claimer(tx, claim);
}

async function claimDeliveries(tx: Transaction, claim: DeliveryClaim): Promise<DueDelivery[]> {
  const { due, idle } = await claimOutbox(tx, claim);
  if (idle.length > 0) await parkQueues(tx, idle, claim.now);
  return due;
}

/** Writes a page, though nothing changes: nothing less shows that the file can be written. */
async function writePage(tx: Transaction): Promise<void> {
  await tx.execute(setUserVersion, {});
}

function setUserVersion(db: Tables) {
  return { compile: () => sql`pragma user_version = 0`.compile(db) };
}
