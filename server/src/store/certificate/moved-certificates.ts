import type { Domain } from '../../domain/domain.ts';
import { findDomainById } from '../domain/domains.ts';
import { defineChange } from '../engine/change.ts';
import type { Transaction } from '../engine/statement.ts';
import { NO_DOMAINS } from '../engine/write.ts';
import type { IssuedCertificate } from '../store.ts';
import { importCertificate } from './issuance.ts';
import { sealedIssued, stage, takeStaged } from './staged-certificates.ts';

type Owner = Pick<Domain, 'id' | 'workspaceId' | 'name'>;

async function stageCertificate(
  tx: Transaction,
  { id, workspaceId, name }: Owner,
  issued: IssuedCertificate & { privateKey: Uint8Array },
  now: number,
): Promise<'imported' | 'staged' | 'missing'> {
  const domain = await findDomainById(tx, workspaceId, id);
  if (domain === null) return 'missing';
  if ((await importCertificate(tx, name, issued, now, id)) === 'imported') return 'imported';
  if (domain.status === 'failed') return 'missing';
  stage(tx, domain, issued);
  return 'staged';
}

/** For a domain that has its route now: puts its staged certificate in use, unless that has expired. */
export async function putStagedInUse(tx: Transaction, { id, name }: Owner, now: number): Promise<void> {
  const staged = await takeStaged(tx, id, now);
  if (staged !== null) await importCertificate(tx, name, { ...staged, issuedAt: now }, now, id);
}

export const movedChanges = {
  stageCertificate: defineChange({
    perform: stageCertificate,
    locks: ({ id }) => [id],
    audit: {
      targets: (_, { workspaceId, name }, { notAfter }) => [
        { workspaceId, target: name, targetName: name, detail: { notAfter } },
      ],
      isMade: (outcome) => outcome !== 'missing',
    },
    secret: (seal, domain, issued, now) => [domain, sealedIssued(seal, domain.name, issued), now],
    invalidates: NO_DOMAINS,
  }),
};
