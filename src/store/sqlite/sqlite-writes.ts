import { sql } from 'kysely';
import type { CertificateClaim } from '../sql/certificates/fairness.ts';
import { certificateClaimer } from '../sql/certificates/leases.ts';
import { claimDue } from '../sql/checks.ts';
import { claimMonitored } from '../sql/monitors.ts';
import { addRequests } from '../sql/request-counts.ts';
import type { Tables, Transaction } from '../sql/statement.ts';
import { upkeep } from '../sql/write.ts';

/** The writes that are SQLite's own. */
export const sqliteWrites = {
  addRequests: upkeep(addRequests),
  claimCertificates: upkeep(claimCertificates),
  claimDue: upkeep(claimDue),
  claimMonitored: upkeep(claimMonitored),
  writePage: upkeep(writePage),
};

/** Of the writer thread. */
const claimer = certificateClaimer();

async function claimCertificates(tx: Transaction, claim: CertificateClaim) {
  return claimer(tx, claim);
}

/** Writes a page, though nothing changes: nothing less shows that the file can be written. */
async function writePage(tx: Transaction): Promise<void> {
  await tx.execute(setUserVersion, {});
}

function setUserVersion(db: Tables) {
  return { compile: () => sql`pragma user_version = 0`.compile(db) };
}
